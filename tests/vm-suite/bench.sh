#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The benchmark's programs start and move messages, in each row: how fast, make bench
# tells. They are built where their libraries are, which make check does not need.
# Prints TAP.
#
#     scripts/vm -- tests/vm-suite/bench.sh

set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
skip() { # WHY
	echo "1..1"
	echo "ok 1 - the benchmark's programs # SKIP $1"
	exit 0
}

[ -x "$top/build/ulib/tests/bench/bench_ofed" ] || skip "not built"
command -v dapltest >/dev/null || skip "there is no dapltest"
exec "$top/tests/bench/measure.py" --programs "$top/build/ulib/tests/bench" --try
