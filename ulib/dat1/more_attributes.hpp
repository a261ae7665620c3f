// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Attributes of a provider by names that not all versions have. */
#pragma once

#include "face/named_attribute.hpp"
#include "uapi/kdapl.h"

#include <vector>

namespace version {

inline void add_attributes(const kdapl_ia_query &, std::vector<face::NamedAttribute> &) noexcept {}

} // namespace version
