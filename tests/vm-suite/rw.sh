#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# RDMA by scatterlists, dat_ext_ep_rw() and dat_ext_ep_transfer(): a module that moves
# lists of every shape to itself, alone and with a message behind, and loads where all
# data are right.
# Prints TAP.
#
#     scripts/vm -- tests/vm-suite/rw.sh

set -uo pipefail
module=$(dirname "$KDAPL_MODULE")/tests/rw/kdapl_rw_test.ko
number=0
iwarp=$([ "$KDAPL_RDMA" = siw ] && echo 1 || echo 0)

moves() { # NAME ADDRESS
	number=$((number + 1))
	if insmod "$module" ia="$KDAPL_DEVICE" address="$2" iwarp="$iwarp" && rmmod kdapl_rw_test; then
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

main() {
	local again=1
	# A machine so slow that it does a hundredth of others' rounds does this once.
	case ${KDAPL_SCALE:-1} in 0.0*) again=0 ;; esac
	echo "1..$((2 + again))"
	moves "lists of every shape" "$KDAPL_ADDR"
	[ $again = 0 ] || moves "again, over IPv6" "$KDAPL_ADDR6"
	no_qp_is_left
}

main
