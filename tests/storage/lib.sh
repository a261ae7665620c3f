# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Shared by the scripts in this folder, which run in the test machine: Linux's SCSI
# target (LIO) with ramdisks behind an iSER portal, Debian's initiator, and what is
# left of both. Source it; it sets no shell options.
#
# A test is a call of expect. The tests of a script stand in a function that calls
# nothing else, so that plan can count them first.

storage=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # for those who source this
top=$(cd "$storage/../.." && pwd)
# The target's module: kdapl_isert, or the kernel's own ib_isert.
transport=${KDAPL_TRANSPORT:-kdapl_isert}
iqn=iqn.2004-01.test.kdapl:disk
initiator=iqn.2004-01.test.kdapl:initiator
port=3260
configfs=/sys/kernel/config
target=$configfs/target
work=/run/storage
limit=120 # seconds that what must come may take
case ${KDAPL_SCALE:-1} in 1 | 0.[1-9]*) ;; *) limit=300 ;; esac
said=$work/said
number=0 failed=0 counting=""
disks=(none) # of the last await_disks
mkdir -p "$work"

# ---- tests ----

# Prints how many tests the function holds.
plan() { # FUNCTION
	counting=1
	"$1"
	counting=""
	echo "1..$number"
	number=0
}

# Runs a command that must exit with 0 (or not: STATUS "fails"), and say TEXT.
expect() { # ok|fails TEXT NAME COMMAND...
	local wanted=$1 text=$2 name=$3 status=0
	shift 3
	number=$((number + 1))
	[ -z "$counting" ] || return 0
	"$@" >"$said" 2>&1 || status=$?
	if [ "$([ "$status" = 0 ] && echo ok || echo fails)" = "$wanted" ] &&
		{ [ -z "$text" ] || grep -qE -- "$text" "$said"; }; then
		echo "ok $number - $name"
		return 0
	fi
	failed=$((failed + 1))
	echo "not ok $number - $name"
	echo "# exit status $status"
	tail -n 40 "$said" | sed 's/^/# /'
	dmesg | tail -n 15 | sed 's/^/# dmesg: /'
}

# Tries a command until it succeeds, as long as what must come may take.
until_ok() { # COMMAND...
	local deadline=$((SECONDS + limit))
	until "$@"; do
		[ $SECONDS -lt $deadline ] || return 1
		sleep 0.05
	done
}

# Runs tests that need a module, or says that they are left out: only the project's own
# kernel (6.12.x-kdapl) may be without it.
with_module() { # MODULE COMMAND...
	local module=$1
	shift
	if modprobe -q "$module" 2>/dev/null || grep -q ": $module\$" /proc/crypto; then
		"$@"
	elif [[ $(uname -r) == *-kdapl ]]; then
		number=$((number + 1))
		[ -n "$counting" ] || echo "ok $number - $* # SKIP this kernel has no $module"
	else
		expect ok "" "$module is there, for $*" modprobe "$module"
	fi
}

scaled() { # COUNT: times KDAPL_SCALE, at least 1
	awk -v "n=$1" -v "scale=${KDAPL_SCALE:-1}" 'BEGIN { m = int(n * scale); print m < 1 ? 1 : m }'
}

# ---- the target ----

# The portal's switch asks the kernel for ib_isert. It must not come beside ours:
# LIO takes the first of its kind.
load_target() {
	mountpoint -q $configfs || mount -t configfs configfs $configfs || return
	mkdir -p /run/modprobe.d
	modprobe -a target_core_mod iscsi_target_mod || return
	if [ "$transport" = ib_isert ]; then
		rm -f /run/modprobe.d/kdapl-storage.conf
		modprobe ib_isert
	else
		echo "install ib_isert /bin/true" >/run/modprobe.d/kdapl-storage.conf
		# shellcheck disable=SC2086 # parameters are separate words
		insmod "$(dirname "$KDAPL_MODULE")/consumers/isert/kdapl_isert.ko" ${isert_params-}
	fi
}

# Without what was loaded below it, which nobody minds.
unload_target() {
	rmmod "$transport"
}

# LIO itself can go, too: nothing holds it.
unload_lio() {
	rmdir $target/core/rd_mcp_0 $target/iscsi && modprobe -r iscsi_target_mod
}

make_disk() { # NAME MIB
	local disk=$target/core/rd_mcp_0/$1
	mkdir -p "$disk" && echo "rd_pages=$(($2 * 256))" >"$disk/control" && echo 1 >"$disk/enable"
}

remove_disk() { # NAME
	rmdir "$target/core/rd_mcp_0/$1"
}

tpg_of() { # IQN
	printf '%s\n' "$target/iscsi/$1/tpgt_1"
}

# A target for everybody: who logs in needs no entry and no password.
make_target() { # IQN DISK...
	local tpg one=$1 n=0 disk
	shift
	tpg=$(tpg_of "$one")
	mkdir -p "$tpg" || return
	echo 0 >"$tpg/attrib/authentication" &&
		echo 1 >"$tpg/attrib/generate_node_acls" &&
		echo 1 >"$tpg/attrib/cache_dynamic_acls" &&
		echo 0 >"$tpg/attrib/demo_mode_write_protect" &&
		echo No >"$tpg/param/InitialR2T" || return
	for disk in "$@"; do
		mkdir "$tpg/lun/lun_$n" && ln -s "$target/core/rd_mcp_0/$disk" "$tpg/lun/lun_$n/disk" || return
		n=$((n + 1))
	done
}

# Every portal is one of TCP, too. Over iWARP both want the same TCP port, so there
# the other one is made in a network of its own, where nobody comes.
make_portal() { # IQN ADDRESS
	local portal mkdir=(mkdir)
	portal=$(tpg_of "$1")/np/$2:$port
	[ "$KDAPL_RDMA" != siw ] || mkdir=(unshare -n mkdir)
	[ -d "$portal" ] || "${mkdir[@]}" "$portal" || return
	switch_iser "$1" "$2" 1
}

switch_iser() { # IQN ADDRESS 0|1
	echo "$3" >"$(tpg_of "$1")/np/$2:$port/iser"
}

enable() { # IQN 0|1
	echo "$2" >"$(tpg_of "$1")/enable"
}

remove_portal() { # IQN ADDRESS
	rmdir "$(tpg_of "$1")/np/$2:$port"
}

remove_target() { # IQN
	local tpg one
	tpg=$(tpg_of "$1")
	enable "$1" 0 || return
	for one in "$tpg"/acls/*/lun_*/disk "$tpg"/lun/lun_*/disk; do
		[ ! -L "$one" ] || rm "$one" || return
	done
	for one in "$tpg"/np/*/ "$tpg"/acls/*/lun_*/ "$tpg"/acls/*/ "$tpg"/lun/lun_*/; do
		[ ! -d "$one" ] || rmdir "$one" || return
	done
	rmdir "$tpg" "${tpg%/*}"
}

# From now on only this initiator may log in, and with a password where there is one.
allow() { # IQN INITIATOR [USER PASSWORD]
	local tpg acl
	tpg=$(tpg_of "$1")
	acl=$tpg/acls/$2
	echo 0 >"$tpg/attrib/generate_node_acls" && mkdir "$acl" "$acl/lun_0" &&
		ln -s "$tpg/lun/lun_0" "$acl/lun_0/disk" || return
	[ $# = 4 ] || return 0
	# LIO would take a line's end for a part of it.
	echo 1 >"$tpg/attrib/authentication" && printf %s "$3" >"$acl/auth/userid" &&
		printf %s "$4" >"$acl/auth/password"
}

# The usual: one target with a disk of that size at this machine's address.
serve_disk() { # MIB
	make_disk disk0 "$1" && make_target $iqn disk0 && make_portal $iqn "$KDAPL_ADDR" && enable $iqn 1
}

stop_serving() {
	remove_target $iqn && remove_disk disk0
}

# ---- the initiator ----

# Debian starts iscsid by systemd, which is not here. It ends its whole process group with
# itself, so it gets one of its own.
start_initiator() {
	mkdir -p /run/lock/iscsi || return
	rm -rf /etc/iscsi/nodes /etc/iscsi/send_targets /etc/iscsi/isns /var/lib/iscsi/nodes
	mkdir -p /etc/iscsi
	echo "InitiatorName=$initiator" >/etc/iscsi/initiatorname.iscsi
	{
		echo "iscsid.startup = /bin/false"
		echo "node.startup = manual"
		echo "node.session.scan = auto"
		echo "node.session.timeo.replacement_timeout = 120"
		echo "node.session.initial_login_retry_max = 2"
		echo "node.conn[0].timeo.login_timeout = $((limit / 8))"
		echo "node.conn[0].timeo.logout_timeout = $limit"
		echo "node.conn[0].timeo.noop_out_interval = 5"
		echo "node.conn[0].timeo.noop_out_timeout = 30"
		echo "node.session.iscsi.InitialR2T = No"
		echo "node.session.iscsi.ImmediateData = Yes"
	} >/etc/iscsi/iscsid.conf
	# shellcheck disable=SC2086 # parameters are separate words
	modprobe -a sd_mod scsi_transport_iscsi && modprobe ib_iser ${iser_params-} || return
	setsid iscsid -f -d 1 >>"$KDAPL_OUT/iscsid-$KDAPL_HOST.log" 2>&1 &
	iscsid=$!
	until_ok listens
}

listens() {
	grep -q ISCSIADM_ABSTRACT_NAMESPACE /proc/net/unix
}

stop_initiator() {
	kill "$iscsid" || return
	wait "$iscsid" || : # what it makes of the signal is its business
	modprobe -r ib_iser
}

node() { # IQN ADDRESS WORD...
	local one=$1 address=$2
	shift 2
	timeout $((2 * limit)) iscsiadm -m node -T "$one" -p "$address:$port" -I iser "$@"
}

# A new record of a target, with settings other than the default.
record() { # IQN ADDRESS NAME=VALUE...
	local one=$1 address=$2 setting
	shift 2
	node "$one" "$address" -o new || return
	for setting in "$@"; do
		node "$one" "$address" -o update -n "${setting%%=*}" -v "${setting#*=}" || return
	done
}

forget() { # IQN ADDRESS
	node "$1" "$2" -o delete
}

# Logs in, and waits for COUNT disks.
login() { # IQN ADDRESS COUNT NAME=VALUE...
	local one=$1 address=$2 count=$3
	shift 3
	record "$one" "$address" "$@" && node "$one" "$address" --login && await_disks "$one" "$count"
}

logout() { # IQN ADDRESS
	node "$1" "$2" --logout && forget "$1" "$2" && ! sessions "$1" | grep -q .
}

sessions() { # IQN: their folders in /sys
	local session
	for session in /sys/class/iscsi_session/session*; do
		[ "$(cat "$session/targetname" 2>/dev/null)" != "$1" ] || echo "$session"
	done
}

session_disks() { # IQN
	local session disk
	for session in $(sessions "$1"); do
		for disk in "$session"/device/target*/*/block/*; do
			[ ! -b "/dev/${disk##*/}" ] || echo "/dev/${disk##*/}"
		done
	done
}

# There is no udev: the kernel makes the files in /dev itself.
await_disks() { # IQN COUNT
	until_ok has_disks "$1" "$2" || { echo "not $2 disks of $1: ${disks[*]-}" && return 1; }
	keep_awake "$1"
}

# Where a session goes while its target's runtime power management is at work, the
# initiator's kernel warns of itself (a WQ_MEM_RECLAIM queue that flushes pm's).
keep_awake() { # IQN
	local session control
	for session in $(sessions "$1"); do
		for control in "$session"/device/target*/{power,*/power}/control; do
			[ ! -w "$control" ] || echo on >"$control"
		done
	done
}

has_disks() { # IQN COUNT
	mapfile -t disks < <(session_disks "$1")
	[ ${#disks[@]} = "$2" ] && return
	[ ${#disks[@]} -gt 0 ] || disks=(none)
	return 1
}

session_state() { # IQN
	cat "$(sessions "$1" | head -n 1)/state"
}

logged_in() { # IQN
	[ "$(session_state "$1" 2>/dev/null)" = LOGGED_IN ]
}

# What was agreed on at login, in the words of iscsiadm.
agreed() { # TEXT
	iscsiadm -m session -P 2 | grep -E -- "$1"
}

# ---- data ----

# Writes random bytes at some place of a disk in pieces of SIZE, and reads them back.
write_and_compare() { # DISK SIZE COUNT
	local disk=$1 size=$2 count=$3 data=$work/data back=$work/back seek
	seek=$((RANDOM % 8))
	head -c $((size * count)) /dev/urandom >"$data" &&
		dd if="$data" of="$disk" bs="$size" count="$count" seek="$seek" oflag=direct conv=notrunc status=none &&
		dd if="$disk" of="$back" bs="$size" count="$count" skip="$seek" iflag=direct status=none &&
		cmp "$data" "$back"
}

# ---- what is left ----

# Queue pairs, regions and the like: their numbers, without those of CQs, which the
# kernel keeps in a pool.
resources() {
	rdma resource show "$KDAPL_DEVICE" | grep -oE '(pd|qp|cm_id|mr|srq) [0-9]+' | tr '\n' ' '
	for module in kdapl "$transport" ib_iser; do
		[ ! -e "/sys/module/$module/refcnt" ] || printf '%s %s ' "$module" "$(cat "/sys/module/$module/refcnt")"
	done
}

# When the last session is really gone: the numbers have not changed for a while. Zero
# they are not, for the module's zone may have a connection with itself, to register
# memory, from the first session on until the portals go.
remember_resources() {
	until_ok unchanged 5 && resources >"$work/resources" && cat "$work/resources"
}

unchanged() { # SECONDS
	local before now
	before=$(resources)
	for ((now = 0; now < $1; now++)); do
		sleep 1
		[ "$(resources)" = "$before" ] || return
	done
}

same_resources() {
	[ "$(resources)" = "$(cat "$work/resources")" ]
}

# As many as remembered; the target's end of a connection may take a moment more.
nothing_left() {
	until_ok same_resources || { echo "then: $(cat "$work/resources")" && echo "now:  $(resources)" && return 1; }
}

# LIO has no session of an initiator without an entry.
no_sessions() {
	[ -z "$(tr -d '\0' <"$(tpg_of $iqn)/dynamic_sessions")" ]
}

# No queue pair but the device's own remains of anybody.
no_queue_pairs() {
	! rdma resource show qp | grep "type RC"
}

# Symbols that a module takes from elsewhere, which match.
undefined() { # MODULE PATTERN
	nm -u "$1" | grep -E "$2"
}

# ---- writers, who know what must be on a disk ----

writers=()

# One for each disk there is, each on a part of its own; LOGS is where they keep count.
start_writers() { # LOGS
	local i
	writers=()
	mkdir -p "$1" && rm -f "$1"/log.* || return
	for i in "${!disks[@]}"; do
		"$storage/writer.py" write "${disks[i]}" "$1/log.$i" --seed $((RANDOM + 1)) --offset $((4 * i)) --size 4 \
			2>"$work/writer.$i" &
		writers+=($!)
	done
	until_ok written "$1" 10
}

# How many writes one has done, of its log's second count (see writer.py): a program that
# starts takes seconds here, beside writers.
writes_of() { # LOG
	local count
	count=$(od -An -t u8 -j 40 -N 8 "$1" 2>/dev/null) && printf '%d\n' "$count"
}

# Each has done as many writes more than it had, which is 0 where none are given.
written() { # LOGS MORE [COUNT...]
	local logs=$1 more=$2 i count
	shift 2
	local had=("$@")
	for i in "${!disks[@]}"; do
		count=$(writes_of "$logs/log.$i") && [ "$count" -ge $((${had[i]:-0} + more)) ] || return
	done
}

# They still write, and go on to.
go_on_writing() { # LOGS
	local had=() i
	for i in "${!writers[@]}"; do
		kill -0 "${writers[i]}" || { cat "$work/writer.$i" && return 1; }
		had+=("$(writes_of "$1/log.$i")") || return
	done
	until_ok written "$1" 10 "${had[@]}"
}

# Their status says whether they were content until they were killed.
kill_writers() {
	local pid i=0 status failed=0
	kill -KILL "${writers[@]}"
	for pid in "${writers[@]}"; do
		status=0
		wait "$pid" 2>/dev/null || status=$?
		[ "$status" = 137 ] || { echo "a writer ended with $status: $(cat "$work/writer.$i")" && failed=1; }
		i=$((i + 1))
	done
	writers=()
	return $failed
}

# Any one disk shows the parts of all.
check_writes() { # LOGS
	"$storage/writer.py" check "${disks[0]-none}" "$1"/log.*
}
