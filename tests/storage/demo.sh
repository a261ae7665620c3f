#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The part of the storage demo that runs where the module is loaded: LIO serves a disk by
# kdapl_isert, Linux's initiator makes a file system on it, copies a tree there, and
# everything is checked. On two machines, machine 0 serves and machine 1 uses the disk.
#
# usage: demo.sh TITLE TREE
#
# Each finished step adds a line "TITLE <tab> what <tab> bytes <tab> seconds" to
# $KDAPL_OUT/rows.

set -euo pipefail
# shellcheck source=tests/storage/lib.sh
. "$(dirname "$0")/lib.sh"
title=$1 tree=$2
mount_point=$work/mnt
# Made anew for each run.
meeting=$KDAPL_OUT/.machine/demo
disk_mib=512

serves() { [ "$KDAPL_HOSTS" = 1 ] || [ "$KDAPL_HOST" = 0 ]; }
uses() { [ "$KDAPL_HOSTS" = 1 ] || [ "$KDAPL_HOST" = 1 ]; }

give_up() {
	printf 'demo: %s\n' "$*" >&2
	mark failed
	exit 1
}

mark() { : >"$meeting/$1"; }

await() { # MARK
	until [ -e "$meeting/$1" ]; do
		[ ! -e "$meeting/failed" ] || exit 1
		sleep 0.1
	done
}

# Runs a command, and notes what it did and how long that took.
step() { # BYTES WHAT COMMAND...
	local bytes=$1 what=$2 start=$EPOCHREALTIME
	shift 2
	echo "\$ $*"
	"$@" || give_up "failed: $what"
	printf '%s\t%s\t%s\t%s\n' "$title" "$what" "$bytes" \
		"$(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $start }")" >>"$KDAPL_OUT/rows"
}

sums() { # FOLDER
	(cd "$1" && find . -type f -not -path './lost+found/*' -print0 | sort -z | xargs -0 sha256sum)
}

same_sums() {
	sums "$tree" >"$work/sums" && sums "$mount_point" >"$work/sums.disk" &&
		[ -s "$work/sums" ] && cmp "$work/sums" "$work/sums.disk"
}

show_session() {
	iscsiadm -m session -P 3 | grep -E 'Iface Transport|Current Portal|iSCSI Session State|Attached scsi disk' | sed 's/^\t*/    /'
}

use() {
	local bytes
	bytes=$(du -sb "$tree" | cut -f 1)
	start_initiator || give_up "the initiator does not start"
	step 0 "iscsiadm logs in by iSER" login $iqn "$KDAPL_PEER" 1
	show_session
	modprobe ext4
	mkdir -p "$mount_point"
	step 0 "mkfs.ext4 on ${disks[0]-none}" mkfs.ext4 -q -F "${disks[0]-none}"
	step 0 "mounted" mount -t ext4 "${disks[0]-none}" "$mount_point"
	step "$bytes" "$(find "$tree" -type f | wc -l) files copied" cp -r "$tree/." "$mount_point/"
	step 0 "unmounted" umount "$mount_point"
	step 0 "fsck.ext4 finds nothing" e2fsck -fn "${disks[0]-none}"
	step 0 "mounted again, read only" mount -t ext4 -o ro "${disks[0]-none}" "$mount_point"
	step "$bytes" "checksums of all files are equal" same_sums
	step 0 "unmounted again" umount "$mount_point"
	step 0 "logged out" logout $iqn "$KDAPL_PEER"
	stop_initiator || give_up "ib_iser cannot be unloaded"
}

mkdir -p "$meeting"
if serves; then
	step 0 "kdapl_isert is loaded" load_target
	step 0 "LIO serves a ramdisk of $disk_mib MiB" serve_disk $disk_mib
	mark serving
fi
if uses; then
	await serving
	use
	mark used
fi
if serves; then
	await used
	step 0 "the target is removed" stop_serving
	step 0 "kdapl_isert is unloaded" unload_target
fi
