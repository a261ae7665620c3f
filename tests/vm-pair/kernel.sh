#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Consumers in the kernel between two test machines: datping of one against kdapl_echo
# of the other, and kdapl_perf from kernel to kernel, in both directions, to a server in a
# program and to one that goes. Runs on both machines at once and prints TAP; machine 0
# serves, machine 1 asks. They agree on when by files in $KDAPL_OUT, which both have.
#
#     scripts/vm --hosts 2 -- tests/vm-pair/kernel.sh

set -uo pipefail
bin=$(cd "$(dirname "$0")/../../build/ulib/bin" && pwd) || exit 1
server=$bin/../tests/perf-server/perf_server
consumers=$(dirname "$KDAPL_MODULE")/consumers
perf=/sys/kernel/debug/kdapl_perf
port=45251
limit=300
# On slow kernels fewer do.
count=$([ "${KDAPL_SCALE:-1}" = 1 ] && echo 60 || echo 10)
rows=(send64_d1 send64_d64 write64k read64k)
said=$(mktemp)
number=0
meeting=$KDAPL_OUT/kernel.meeting
mkdir -p "$meeting"

# Runs a command, which must succeed and, where there is one, say TEXT.
expect() { # TEXT NAME COMMAND...
	local text=$1 name=$2 status=0
	shift 2
	"$@" >"$said" 2>&1 || status=$?
	number=$((number + 1))
	if [ "$status" = 0 ] && { [ -z "$text" ] || grep -qE "$text" "$said"; }; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		echo "# exit status $status"
		sed 's/^/# /' "$said"
		dmesg | tail -n 5 | sed 's/^/# /'
	fi
}

mark() { : >"$meeting/$1-$KDAPL_HOST"; }

# The other machine has come so far; what follows fails where it never does.
await() { # NAME
	local deadline=$((SECONDS + limit))
	until [ -e "$meeting/$1-$((1 - KDAPL_HOST))" ] || [ $SECONDS -ge $deadline ]; do
		sleep 0.1
	done
}

load() { # CONSUMER
	insmod "$consumers/$1/kdapl_$1.ko" ia="$KDAPL_DEVICE"
}

ping() { # ADDRESS MODE SIZE DEPTH
	timeout "$limit" "$bin/datping" --connect "$1" --mode "$2" --size "$3" --depth "$4" \
		--count "$count"
}

# One run whose server is in the other machine; prints the result.
order() { # ROW COUNT [PORT]
	echo "$KDAPL_PEER ${3:-$port} $1 $2 verify" >$perf/run || return
	cat $perf/result
}

# A server in a program, whose port the other machine learns; it finds nothing wrong.
serve_by_program() { # ROW
	local from at status=0
	exec {from}< <(exec "$server")
	read -r _ at <&"$from" && echo "$at" >"$meeting/program-$1" && mark "program-$1" &&
		grep "^wrong 0" <&"$from" || status=1
	exec {from}<&-
	wait $! && return $status
}

order_to_program() { # ROW COUNT
	await "program-$1"
	order "$1" "$2" "$(<"$meeting/program-$1")"
}

# A run that does not end by itself, under way.
start() {
	local begun before deadline=$((SECONDS + limit))
	read -r before </sys/module/kdapl_perf/parameters/begun
	{ echo "$KDAPL_PEER $port send64_d1 100000000" >$perf/run; } 2>"$said.run" &
	client=$!
	begun=$before
	while [ "$begun" = "$before" ] && kill -0 "$client" && [ $SECONDS -lt $deadline ]; do
		sleep 0.1
		read -r begun </sys/module/kdapl_perf/parameters/begun
	done
}

# It failed, and said why.
told() {
	! wait "$client" && cat "$said.run"
}

serve() {
	local row
	echo "1..9"
	expect "" "kdapl_echo is loaded" load echo
	mark echo
	await pinged
	expect "" "kdapl_echo is unloaded" rmmod kdapl_echo
	expect "" "kdapl_perf is loaded" load perf
	mark perf
	await ran
	expect "^wrong 0" "write64k from machine 0 to 1" order write64k "$count"
	mark back
	for row in "${rows[@]}"; do
		expect "^wrong 0" "a program serves $row" serve_by_program "$row"
	done
	await started
	expect "" "the server is unloaded under way" rmmod kdapl_perf
	mark over
}

ask() {
	local mode row
	echo "1..18"
	await echo
	for mode in send write read; do
		expect "all correct" "$mode, 16 of 1001 bytes" ping "$KDAPL_PEER" $mode 1001 16
		expect "all correct" "$mode, 4 of 64 KiB and one byte" ping "$KDAPL_PEER" $mode 65537 4
	done
	expect "all correct" "by IPv6" ping "$KDAPL_PEER6" send 64 1
	expect "" "kdapl_perf is loaded" load perf
	mark pinged
	await perf
	for row in "${rows[@]}"; do
		expect "^wrong 0" "$row from machine 1 to 0" order "$row" "$count"
	done
	mark ran
	await back
	for row in "${rows[@]}"; do
		expect "^wrong 0" "$row from the kernel to a program" order_to_program "$row" "$count"
	done
	start
	mark started
	expect "Connection reset" "whose server goes is told" told
	expect "" "kdapl_perf is unloaded" rmmod kdapl_perf
	await over
	# A later run in the same folder begins anew.
	rm -rf "$meeting"
}

if [ "$KDAPL_HOST" = 0 ]; then serve; else ask; fi
rm -f "$said" "$said.run"
