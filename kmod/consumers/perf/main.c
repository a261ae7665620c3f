// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How fast one kernel moves data to another, or to itself. The module waits for clients,
 * and is one when it is told so:
 *
 *     echo "192.168.77.1 45251 send64_d1 10000" >/sys/kernel/debug/kdapl_perf/run
 *     cat /sys/kernel/debug/kdapl_perf/result
 *
 * The write returns when all is over. "verify" as the fifth word has every byte set and
 * looked at, which takes its time.
 */

#include <linux/debugfs.h>
#include <linux/inet.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <net/net_namespace.h>

#include "perf.h"

static ushort port = 45251;
module_param(port, ushort, 0444);
MODULE_PARM_DESC(port, "what clients connect to");

static struct dentry *folder;
static DEFINE_MUTEX(running);	/* one client at a time; guards the result */

static struct {
	const char *row;
	u32 messages, wrong;
	u64 ns;
} result;

static int parse(struct perf_order *order, const char *line)
{
	char peer[64], name[16], verify[8] = "";
	u32 count;
	int row, n;

	n = sscanf(line, "%63s %hu %15s %u %7s", peer, &order->port, name,
		   &count, verify);
	row = n >= 4 ? perf_row_find(name) : -EINVAL;
	if (row < 0 || !count || count > PERF_COUNT_MAX ||
	    (n == 5 && strcmp(verify, "verify")))
		return -EINVAL;
	perf_hello_make(&order->hello, row, count, n == 5);
	return inet_pton_with_scope(&init_net, AF_UNSPEC, peer, NULL,
				    &order->to);
}

static int keep_result(const struct perf_end *end)
{
	result.row = end->row->name;
	result.messages = end->total - end->row->warm_up;
	/* In a ping-pong both sides send. */
	if (end->row->pattern == PERF_PING_PONG)
		result.messages *= 2;
	result.ns = end->end - end->begin;
	result.wrong = end->wrong;
	return end->wrong ? -EBADMSG : 0;
}

static int run(const struct perf_order *order)
{
	struct perf_end *end = perf_connect(order);
	int ret;

	if (IS_ERR(end))
		return PTR_ERR(end);
	ret = wait_for_completion_interruptible(&end->done);
	if (!ret)
		ret = READ_ONCE(end->err);
	if (!ret)
		ret = keep_result(end);
	perf_disconnect(end);
	return ret;
}

static ssize_t run_write(struct file *file, const char __user *from,
			 size_t size, loff_t *at)
{
	struct perf_order order;
	char line[128] = "";
	int ret;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, size))
		return -EFAULT;
	if (parse(&order, line)) {
		pr_err(KBUILD_MODNAME ": an order is: ADDRESS PORT ROW COUNT [verify]\n");
		return -EINVAL;
	}
	ret = mutex_lock_interruptible(&running);
	if (ret)
		return ret;
	memset(&result, 0, sizeof(result));
	ret = run(&order);
	mutex_unlock(&running);
	/* An order is not given once more because of a signal. */
	if (ret == -ERESTARTSYS)
		ret = -EINTR;
	return ret ?: size;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = run_write,
};

/* Waits for a run that is under way. */
static int result_show(struct seq_file *seq, void *unused)
{
	if (mutex_lock_killable(&running))
		return -EINTR;
	if (result.row)
		seq_printf(seq, "row %s\nmessages %u\nwrong %u\nns_per_message %llu\n",
			   result.row, result.messages, result.wrong,
			   div_u64(result.ns, result.messages));
	mutex_unlock(&running);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static int __init perf_init(void)
{
	int ret = perf_start(port);

	if (ret)
		return ret;
	folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("run", 0200, folder, NULL, &run_fops);
	debugfs_create_file("result", 0400, folder, NULL, &result_fops);
	return 0;
}

static void __exit perf_exit(void)
{
	debugfs_remove_recursive(folder);
	perf_stop();
}

module_init(perf_init);
module_exit(perf_exit);

MODULE_DESCRIPTION("how fast data moves from kernel to kernel");
MODULE_LICENSE("Dual BSD/GPL");
