// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kdapl_loop: runs its tests when it is loaded. What came of them is in debugfs, in
 * kdapl_loop, as TAP. It is not installed; tests/vm-suite/kloop.sh loads it, and
 * ksweep.sh with allocations that fail.
 */

#include <linux/debugfs.h>
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <net/net_namespace.h>

#include "loop.h"

#define REPORT_SIZE	SZ_16K

static char *ia = "";
module_param(ia, charp, 0444);
MODULE_PARM_DESC(ia, "adapter, or its network device");

static char *address = "";
module_param(address, charp, 0444);
MODULE_PARM_DESC(address, "of the adapter itself");

ushort port = 45252;
module_param(port, ushort, 0444);
MODULE_PARM_DESC(port, "where both sides meet");

bool iwarp;
module_param(iwarp, bool, 0444);
MODULE_PARM_DESC(iwarp, "the adapter speaks iWARP");

static uint sweep;
module_param(sweep, uint, 0444);
MODULE_PARM_DESC(sweep, "each test again and again, with one allocation failing each time: 1 for each of them, 3 for every third");

static struct debugfs_blob_wrapper report;
static struct dentry *report_file;

static const struct loop_test *const suites[] = {
	tie_cases, memory_cases, rmr_cases, ep_cases, srq_cases,
	conn_cases, upcall_cases, ia_cases,
};

static __printf(1, 2) void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report.size += vscnprintf(report.data + report.size,
				  REPORT_SIZE - report.size, format, args);
	va_end(args);
}

static void tell(const struct loop_test *test, unsigned int number)
{
	say("%sok %u - %s", loop_fine() ? "" : "not ", number, test->name);
	if (!loop_fine())
		say("\n# %s", loop.why);
	else if (loop.skip)
		say(" # SKIP %s", loop.skip);
	say("\n");
}

static void run(const struct loop_test *test, unsigned int number)
{
	unsigned int hits = 0;

	if (sweep) {
		hits = loop_sweep(test, number > 1, sweep);
	} else {
		loop_begin();
		if (loop_fine())
			test->run();
		loop_end();
	}
	tell(test, number);
	if (hits)
		say("# %u allocations failed, once each\n", hits);
}

static void run_all(void)
{
	const struct loop_test *test;
	unsigned int i, number = 0;

	for (i = 0; i < ARRAY_SIZE(suites); i++)
		for (test = suites[i]; test->name; test++)
			number++;
	say("1..%u\n", number);
	number = 0;
	for (i = 0; i < ARRAY_SIZE(suites); i++)
		for (test = suites[i]; test->name; test++)
			run(test, ++number);
}

static int __init loop_init(void)
{
	int ret;

	ret = inet_pton_with_scope(&init_net, AF_UNSPEC, address, NULL,
				   &loop.address);
	if (ret)
		return ret;
	report.data = kvzalloc(REPORT_SIZE, GFP_KERNEL);
	loop.room = vzalloc(ROOM_SIZE);
	if (!report.data || !loop.room) {
		vfree(loop.room);
		kvfree(report.data);
		return -ENOMEM;
	}
	loop_open(ia);
	if (loop_fine())
		run_all();
	else
		say("1..1\nnot ok 1 - opened\n# %s\n", loop.why);
	loop_close();
	report_file = debugfs_create_blob("kdapl_loop", 0400, NULL, &report);
	return 0;
}

static void __exit loop_exit(void)
{
	debugfs_remove(report_file);
	vfree(loop.room);
	kvfree(report.data);
}

module_init(loop_init);
module_exit(loop_exit);

MODULE_DESCRIPTION("tests of kDAPL over a device");
MODULE_LICENSE("Dual BSD/GPL");
