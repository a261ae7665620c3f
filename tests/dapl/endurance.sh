#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# dapltest with 8 threads of 8 endpoints at each end, and every byte looked at, for ten
# minutes, or as long as it is told. Prints TAP.
#
#     scripts/vm --kernel debug --mem 1536 --time 600 --env KDAPL_SCALE=0.02 \
#         --env KDAPL_DAPL_SECONDS=60 -- tests/dapl/endurance.sh

exec "$(dirname "$0")/run.py" --way debian --for "${KDAPL_DAPL_SECONDS:-600}"
