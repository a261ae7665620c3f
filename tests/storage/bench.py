#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares kdapl_isert with the kernel's own ib_isert: in one boot, the same ramdisk, in turn.

usage: bench.py [--boots N] [--runs N] [--seconds N] [--cpus N] [--keep]

Boots the test machine (KERNEL: 6.1 or 6.12, 6.1 unless set), measures with fio there
(bench.sh), prints a table, leaves the results in build/bench-storage.json, and fails
when a ratio misses the bar. Everything is built by then (make bench-storage builds it).

A ratio is of two runs that followed each other, a row's the median of those. They differ
from run to run and from boot to boot, so there are several of both.

In one more boot the emulator counts the instructions that the machine executes
(instructions.cpp): all, of both ends and of fio, also while they wait. What it makes of
their time is not in that, and they hardly differ from run to run. A ratio is theirs for a
request to ours.

  --boots N    of the test machine (4)
  --runs N     runs of each row over each of the two in each boot (2)
  --seconds N  how long each of them takes (3)
  --cpus N     processors of the test machine (2)
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
# The plugin, and the program that has it write its count down; and how long a run is then.
PLUGIN, MARK = (TOP / "build/ulib/tests/storage" / name for name in ("libinstructions.so", "mark"))
COUNTED_SECONDS = 4


def measure(out, kernel, cpus, runs, seconds, boot=0, options=(), mark=()):
    """In one boot."""
    limit = 300 + runs * 2 * (len(ROWS) * (seconds + 10) + 60)
    command = [TOP / "scripts/vm", "--kernel", kernel, "--cpus", str(cpus), "--mem", "2048", "--out", out,
               "--append", "tsc=reliable", *options, "--time", str(limit), "--", TOP / "tests/storage/bench.sh",
               str(runs), str(seconds), str(boot), *mark]
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


def costs(row, transport):
    """Instructions of a request, of each counted run."""
    files = [OUT_INSTRUCTIONS / name for name in ("marks", "instructions")]
    marks, counts = (path.read_text().splitlines() if path.exists() else [] for path in files)
    if not marks or len(marks) != len(counts):
        sys.exit(f"bench.py: {len(marks)} marks, and {len(counts)} numbers of instructions")
    ends = [(int(mark.split()[2]), int(count)) for mark, count in zip(marks, counts)
            if mark.split()[:2] == [row, transport]]
    if any(before[0] == after[0] for before, after in zip(ends[::2], ends[1::2])):
        sys.exit(f"bench.py: {row}: {transport} did no request while instructions were counted")
    return [(instructions - before[1]) / (requests - before[0])
            for before, (requests, instructions) in zip(ends[::2], ends[1::2])]


def make_row(name):
    """The numbers of one row."""
    ours, theirs = both_rates(OUT, name)
    pairs = ratios(ours, theirs)
    our_costs, their_costs = costs(name, OURS), costs(name, THEIRS)
    by_instructions = [b / a for a, b in zip(our_costs, their_costs, strict=True)]
    return {"name": name, "ratio": round(statistics.median(pairs), 3), "min": round(min(pairs), 3),
            "max": round(max(pairs), 3), "runs": len(pairs),
            "by_instructions": round(statistics.median(by_instructions), 3),
            "ours_instructions": round(statistics.median(our_costs)),
            "theirs_instructions": round(statistics.median(their_costs)),
            **{f"{whose}_{what}": round(statistics.median(rate[place] for rate in of))
               for whose, of in (("ours", ours), ("theirs", theirs)) for place, what in enumerate(("iops", "bytes"))}}


def print_table(rows):
    """Rates, and the ratio of each row with its bar; how many miss it."""
    missed = 0
    print(f"\n{'row':14}{'ratio':>7}{'min':>7}{'max':>7}{'instructions':>14}{OURS:>16}{THEIRS:>12}")
    for row in rows:
        held = min(row["ratio"], row["by_instructions"]) >= BAR
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
    print("and one whose instructions are counted", flush=True)
    measure(OUT_INSTRUCTIONS, kernel, options.cpus, 2, COUNTED_SECONDS,
            options=("--plugin", f"{PLUGIN},out={OUT_INSTRUCTIONS}/instructions"), mark=(MARK,))


def main():
    """Measures, shows and judges."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boots", type=int, default=4)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--cpus", type=int, default=2)
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
