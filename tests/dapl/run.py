#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs the distribution's uDAPL 2.0 programs, unmodified, in the test machine.

usage: run.py [--way WAY]... [--all] [ROW...]

WAY is whose libdat2 the programs have, and whose provider each end:

  debian     the distribution's libdat2, which loads our provider
  ours       our libdat2 in its place
  to-ofed    as debian, but the server has OFED's provider
  from-ofed  as debian, but the client has OFED's provider
  ofed       OFED's provider at both ends: what it is compared with

Without --way all but the last. Without --all only the rows of rows.py that are
quick run; a ROW is a part of a row's name. Prints TAP.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from rows import ROWS

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILT = TOP / "build/ulib/lib"
WORK = pathlib.Path("/run/dapl")
# The folder of the libdat2, the provider of the server, that of the client.
WAYS = {
    "debian": ("debian", "kdapl", "kdapl"),
    "ours": ("ours", "kdapl", "kdapl"),
    "to-ofed": ("debian", "ofed", "kdapl"),
    "from-ofed": ("debian", "kdapl", "ofed"),
    "ofed": ("debian", "ofed", "ofed"),
}
# A client opens the name that the server tells it, so both ends have it.
IA = "dapl0"
SECONDS = 60
LISTENING = "0A"


class Failed(Exception):
    """A row failed."""


def make_folders():
    """What the programs load comes from memory, and one libdat2 alone is in sight."""
    for folder, name in (("debian", "libdapl2_kdapl.so.2"), ("ours", "libdat2.so.2")):
        (WORK / folder).mkdir(parents=True)
        shutil.copy(BUILT / name, WORK / folder / name)
    for provider, line in (("kdapl", f'libdapl2_kdapl.so.2 kdapl.2.0 "{os.environ["KDAPL_DEVICE"]}" ""'),
                           ("ofed", f'libdaplofa.so.2 dapl.2.0 "{os.environ["KDAPL_NETDEV"]} 0" ""')):
        (WORK / f"{provider}.conf").write_text(f"{IA} u2.0 nonthreadsafe default {line}\n")


def listens(port):
    """Whether some process listens on a TCP port."""
    wanted = re.compile(rf"^ *\d+: [0-9A-F]+:{port:04X} [0-9A-F]+:0000 {LISTENING} ", re.M)
    return any(wanted.search(pathlib.Path(f"/proc/net/{table}").read_text()) for table in ("tcp", "tcp6"))


class End:
    """One process of a row, with its output in a file."""

    def __init__(self, name, library, provider, command):
        self.command = command
        self.output = WORK / f"{name}.out"
        self.library = library
        env = dict(os.environ, DAT_OVERRIDE=str(WORK / f"{provider}.conf"), LD_LIBRARY_PATH=str(WORK / library))
        with open(self.output, "wb") as out:
            self.process = subprocess.Popen(["stdbuf", "-oL", *command], env=env, stdin=subprocess.DEVNULL,
                                            stdout=out, stderr=subprocess.STDOUT)

    def said(self):
        """Its output so far."""
        return self.output.read_text(errors="replace")

    def await_word(self, said, what):
        """Until it has said something, or listens on a port."""
        deadline = time.monotonic() + SECONDS
        while not (listens(said) if isinstance(said, int) else said in self.said()):
            if self.process.poll() is not None:
                raise Failed(f"{what} ended with {self.process.returncode}")
            if time.monotonic() > deadline:
                raise Failed(f"{what}: does not say {said}")
            time.sleep(0.02)

    def check_library(self):
        """It has the libdat2 that it is to have, and no other."""
        maps = pathlib.Path(f"/proc/{self.process.pid}/maps").read_text()
        loaded = {path for path in re.findall(r"\S+/libdat2\.so\S*", maps)}
        ours = {str(WORK / "ours/libdat2.so.2")}
        if not loaded or (self.library == "ours") != (loaded == ours):
            raise Failed(f"the wrong libdat2: {loaded}")

    def finish(self, good, bad, ends=True):
        """It ends well and says so."""
        name = " ".join(self.command)
        if not ends:
            self.await_word(good, name)
            return self.check_words("", bad)
        try:
            status = self.process.wait(SECONDS)
        except subprocess.TimeoutExpired as error:
            raise Failed(f"{name}: did not end") from error
        if status:
            raise Failed(f"{name}: exit status {status}")
        return self.check_words(good, bad)

    def check_words(self, good, bad):
        """Some of the programs say what went wrong, and exit with 0."""
        name = " ".join(self.command)
        if not re.search(good, self.said(), re.M):
            raise Failed(f"{name}: does not say {good}")
        if found := re.search(bad, self.said(), re.M):
            raise Failed(f"{name}: says {found[0]}")

    def stop(self):
        """Whatever became of it."""
        self.process.kill()
        self.process.wait()


def run_row(row, way):
    """The server, then each client; all must end well. What went wrong, or None."""
    address = os.environ["KDAPL_ADDR"]
    library, server, client_provider = WAYS[way]
    ends = []
    try:
        ends.append(End("server", library, server, [word.format(ia=IA) for word in row.server]))
        ends[0].await_word(row.ready, "the server")
        ends[0].check_library()
        for number, client in enumerate(row.clients):
            command = [word.format(ia=IA, address=address) for word in client]
            ends.append(End(f"client{number}", library, client_provider, command))
            ends[-1].finish(row.good if number == 0 else "", row.bad, row.ends)
        ends[0].finish(row.server_good, row.bad, row.ends)
    except Failed as error:
        return f"{error}\n" + "\n".join(f"{end.command}:\n{end.said()[-3000:]}" for end in ends)
    finally:
        for end in ends:
            end.stop()
    return None


def main():
    """Runs the rows that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", action="append", choices=WAYS)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("rows", nargs="*", metavar="ROW")
    options = parser.parse_args()
    rows = [row for row in ROWS if (row.quick or options.all or options.rows)
            and (not options.rows or any(part in row.name for part in options.rows))]
    ways = options.way or [way for way in WAYS if way != "ofed"]
    make_folders()
    print(f"1..{len(rows) * len(ways)}", flush=True)
    failed = number = 0
    for way in ways:
        for row in rows:
            number += 1
            start = time.monotonic()
            why = run_row(row, way)
            failed += why is not None
            print(f"{'not ok' if why else 'ok'} {number} - {way}: {row.name}")
            print("".join(f"# {line}\n" for line in (why or "").splitlines()), end="")
            print(f"# {time.monotonic() - start:.1f} s", flush=True)
    return 1 if failed or not number else 0


if __name__ == "__main__":
    sys.exit(main())
