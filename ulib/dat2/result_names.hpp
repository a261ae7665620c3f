// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Results that not all versions have. */
#pragma once

#include "face/result_name.hpp"

#include <array>

namespace version {

inline constexpr std::array more_types = {
	face::ResultName{ DAT_RESERVED_LMR, "DAT_RESERVED_LMR" },
	face::ResultName{ DAT_PORT_IN_USE, "DAT_PORT_IN_USE" },
	face::ResultName{ DAT_COMM_NOT_SUPPORTED, "DAT_COMM_NOT_SUPPORTED" },
	face::ResultName{ DAT_EXTENSION_BASE, "DAT_EXTENSION_BASE" },
};

inline constexpr std::array more_subtypes = {
	face::ResultName{ DAT_INVALID_HANDLE_CSP, "DAT_INVALID_HANDLE_CSP" },
	face::ResultName{ DAT_INVALID_STATE_SRQ_SHUTDOWN, "DAT_INVALID_STATE_SRQ_SHUTDOWN" },
};

} // namespace version
