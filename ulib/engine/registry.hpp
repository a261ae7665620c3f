// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which adapters there are: those that the module serves. */
#pragma once

#include "errors.hpp"

#include <string>
#include <vector>

namespace kdapl {

/**
 * The names of all adapters. A machine without the module has none; that is no
 * error.
 */
Status list_adapters(std::vector<std::string> &names);

} // namespace kdapl
