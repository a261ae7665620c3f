#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# All rows of tests/dapl/rows.py, each in every way that is its own. Prints TAP.
#
#     scripts/vm --cpus 4 --mem 1536 --time 1800 -- tests/dapl/all.sh

exec "$(dirname "$0")/run.py" --all
