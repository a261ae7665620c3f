#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The headers of uDAPL 2.0 say what the distribution's say: each size, place, number
and name that a program was compiled with. Where those headers are not, it is skipped.

usage: headers_check.py OURS [THEIRS]     (programs made of dump.c)
"""

import subprocess
import sys

# Operations that the distribution's macros get wrong: which is called with what.
OURS = {
    "dat_ib_collective_set_clock(a, b, c)": "a,DAT_IB_COLLECTIVE_SET_CLOCK_OP,b,c,",
    "dat_ib_collective_read_clock(a, b)": "a,DAT_IB_COLLECTIVE_READ_CLOCK_OP,b,",
    "dat_ib_collective_gatherv(a, b, c, d, e, f, g, h, i)":
        "a,DAT_IB_COLLECTIVE_GATHERV_OP,b,c,d,e,f,g,h,i,",
    "dat_ib_collective_alltoallv(a, b, c, d, e, f, g, h, i)":
        "a,DAT_IB_COLLECTIVE_ALLTOALLV_OP,b,c,d,e,f,g,h,i,",
}


def facts(program):
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    found = dict(line.rsplit(" ", 1) for line in lines)
    if len(found) != len(lines) or len(found) < 1000:
        sys.exit(f"{program}: {len(lines)} lines, {len(found)} names")
    return found


def main():
    ours = facts(sys.argv[1])
    if len(sys.argv) < 3:
        print("the distribution's headers (libdapl-dev) are not installed")
        sys.exit(77)
    theirs = facts(sys.argv[2]) | OURS
    different = [f"{name}: {value}, there {theirs.get(name)}"
                 for name, value in ours.items() if theirs.get(name) != value]
    if different:
        sys.exit("\n".join(different))
    print(f"{len(ours)} facts")


main()
