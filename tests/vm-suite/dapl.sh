#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The distribution's uDAPL 2.0 programs, unmodified: the rows of tests/dapl/rows.py
# that are quick, by our libdat2 with our provider at both ends, and with OFED's at one or
# both; over soft iWARP with ours alone, by either. By the distribution's it is vm-pair/dapl.sh
# and tests/dapl/all.sh that run them else. Prints TAP.
#
#     scripts/vm -- tests/vm-suite/dapl.sh

set -euo pipefail

run=$(dirname "$0")/../dapl/run.py
# Of what keeps to iWARP (run.py runs nothing else there) all rows: they are few.
if [ "$KDAPL_RDMA" = siw ]; then
	exec "$run" --all --way debian --way ours
fi
exec "$run" --without debian
