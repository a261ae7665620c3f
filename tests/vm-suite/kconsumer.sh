#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A module that was built outside of the tree (tests/kconsumer/, by
# scripts/build-kconsumer): it moves data from kernel to kernel, is unloaded under
# way, and loses its device. Prints TAP.
#
#     scripts/vm -- tests/vm-suite/kconsumer.sh

set -uo pipefail
module=$(dirname "$KDAPL_MODULE")/kconsumer/kconsumer.ko
seen=/sys/module/kconsumer/parameters
if [ ! -e "$module" ]; then
	echo "Bail out! no $module: make kconsumer KERNEL=..."
	exit 1
fi
rounds=$([ "${KDAPL_SCALE:-1}" = 1 ] && echo 500 || echo 50)
said=$(mktemp)
number=0

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

# As many rounds have ended as are wanted, at least, and none of them wrong.
moved() { # COUNT
	local deadline=$((SECONDS + 60)) right=0 wrong=0
	while [ "$right" -lt "$1" ] && [ "$wrong" = 0 ] && [ $SECONDS -lt $deadline ]; do
		sleep 0.1
		read -r right <$seen/right
		read -r wrong <$seen/wrong
	done
	echo "$right right, $wrong wrong"
	[ "$right" -ge "$1" ] && [ "$wrong" = 0 ]
}

# The kernel log says it, or does in a moment: upcalls write there.
logged() { # TEXT
	local deadline=$((SECONDS + 60))
	until dmesg | grep -F "kconsumer: $1"; do
		[ $SECONDS -lt $deadline ] || return 1
		sleep 0.1
	done
}

logged_now() { # PATTERN
	dmesg | grep "$1"
}

# Those of connections, and those by which memory is registered.
qps() { # TEST COUNT
	test "$(rdma resource show qp | grep -c "type RC")" "$@"
}

load() { # PARAMETER...
	insmod "$module" ia="$KDAPL_DEVICE" "$@"
}

to_its_end() {
	expect 0 "" "loaded, with itself as its peer" load peer="$KDAPL_ADDR" rounds="$rounds"
	expect 0 "^$rounds right, 0 wrong" "all data came, and are right" moved "$rounds"
	expect 0 "" "the client disconnects" logged "client: not connected: event 0x4005"
	expect 1 "in use" "the module below is in use" rmmod kdapl
	expect 0 "" "unloaded" rmmod kconsumer
}

under_way() {
	expect 0 "" "loaded by its network device's name and IPv6" \
		insmod "$module" ia="$KDAPL_NETDEV" peer="$KDAPL_ADDR6" rounds=4294967295
	expect 0 "0 wrong" "data move" moved 10
	expect 0 "" "a queue pair on either side, and two that register memory" qps -eq 4
	expect 0 "" "unloaded under way" rmmod kconsumer
	expect 0 "" "no queue pair is left" qps -eq 0
}

without_a_device() {
	expect 0 "" "loaded again" load peer="$KDAPL_ADDR" rounds=4294967295
	expect 0 "0 wrong" "data move again" moved 10
	expect 0 "" "the device goes under way" rdma link delete "$KDAPL_DEVICE"
	expect 0 "" "the consumer is told" logged "the device is gone"
	expect 0 "" "unloaded without a device" rmmod kconsumer
	expect 1 "" "and nothing refused to be freed" logged_now "kconsumer: dat_[a-z]*_free"
	expect 0 "" "nobody uses the module below any more" rmmod kdapl
	# As the machine expects it to be at its end.
	rdma link add "$KDAPL_DEVICE" type "$KDAPL_RDMA" netdev "$KDAPL_NETDEV"
	insmod "$KDAPL_MODULE"
}

refusals() {
	expect 1 "Input/output error" "no such adapter" insmod "$module" ia=nothing
	expect 1 "Invalid" "no address" load peer=nowhere
	expect 0 "" "no client: it only waits" load
	expect 0 "" "and is unloaded" rmmod kconsumer
}

main() {
	echo "1..21"
	refusals
	to_its_end
	under_way
	without_a_device
	rm -f "$said"
}

main
