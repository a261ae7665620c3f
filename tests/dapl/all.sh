#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# All rows of tests/dapl/rows.py, each in its own ways: over our provider by either
# libdat2, many of them also with OFED's provider at one end, and by OFED's alone what is
# compared with it. Prints TAP.
#
#     scripts/vm --cpus 4 --mem 1536 --time 1800 -- tests/dapl/all.sh
#
# With --env KDAPL_DAPL_WITHOUT=WAY, as make check-all runs it, not in that one.

exec "$(dirname "$0")/run.py" --all ${KDAPL_DAPL_WITHOUT:+--without "$KDAPL_DAPL_WITHOUT"}
