#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# kdapl_isert against hostile initiators (hostile_initiator.cpp), each of whose tests
# ends with an honest one; then Linux's initiator logs in, and nothing is left. What the
# kernel log must not hold, scripts/vm looks for. Prints TAP.
#
#     scripts/vm --kernel 6.12 --time 900 -- tests/storage/hostile.sh [FILTER]

set -uo pipefail
# shellcheck source=tests/storage/lib.sh
. "$(dirname "$0")/lib.sh"
program=${KDAPL_STORAGE_TESTS:-$top/build/ulib/tests/storage}/hostile_initiator
filter=${1:-*}
# Its report would be taken for this script's.
unset GTEST_OUTPUT GTEST_FILTER
export KDAPL_IQN=$iqn
mapfile -t names < <("$program" --gtest_filter="$filter" --gtest_list_tests | sed -n 's/^  \([A-Za-z]*\).*/\1/p')

hostile() { # NAME
	timeout $((5 * limit)) "$program" --gtest_brief=1 --gtest_filter="HostileInitiator.$1"
}

# What is dropped is told of in the log, and not in the words of a kernel in trouble.
told() {
	dmesg | grep -c 'kdapl_isert'
}

tests() {
	local name
	expect ok "" "loaded" load_target
	expect ok "" "a target with a disk" serve_disk 32
	expect ok "" "the initiator is started" start_initiator
	expect ok "" "logged in before" login $iqn "$KDAPL_ADDR" 1
	expect ok "" "logged out before" logout $iqn "$KDAPL_ADDR"
	expect ok "" "what there is then" remember_resources
	for name in "${names[@]}"; do
		expect ok "" "$name" hostile "$name"
	done
	expect ok "" "nothing is left of them" nothing_left
	expect ok "" "LIO keeps none of their sessions" until_ok no_sessions
	[ "$filter" != "*" ] || expect ok "" "the kernel log tells of them" told
	expect ok "" "logged in after" login $iqn "$KDAPL_ADDR" 1
	expect ok "" "data come back" write_and_compare_first
	expect ok "" "logged out after" logout $iqn "$KDAPL_ADDR"
	expect ok "" "the initiator goes" stop_initiator
	expect ok "" "the target goes" stop_serving
	expect ok "" "unloaded" unload_target
	expect ok "" "no queue pair is left" no_queue_pairs
}

write_and_compare_first() {
	write_and_compare "${disks[0]-none}" 65536 8
}

[ ${#names[@]} -gt 0 ] || { echo "Bail out! no test fits $filter" && exit 1; }
plan tests
tests
[ "$failed" = 0 ]
