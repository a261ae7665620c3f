#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs the benchmark's programs in the test machine, for scripts/bench.

usage: measure.py --programs DIR --part PART... [--runs N]
       measure.py --programs DIR --try

PART is times, calls, kernel, dapltest, instructions, kernel_instructions or
dapltest_instructions.

Prints what it does, and leaves what it measured in $KDAPL_OUT/<part>.json. With --try
it measures nothing: each program moves a few messages in each row; prints TAP.
"""

import argparse
import collections
import contextlib
import fcntl
import json
import os
import pathlib
import re
import select
import shutil
import struct
import subprocess
import sys

import dapltest
import kernel

TRANSPORTS = ("kdapl", "verbs", "ofed")
TRACING = pathlib.Path("/sys/kernel/tracing")
TRIGGER = TRACING / "events/raw_syscalls/sys_enter/trigger"
HISTOGRAM = "hist:keys=common_pid.execname,id:size=4096"
TIME_LIMIT = 60

# A row of the results: the programs' row, whether they sleep for completions,
# and how many messages a run has in which calls or instructions are counted.
Row = collections.namedtuple("Row", "name row wait count")

ROWS = (
    Row("send64_d1", "send64_d1", False, 1600),
    Row("send64_d1_wait", "send64_d1", True, 800),
    Row("send64_d64", "send64_d64", False, 4096),
    Row("send64_d64_wait", "send64_d64", True, 4096),
    Row("write64k", "write64k", False, 192),
    Row("read64k", "read64k", False, 192),
)

# A timed run takes this long where it can. How many messages that is differs a
# hundredfold between kernels, so a short run tells.
SECONDS = 0.25
# And from kernel to kernel, where each run has a connection of its own.
KERNEL_SECONDS = 1.0
# Runs of the same two processes, the interfaces in turn: other work on the host comes
# and goes by the second, and shall meet all of them.
RUNS_OF_A_PAIR = 6
PROBE_PART = 8
MESSAGES_STEP = 128

# struct kdapl_query: size, abi_version, features, 4 limits, version, posts,
# doorbells, pinned; and KDAPL_QUERY, _IOWR(0xDA, 0, struct kdapl_query).
QUERY = struct.Struct("=IIQIIII32sQQQ")
QUERY_REQUEST = 3 << 30 | QUERY.size << 16 | 0xDA << 8


# Parts of which one run tells little.
REPEATED = ("times", "kernel", "dapltest")
# Of dapltest, where it is only tried: enough for a time that is not 0.
TRIED_ITERATIONS = 20


class Failed(Exception):
    """A program of the benchmark failed."""


FAILURES = (Failed, dapltest.Failed, ValueError, OSError, subprocess.SubprocessError)


class Ends:
    """A server and a client of one interface, connected, to measure one row."""

    def __init__(self, programs, transport, row, count, *, paced=False):
        self.name = f"{transport} {row.name}"
        self.transport = transport
        command, env = programs.command(transport, row, count)
        command += ["--paced"] if paced else []
        self.server = subprocess.Popen(command + ["--server"], env=env, stdout=subprocess.PIPE,
                                       stdin=subprocess.PIPE)
        if self.server.stdout.readline() != b"ready\n":
            self.kill()
            raise Failed(f"{self.name}: the server did not start")
        self.client = subprocess.Popen(command, env=env, stdout=subprocess.PIPE,
                                       stdin=subprocess.PIPE)

    def go(self):
        """Have them run once, if they are paced."""
        for end in (self.server, self.client):
            end.stdin.write(b"\n")
            end.stdin.flush()

    def result(self):
        """What the client says of a run."""
        ready, _, _ = select.select([self.client.stdout], [], [], TIME_LIMIT)
        line = self.client.stdout.readline() if ready else b""
        if not line:
            raise Failed(f"{self.name}: the client says nothing")
        return json.loads(line)

    def finish(self):
        """They have no more runs, and end well."""
        for end in (self.server, self.client):
            end.stdin.close()
        for name, end in (("client", self.client), ("server", self.server)):
            try:
                status = end.wait(TIME_LIMIT)
            except subprocess.TimeoutExpired as error:
                raise Failed(f"{self.name}: the {name} does not end") from error
            if not dapltest.ends_well(self.transport, status):
                raise Failed(f"{self.name}: the {name}'s exit status is {status}")

    def kill(self):
        """They are gone on return, however they were."""
        for end in (self.server, getattr(self, "client", None)):
            if end:
                end.kill()
                end.wait()


class Programs:
    """The benchmark's programs, in memory: the file system that reaches the host is no part of this."""

    def __init__(self, programs):
        self.port = 7500
        self.folder = pathlib.Path("/run/bench")
        self.folder.mkdir()
        for transport in TRANSPORTS:
            shutil.copy(programs / f"bench_{transport}", self.folder)
        registry = self.folder / "dat.conf"
        registry.write_text("u2.0 u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 "
                            f'"{os.environ["KDAPL_NETDEV"]} 0" ""\n')
        # For OFED's alone: with a file that does not name it ours would have no adapter.
        self.env = {"ofed": dict(os.environ, DAT_OVERRIDE=str(registry))}

    def command(self, transport, row, count):
        """(command line, environment) of the two ends, on a port of their own."""
        self.port += 1
        adapter = "u2.0" if transport == "ofed" else os.environ["KDAPL_DEVICE"]
        return [self.folder / f"bench_{transport}", "--address", os.environ["KDAPL_ADDR"],
                "--adapter", adapter, "--port", str(self.port), "--row", row.row,
                "--count", str(count)] + (["--wait"] if row.wait else []), self.env.get(transport)

    def run(self, transport, row, count):
        """The client's result of one run, of a server and a client that do nothing else."""
        ends = Ends(self, transport, row, count)
        try:
            result = ends.result()
            ends.finish()
        finally:
            ends.kill()
        return result


def timed_count(programs, row):
    """Messages of a timed run, the same for all interfaces."""
    probe = row.count // PROBE_PART
    slowest = max(programs.run(transport, row, probe)["ns_per_op"] for transport in TRANSPORTS)
    steps = round(SECONDS * 1e9 / slowest / MESSAGES_STEP)
    return max(steps, 1) * MESSAGES_STEP


def run_in_turn(programs, row, count, runs):
    """{transport: [result of each run]}. Who is not running sleeps."""
    results = {transport: [] for transport in TRANSPORTS}
    all_ends = {}
    try:
        for transport in TRANSPORTS:
            all_ends[transport] = Ends(programs, transport, row, count, paced=True)
        for _ in range(1 + runs):
            for transport, ends in all_ends.items():
                ends.go()
                results[transport].append(ends.result())
        for ends in all_ends.values():
            ends.finish()
    finally:
        for ends in all_ends.values():
            ends.kill()
    # An emulator has met all the code only after the first one.
    return {transport: those[1:] for transport, those in results.items()}


def measure_times(programs, runs):
    """{row: {transport: [result of each run]}}, the interfaces in turn."""
    results = {}
    for row in ROWS:
        count = timed_count(programs, row)
        print(f"{row.name:16} {count:6} messages ", end="", flush=True)
        of_row = results[row.name] = {transport: [] for transport in TRANSPORTS}
        for _ in range(runs):
            for transport, those in run_in_turn(programs, row, count, RUNS_OF_A_PAIR).items():
                of_row[transport] += those
            print(".", end="", flush=True)
        print(flush=True)
    return results


def module_counters():
    """Posts and doorbells since the module was loaded."""
    with open("/dev/kdapl", "rb+", buffering=0) as device:
        query = bytearray(QUERY.pack(QUERY.size, *[0] * 6, b"", 0, 0, 0))
        fcntl.ioctl(device, QUERY_REQUEST, query)
    return QUERY.unpack(query)[8:10]


def read_histogram():
    """System calls of the benchmark's programs, by number."""
    calls = collections.Counter()
    text = (TRIGGER.parent / "hist").read_text()
    for name, number, hits in re.findall(
            r"common_pid: (\S+) .*?, id: +(\d+) *\} hitcount: +(\d+)", text):
        if name.startswith("bench_"):
            calls[int(number)] += int(hits)
    if not calls:
        raise Failed("the kernel counted no system calls:\n" + text)
    return calls


def trace(command):
    """An order to the tracepoint. Not by a file opened anew, which would take away what is there."""
    with TRIGGER.open("a") as trigger:
        trigger.write(command + "\n")


@contextlib.contextmanager
def counting():
    """System calls are counted meanwhile.

    Once for all runs: to switch a tracepoint the kernel patches itself, and an emulator
    with several processors was seen to run on in what was there before.
    """
    trace(HISTOGRAM)
    try:
        yield
    finally:
        trace("!" + HISTOGRAM)


def count_calls(programs, transport, row, count):
    """(system calls, ioctls, doorbells, posts) of one run, set-up included."""
    ioctl = 16
    before = module_counters()
    trace(HISTOGRAM + ":clear")
    programs.run(transport, row, count)
    calls = read_histogram()
    posts, doorbells = (after - b for after, b in zip(module_counters(), before))
    return sum(calls.values()), calls[ioctl], doorbells, posts


@counting()
def measure_calls(programs, runs):
    """{row: {transport: {what: per message}}}.

    Of two runs that differ in length alone, the difference: what it takes to
    start, connect and end is gone. For ours repeated, and the median taken,
    because doorbells depend on how the programs happen to run.
    """
    keys = ("syscalls", "ioctls", "doorbells", "posts")
    results = {}
    for row in ROWS:
        print(f"{row.name:16}", end="", flush=True)
        results[row.name] = {}
        count = row.count
        messages = count * (2 if row.row == "send64_d1" else 1)
        for transport in TRANSPORTS:
            samples = []
            for _ in range(runs if transport == "kdapl" else 1):
                short = count_calls(programs, transport, row, count)
                long = count_calls(programs, transport, row, 2 * count)
                samples.append([(b - a) / messages for a, b in zip(short, long)])
                print(".", end="", flush=True)
            samples.sort()
            results[row.name][transport] = dict(zip(keys, samples[len(samples) // 2]))
        print(flush=True)
    return results


def measure_instructions(programs, runs):
    """{row: {transport: [nanoseconds per message of each run]}}.

    The machine's clock counts instructions, of all that run in it. Only for
    rows where both sides sleep: there is one processor.
    """
    results = {}
    for row in ROWS:
        if not row.wait:
            continue
        print(f"{row.name:16}", end="", flush=True)
        of_row = results[row.name] = {transport: [] for transport in TRANSPORTS}
        for _ in range(runs):
            for transport in TRANSPORTS:
                of_row[transport].append(programs.run(transport, row, row.count)["ns_per_op"])
            print(".", end="", flush=True)
        print(flush=True)
    return results


def kernel_count(row):
    """Messages of a timed run from kernel to kernel."""
    probe = kernel.ROWS[row] // PROBE_PART
    slowest = max(kernel.run(module, row, probe) for module in kernel.MODULES)
    steps = round(KERNEL_SECONDS * 1e9 / slowest / MESSAGES_STEP)
    return max(steps, 1) * MESSAGES_STEP


def measure_kernel(programs, runs, counts=None):
    """{row: {module or "kdapl": [nanoseconds per message of each run]}}, in turn.

    "kdapl" are programs, over the module, that sleep for completions: what is
    nearest to upcalls.
    """
    kernel.load()
    results = {}
    for row in kernel.ROWS:
        count = counts[row] if counts else kernel_count(row)
        print(f"{row:16} {count:6} messages ", end="", flush=True)
        of_row = results[row] = {name: [] for name in (*kernel.MODULES, "kdapl")}
        for _ in range(runs):
            for module in kernel.MODULES:
                of_row[module].append(kernel.run(module, row, count))
            of_row["kdapl"].append(programs.run("kdapl", Row(row, row, True, count), count)["ns_per_op"])
            print(".", end="", flush=True)
        print(flush=True)
    return results


def count_kernel_instructions(programs, runs):
    """The same where the machine's clock counts instructions."""
    return measure_kernel(programs, runs, kernel.ROWS)


def measure_dapltest(_, runs, rows=dapltest.ROWS):
    """{row: {provider: [messages per second, or microseconds, of each run]}}, in turn."""
    results = {}
    for row in rows:
        print(f"{row:20} ", end="", flush=True)
        of_row = results[row] = {provider: [] for provider in dapltest.PROVIDERS}
        for _ in range(runs):
            for provider in dapltest.PROVIDERS:
                of_row[provider].append(dapltest.run(provider, row))
            print(".", end="", flush=True)
        print(flush=True)
    return results


def count_dapltest_instructions(programs, runs):
    """{row: {provider: [nanoseconds per message]}}, as measure_instructions() does."""
    rates = measure_dapltest(programs, runs, dapltest.SLEEPING)
    return {row: {provider: [1e9 / rate for rate in of] for provider, of in of_row.items()}
            for row, of_row in rates.items()}


def try_all(programs):
    """Each program in each row, with few messages; how many fail."""
    tries = [(f"{transport} {row.name}", lambda t=transport, r=row: programs.run(t, r, r.count // PROBE_PART))
             for transport in TRANSPORTS for row in ROWS]
    tries += [(f"{provider} {row}", lambda p=provider, r=row: dapltest.run(p, r, TRIED_ITERATIONS))
              for provider in dapltest.PROVIDERS for row in dapltest.ROWS]
    failed = 0
    print(f"1..{len(tries)}", flush=True)
    for number, (name, attempt) in enumerate(tries, 1):
        try:
            attempt()
            print(f"ok {number} - {name}", flush=True)
        except FAILURES as error:
            failed += 1
            said = "".join(f"# {line}\n" for line in str(error).splitlines())
            print(f"not ok {number} - {name}\n{said}", end="", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parts = {"times": measure_times, "calls": measure_calls, "instructions": measure_instructions,
             "kernel": measure_kernel, "dapltest": measure_dapltest, "kernel_instructions": count_kernel_instructions,
             "dapltest_instructions": count_dapltest_instructions}
    parser.add_argument("--part", action="append", choices=parts, default=[])
    parser.add_argument("--try", dest="only_try", action="store_true")
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()

    programs = Programs(args.programs)
    if args.only_try or any(part.startswith("dapltest") for part in args.part):
        dapltest.prepare(args.programs.parents[1] / "lib")
    if args.only_try:
        sys.exit(1 if try_all(programs) else 0)
    if not TRIGGER.exists():
        subprocess.run(["mount", "-t", "tracefs", "tracefs", TRACING], check=True)
    for part in args.part:
        print(f"{part}:", flush=True)
        try:
            result = parts[part](programs, args.runs if part in REPEATED else 3)
        except FAILURES as error:
            sys.exit(f"\n{error}")
        path = pathlib.Path(os.environ["KDAPL_OUT"]) / f"{part}.json"
        path.write_text(json.dumps(result))


if __name__ == "__main__":
    main()
