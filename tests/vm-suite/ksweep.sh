#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A consumer in the kernel over a real device, while each allocation that kdapl
# makes in its calls, or that is made for them, fails once: all tests of kdapl_loop, with
# sweep=1. All can be freed after each failure, and the device has nothing left of it.
# With KDAPL_SWEEP=3 in the environment only every third fails.
# Needs the debug kernel. Prints TAP.
#
#     scripts/vm --kernel debug -- tests/vm-suite/ksweep.sh

set -euo pipefail
module=$(dirname "$KDAPL_MODULE")/tests/loop/kdapl_loop.ko
report=/sys/kernel/debug/kdapl_loop
failslab=/sys/kernel/debug/failslab
# Frames between an allocation and kdapl: from itself down to the drivers' calls.
depth=16

skip() { # WHY
	echo "1..1"
	echo "ok 1 - each allocation failing once # SKIP $1"
	exit 0
}

[ -e $failslab/require-start ] || skip "this kernel injects no failures"

# Where a module's functions are: calls from there are the ones that WHAT says.
functions_of() { # MODULE WHAT
	awk -v of="[$1]" '$2 ~ /^[tT]$/ && $4 == of { print "0x" $1 }' /proc/kallsyms | sort >/tmp/text
	head -n 1 /tmp/text >"$failslab/$2-start"
	tail -n 1 /tmp/text >"$failslab/$2-end"
}

functions_of kdapl require
# What kmemleak makes of each allocation: where it gets no memory it has some set aside.
reject_kmemleak() {
	grep -m 1 -A 1 " __alloc_object$" /proc/kallsyms | awk '{ print "0x" $1 }' >/tmp/text
	head -n 1 /tmp/text >$failslab/reject-start
	tail -n 1 /tmp/text >$failslab/reject-end
}
# siw's own failures leave memory behind: siw_alloc_mr() what it got before, and so its accept.
# There is one range only.
if [ "$KDAPL_RDMA" = siw ]; then functions_of siw reject; else reject_kmemleak; fi
echo $depth >$failslab/stacktrace-depth
echo N >$failslab/ignore-gfp-wait
echo 0 >$failslab/verbose

insmod "$module" sweep="${KDAPL_SWEEP:-1}" ia="$KDAPL_DEVICE" address="$KDAPL_ADDR" \
	iwarp="$([ "$KDAPL_RDMA" = siw ] && echo 1 || echo 0)"
cat $report
status=0
grep -q "^not ok" $report && status=1
rmmod kdapl_loop
if rdma resource show qp | grep "type RC"; then
	echo "# queue pairs are left"
	status=1
fi
exit $status
