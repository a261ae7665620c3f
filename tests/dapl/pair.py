#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Rows of rows.py between two test machines: the server on machine 0, the clients on
machine 1, our provider at both ends, then OFED's at one and at the other; the quick ones
by the distribution's libdat2, and by ours those that say two_hosts.

usage: pair.py [ROW...]

Runs on both machines at once, and prints TAP on each. They agree on when by files in
$KDAPL_OUT, which both have. A ROW is a part of a row's name.
"""

import os
import pathlib
import shutil
import sys
import time

from rows import OURS_WITH_OFED, ROWS
from run import SLOW, Failed, Run, make_folders, report

MEETING = pathlib.Path(os.environ.get("KDAPL_OUT", ".")) / "dapl.meeting"
HOST = int(os.environ.get("KDAPL_HOST", "0"))
WAYS = ("debian", "to-ofed", "from-ofed")
OUR_WAYS = ("ours", *OURS_WITH_OFED)
# The other machine may be a whole row behind.
SECONDS = 300 * SLOW


def mark(what):
    """This machine has come so far."""
    (MEETING / f"{what}-{HOST}").touch()


def await_mark(what):
    """The other machine has come so far."""
    path = MEETING / f"{what}-{1 - HOST}"
    deadline = time.monotonic() + SECONDS
    while not path.exists():
        if time.monotonic() > deadline:
            raise Failed(f"the other machine never came to {what}")
        time.sleep(0.1)


def serve(run, number):
    """The server's end of a row. The client's is told also of a server that failed."""
    try:
        server = run.serve()
    finally:
        mark(f"ready-{number}")
    try:
        await_mark(f"tested-{number}")
        server.await_idle()
    finally:
        mark(f"idle-{number}")
    await_mark(f"asked-{number}")
    server.finish(run.row.server_good)


def ask(run, number):
    """The clients' end."""
    def settle():
        mark(f"tested-{number}")
        await_mark(f"idle-{number}")

    try:
        await_mark(f"ready-{number}")
        run.ask(os.environ["KDAPL_PEER"], run.row.clients, settle)
    finally:
        mark(f"tested-{number}")
        mark(f"asked-{number}")


def main():
    """Each row in each way."""
    rows = [row for row in ROWS if row.server and row.ends
            and (row.iwarp or os.environ["KDAPL_RDMA"] != "siw")
            and (not sys.argv[1:] or any(part in row.name for part in sys.argv[1:]))]
    wanted = [(row, way) for way in WAYS for row in rows if row.quick and way in row.ways]
    wanted += [(row, way) for way in OUR_WAYS for row in rows if row.two_hosts]
    MEETING.mkdir(exist_ok=True)
    make_folders()
    print(f"1..{len(wanted)}", flush=True)
    failed = 0
    for number, (row, way) in enumerate(wanted, 1):
        start = time.monotonic()
        with Run(row, way) as run:
            why = run.attempt(lambda run=run, number=number: (serve, ask)[HOST](run, number))
        failed += report(number, f"{way}: {row.name}", why, start)
    # A later run in the same folder begins anew.
    mark("over")
    if HOST == 1:
        await_mark("over")
        shutil.rmtree(MEETING)
    return 1 if failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
