# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The distribution's dapltest over our provider and over OFED's, for measure.py.

One program and one libdat2, the distribution's; its dat.conf says which provider.
"""

import collections
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

PROVIDERS = ("kdapl", "ofed")
FOLDER = pathlib.Path("/run/bench-dapltest")
TIME_LIMIT = 120
IA = "dapl0"

# What a row asks of dapltest, the iterations of a run, and what it has then to say. The
# rate is that of -T T: for its own -T P reads /proc/stat four times a message.
Row = collections.namedtuple("Row", "test operations iterations result")
RATE = re.compile(r"^Total WQE +: +(\d+)\.(\d+) WQE/Sec", re.M)
# The number before the last two: microseconds, whose fraction has no leading zero.
LATENCY = re.compile(r"^raw: R[RW], .*, (\d+)\.(\d+), \d+\.\d+, \d+\.\d+ *$", re.M)
ROWS = {
    "dapltest_send64": Row("-T T -w 16", "client SR 64 server SR 64", 200, RATE),
    "dapltest_send64_poll": Row("-T T -P -w 16", "client SR 64 server SR 64", 200, RATE),
    "dapltest_write64": Row("-T P -m p -p 1", "RW 64", 1000, LATENCY),
    "dapltest_read64": Row("-T P -m p -p 1", "RR 64", 1000, LATENCY),
}
# A client of -T P that says this has no result: its server left with the client's last
# message, which may not have been acknowledged by then (docs/dapl.md).
NOT_ACKNOWLEDGED = "Client_Sync_Send-reaping DTO problem, status = FAILURE"
# Those of which both sides sleep, and whose figure is a rate.
SLEEPING = ("dapltest_send64",)


class Failed(Exception):
    """dapltest failed."""


class NoResult(Failed):
    """It failed when all was done, and by no fault of the provider's."""


def ends_well(provider, status):
    """Whether a program that has said all may have this exit status.

    When a program closes its IA, libdat2 unloads OFED's provider. That takes the thread
    of its own for gone when it has said so (IB_THREAD_EXIT), not when it is.
    """
    return status == 0 or (provider == "ofed" and status == -signal.SIGSEGV)


def prepare(libraries):
    """Everything in memory: the file system that reaches the host is no part of this."""
    FOLDER.mkdir()
    for path in (shutil.which("dapltest"), libraries / "libdapl2_kdapl.so.2"):
        shutil.copy(path, FOLDER)
    lines = {"kdapl": f'libdapl2_kdapl.so.2 kdapl.2.0 "{os.environ["KDAPL_DEVICE"]}" ""',
             "ofed": f'libdaplofa.so.2 dapl.2.0 "{os.environ["KDAPL_NETDEV"]} 0" ""'}
    for provider, line in lines.items():
        (FOLDER / f"{provider}.conf").write_text(f"{IA} u2.0 nonthreadsafe default {line}\n")


def start(provider, words, out):
    """One process; what it says goes to a file."""
    env = dict(os.environ, DAT_OVERRIDE=str(FOLDER / f"{provider}.conf"), LD_LIBRARY_PATH=str(FOLDER))
    with open(out, "wb") as output:
        # What it says counts also where it dies in the end.
        return subprocess.Popen(["stdbuf", "-oL", FOLDER / "dapltest", *words], env=env,
                                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)


def await_server(server, out):
    """Until a client may come. The server flushes this line."""
    deadline = time.monotonic() + TIME_LIMIT
    while "Service Point Ready" not in out.read_text(errors="replace"):
        if server.poll() is not None or time.monotonic() > deadline:
            raise Failed("dapltest's server did not start:\n" + out.read_text(errors="replace"))
        time.sleep(0.02)


def threads_of(process):
    """How many it has."""
    return len(os.listdir(f"/proc/{process.pid}/task"))


def await_idle(server, threads):
    """Until the thread of the test is gone: one that still ends does not outlive being asked to quit."""
    deadline = time.monotonic() + TIME_LIMIT
    while server.poll() is None and threads_of(server) > threads:
        if time.monotonic() > deadline:
            raise Failed("dapltest's server does not come to the end of a test")
        time.sleep(0.02)


def value_of(row, said):
    """WQEs per second, or microseconds: the program prints hundredths as a number of their own."""
    found = row.result.findall(said)
    if len(found) != 1:
        failure = NoResult if "-T P" in row.test and NOT_ACKNOWLEDGED in said else Failed
        raise failure(f"dapltest says no result:\n{said}")
    whole, hundredths = map(int, found[0])
    value = whole + hundredths / 100
    if value <= 0:
        raise Failed(f"dapltest measured nothing:\n{said}")
    return value


def run(provider, name, iterations=0):
    """A run of a row: what it says. Where it can say nothing, once more."""
    try:
        return run_once(provider, name, iterations)
    except NoResult as error:
        print(f"# {provider} {name}: once more, because {error}".replace("\n", "\n# "), flush=True)
        return run_once(provider, name, iterations)


def run_once(provider, name, iterations):
    """One run of a row."""
    row = ROWS[name]
    said = FOLDER / "client.out"
    heard = FOLDER / "server.out"
    to = ["-D", IA, "-s", os.environ["KDAPL_ADDR"]]
    ends = [start(provider, ["-T", "S", "-D", IA], heard)]
    try:
        await_server(ends[0], heard)
        threads = threads_of(ends[0])
        words = row.test.split()
        ends.append(start(provider, words[:2] + to + words[2:] + ["-i", str(iterations or row.iterations)]
                          + row.operations.split(), said))
        ends[1].wait(TIME_LIMIT)
        await_idle(ends[0], threads)
        ends.append(start(provider, ["-T", "Q", *to], FOLDER / "quit.out"))
        for end in (ends[2], ends[0]):
            end.wait(TIME_LIMIT)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"{provider} {name}: {error}\n{said.read_text(errors='replace')}") from error
    finally:
        for end in ends:
            end.kill()
            end.wait()
    if wrong := [end.returncode for end in ends if not ends_well(provider, end.returncode)]:
        raise Failed(f"dapltest's exit status {wrong}:\n{said.read_text(errors='replace')}")
    return value_of(row, said.read_text(errors="replace"))
