#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares kdapl_isert with the kernel's own ib_isert: in one boot, the same ramdisk, in turn.

usage: bench.py [--boots N] [--runs N] [--seconds N] [--cpus N] [--keep]

Boots the test machine (KERNEL: 6.1 or 6.12, 6.1 unless set), measures with fio there
(bench.sh), prints a table, leaves the results in build/bench-storage.json, and fails
when a ratio misses the bar. Everything is built by then (make bench-storage builds it).

A ratio is of two runs that followed each other, a row's the median of those. They differ
from run to run and from boot to boot, so there are several of both.

One more boot, with one processor, has a clock that counts instructions: what an emulator
makes of their time is not in that, and it hardly differs from run to run: there is one.

  --boots N    of the test machine (4)
  --runs N     runs of each row over each of the two in each boot (2)
  --seconds N  how long each of them takes (3)
  --cpus N     processors of the test machine (4)
  --keep       no measuring: judge again what the last run left
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
OUT = TOP / "build/bench-storage"
OUT_INSTRUCTIONS = TOP / "build/bench-storage-instructions"
OURS, THEIRS = "kdapl_isert", "ib_isert"
# Rows of bench.sh, and the direction of what each of them counts.
ROWS = {"read4k_d1": "read", "write4k_d1": "write", "read4k_d32": "read", "write4k_d32": "write",
        "read1m": "read", "write1m": "write"}
# Our rate to theirs, at least.
BAR = 0.95


def measure(out, kernel, cpus, runs, seconds, boot=0, options=()):
    """In one boot."""
    limit = 300 + runs * 2 * (len(ROWS) * (seconds + 10) + 60)
    command = [TOP / "scripts/vm", "--kernel", kernel, "--cpus", str(cpus), "--mem", "2048", "--out", out,
               "--append", "tsc=reliable", *options, "--time", str(limit), "--", TOP / "tests/storage/bench.sh",
               str(runs), str(seconds), str(boot)]
    if status := subprocess.run(command, cwd=TOP, check=False).returncode:
        sys.exit(f"bench.py: the test machine: exit status {status}")


def rates(out, row, transport):
    """Of each run: requests in a second, bytes in a second."""
    results = []
    for path in sorted(out.glob(f"boot-*/fio/{row}.{transport}.*.json")):
        job = json.loads(path.read_text())["jobs"][0]
        if job["error"]:
            sys.exit(f"bench.py: {path.name}: fio's error {job['error']}")
        results.append((job[ROWS[row]]["iops"], job[ROWS[row]]["bw_bytes"]))
    return results


def both_rates(out, row):
    """Ours, and theirs."""
    ours, theirs = rates(out, row, OURS), rates(out, row, THEIRS)
    if not ours or len(ours) != len(theirs):
        sys.exit(f"bench.py: {row}: {len(ours)} and {len(theirs)} runs")
    return ours, theirs


def ratios(ours, theirs):
    """Of runs that followed each other."""
    return [a[0] / b[0] for a, b in zip(ours, theirs)]


def make_row(name):
    """The numbers of one row."""
    ours, theirs = both_rates(OUT, name)
    pairs = ratios(ours, theirs)
    return {"name": name, "ratio": round(statistics.median(pairs), 3), "min": round(min(pairs), 3),
            "max": round(max(pairs), 3), "runs": len(pairs),
            "by_instructions": round(statistics.median(ratios(*both_rates(OUT_INSTRUCTIONS, name))), 3),
            **{f"{whose}_{what}": round(statistics.median(rate[place] for rate in of))
               for whose, of in (("ours", ours), ("theirs", theirs)) for place, what in enumerate(("iops", "bytes"))}}


def print_table(rows):
    """Rates, and the ratio of each row with its bar; how many miss it."""
    missed = 0
    print(f"\n{'row':14}{'ratio':>7}{'min':>7}{'max':>7}{'instructions':>14}{OURS:>16}{THEIRS:>12}")
    for row in rows:
        held = row["ratio"] >= BAR
        missed += not held
        if "1m" in row["name"]:
            both, unit = [row[f"{whose}_bytes"] / (1 << 20) for whose in ("ours", "theirs")], "MiB/s"
        else:
            both, unit = [row[f"{whose}_iops"] for whose in ("ours", "theirs")], "IOPS"
        print(f"{row['name']:14}{row['ratio']:7.2f}{row['min']:7.2f}{row['max']:7.2f}"
              f"{row['by_instructions']:14.2f}{both[0]:16.0f}{both[1]:12.0f} "
              f"{unit:6} {'held' if held else 'MISSED'} (>= {BAR})")
    return missed


def measure_all(kernel, options):
    """By time, and by instructions."""
    for out in (OUT, OUT_INSTRUCTIONS):
        shutil.rmtree(out, ignore_errors=True)
    for boot in range(options.boots):
        print(f"boot {boot + 1} of {options.boots}", flush=True)
        measure(OUT / f"boot-{boot}", kernel, options.cpus, options.runs, options.seconds, boot)
    print("and one that counts instructions", flush=True)
    measure(OUT_INSTRUCTIONS / "boot-0", kernel, 1, 1, options.seconds, options=("--icount",))


def main():
    """Measures, shows and judges."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boots", type=int, default=4)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--cpus", type=int, default=4)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    kernel = os.environ.get("KERNEL", "6.1")
    if not options.keep:
        measure_all(kernel, options)
    rows = [make_row(name) for name in ROWS]
    about = {"kernel": kernel, "cpus": options.cpus, "boots": len(list(OUT.glob("boot-*"))), "rows": rows}
    (TOP / "build/bench-storage.json").write_text(json.dumps(about, indent=1) + "\n")
    missed = print_table(rows)
    print(f"\nkernel {kernel}, processors in the test machine: {options.cpus}; build/bench-storage.json")
    if missed:
        sys.exit(f"bench.py: {missed} missed")


if __name__ == "__main__":
    main()
