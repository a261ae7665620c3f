#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The kernel's calls over a device that is connected with itself: loads kdapl_loop,
# which runs its tests then, and prints what came of them, which is TAP.
#
#     scripts/vm -- tests/vm-suite/kloop.sh

set -euo pipefail
module=$(dirname "$KDAPL_MODULE")/tests/loop/kdapl_loop.ko
report=/sys/kernel/debug/kdapl_loop

insmod "$module" ia="$KDAPL_DEVICE" address="$KDAPL_ADDR" \
	iwarp="$([ "$KDAPL_RDMA" = siw ] && echo 1 || echo 0)"
cat $report
status=0
grep -q "^not ok" $report && status=1
rmmod kdapl_loop
exit $status
