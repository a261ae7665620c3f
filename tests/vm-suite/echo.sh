#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# datping against its server in the kernel, kdapl_echo: what is moved, who may be
# unloaded when, and a device that goes in the middle. Prints TAP.
#
#     scripts/vm -- tests/vm-suite/echo.sh

set -uo pipefail
bin=${KDAPL_BIN:-$(dirname "$0")/../../build/ulib/bin}
echo_module=$(dirname "$KDAPL_MODULE")/consumers/echo/kdapl_echo.ko
said=$(mktemp)
number=0

# Runs a command that must exit with STATUS, and say TEXT.
expect() { # STATUS TEXT NAME COMMAND...
	local status=0 wanted=$1 text=$2 name=$3
	shift 3
	timeout 60 "$@" >"$said" 2>&1 || status=$?
	number=$((number + 1))
	if [ "$status" = "$wanted" ] && { [ -z "$text" ] || grep -qE "$text" "$said"; }; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		echo "# exit status $status"
		sed 's/^/# /' "$said"
	fi
}

ping() { # MODE SIZE DEPTH
	"$bin/datping" --connect "$KDAPL_ADDR" --mode "$1" --size "$2" --depth "$3" \
		--count 60
}

pings() {
	local mode
	for mode in send write read; do
		expect 0 "all correct" "$mode, one at a time" ping "$mode" 64 1
		expect 0 "all correct" "$mode, 16 of 1001 bytes" ping "$mode" 1001 16
		expect 0 "all correct" "$mode, 4 of 64 KiB and one byte" ping "$mode" 65537 4
	done
	expect 1 "refused" "what is no datping" "$bin/datcp" --port 45248 "$0" "$KDAPL_ADDR"
	expect 1 "in use" "the module is in use" rmmod kdapl
}

# What clients read and write is bound to an RMR.
by_rmr() {
	local mode
	expect 0 "" "unloaded to serve by RMRs" rmmod kdapl_echo
	expect 0 "" "loaded to serve by RMRs" insmod "$echo_module" rmr=1
	for mode in write read; do
		expect 0 "all correct" "$mode by an RMR" ping "$mode" 1001 16
	done
	start_client
	expect 0 "" "unloaded with a client of an RMR" rmmod kdapl_echo
	expect 1 "" "the client is told" wait_for "$client"
	expect 0 "" "loaded to serve by LMRs" insmod "$echo_module"
}

# On one of its addresses, by a common service point.
one_address() {
	expect 0 "" "unloaded to serve one address" rmmod kdapl_echo
	expect 1 "" "no address of the adapter" insmod "$echo_module" address=192.0.2.1
	expect 0 "DAT_INVALID_ADDRESS" "the log tells why" last_complaint
	expect 0 "" "loaded for one address" insmod "$echo_module" address="$KDAPL_ADDR"
	expect 0 "all correct" "by a common service point" ping write 1001 16
	expect 1 "nobody listens" "not on the other address" \
		"$bin/datping" --connect "$KDAPL_ADDR6" --count 1
	expect 0 "" "unloaded to serve all" rmmod kdapl_echo
	expect 0 "" "loaded for all addresses" insmod "$echo_module"
	expect 0 "all correct" "on the other address, too" \
		"$bin/datping" --connect "$KDAPL_ADDR6" --count 10
}

last_complaint() {
	dmesg | grep "kdapl_echo: cannot serve" | tail -n 1
}

# A client that does not end by itself, under way.
start_client() {
	"$bin/datping" --connect "$KDAPL_ADDR" --mode write --size 100000 --count 100000000 \
		>"$said.client" 2>&1 &
	client=$!
	until grep -qE "^kdapl_echo [0-9]+" /proc/modules && [ "$(qps)" -ge 2 ]; do
		kill -0 "$client" || break
		sleep 0.1
	done
}

qps() { # connected ones
	rdma resource show qp | grep -c "state RTS"
}

# Several at once: each gets its own data.
crowd() {
	local mode client clients=() failed=0
	for mode in send write read send write read; do
		ping "$mode" 5000 8 >"$said.$mode.${#clients[@]}" 2>&1 &
		clients+=($!)
	done
	for client in "${clients[@]}"; do
		wait "$client" || failed=1
	done
	cat "$said".{send,write,read}.?
	rm -f "$said".{send,write,read}.?
	return "$failed"
}

# It goes while they ask, are let in and are served. (Two queue pairs are the zone's own.)
unloaded_under_crowd() {
	local i clients=()
	for i in {1..24}; do
		"$bin/datping" --connect "$KDAPL_ADDR" --mode read --size $((i * 100)) \
			--count 100000000 >/dev/null 2>&1 &
		clients+=($!)
	done
	for i in {1..300}; do
		[ "$(qps)" -lt 10 ] || break
		sleep 0.1
	done
	[ "$(qps)" -ge 10 ] || return
	rmmod kdapl_echo || return
	for i in "${clients[@]}"; do
		wait "$i" && return 1
	done
	return 0
}

removals() {
	expect 0 "all correct" "six clients at once" crowd
	expect 0 "" "unloaded under 24 clients that come" unloaded_under_crowd
	expect 0 "" "loaded again" insmod "$echo_module"
	start_client
	expect 0 "" "unloaded with a client" rmmod kdapl_echo
	expect 1 "" "the client is told" wait_for "$client"
	expect 0 "" "loaded again, to serve by RMRs" insmod "$echo_module" rmr=1
	start_client
	expect 0 "" "the device goes with a client" rdma link delete "$KDAPL_DEVICE"
	expect 1 "" "the client is told" wait_for "$client"
	expect 0 "" "unloaded without a device" rmmod kdapl_echo
	expect 0 "" "nobody uses the module any more" rmmod kdapl
	# As the machine expects it to be at its end.
	rdma link add "$KDAPL_DEVICE" type "$KDAPL_RDMA" netdev "$KDAPL_NETDEV"
	insmod "$KDAPL_MODULE"
}

# Its exit status; it is no child of the shell that timeout starts.
wait_for() { # PID
	local status=0
	wait "$1" || status=$?
	return $((status != 0))
}

# Functions run in this shell, which has the children.
timeout() { # SECONDS COMMAND...
	shift
	if [ "$(type -t "$1")" = function ]; then
		"$@"
	else
		command timeout 60 "$@"
	fi
}

main() {
	echo "1..38"
	expect 0 "" "loaded" insmod "$echo_module"
	pings
	by_rmr
	one_address
	removals
	rm -f "$said" "$said.client"
}

main
