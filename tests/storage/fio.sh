#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# fio over kdapl_isert, each block with its checksum (verify=crc32c): in order, at random
# and mixed, 512 bytes to 4 MiB, 1 to 32 at a time, by one session and by four; then
# file systems, worked in, unmounted, checked and compared. Prints TAP.
#
#     scripts/vm --kernel 6.12 --mem 2560 --cpus 4 --time 1800 -- tests/storage/fio.sh
#
# KDAPL_SCALE: how much each run moves, but at least as many blocks as are under way.

set -uo pipefail
# shellcheck source=tests/storage/lib.sh
. "$(dirname "$0")/lib.sh"
# mkfs.xfs makes none of less than 300 MiB.
disk_mib=400
mount_point=$work/mnt
notes=$work/notes
mkdir -p "$mount_point"

# Each disk has a part of its own: all sessions lead to the same memory. What is only read
# is where a write in order, of blocks of that size, was before.
run_fio() { # RW BLOCKSIZE DEPTH
	local jobs=() i share=$((disk_mib / ${#disks[@]} / 8 * 8)) total size
	total=$(($(scaled 64) * 1048576 / ${#disks[@]}))
	# Not more than is worth while: small blocks take long.
	case $2 in 512 | 4k) total=$((total / 8)) ;; esac
	# As many as shall be under way, over all sessions.
	size=$(($3 * $(numfmt --from=iec "${2^^}") / ${#disks[@]}))
	[ $total -ge $size ] || total=$size
	case $1 in read | randread) size=$total ;; *) size=$((share * 1048576)) ;; esac
	for i in "${!disks[@]}"; do
		jobs+=(--name="disk$i" --filename="${disks[i]}" --offset="$((i * share))m" --size="$size")
	done
	timeout $((5 * limit)) fio --ioengine=libaio --direct=1 --rw="$1" --bs="$2" --iodepth="$3" --io_size="$total" \
		--verify=crc32c --verify_fatal=1 --do_verify=1 --verify_backlog=256 --randrepeat=1 --group_reporting \
		--output-format=terse --minimal "${jobs[@]}"
}

rows() { # SESSIONS
	local size depth
	expect ok "" "$1 sessions" login $iqn "$KDAPL_ADDR" "$1" "node.session.nr_sessions=$1"
	for size in 512 4k 64k 1m 4m; do
		for depth in 1 8 32; do
			expect ok "" "$1 sessions, randrw of $size, $depth at a time" run_fio randrw $size $depth
		done
	done
	for size in 512 8k 256k 4m; do
		expect ok "" "$1 sessions, write of $size in order" run_fio write $size 32
		expect ok "" "$1 sessions, read of $size in order" run_fio read $size 32
		expect ok "" "$1 sessions, randread of $size" run_fio randread $size 32
		expect ok "" "$1 sessions, randwrite of $size" run_fio randwrite $size 32
		expect ok "" "$1 sessions, both in order, of $size" run_fio rw $size 4
	done
	expect ok "" "logged out of $1" logout $iqn "$KDAPL_ADDR"
}

# fio's own read-back within a file system, then the tree.
work_in() { # FILE-SYSTEM
	local fs=$1
	expect ok "" "logged in for $fs" login $iqn "$KDAPL_ADDR" 1
	expect ok "" "mkfs.$fs" make_fs "$fs"
	expect ok "" "mounted" mount_fs "$fs"
	expect ok "" "files by fio" fio_files
	expect ok "files in" "a tree that changes" "$storage/tree.py" work "$mount_point" "$notes" "$(scaled 2000)"
	expect ok "" "unmounted" umount "$mount_point"
	expect ok "" "its check is content" check_fs "$fs"
	expect ok "" "mounted again" mount_fs "$fs"
	expect ok ", 0 of them wrong" "every file is as it was" "$storage/tree.py" check "$mount_point" "$notes"
	expect ok "" "unmounted again" umount "$mount_point"
	expect ok "" "logged out of $fs" logout $iqn "$KDAPL_ADDR"
}

make_fs() { # FILE-SYSTEM
	case $1 in
	ext4) mkfs.ext4 -q -F "${disks[0]-none}" ;;
	xfs) mkfs.xfs -q -f "${disks[0]-none}" ;;
	esac
}

mount_fs() { # FILE-SYSTEM
	modprobe "$1" && mount -t "$1" "${disks[0]-none}" "$mount_point"
}

check_fs() { # FILE-SYSTEM
	case $1 in
	ext4) e2fsck -fn "${disks[0]-none}" ;;
	xfs) xfs_repair -n "${disks[0]-none}" ;;
	esac
}

fio_files() {
	mkdir "$mount_point/fio" &&
		timeout $((5 * limit)) fio --directory="$mount_point/fio" --ioengine=libaio --name=files --numjobs=4 --nrfiles=4 \
			--rw=randrw --bsrange=512-256k --size="$(scaled 16)m" --iodepth=8 --verify=crc32c --verify_fatal=1 \
			--do_verify=1 --end_fsync=1 --minimal && rm -r "$mount_point/fio"
}

# LIO gives a write's data three seconds; 32 of 4 MiB take longer on a slow machine.
be_patient() {
	allow $iqn "$initiator" && echo 60 >"$(tpg_of $iqn)/acls/$initiator/attrib/dataout_timeout"
}

tests() {
	local fs
	expect ok "" "loaded" load_target
	expect ok "" "a target with a disk" serve_disk $disk_mib
	expect ok "" "data may take their time" be_patient
	expect ok "" "the initiator is started" start_initiator
	expect ok "" "logged in" login $iqn "$KDAPL_ADDR" 1
	expect ok "" "logged out" logout $iqn "$KDAPL_ADDR"
	expect ok "" "what there is without a session" remember_resources
	rows 1
	rows 4
	for fs in ext4 xfs; do
		with_module "$fs" work_in "$fs"
	done
	expect ok "" "nothing is left" nothing_left
	expect ok "" "the initiator goes" stop_initiator
	expect ok "" "the target goes" stop_serving
	expect ok "" "unloaded" unload_target
	expect ok "" "no queue pair is left" no_queue_pairs
}

plan tests
tests
[ "$failed" = 0 ]
