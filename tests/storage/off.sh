#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The initiator's machine is switched off in the midst of I/O: the target has every write
# that it said was done, serves the next one, and gives back what the connections held.
# Machine 0 serves and, afterwards, looks; machine 1 writes and is switched off. Prints
# TAP on machine 0.
#
# Of a connection on which it has nothing to send the target does not notice: LIO does not
# ping over iSER. So what is left is looked for when the target has been switched off.
#
#     scripts/vm --kernel 6.12 --hosts 2 --off 1 --time 600 -- tests/storage/off.sh

set -uo pipefail
# shellcheck source=tests/storage/lib.sh
. "$(dirname "$0")/lib.sh"
# Where both machines see it, since one will not be there to be asked; made anew for each run.
logs=$KDAPL_OUT/.machine/off

await() { # FILE
	until [ -e "$logs/$1" ]; do sleep 0.1; done
}

mark() { # FILE
	: >"$logs/$1"
}

all_marked() {
	await writing && until_ok enough_written
}

enough_written() {
	disks=(0 1 2 3)
	written "$logs" 40
}

machine_is_off() {
	until_ok test -e "$KDAPL_OUT/.machine/done-1"
}

looking() {
	expect ok "" "loaded" load_target
	expect ok "" "a target with a disk" serve_disk 32
	expect ok "" "an initiator is started" start_initiator
	expect ok "" "logged in" login $iqn "$KDAPL_ADDR" 1
	expect ok "" "logged out" logout $iqn "$KDAPL_ADDR"
	expect ok "" "what there is without a session" remember_resources
	expect ok "" "and it is told" mark serving
	expect ok "" "four sessions write" all_marked
	expect ok "" "the machine is to be switched off" mark off
	expect ok "" "it is" machine_is_off
	expect ok "" "an initiator here logs in" login $iqn "$KDAPL_ADDR" 1
	expect ok "hold" "what was written is there" check_writes "$logs"
	expect ok "" "what it writes is there, too" write_and_compare_more
	expect ok "" "and logs out" logout $iqn "$KDAPL_ADDR"
	expect ok "" "the target is switched off" enable $iqn 0
	expect ok "" "nothing is left of any session" nothing_left
	expect ok "" "the initiator goes" stop_initiator
	expect ok "" "the target goes" stop_serving
	expect ok "" "unloaded" unload_target
	expect ok "" "no queue pair is left" no_queue_pairs
}

write_and_compare_more() {
	write_and_compare "${disks[0]-none}" 65536 8
}

write_until_off() {
	await serving
	start_initiator && login $iqn "$KDAPL_PEER" 4 node.session.nr_sessions=4 || exit
	start_writers "$logs" || exit
	mark writing
	await off
	echo o >/proc/sysrq-trigger
	sleep $limit
}

mkdir -p "$logs"
if [ "$KDAPL_HOST" = 1 ]; then
	write_until_off
	exit 1
fi
plan looking
looking
[ "$failed" = 0 ]
