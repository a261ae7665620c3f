#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# LIO serves disks by kdapl_isert to Linux's own initiator: login and logout, what is
# agreed on, data of all sizes, several sessions and targets, task management, pings, a
# target that goes and comes, wrong settings, connections of another depth, and what may be
# unloaded when. Prints TAP.
#
#     scripts/vm --kernel 6.12 --mem 1536 -- tests/storage/iser.sh
#
# KDAPL_LOGINS (100, times KDAPL_SCALE): how often it logs in and out in a row.

set -uo pipefail
# shellcheck source=tests/storage/lib.sh
. "$(dirname "$0")/lib.sh"
module=$(dirname "$KDAPL_MODULE")/consumers/isert/kdapl_isert.ko
second=iqn.2004-01.test.kdapl:second
logins=${KDAPL_LOGINS:-$(scaled 100)}
# Bytes of a request, and how many of them.
sizes=(512:64 1536:40 4096:64 8192:32 65536:16 66048:8 131072:8 524288:4 1048576:2 1049088:2 4194304:2)
bursts=(8192 65536)
if [ "$(scaled 10)" = 1 ]; then
	sizes=(512:8 8192:4 66048:2 524288:1 4194304:1)
	bursts=(65536)
fi

quick=(node.session.initial_login_retry_max=1 "node.conn[0].timeo.login_timeout=10")

foreign_symbols() {
	! undefined "$module" ' (ib_|rdma_|iw_|rdmacm_)'
}

has_symbols() {
	undefined "$module" ' (dat_|iscsit_register_transport)' | wc -l
}

# Two thirds of ib_isert's 2,960.
is_small() {
	[ "$(cat "$(dirname "$0")"/../../kmod/consumers/isert/*.[ch] | wc -l)" -le 1973 ]
}

beginning() {
	expect ok "" "its lines are two thirds of ib_isert's" is_small
	expect ok "" "the module needs nothing of verbs" foreign_symbols
	expect ok "^([5-9]|[1-9][0-9])" "but kDAPL and LIO" has_symbols
	expect ok "" "loaded" load_target
	expect ok "" "a target with a disk" serve_disk 96
	expect ok "^1" "its portal is one of iSER" cat "$(tpg_of $iqn)/np/$KDAPL_ADDR:$port/iser"
	expect ok "" "the initiator is started" start_initiator
	expect ok "" "logged in" login $iqn "$KDAPL_ADDR" 1
	expect ok "iser" "by iSER" cat_transport
	expect ok "^0" "a disk without protection information" cat_protection
	expect ok "" "logged out" logout $iqn "$KDAPL_ADDR"
	expect ok "qp [0-9]" "what there is without a session" remember_resources
}

cat_transport() {
	cat "$(readlink -f "$(sessions $iqn)/device")"/../scsi_host/host*/proc_name
}

cat_protection() {
	cat "/sys/block/${disks[0]##*/}/device/scsi_disk/"*/protection_type
}

data() {
	local pair
	expect ok "" "logged in for data" login $iqn "$KDAPL_ADDR" 1
	expect ok "" "requests as large as the device takes" large_requests
	for pair in "${sizes[@]}"; do
		expect ok "" "${pair#*:} of ${pair%:*} bytes come back" same_back "${pair%:*}" "${pair#*:}"
	done
	expect ok "" "logged out after data" logout $iqn "$KDAPL_ADDR"
	expect ok "" "nothing is left" nothing_left
}

large_requests() {
	local queue=/sys/block/${disks[0]##*/}/queue
	cat "$queue/max_hw_sectors_kb" >"$queue/max_sectors_kb"
}

same_back() { # SIZE COUNT
	write_and_compare "${disks[0]-none}" "$1" "$2"
}

# How data goes to the target: with the command, behind it, or fetched by RDMA reads.
ways() {
	local immediate r2t burst name
	for immediate in Yes No; do
		for r2t in Yes No; do
			for burst in "${bursts[@]}"; do
				name="ImmediateData=$immediate, InitialR2T=$r2t, $burst bytes first"
				expect ok "" "logged in: $name" login $iqn "$KDAPL_ADDR" 1 \
					node.session.iscsi.ImmediateData=$immediate node.session.iscsi.InitialR2T=$r2t \
					node.session.iscsi.FirstBurstLength="$burst"
				expect ok "" "agreed: ImmediateData" agreed "ImmediateData: $immediate"
				expect ok "" "agreed: InitialR2T" agreed "InitialR2T: $r2t"
				expect ok "" "512 bytes" same_back 512 8
				expect ok "" "8 KiB" same_back 8192 8
				expect ok "" "80.5 KiB" same_back 82432 4
				expect ok "" "logged out" logout $iqn "$KDAPL_ADDR"
			done
		done
	done
	expect ok "" "nothing is left of all ways" nothing_left
}

several() {
	expect ok "" "four sessions" login $iqn "$KDAPL_ADDR" 4 node.session.nr_sessions=4
	expect ok "" "all four at once" all_at_once
	expect ok "" "what one writes the others read" others_read
	expect ok "" "all are logged out" logout $iqn "$KDAPL_ADDR"
	expect ok "" "a second target" second_target
	expect ok "" "logged in to the first" login $iqn "$KDAPL_ADDR" 1
	expect ok "" "logged in to the second" login $second "$KDAPL_ADDR" 2
	expect ok "" "its second disk has its own bytes" same_back_of 1
	expect ok "" "logged out of the first" logout $iqn "$KDAPL_ADDR"
	expect ok "" "the second one goes on" same_back_of 0
	expect ok "" "logged out of the second" logout $second "$KDAPL_ADDR"
	expect ok "" "the second target goes" remove_second
	expect ok "" "nothing is left of several" nothing_left
}

# Each on a quarter of the disk.
all_at_once() {
	local i pids=() status=0
	for i in 0 1 2 3; do
		quarter "${disks[i]-none}" "$i" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i" || status=1; done
	return $status
}

quarter() { # DISK NUMBER
	local data=$work/data.$2 back=$work/back.$2
	head -c 4M /dev/urandom >"$data" &&
		dd if="$data" of="$1" bs=64k seek=$((256 * $2)) oflag=direct conv=notrunc status=none &&
		dd if="$1" of="$back" bs=64k count=64 skip=$((256 * $2)) iflag=direct status=none &&
		cmp "$data" "$back"
	local status=$?
	rm -f "$data" "$back"
	return $status
}

others_read() {
	local disk
	head -c 1M /dev/urandom >"$work/data"
	dd if="$work/data" of="${disks[0]-none}" bs=256k oflag=direct conv=notrunc status=none || return
	for disk in "${disks[@]:1}"; do
		dd if="$disk" of="$work/back" bs=256k count=4 iflag=direct status=none &&
			cmp "$work/data" "$work/back" || return
	done
}

second_target() {
	make_disk disk1 16 && make_disk disk2 16 && make_target $second disk1 disk2 &&
		make_portal $second "$KDAPL_ADDR" && enable $second 1
}

remove_second() {
	remove_target $second && remove_disk disk1 && remove_disk disk2
}

same_back_of() { # NUMBER
	mapfile -t disks < <(session_disks $second)
	write_and_compare "${disks[$1]-none}" 65536 4
}

addresses() {
	expect ok "" "a portal by IPv6" make_portal $iqn "[$KDAPL_ADDR6]"
	expect ok "" "logged in by IPv6" login $iqn "[$KDAPL_ADDR6]" 1
	expect ok "" "data by IPv6" same_back 8192 8
	expect ok "" "logged out by IPv6" logout $iqn "[$KDAPL_ADDR6]"
	expect ok "" "that portal goes" remove_portal $iqn "[$KDAPL_ADDR6]"
	expect fails "" "nobody listens there any more" login $iqn "[$KDAPL_ADDR6]" 1 "${quick[@]}"
	expect ok "" "its record goes" forget $iqn "[$KDAPL_ADDR6]"
	expect ok "$iqn" "SendTargets by iSER names the target" discover
	expect ok "" "more targets than one answer has room for" make_many
	expect ok "" "SendTargets names them all" discover_many
	expect ok "" "they go" remove_many
	expect ok "" "nothing is left of addresses" nothing_left
}

discover() {
	timeout $limit iscsiadm -m discovery -t sendtargets -p "$KDAPL_ADDR:$port" -I iser || return
	iscsiadm -m discoverydb -t sendtargets -p "$KDAPL_ADDR:$port" -o delete
}

# 40 names of 200 characters and an address each are more than 8 KiB.
many_of() { # COMMAND...
	local n
	for n in $(seq 40); do
		"$@" "$(printf '%s-%0*d' "$iqn" $((199 - ${#iqn})) "$n")" || return
	done
}

make_many() {
	many_of make_target && many_of make_portal_here && many_of enable_it
}

make_portal_here() { # IQN
	make_portal "$1" "$KDAPL_ADDR"
}

enable_it() { # IQN
	enable "$1" 1
}

discover_many() {
	discover >"$said.many" && [ "$(grep -c "$iqn-0*[0-9]*\$" "$said.many")" = 40 ]
}

remove_many() {
	many_of remove_target
}

# Resets while there is I/O: what was asked for is done again.
task_management() {
	local what
	expect ok "" "logged in for task management" login $iqn "$KDAPL_ADDR" 1
	for what in device target; do
		expect ok "" "a reset of the $what under load" reset_under_load "--$what"
		expect ok "" "and data come back" same_back 65536 8
	done
	expect ok "" "logged out after resets" logout $iqn "$KDAPL_ADDR"
	expect ok "" "nothing is left of resets" nothing_left
}

reset_under_load() { # OPTION
	local load status=0 before
	before=$(requests)
	dd if=/dev/zero of="${disks[0]-none}" bs=64k count=1500 oflag=direct conv=notrunc status=none &
	load=$!
	until_ok more_requests "$before" && kill -0 $load && timeout $limit sg_reset --no-esc "$1" "${disks[0]-none}" || status=1
	wait $load || status=2
	until_ok logged_in $iqn || status=3
	return $status
}

requests() { # writes that the disk has done
	awk '{ print $5 }' "/sys/block/${disks[0]##*/}/stat"
}

more_requests() { # THAN
	[ "$(requests)" -gt "$1" ]
}

# Pings in both directions, which the initiator's own log tells of.
pings() {
	expect ok "" "a session that pings each second" login $iqn "$KDAPL_ADDR" 1 \
		"node.conn[0].timeo.noop_out_interval=1" "node.conn[0].timeo.noop_out_timeout=20"
	expect ok "" "is answered, three times" answered 3
	expect ok "LOGGED_IN" "and goes on" session_state $iqn
	expect ok "" "logged out after pings" logout $iqn "$KDAPL_ADDR"
	expect ok "" "only who is entered may log in" allow $iqn $initiator
	expect ok "" "and is not pinged" ping_after 0
	expect ok "" "logged in again" login $iqn "$KDAPL_ADDR" 1 "node.conn[0].timeo.noop_out_interval=0"
	expect ok "" "from now on it is, after three idle seconds" ping_after 3
	expect ok "" "the target's pings come, three" pinged 3
	expect ok "LOGGED_IN" "and are answered" session_state $iqn
	expect ok "" "logged out, pinged" logout $iqn "$KDAPL_ADDR"
	expect ok "" "everybody may log in" allow_all
	expect ok "" "nothing is left of pings" nothing_left
}

# Over iSER, LIO begins with it only when the time is changed from none under a session.
ping_after() { # SECONDS
	local acl
	acl=$(tpg_of $iqn)/acls/$initiator
	echo 30 >"$acl/attrib/nopin_response_timeout" && echo "$1" >"$acl/attrib/nopin_timeout"
}

allow_all() {
	local tpg
	tpg=$(tpg_of $iqn)
	rm "$tpg/acls/$initiator/lun_0/disk" && rmdir "$tpg/acls/$initiator/lun_0" "$tpg/acls/$initiator" &&
		echo 1 >"$tpg/attrib/generate_node_acls"
}

answered() { # TIMES
	listen_in '\[op 0x20 .* itt 0x[0-9a-e][0-9a-f]*' "$1"
}

pinged() { # TIMES
	listen_in '\[op 0x20 .* itt 0xffffffff' "$1"
}

# The initiator logs that so often.
listen_in() { # PATTERN TIMES
	local status=0
	dmesg -C
	echo 1 >/sys/module/libiscsi/parameters/debug_libiscsi_session
	until_ok heard "$1" "$2" || status=1
	echo 0 >/sys/module/libiscsi/parameters/debug_libiscsi_session
	return $status
}

heard() { # PATTERN TIMES
	[ "$(dmesg | grep -cE "$1")" -ge "$2" ]
}

# The target's end goes under a session, and comes back.
gone_and_back() {
	expect ok "" "logged in, to lose the target" login $iqn "$KDAPL_ADDR" 1
	expect ok "" "the target is switched off" enable $iqn 0
	expect ok "" "the session notices" until_ok not_logged_in_to $iqn
	expect ok "" "the target is switched on" enable $iqn 1
	expect ok "" "the session comes back" until_ok logged_in $iqn
	expect ok "" "with its disk" same_back 65536 4
	expect ok "" "logged out after that" logout $iqn "$KDAPL_ADDR"
	expect ok "" "the switch of iSER goes off" switch_iser $iqn "$KDAPL_ADDR" 0
	expect fails "" "nobody can log in" login $iqn "$KDAPL_ADDR" 1 "${quick[@]}"
	expect ok "" "the record goes" forget $iqn "$KDAPL_ADDR"
	expect ok "" "the switch goes on" switch_iser $iqn "$KDAPL_ADDR" 1
	expect ok "" "everybody can" in_and_out 1
	expect ok "" "nothing is left of the target's end" nothing_left
}

not_logged_in_to() { # IQN
	! logged_in "$1"
}

# The initiator may still be at the last answer when iscsid has read it and sends the next
# request ("Login/Text in progress" in the log): then it gives up, and is asked again.
says() { # TEXT COMMAND...
	local text=$1 answer
	shift
	answer=$("$@" 2>&1)
	echo "$answer"
	grep -q "$text" <<<"$answer"
}

# Passwords take a login of several PDUs.
passwords() {
	expect ok "" "a target with a password" locked_target
	expect ok "" "logged in with it" login $second "$KDAPL_ADDR" 1 node.session.auth.authmethod=CHAP \
		node.session.auth.username=name node.session.auth.password=secretsecret
	expect ok "" "data come back" same_back_of 0
	expect ok "" "logged out" logout $second "$KDAPL_ADDR"
	expect ok "" "not with another" until_ok says "authorization failure" login $second "$KDAPL_ADDR" 1 "${quick[@]}" \
		node.session.auth.authmethod=CHAP node.session.auth.username=name node.session.auth.password=wrongwrongwrong
	expect ok "" "there is no session" not_logged_in_to $second
	expect ok "" "that record goes" forget $second "$KDAPL_ADDR"
	expect fails "" "not without" login $second "$KDAPL_ADDR" 1 "${quick[@]}"
	expect ok "" "that one, too" forget $second "$KDAPL_ADDR"
	expect ok "" "the target goes" remove_locked
	expect ok "" "nothing is left of passwords" nothing_left
}

locked_target() {
	make_disk disk1 16 && make_target $second disk1 && allow $second $initiator name secretsecret &&
		make_portal $second "$KDAPL_ADDR" && enable $second 1
}

remove_locked() {
	remove_target $second && remove_disk disk1
}

wrong() {
	expect fails "" "no such target" login iqn.2004-01.test.kdapl:none "$KDAPL_ADDR" 1 "${quick[@]}"
	expect ok "" "its record goes, too" forget iqn.2004-01.test.kdapl:none "$KDAPL_ADDR"
	expect fails "" "no adapter has that address" make_portal $iqn 192.0.2.1
	expect ok "" "that portal goes" remove_portal $iqn 192.0.2.1
	expect fails "" "not while it is used" rmmod kdapl_isert
	expect fails "" "nor what is below it" rmmod kdapl
	expect ok "" "nothing is left of wrong settings" nothing_left
}

many_logins() {
	expect ok "" "$logins logins and logouts" in_and_out "$logins"
	expect ok "" "nothing is left of them" nothing_left
}

in_and_out() { # TIMES
	local i
	for ((i = 0; i < $1; i++)); do
		login $iqn "$KDAPL_ADDR" 1 && logout $iqn "$KDAPL_ADDR" || return
	done
}

# Connections that have room for few requests, and for many.
depths() {
	local depth
	for depth in 16 1024; do
		expect ok "" "the target goes" stop_serving
		expect ok "" "unloaded" unload_target
		expect ok "" "loaded with depth=$depth" load_with "depth=$depth"
		expect ok "^$depth\$" "it is so deep" cat /sys/module/kdapl_isert/parameters/depth
		expect ok "" "a target with a disk" serve_disk 96
		# With pings, no more than there is room for: see docs/storage.md.
		[ $depth != 16 ] || expect ok "" "a window that fits" set_window 12
		expect ok "" "logged in" login $iqn "$KDAPL_ADDR" 1
		expect ok "" "80.5 KiB come back" same_back 82432 4
		expect ok "" "4 MiB come back" same_back 4194304 1
		expect ok "" "64 requests at a time" many_at_once
		expect ok "" "logged out" logout $iqn "$KDAPL_ADDR"
		expect ok "" "nothing is left" nothing_left
	done
}

set_window() { # COMMANDS
	echo "$1" >"$(tpg_of $iqn)/attrib/default_cmdsn_depth"
}

load_with() { # PARAMETER
	local isert_params=$1
	load_target
}

many_at_once() {
	timeout "$limit" fio --ioengine=libaio --direct=1 --rw=randrw --bs=8k --iodepth=64 --size=8m --verify=crc32c \
		--verify_fatal=1 --do_verify=1 --minimal --name=many --filename="${disks[0]-none}"
}

ending() {
	expect ok "" "logged in at the end" login $iqn "$KDAPL_ADDR" 1
	expect ok "" "the target goes under a session" stop_serving
	expect ok "" "and what serves it" unload_target
	expect ok "" "the session is logged out all the same" logout $iqn "$KDAPL_ADDR"
	expect ok "" "the initiator goes" stop_initiator
	expect ok "" "LIO goes" unload_lio
	expect ok "" "no queue pair is left" no_queue_pairs
	expect ok "" "loaded again, unloaded unused" load_and_unload
}

load_and_unload() {
	load_target "" && unload_target
}

tests() {
	beginning
	data
	ways
	several
	addresses
	task_management
	pings
	gone_and_back
	with_module md5 passwords
	wrong
	many_logins
	depths
	ending
}

plan tests
tests
[ "$failed" = 0 ]
