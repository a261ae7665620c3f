#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The headers of uDAPL 2.0 say what the distribution's say: each size, place and
number that a program was compiled with. Where those headers are not, it is skipped.

usage: headers_check.py OURS [THEIRS]     (programs made of dump.c)
"""

import subprocess
import sys


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
    theirs = facts(sys.argv[2])
    different = [f"{name}: {value}, there {theirs.get(name)}"
                 for name, value in ours.items() if theirs.get(name) != value]
    if different:
        sys.exit("\n".join(different))
    print(f"{len(ours)} facts")


main()
