#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The tools between processes of one test machine: what they move, what they
# say and leave behind when something is wrong. Prints TAP.
#
#     scripts/vm -- tests/vm-suite/tools.sh

set -uo pipefail
bin=$(cd "$(dirname "$0")/../../build/ulib/bin" && pwd) || exit 1
limit=120
number=0
work=$(mktemp -d)
chmod 755 "$work"
peer=$KDAPL_ADDR

result() { # STATUS NAME
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		sed 's/^/# /' "$work/said"
	fi
}

# Runs a command that must exit with STATUS and say TEXT (a regular expression).
expect() { # STATUS TEXT NAME COMMAND...
	local status=0 wanted=$1 text=$2 name=$3
	shift 3
	timeout "$limit" "$@" >"$work/said" 2>&1 || status=$?
	echo "exit status $status" >>"$work/said"
	[ "$status" = "$wanted" ] && grep -qE "$text" "$work/said"
	result $? "$name"
}

# Starts a program that listens, as $server, and waits until it does.
serve() { # COMMAND...
	local deadline=$((SECONDS + limit))
	"$@" >"$work/served" 2>&1 &
	server=$!
	until grep -q 'listening on' "$work/served"; do
		if ! kill -0 "$server" 2>/dev/null || [ $SECONDS -ge $deadline ]; then
			cat "$work/served"
			break
		fi
		sleep 0.1
	done
}

stop() { # the server
	kill "$server" 2>/dev/null
	wait "$server" 2>/dev/null
}

# A user that is not root, with little memory to lock.
as_nobody() {
	(
		ulimit -l 64
		exec setpriv --reuid 65534 --clear-groups --inh-caps=-all "$@"
	)
}
export -f as_nobody

# What is wrong with an adapter does not hide the next one.
one_broken() {
	local line='u1.2 nonthreadsafe default libdapl_kdapl.so.1 kdapl.1.2'
	printf '%s\n' "broken $line \"none0\" \"\"" "sound $line \"$KDAPL_DEVICE\" \"\"" >"$work/dat.conf"
	export DAT_OVERRIDE=$work/dat.conf
	expect 1 "^name +sound" "an adapter that is broken, and one that is not" "$bin/datinfo"
	expect 1 '"ok": false' "the same as JSON" "$bin/datinfo" --json
	expect 3 "is in dat.conf, but" "the broken one by its name" "$bin/datinfo" --ia broken
	expect 1 "using adapter sound" "of both, the one that is not broken" \
		"$bin/datping" --connect "$peer"
	export DAT_OVERRIDE=/none
	expect 3 "registry's file cannot be read" "a registry that is not there" "$bin/datinfo"
	expect 3 "registry's file cannot be read" "an adapter of one" "$bin/datinfo" --ia "$KDAPL_DEVICE"
	unset DAT_OVERRIDE
}

bad_input() {
	expect 0 "^name +$KDAPL_DEVICE" "datinfo shows the adapter" "$bin/datinfo"
	expect 0 '"ok": true' "datinfo as JSON" "$bin/datinfo" --json
	expect 0 "^name +$KDAPL_DEVICE" "datinfo of its other name" "$bin/datinfo" --ia "RO_AWARE_$KDAPL_DEVICE"
	one_broken
	expect 3 "PROVIDER_NOT_FOUND.*$KDAPL_DEVICE" "an unknown adapter" "$bin/datinfo" --ia none
	expect 2 "Exactly 1" "datping without a role" "$bin/datping"
	expect 2 "no number of messages" "datping of fewer than no messages" \
		"$bin/datping" --connect "$peer" --count -5
	expect 2 '"exit":2,"ok":false' "a wrong command line, as JSON" "$bin/datping" --json
	expect 2 "excludes.*--server|--server.*excludes" "a server that is told the client's options" \
		"$bin/datping" --server --size 5
	expect 2 "requires --listen" "a sender that is told the receiver's options" \
		"$bin/datcp" --force "$0" "$peer"
	expect 2 '"ok":false' "words that are no UTF-8, as JSON" "$bin/datcp" --json $'bad\xff' "$peer"
	expect 2 "at least one file" "datcp without an address" "$bin/datcp" "$0"
	expect 2 "No such file" "datcp of a file that is not there" "$bin/datcp" /none "$peer"
	mkfifo "$work/pipe"
	cp "$0" "$work/tools.sh"
	expect 2 "not a regular file" "datcp of a pipe that nobody writes" "$bin/datcp" "$work/pipe" "$peer"
	expect 2 "would both be 'tools.sh'" "datcp of two files with one name" "$bin/datcp" "$0" "$work/tools.sh" "$peer"
	expect 2 "'$work/none' is no directory" "datcp to a directory that is not there" \
		"$bin/datcp" --listen --output "$work/none/file"
	expect 2 "'in' is a directory: --output-dir" "datcp to a directory in the place of the file" \
		"$bin/datcp" --listen --output "$work/in"
	expect 1 "standard output: No space" "a result that cannot be written" bash -c "'$bin/datinfo' >/dev/full"
	expect 1 "nobody listens" "datping where nobody listens" "$bin/datping" --connect "$peer"
	expect 1 "nobody listens" "datcp where nobody listens" "$bin/datcp" "$0" "$peer"
	chmod 600 /dev/kdapl
	expect 3 "permission" "no permission" bash -c "as_nobody '$bin/datinfo'"
	chmod 666 /dev/kdapl
	expect 1 "RLIMIT_MEMLOCK allows 65536 .* [0-9]+ are needed" "the memory limit" \
		bash -c "as_nobody '$bin/datcp' '$0' '$peer'"
}

# A name that has addresses, the best of which leads to no adapter.
of_two_addresses() {
	ip addr add 2001:db8:2::1/128 dev lo
	printf '%s of-two-addresses\n' 2001:db8:2::1 "$peer" >"$work/hosts"
	# shellcheck disable=SC2016 # for the other shell
	expect 0 "all correct" "datping to a name, by the address that an adapter reaches" \
		unshare -m bash -c 'mount --bind "$1" /etc/hosts &&
			getent ahosts of-two-addresses | head -n 1 | grep -q 2001 &&
			exec "$2" --connect of-two-addresses --count 20' - "$work/hosts" "$bin/datping"
	ip addr del 2001:db8:2::1/128 dev lo
}

pings() {
	local mode depth how
	serve "$bin/datping" --server
	expect 1 "another program listens" "two servers on a port" "$bin/datping" --server
	for mode in send write read; do
		for depth in 1 16; do
			for how in wait poll; do
				expect 0 "all correct" "datping $mode, depth $depth, $how" \
					"$bin/datping" --connect "$peer" --mode "$mode" --size 1001 \
					--count 100 --depth "$depth" "--$how"
			done
		done
		expect 0 '"ok":true' "datping $mode, 64 KiB and one byte, verifying the ends" \
			"$bin/datping" --connect "$peer" --mode "$mode" --size 65537 \
			--count 20 --depth 4 --verify ends --json
		expect 0 "verified +0 here, 0 at" "datping $mode, one byte, verifying nothing" \
			"$bin/datping" --connect "$peer:45248" --mode "$mode" --size 1 --count 20 \
			--depth 3 --verify none
	done
	expect 0 "all correct" "datping over IPv6" "$bin/datping" --connect "$KDAPL_ADDR6" --count 20
	of_two_addresses
	expect 1 "refused" "datcp to a datping" "$bin/datcp" --port 45248 "$0" "$peer"
	stop
}

# Hundredths of a second that the server has run.
server_ran() {
	awk '{ print $14 + $15 }' "/proc/$server/stat"
}

# Until the server has run for a second more; false where it does not.
server_works() {
	local from deadline=$((SECONDS + 20))
	from=$(server_ran)
	until [ "$(server_ran)" -ge $((from + 100)) ]; do
		[ $SECONDS -lt $deadline ] || return
		sleep 0.1
	done
}

# Until it has slept for a second; false where it does not. It gives a client up after 30 s.
server_sleeps() {
	local asleep=0 deadline=$((SECONDS + 20))
	until [ $asleep -ge 10 ]; do
		[ $SECONDS -lt $deadline ] || return
		sleep 0.1
		asleep=$((asleep + 1))
		if grep -q "^State:.*R" /proc/"$server"/task/*/status; then asleep=0; fi
	done
}

# A server polls where its client does; where that falls silent, not for long.
silent_client() {
	local client
	serve "$bin/datping" --server
	"$bin/datping" --connect "$peer" --poll --count 1000000000 >"$work/said" 2>&1 &
	client=$!
	server_works && kill -STOP "$client" && server_sleeps && kill -CONT "$client" && server_works
	result $? "a polling server sleeps where its client is silent, and goes on with it"
	kill -KILL "$client"
	wait "$client" 2>/dev/null
	stop
}

# The README's example.
hello() {
	serve timeout "$limit" "$bin/examples/hello_server" "$KDAPL_DEVICE" 7000
	expect 0 "" "hello" "$bin/examples/hello" "$KDAPL_DEVICE" "$peer" 7000
	wait "$server" && grep -qx hello "$work/served"
	result $? "hello_server has it"
}

make_files() {
	local size
	mkdir "$work/in" "$work/out"
	for size in 0 1 65535 1048575 1048576 1048577 9000001; do
		head -c "$size" /dev/urandom >"$work/in/$size"
	done
	truncate -s 8G "$work/huge"
}

equal() { # NAME
	diff -r "$work/in" "$work/out" >"$work/said" 2>&1
	result $? "$1"
}

copies() {
	local mode
	serve "$bin/datcp" --listen --output-dir "$work/out"
	for mode in write read send; do
		expect 0 "9000001 bytes by $mode .* at both ends" "datcp $mode" \
			"$bin/datcp" --mode "$mode" "$work"/in/* "$peer"
		equal "datcp $mode: the files are equal"
		[ "$mode" = send ] || rm -f "$work"/out/*
	done
	expect 1 "exists already" "a file that exists is not replaced" \
		"$bin/datcp" "$work/in/1" "$peer"
	echo new >"$work/new"
	expect 1 '"files":\[\{[^]]*"name":"[^"]*/new"' "what was copied before that is told, as JSON" \
		"$bin/datcp" --json "$work/new" "$work/in/1" "$peer"
	rm -f "$work/out/new"
	stop
	serve "$bin/datcp" --listen --output-dir "$work/out" --force
	expect 0 '"ok":true' "a file that exists is replaced when that is wanted" \
		"$bin/datcp" --json "$work"/in/* "$peer"
	equal "replaced files are equal"
	mkdir "$work/out/new"
	expect 1 "is a directory" "a directory is not replaced by a file" \
		"$bin/datcp" "$work/new" "$peer"
	rmdir "$work/out/new"
	stop
	serve "$bin/datcp" --listen --output "$work/renamed" --once
	expect 0 "at both ends" "a file under a name of the receiver's" \
		"$bin/datcp" --chunk 4096 --slots 1 "$work/in/65535" "$peer"
	wait "$server"
	cmp "$work/in/65535" "$work/renamed" >"$work/said" 2>&1
	result $? "the renamed file is equal"
	rm -f "$work"/out/*
}

# Returns when a file is on its way into the receiver's folder.
await_half_file() {
	local deadline=$((SECONDS + limit))
	until [ -n "$(find "$work/out" -type f -size +1000k)" ] || [ $SECONDS -ge $deadline ]; do
		sleep 0.1
	done
}

# What is added meanwhile is not copied, and that is said.
grows() {
	local sender status=0
	truncate -s 256M "$work/grows"
	serve "$bin/datcp" --listen --output-dir "$work/out" --once
	"$bin/datcp" "$work/grows" "$peer" >"$work/said" 2>&1 &
	sender=$!
	# All the time, so that no moment has to be met.
	while kill -0 "$sender" 2>/dev/null; do
		echo more >>"$work/grows"
		sleep 0.01
	done
	wait "$sender" || status=$?
	[ "$status" = 0 ] && grep -q "became longer" "$work/said"
	result $? "a file that grows while it is copied"
	wait "$server"
	rm -f "$work"/out/* "$work/grows"
}

nothing_left() { # NAME
	ls -A "$work/out" >"$work/said"
	[ ! -s "$work/said" ]
	result $? "$1"
}

# As under nohup, whose terminal goes between two files.
hangup() {
	serve bash -c 'trap "" HUP; exec "$@"' - "$bin/datcp" --listen --output-dir "$work/out"
	expect 0 "at both ends" "a file before the hang-up" "$bin/datcp" "$work/in/1" "$peer"
	kill -HUP "$server"
	expect 0 "at both ends" "a receiver that ignores a hang-up" "$bin/datcp" "$work/in/0" "$peer"
	stop
	rm -f "$work"/out/*
}

# Whoever is killed in the middle, there is no half file, and the other says so.
kills() {
	local mode sender status
	for mode in write read send; do
		serve "$bin/datcp" --listen --output-dir "$work/out" --once
		"$bin/datcp" --mode "$mode" "$work/huge" "$peer" >/dev/null 2>&1 &
		sender=$!
		await_half_file
		kill -KILL "$sender"
		status=0
		wait "$server" || status=$?
		cp "$work/served" "$work/said"
		[ "$status" = 1 ] && grep -qE "ended the connection|broke" "$work/said"
		result $? "a $mode sender that is killed: the receiver says so"
		nothing_left "a $mode sender that is killed: no half file"
	done
	serve "$bin/datcp" --listen --output-dir "$work/out"
	"$bin/datcp" "$work/huge" "$peer" >"$work/sent" 2>&1 &
	sender=$!
	await_half_file
	stop
	status=0
	wait "$sender" || status=$?
	cp "$work/sent" "$work/said"
	result $((status != 1)) "a receiver that is terminated: the sender fails"
	nothing_left "a receiver that is terminated: no half file"
	killed_receiver
}

# It cannot clean up; but nothing has the file's name.
killed_receiver() {
	local sender status=0
	serve "$bin/datcp" --listen --output-dir "$work/out"
	"$bin/datcp" "$work/huge" "$peer" >"$work/sent" 2>&1 &
	sender=$!
	await_half_file
	kill -KILL "$server"
	wait "$server" 2>/dev/null
	wait "$sender" || status=$?
	cp "$work/sent" "$work/said"
	result $((status != 1)) "a receiver that is killed: the sender fails"
	ls -A "$work/out" >"$work/said"
	[ -s "$work/said" ] && ! [ -e "$work/out/huge" ]
	result $? "a receiver that is killed: nothing has the file's name"
	rm -f "$work"/out/.[!.]* "$work"/out/*
	serve "$bin/datcp" --listen --output-dir "$work/out" --once
	expect 0 "at both ends" "another receiver at once" "$bin/datcp" "$work/in/1" "$peer"
	wait "$server"
	rm -f "$work"/out/*
}

main() {
	echo "1..79"
	make_files
	bad_input
	pings
	silent_client
	hello
	copies
	hangup
	grows
	kills
	rm -rf "$work"
}

main
