#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# All rows of tests/dapl/rows.py, each in its own ways: over our provider by either
# libdat2, many of them also with OFED's provider at one end, and by OFED's alone what is
# compared with it. Prints TAP.
#
#     scripts/vm --cpus 4 --mem 1536 --time 1800 -- tests/dapl/all.sh

exec "$(dirname "$0")/run.py" --all
