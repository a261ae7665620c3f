#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# datcp's main job: the kernel's own image and a file of 1 GiB, in each mode, and a sparse
# one of more than 4 GiB. Besides the tools' checksums the copies are compared with the
# files. Prints TAP.
#
#     scripts/vm --mem 8192 --cpus 4 --time 900 -- tests/large/datcp.sh
#
# With KDAPL_SCALE below 1, as make check-all runs it, it leaves out the last, which takes as
# long as all others. KDAPL_LARGE_MB: 1024 unless set (make check-all: 256). KDAPL_IMAGE: the
# image, of a stock kernel unless set.

set -uo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=scripts/lib.sh
. "$top/scripts/lib.sh"
bin=$top/build/ulib/bin
large=$((${KDAPL_LARGE_MB:-1024} * 1048576))
huge=$((4 * 1024 * 1048576 + 12345))
limit=600
number=0 failed=0
work=$(mktemp -d)

result() { # STATUS NAME
	number=$((number + 1))
	[ "$1" = 0 ] && echo "ok $number - $2" && return
	failed=$((failed + 1))
	echo "not ok $number - $2"
	sed 's/^/# /' "$work/said" "$work/served"
}

# A sparse file, but for noise at both ends, and where 4 GiB are full.
make_files() {
	cp -L "$image" "$work/image" && head -c $large /dev/urandom >"$work/large" &&
		truncate -s $huge "$work/huge" &&
		dd if="$work/large" of="$work/huge" bs=1M count=1 conv=notrunc status=none &&
		dd if="$work/large" of="$work/huge" bs=12345 count=2 seek=$((huge / 12345 - 1)) conv=notrunc status=none &&
		truncate -s $huge "$work/huge"
}

# Both ends are content, and the file is there.
copy() { # MODE FILE
	local server
	timeout $limit "$bin/datcp" --listen --once --ia "$KDAPL_DEVICE" --output "$work/copy" >"$work/served" 2>&1 &
	server=$!
	until grep -q 'listening on' "$work/served"; do
		kill -0 $server 2>/dev/null || return
		sleep 0.1
	done
	if ! timeout $limit "$bin/datcp" --ia "$KDAPL_DEVICE" --mode "$1" "$2" "$KDAPL_ADDR" >"$work/said" 2>&1; then
		kill $server
		wait $server
		return 1
	fi
	wait $server && cmp "$2" "$work/copy" >>"$work/said" 2>&1 && rm "$work/copy"
}

copies() { # FILE MODE...
	local file=$1 mode
	shift
	for mode in "$@"; do
		copy "$mode" "$work/$file"
		result $? "$file, $(stat -c %s "$work/$file") bytes, by $mode"
	done
}

image=${KDAPL_IMAGE:-$(compgen -G "$KDAPL_CACHE/stock-*/bzImage" | tail -n 1)}
[ "${KDAPL_SCALE:-1}" = 1 ] && huge_modes=(write) || huge_modes=()
echo 1..$((6 + ${#huge_modes[@]}))
make_files || { echo "Bail out! the files cannot be made" && exit 1; }
copies image write read send
copies large write read send
rm "$work/large"
copies huge "${huge_modes[@]}"
rm -rf "$work"
[ $failed = 0 ]
