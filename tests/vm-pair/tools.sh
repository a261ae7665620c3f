#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The tools between two test machines: datping and datcp in every mode, over
# IPv4 and IPv6, and a sender that is killed. Runs on both machines at once and
# prints TAP; machine 0 serves, machine 1 asks. They agree on when by files in
# $KDAPL_OUT, which both have.
#
#     scripts/vm --hosts 2 -- tests/vm-pair/tools.sh

set -uo pipefail
bin=$(cd "$(dirname "$0")/../../build/ulib/bin" && pwd) || exit 1
limit=120
number=0
work=$(mktemp -d)
meeting=$KDAPL_OUT/tools.meeting
mkdir -p "$meeting"

result() { # STATUS NAME
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
	fi
}

mark() { : >"$meeting/$1-$KDAPL_HOST"; }

await() { # NAME: the other machine has marked it
	local deadline=$((SECONDS + limit))
	until [ -e "$meeting/$1-$((1 - KDAPL_HOST))" ]; do
		[ $SECONDS -lt $deadline ] || return 1
		sleep 0.1
	done
}

# Starts a server and marks when it listens. $server is its process.
serve() { # NAME COMMAND...
	local name=$1 deadline=$((SECONDS + limit))
	shift
	timeout "$limit" "$@" >"$work/$name.out" 2>"$work/$name.err" &
	server=$!
	until grep -q 'listening on' "$work/$name.err"; do
		kill -0 "$server" 2>/dev/null || break
		[ $SECONDS -lt $deadline ] || break
		sleep 0.1
	done
	mark "$name"
}

# The rest of a server's life: it must end by itself, and well.
reap() { # NAME
	local status=0
	wait "$server" || status=$?
	[ "$status" = 0 ] || cat "$work/$1.err"
	return "$status"
}

# One exchange: the same name on both machines, each with its own command.
exchange() { # NAME SERVER_COMMAND -- CLIENT_COMMAND
	local name=$1 server_command=() status=0
	shift
	while [ "$1" != -- ]; do
		server_command+=("$1")
		shift
	done
	shift
	if [ "$KDAPL_HOST" = 0 ]; then
		serve "$name" "${server_command[@]}"
		reap "$name" || status=$?
		result "$status" "$name server"
	else
		await "$name" && timeout "$limit" "$@" >"$work/$name.out" 2>&1 || status=$?
		[ "$status" = 0 ] || cat "$work/$name.out"
		result "$status" "$name client"
	fi
}

make_files() {
	mkdir -p "$work/in" "$work/out"
	: >"$work/in/empty"
	head -c 1 /dev/urandom >"$work/in/one"
	head -c 1048576 /dev/urandom >"$work/in/million"
	head -c 20000003 /dev/urandom >"$work/in/large"
}

# What arrived is what was sent: the sender's sums, at the receiver.
compare() { # NAME
	local sums=$meeting/$1.sums
	if [ "$KDAPL_HOST" = 1 ]; then
		(cd "$work/in" && sha256sum empty one million large) >"$sums"
		mark "$1-sums"
		return
	fi
	if await "$1-sums" && (cd "$work/out" && sha256sum --quiet -c "$sums"); then
		result 0 "$1 files are equal"
	else
		result 1 "$1 files are equal"
	fi
	rm -rf "${work:?}/out" && mkdir "$work/out"
}

# A sender is killed in mid-transfer: the receiver fails and keeps no half file.
# The receiver has begun with the file when there is something in its folder.
killed_receiver_side() {
	local status=0 deadline=$((SECONDS + limit))
	serve killed "$bin/datcp" --listen --once --output-dir "$work/out"
	until [ -n "$(find "$work/out" -type f -size +1000k)" ]; do
		[ $SECONDS -lt $deadline ] || break
		sleep 0.1
	done
	mark moving
	wait "$server" || status=$?
	result $((status == 0 || status == 124)) "killed sender: the receiver fails"
	result "$(find "$work/out" -type f | wc -l)" "killed sender: nothing is left"
}

killed_sender_side() {
	local status=0
	truncate -s 8G "$work/in/huge"
	await killed
	"$bin/datcp" "$work/in/huge" "$KDAPL_PEER" >"$work/killed.out" 2>&1 &
	server=$!
	await moving
	kill -KILL "$server"
	wait "$server" 2>/dev/null || status=$?
	[ "$status" = 137 ] || cat "$work/killed.out"
	result $((status != 137)) "killed sender: was in the middle"
}

main() {
	make_files
	echo "1..$((KDAPL_HOST == 0 ? 13 : 9))"
	local mode peer=$KDAPL_PEER
	for mode in send write read; do
		exchange "datping-$mode" "$bin/datping" --server --once -- \
			"$bin/datping" --connect "$peer" --mode "$mode" --size 4097 --count 300 --depth 8
	done
	exchange datping-ipv6 "$bin/datping" --server --once -- \
		"$bin/datping" --connect "$KDAPL_PEER6" --size 64 --count 100
	for mode in write read send; do
		exchange "datcp-$mode" "$bin/datcp" --listen --once --output-dir "$work/out" -- \
			"$bin/datcp" --mode "$mode" "$work"/in/{empty,one,million,large} "$peer"
		compare "datcp-$mode"
	done
	if [ "$KDAPL_HOST" = 0 ]; then killed_receiver_side; else killed_sender_side; fi
	exchange after-the-kill "$bin/datping" --server --once -- \
		"$bin/datping" --connect "$peer" --size 64 --count 50
	rm -rf "$work"
}

main
