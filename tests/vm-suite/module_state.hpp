// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The module and the device as they can be seen from outside of a program. */
#pragma once

#include "uapi/kdapl.h"

#include <cstdint>
#include <string>

namespace suite {

/** What KDAPL_QUERY tells. */
kdapl_query module_query();

/** Users of the module: open files, and modules on top of it. */
int module_users();

/** To be called before the first program runs. */
void remember_module_users();

/** Reports a test failure when a program's end left pages pinned or the module in use. */
void expect_nothing_left();

/** Reads a parameter of the module. */
std::string module_parameter(const std::string &name);

/** Sets a parameter of the module for as long as the object lives. */
class ModuleParameter {
public:
	ModuleParameter(const std::string &name, const std::string &value);
	ModuleParameter(const ModuleParameter &) = delete;
	ModuleParameter &operator=(const ModuleParameter &) = delete;
	~ModuleParameter();

private:
	std::string path_, before_;
};

/** A counter of the RDMA device's first port; -1 where the device has none. */
std::int64_t hardware_counter(const std::string &name);

} // namespace suite
