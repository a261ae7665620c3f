#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# kdapl_perf, the benchmark in the kernel, and its rival over verbs: that every byte
# arrives in each row, also between the two and to a server in a program, and what it says
# when something is wrong.
# How fast it is, make bench tells. Prints TAP.
#
#     scripts/vm -- tests/vm-suite/kperf.sh

set -uo pipefail
bin=${KDAPL_BIN:-$(dirname "$0")/../../build/ulib/bin}
server=$bin/../tests/perf-server/perf_server
built=$(dirname "$KDAPL_MODULE")
debugfs=/sys/kernel/debug
port=45251
raw_port=45252
said=$(mktemp)
number=0
messages=300 blocks=40
all=(send64_d1 send64_d64 write64k read64k)
with_rival=("${all[@]}")
# The debug kernel is some ten times slower: fewer do, and one row with the rival.
if [ "${KDAPL_SCALE:-1}" != 1 ]; then
	messages=10 blocks=2
	with_rival=(send64_d64)
fi

# Runs a command, which must succeed (STATUS 0) or fail (1), and say TEXT.
expect() { # STATUS TEXT NAME COMMAND...
	local status=0 wanted=$1 text=$2 name=$3
	shift 3
	"$@" >"$said" 2>&1 || status=1
	number=$((number + 1))
	if [ "$status" = "$wanted" ] && { [ -z "$text" ] || grep -qE "$text" "$said"; }; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		echo "# status $status"
		sed 's/^/# /' "$said"
		dmesg | tail -n 5 | sed 's/^/# /'
	fi
}

load() { # PARAMETER...
	insmod "$built/consumers/perf/kdapl_perf.ko" "$@"
}

# One run, whose client is in MODULE; prints the result.
order() { # MODULE PORT ROW COUNT [verify]
	local module=$1
	shift
	echo "$KDAPL_ADDR $*" >"$debugfs/$module/run" || return
	cat "$debugfs/$module/result"
}

# The kernel log says it, and after that command.
logs() { # TEXT COMMAND...
	local text=$1
	shift
	dmesg -C
	"$@"
	dmesg | grep -F "$text"
}

count_of() { # ROW
	case $1 in
	send*) echo $messages ;;
	*) echo $blocks ;;
	esac
}

rows() { # CLIENT SERVER PORT ROW...
	local client=$1 to=$2 at=$3 row count
	shift 3
	for row in "$@"; do
		count=$(count_of "$row")
		expect 0 "^wrong 0" "$count of $row from $client to $to" \
			order "$client" "$at" "$row" "$count" verify
	done
}

# One run whose server is a program: neither finds anything wrong.
order_to_program() { # ROW COUNT
	local from at status=0
	exec {from}< <(exec "$server")
	read -r _ at <&"$from" && order kdapl_perf "$at" "$1" "$2" verify &&
		grep "^wrong 0" <&"$from" || status=1
	exec {from}<&-
	wait $! && return $status
}

rows_to_program() { # ROW...
	local row count
	for row in "$@"; do
		count=$(count_of "$row")
		expect 0 "^wrong 0" "$count of $row from kdapl_perf to a program" \
			order_to_program "$row" "$count"
	done
}

refusals() {
	expect 0 "no adapter \"nothing\"" "a wrong adapter is named in the log" logs "no adapter" load ia=nothing
	expect 0 "" "loaded" load ia="$KDAPL_DEVICE"
	expect 1 "Invalid argument" "no such row" order kdapl_perf $port send65 10
	expect 1 "Invalid argument" "no count" order kdapl_perf $port send64_d1
	expect 1 "Invalid argument" "nothing to count" order kdapl_perf $port send64_d1 0
	expect 0 "an order is:" "and the log says how it is done" \
		logs "an order is" order kdapl_perf $port send64_d1 10 verfy
	expect 1 "Connection refused" "a server that is not there" order kdapl_perf 9 send64_d1 10
	expect 1 "in use" "the module below is in use" rmmod kdapl
}

# A run that does not end by itself, under way.
start() { # MODULE PORT
	local begun before
	read -r before <"/sys/module/$1/parameters/begun"
	{ echo "$KDAPL_ADDR $2 send64_d1 100000000" >"$debugfs/$1/run"; } 2>"$said.run" &
	client=$!
	begun=$before
	while [ "$begun" = "$before" ] && kill -0 "$client"; do
		sleep 0.1
		read -r begun <"/sys/module/$1/parameters/begun"
	done
}

# It failed, and said why.
ended() { # TEXT
	! wait "$client" && grep "$1" "$said.run"
}

# Its end is that, and not another one before.
ended_by_kill() { # PROCESS
	local status=0
	wait "$1" || status=$?
	[ "$status" = 137 ]
}

killed() { # PROCESS
	kill -KILL "$1" && ended_by_kill "$1"
}

waits() { # PROCESS
	grep -q '^State:.D' "/proc/$1/status"
}

# Who wants a result while a run is under way.
reader_killed() {
	local reader tries=100
	cat "$debugfs/kdapl_perf/result" &
	reader=$!
	until waits "$reader"; do
		kill -0 "$reader" || return
		sleep 0.1
	done
	kill -KILL "$reader" || return
	while waits "$reader" && [ $((tries--)) -gt 0 ]; do
		sleep 0.1
	done
	! waits "$reader" && ended_by_kill "$reader"
}

under_way() {
	start kdapl_perf $port
	expect 1 "in use" "not unloaded by a client" rmmod kdapl_perf
	expect 0 "" "who waits for its result is killed" reader_killed
	expect 1 "refused" "who is no client is refused" "$bin/datcp" --port $port "$0" "$KDAPL_ADDR"
	expect 0 "" "the client is still there, and is killed" killed "$client"
	expect 0 "^wrong 0" "the server takes the next one" order kdapl_perf $port write64k $blocks verify
	expect 0 "" "unloaded" rmmod kdapl_perf
	expect 0 "" "loaded again" load ia="$KDAPL_NETDEV"
	expect 0 "^wrong 0" "and works" order kdapl_perf $port send64_d1 10 verify
}

rival() {
	expect 0 "" "the rival is loaded" insmod "$built/kraw/kdapl_perf_raw.ko" port=$raw_port
	rows kdapl_perf_raw kdapl_perf_raw $raw_port "${with_rival[@]}"
	rows kdapl_perf kdapl_perf_raw $raw_port "${with_rival[@]}"
	rows kdapl_perf_raw kdapl_perf $port "${with_rival[@]}"
	start kdapl_perf $raw_port
	expect 0 "" "the server is unloaded under way" rmmod kdapl_perf_raw
	expect 0 "" "the client is told" ended "Connection reset"
}

without_a_device() {
	start kdapl_perf $port
	expect 0 "" "the device goes under way" rdma link delete "$KDAPL_DEVICE"
	expect 0 "" "the client is told" ended "write error"
	expect 0 "" "unloaded without a device" rmmod kdapl_perf
	expect 0 "" "nobody uses the module below any more" rmmod kdapl
	# As the machine expects it to be at its end.
	rdma link add "$KDAPL_DEVICE" type "$KDAPL_RDMA" netdev "$KDAPL_NETDEV"
	insmod "$KDAPL_MODULE"
}

main() {
	# Verbs' way over iWARP is another one: memory that is read into needs a key there.
	local tests=28
	[ "$KDAPL_RDMA" != rxe ] || tests=$((31 + 3 * ${#with_rival[@]}))
	echo "1..$tests"
	refusals
	rows kdapl_perf kdapl_perf $port "${all[@]}"
	rows_to_program "${all[@]}"
	under_way
	[ "$KDAPL_RDMA" != rxe ] || rival
	without_a_device
	rm -f "$said" "$said.run"
}

main
