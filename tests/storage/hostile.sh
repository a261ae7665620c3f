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
marker="hostile initiator:"
mapfile -t names < <("$program" --gtest_filter="$filter" --gtest_list_tests | sed -n 's/^  \([A-Za-z]*\).*/\1/p')

hostile() { # NAME
	echo "$marker $1" >/dev/kmsg
	timeout $((5 * limit)) "$program" --gtest_brief=1 --gtest_filter="HostileInitiator.$1"
}

# What a peer is dropped for, as docs/storage.md lists it. Each is told at a limited rate, so
# not each time.
reasons=("dropped: it did not log in" "dropped: it was lost" "dropped: bad request" "dropped: a write without data"
	"dropped: a read without a place for its data")
# Over iWARP the connection ends instead.
[ "$KDAPL_RDMA" = siw ] || reasons+=("a transfer failed: status 6" "a transfer failed: status 2")

told() { # REASON
	dmesg | grep "kdapl_isert: .*: $1"
}

tests() {
	local name reason
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
	for reason in "${reasons[@]}"; do
		[ "$filter" != "*" ] || expect ok "" "the kernel log tells: $reason" told "$reason"
	done
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
