#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A network that loses packets, and one that is cut, between a target and an initiator on
# two machines: sessions come back, and what was written is there. Machine 0 serves,
# machine 1 writes; they agree on when by files in $KDAPL_OUT/.machine. Prints TAP on both.
#
#     scripts/vm --kernel 6.12 --hosts 2 --mem 1024 --time 1800 -- tests/storage/cuts.sh
#
# KDAPL_TIMES (20, times KDAPL_SCALE): how often the network is cut, at each end.

set -uo pipefail
# shellcheck source=tests/storage/lib.sh
. "$(dirname "$0")/lib.sh"
times=${KDAPL_TIMES:-$(scaled 20)}
logs=$work/logs
# Made anew for each run.
meeting=$KDAPL_OUT/.machine/cuts
mkdir -p "$meeting"

mark() { : >"$meeting/$1-$KDAPL_HOST"; }

# The other machine has come so far, however long that takes: scripts/vm has a limit.
await() { # NAME
	until [ -e "$meeting/$1-$((1 - KDAPL_HOST))" ]; do sleep 0.1; done
}

lose() { # PERCENT
	tc qdisc replace dev "$KDAPL_NETDEV" root netem loss "$1%"
}

lose_nothing() {
	tc qdisc del dev "$KDAPL_NETDEV" root
}

# Nothing gets through. The links stay: without one, at the initiator's end ib_iser itself (seen
# on 6.12) fails to resolve the address, and its own release of that connection waits for ever.
# At the target's, soft RoCE (seen twice on 6.12) cannot send a message about a connection then:
# that error stays with its queue pair 1, and nobody connects to that device any more.
cut() { # SECONDS
	lose 100 && sleep "$1" && lose_nothing
}

# Before there is anybody to send anything.
link_down_and_up() {
	ip link set "$KDAPL_NETDEV" down && sleep 1 && ip link set "$KDAPL_NETDEV" up &&
		ip address replace "$KDAPL_ADDR6/64" dev "$KDAPL_NETDEV" nodad
}

# Long enough for pings to fail, or not. The writer gets over each before the next one.
own_cuts() {
	local i
	for ((i = 0; i < times; i++)); do
		cut $((i % 2 ? 1 : 12)) || return
		if [ "$KDAPL_HOST" = 1 ]; then
			go_on_writing "$logs" || return
		else
			mark "cut-$i" && await "over-$i"
		fi
	done
}

other_cuts() {
	local i
	for ((i = 0; i < times; i++)); do
		await "cut-$i"
		go_on_writing "$logs" || return
		mark "over-$i"
	done
}

serving() {
	expect ok "" "loaded" load_target
	expect ok "" "a target with a disk" serve_disk 32
	# What registers memory stays until the portal closes.
	expect ok "" "an initiator is started" start_initiator
	expect ok "" "logged in" login $iqn "$KDAPL_ADDR" 1
	expect ok "" "logged out" logout $iqn "$KDAPL_ADDR"
	expect ok "" "the initiator goes" stop_initiator
	expect ok "" "what there is without a session" remember_resources
	expect ok "" "the link goes down, and up" link_down_and_up
	expect ok "" "and it is told" mark serving
	expect ok "" "packets are lost on the way back" lossy
	expect ok "" "the other end has its cuts" await cut
	expect ok "" "the network is cut $times times here" own_cuts
	expect ok "" "the initiator ends" await ended
	expect ok "" "nothing is left" nothing_left
	expect ok "" "the target goes" stop_serving
	expect ok "" "unloaded" unload_target
	expect ok "" "no queue pair is left" no_queue_pairs
}

lossy() {
	await losing && lose 2 && mark losing && await lost && lose_nothing
}

writing() {
	expect ok "" "the target is there" await serving
	expect ok "" "the initiator is started" start_initiator
	expect ok "" "logged in" login $iqn "$KDAPL_PEER" 4 node.session.nr_sessions=4 \
		"node.conn[0].timeo.noop_out_interval=2" "node.conn[0].timeo.noop_out_timeout=3"
	expect ok "" "four write" start_writers "$logs"
	expect ok "" "packets are lost" lose 2
	expect ok "" "at the other end, too" meet_losing
	expect ok "" "they write on" write_a_lot
	expect ok "" "no packet is lost any more" lose_nothing
	expect ok "" "nor there" mark lost
	expect ok "" "the network is cut $times times" own_cuts
	expect ok "" "now the other end has its cuts" mark cut
	expect ok "" "and they are got over" other_cuts
	expect ok "" "they write on after all" go_on_writing "$logs"
	expect ok "" "they were content all the time" kill_writers
	expect ok "hold" "what they wrote is there" check_writes "$logs"
	expect ok "" "logged out" logout $iqn "$KDAPL_PEER"
	expect ok "" "the initiator goes" stop_initiator
	expect ok "" "and is done" mark ended
}

meet_losing() {
	mark losing && await losing
}

write_a_lot() {
	local i
	for ((i = 0; i < times; i++)); do
		go_on_writing "$logs" || return
	done
}

if [ "$KDAPL_HOST" = 0 ]; then part=serving; else part=writing; fi
plan $part
$part
[ "$failed" = 0 ]
