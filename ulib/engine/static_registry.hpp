// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The static registry: dat.conf, or what the environment has instead of it.
 */
#pragma once

#include "dat_conf.hpp"

#include <memory>
#include <string>
#include <vector>

namespace kdapl {

/** A dat.conf as it was read. */
struct StaticRegistry {
	std::string file;
	std::vector<ConfEntry> entries;
};

/** Whether there is a static registry. */
enum class RegistryState {
	absent, /**< no dat.conf: every adapter that the module serves can be opened */
	present,
	unreadable, /**< it is meant to be there; the reason was told */
	unknown, /**< no file can be opened now: the process, or the system, has no descriptor left
		  */
};

/**
 * The static registry as it is now: a file that has changed is read again. Broken
 * lines are told when they are read. DAT_OVERRIDE in the environment names another
 * file, but not to a program that has more rights than who started it.
 * @param standard  where dat.conf is, otherwise
 */
RegistryState read_static_registry(const char *standard,
				   std::shared_ptr<const StaticRegistry> &registry);

/** For tests: where dat.conf is; empty for the standard place. */
void set_dat_conf(std::string file);

} // namespace kdapl
