#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# All rows of tests/dapl/rows.py over our provider, by either libdat2. Prints TAP. Those
# with OFED's provider at one end, too, are run by run.py --all.
#
#     scripts/vm --cpus 4 --mem 1536 --time 1800 -- tests/dapl/all.sh

exec "$(dirname "$0")/run.py" --all --way debian --way ours
