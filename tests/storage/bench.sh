#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The part of the storage benchmark that runs in the test machine, for bench.py: the same
# ramdisk served by kdapl_isert and by the kernel's own ib_isert in turn, and fio on it.
#
# usage: bench.sh RUNS SECONDS BOOT [MARK]
#
# Leaves fio's report of each run in $KDAPL_OUT/fio/ROW.TRANSPORT.RUN.json. MARK is the program
# mark: it is run when a run's SECONDS begin and when they end, and each time a line is
# added to $KDAPL_OUT/marks: ROW, TRANSPORT, and how many requests the disk has done.

set -euo pipefail
# shellcheck source=tests/storage/lib.sh
. "$(dirname "$0")/lib.sh"
runs=$1 seconds=$2 boot=$3 mark=${4-}
# Requests of one MiB in one piece, for both.
# shellcheck disable=SC2034 # start_initiator reads it
iser_params="max_sectors=2048"
# Name, and what fio is told.
rows=(
	"read4k_d1 randread 4k 1"
	"write4k_d1 randwrite 4k 1"
	"read4k_d32 randread 4k 32"
	"write4k_d32 randwrite 4k 32"
	"read1m read 1m 4"
	"write1m write 1m 4"
)

run_fio() { # RUN NAME RW BLOCKSIZE DEPTH SECONDS
	fio --name="$2" --filename="${disks[0]-none}" --ioengine=libaio --direct=1 --rw="$3" --bs="$4" --iodepth="$5" \
		--time_based --runtime="$6" --ramp_time=1 --output-format=json \
		--output="$KDAPL_OUT/fio/$2.$transport.$1.json" >"$said" 2>&1
}

take() { # NAME
	local stat
	"$mark" && read -r -a stat <"/sys/block/${disks[0]##*/}/stat" &&
		echo "$1 $transport $((stat[0] + stat[4]))" >>"$KDAPL_OUT/marks"
}

# Within what fio does; its beginning and end are not of interest.
marked() { # RUN NAME RW BLOCKSIZE DEPTH
	run_fio "$@" $((seconds + 5)) &
	sleep 3 && take "$2" && sleep "$seconds" && take "$2" && wait $!
}

measure() { # RUN NAME RW BLOCKSIZE DEPTH
	if [ -n "$mark" ]; then marked "$@"; else run_fio "$@" "$seconds"; fi || { cat "$said" && return 1; }
}

one_transport() { # RUN
	local row queue
	load_target
	serve_disk 256
	login $iqn "$KDAPL_ADDR" 1 >"$said" 2>&1 || { cat "$said" && return 1; }
	queue=/sys/block/${disks[0]##*/}/queue
	echo 1024 >"$queue/max_sectors_kb"
	for row in "${rows[@]}"; do
		# shellcheck disable=SC2086 # the words of the row
		measure "$1" $row
	done
	logout $iqn "$KDAPL_ADDR" >"$said" 2>&1 || { cat "$said" && return 1; }
	stop_serving
	unload_target
}

mkdir -p "$KDAPL_OUT/fio"
start_initiator
for ((run = 0; run < runs; run++)); do
	# Neither is always the first, nor always the first of a boot.
	order=(kdapl_isert ib_isert)
	[ $(((run + boot) % 2)) = 0 ] || order=(ib_isert kdapl_isert)
	for transport in "${order[@]}"; do
		echo "run $((run + 1)) of $runs: $transport"
		one_transport "$run"
	done
done
stop_initiator
