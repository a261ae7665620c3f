// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Results that not all versions have. */
#pragma once

#include "face/result_name.hpp"

#include <array>

namespace version {

inline constexpr std::array<face::ResultName, 0> more_types{};

inline constexpr std::array more_subtypes = {
	face::ResultName{ DAT_INVALID_RO_COOKIE, "DAT_INVALID_RO_COOKIE" },
};

} // namespace version
