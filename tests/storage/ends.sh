#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A target that is stopped, and an initiator that is killed, in the midst of I/O, again
# and again: what was written is there, the next login works, and nothing is left. (An
# initiator's machine that is switched off is off.sh's.) Prints TAP.
#
#     scripts/vm --kernel 6.12 --mem 1536 --time 1800 -- tests/storage/ends.sh
#
# KDAPL_TIMES (20, times KDAPL_SCALE): how often each of them.

set -uo pipefail
# shellcheck source=tests/storage/lib.sh
. "$(dirname "$0")/lib.sh"
times=${KDAPL_TIMES:-$(scaled 20)}
logs=$work/logs

beginning() {
	expect ok "" "loaded" load_target
	expect ok "" "a target with a disk" serve_disk 32
	expect ok "" "the initiator is started" start_initiator
	expect ok "" "logged in" login $iqn "$KDAPL_ADDR" 1
	expect ok "" "logged out" logout $iqn "$KDAPL_ADDR"
	expect ok "" "what there is without a session" remember_resources
}

not_logged_in() {
	! logged_in $iqn
}

# The target's end goes by one way and comes back, under four sessions that write.
stopped() { # WAY
	local i
	for ((i = 0; i < times; i++)); do
		go_on_writing "$logs" && "$1" && until_ok all_logged_in && go_on_writing "$logs" || return
	done
}

all_logged_in() {
	local session
	for session in $(sessions $iqn); do
		[ "$(cat "$session/state")" = LOGGED_IN ] || return
	done
}

by_group() {
	enable $iqn 0 && until_ok not_logged_in && enable $iqn 1
}

by_portal() {
	switch_iser $iqn "$KDAPL_ADDR" 0 && enable $iqn 0 && until_ok not_logged_in &&
		enable $iqn 1 && switch_iser $iqn "$KDAPL_ADDR" 1
}

# All of it but the disk, which is the same one afterwards.
by_module() {
	remove_target $iqn && until_ok rmmod "$transport" && load_target && make_target $iqn disk0 &&
		make_portal $iqn "$KDAPL_ADDR" && enable $iqn 1
}

target_stops() {
	local way
	expect ok "" "four sessions" login $iqn "$KDAPL_ADDR" 4 node.session.nr_sessions=4
	expect ok "" "that write" start_writers "$logs"
	for way in by_group by_portal by_module; do
		expect ok "" "the target goes $way and comes back, $times times" stopped $way
	done
	expect ok "" "they wrote all the time" kill_writers
	expect ok "hold" "what they wrote is there" check_writes "$logs"
	expect ok "" "logged out of all" logout $iqn "$KDAPL_ADDR"
	expect ok "" "nothing is left of a target that stops" nothing_left
}

# Processes die in the midst of their I/O.
killed() {
	local i
	for ((i = 0; i < times; i++)); do
		login $iqn "$KDAPL_ADDR" 4 node.session.nr_sessions=4 && start_writers "$logs" &&
			kill_writers && check_writes "$logs" && logout $iqn "$KDAPL_ADDR" && nothing_left || return
	done
}

# The sessions are taken down under them.
logged_out() {
	local i
	for ((i = 0; i < times; i++)); do
		login $iqn "$KDAPL_ADDR" 4 node.session.nr_sessions=4 && start_writers "$logs" &&
			logout $iqn "$KDAPL_ADDR" || return
		all_report || return
		login $iqn "$KDAPL_ADDR" 1 && check_writes "$logs" && logout $iqn "$KDAPL_ADDR" && nothing_left || return
	done
}

# Writers whose disk is gone are told so.
all_report() {
	local pid status
	for pid in "${writers[@]}"; do
		status=0
		wait "$pid" || status=$?
		[ $status = 3 ] || { echo "a writer ended with $status" && return 1; }
	done
}

initiator_ends() {
	expect ok "" "processes are killed in mid-I/O, $times times" killed
	expect ok "" "logged out in mid-I/O, $times times" logged_out
}

ending() {
	expect ok "" "the initiator goes" stop_initiator
	expect ok "" "the target goes" stop_serving
	expect ok "" "unloaded" unload_target
	expect ok "" "no queue pair is left" no_queue_pairs
}

tests() {
	beginning
	target_stops
	initiator_ends
	ending
}

plan tests
tests
[ "$failed" = 0 ]
