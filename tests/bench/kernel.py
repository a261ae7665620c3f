#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs kdapl_perf and its rival over verbs in the test machine, in turn.

usage: kernel.py [--count ROW=N]... [--runs N]

As a program it prints, for each row, the ratio of kdapl_perf's time to the
rival's, of all runs' medians. tests/bench/measure.py uses the rest.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys

DEBUGFS = pathlib.Path("/sys/kernel/debug")
BUILT = pathlib.Path(os.environ.get("KDAPL_MODULE", "kdapl.ko")).parent
TIME_LIMIT = 120

# Where each module is, its parameters, its port.
MODULES = {
    "kdapl_perf": (BUILT / "consumers/perf/kdapl_perf.ko", ["ia=" + os.environ.get("KDAPL_DEVICE", "")], 45251),
    "kdapl_perf_raw": (BUILT / "kraw/kdapl_perf_raw.ko", ["port=45252"], 45252),
}
# Messages of a run in which instructions are counted.
ROWS = {"send64_d1": 1600, "send64_d64": 4096, "write64k": 192, "read64k": 192}


def load():
    """Both modules, unless they are there."""
    loaded = pathlib.Path("/proc/modules").read_text(encoding="ascii")
    for name, (path, parameters, _) in MODULES.items():
        if f"{name} " not in loaded:
            subprocess.run(["insmod", path, *parameters], check=True)


def run(name, row, count):
    """Nanoseconds per message of one run."""
    folder = DEBUGFS / name
    order = f"{os.environ['KDAPL_ADDR']} {MODULES[name][2]} {row} {count}"
    # By a program that a time limit can end.
    subprocess.run(["sh", "-c", f"echo '{order}' >{folder}/run"], check=True, timeout=TIME_LIMIT)
    result = dict(line.split() for line in (folder / "result").read_text(encoding="ascii").splitlines())
    if result["row"] != row or result["wrong"] != "0":
        raise ValueError(f"{name} {row}: {result}")
    return float(result["ns_per_message"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", action="append", default=[], metavar="ROW=N")
    parser.add_argument("--runs", type=int, default=7)
    args = parser.parse_args()
    rows = dict(ROWS)
    for word in args.count:
        row, count = word.split("=")
        rows[row] = int(count)
    load()
    for row, count in rows.items():
        times = {name: [] for name in MODULES}
        for _ in range(args.runs):
            for name in MODULES:
                times[name].append(run(name, row, count))
        medians = {name: statistics.median(of) for name, of in times.items()}
        pairs = [a / b for a, b in zip(*times.values())]
        print(f"{row:12} {medians['kdapl_perf'] / medians['kdapl_perf_raw']:.3f} "
              f"({min(pairs):.3f}-{max(pairs):.3f})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
