#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# RDMA by scatterlists, dat_ext_ep_rw() and dat_ext_ep_transfer(): a module that moves
# lists of every shape to itself, alone and with a message behind, and loads where all
# data are right. Over soft iWARP it is refused.
# Prints TAP.
#
#     scripts/vm -- tests/vm-suite/rw.sh

set -uo pipefail
module=$(dirname "$KDAPL_MODULE")/tests/rw/kdapl_rw_test.ko
number=0

moves() { # NAME ADDRESS
	number=$((number + 1))
	if insmod "$module" ia="$KDAPL_DEVICE" address="$2" && rmmod kdapl_rw_test; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		dmesg | grep -F kdapl_rw_test | tail -n 5 | sed 's/^/# /'
	fi
}

no_qp_is_left() {
	number=$((number + 1))
	if rdma resource show qp | grep "type RC"; then
		echo "not ok $number - no queue pair is left"
	else
		echo "ok $number - no queue pair is left"
	fi
}

refused() {
	number=$((number + 1))
	if insmod "$module" ia="$KDAPL_DEVICE" address="$KDAPL_ADDR"; then
		echo "not ok $number - it says that it cannot"
		rmmod kdapl_rw_test
	elif dmesg | grep "kdapl_rw_test.*dat_ext_ep_rw.*DAT_MODEL_NOT_SUPPORTED"; then
		echo "ok $number - it says that it cannot"
	else
		echo "not ok $number - it says that it cannot"
	fi
}

main() {
	if [ "$KDAPL_RDMA" = siw ]; then
		echo "1..2"
		refused
	else
		echo "1..3"
		moves "lists of every shape" "$KDAPL_ADDR"
		moves "again, over IPv6" "$KDAPL_ADDR6"
	fi
	no_qp_is_left
}

main
