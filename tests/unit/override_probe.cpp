// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// How many adapters the static registry has, where dat.conf itself is missing.

#include "engine/static_registry.hpp"

int main()
{
	std::shared_ptr<const kdapl::StaticRegistry> registry;

	kdapl::set_dat_conf("/nonexistent/dat.conf");
	if (read_static_registry("", registry) != kdapl::RegistryState::present)
		return 0;
	return static_cast<int>(registry->entries.size());
}
