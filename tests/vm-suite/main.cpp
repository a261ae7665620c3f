// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The suite that runs in the test machine, as root, with an RDMA device and the
 * module loaded:
 *
 *     scripts/vm -- build/tests/vm-suite/vm_suite
 *     scripts/vm --kernel debug --rdma siw --env KDAPL_SCALE=0.02 -- .../vm_suite
 *     scripts/vm --module-param frwr_only=1 -- .../vm_suite --gtest_filter='*Data*'
 */
#include "failure.hpp"
#include "module_state.hpp"

#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char **argv)
{
	testing::InitGoogleTest(&argc, argv);
	if (testing::GTEST_FLAG(list_tests))
		return RUN_ALL_TESTS();
	try {
		suite::remember_module_users();
		suite::module_query();
	} catch (const suite::Failure &failure) {
		std::fprintf(stderr, "vm_suite: the module is not there: %s\n", failure.what());
		return 1;
	}
	return RUN_ALL_TESTS();
}
