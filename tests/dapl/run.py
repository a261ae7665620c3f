#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs the distribution's uDAPL 2.0 programs, unmodified, in the test machine.

usage: run.py [--way WAY]... [--without WAY]... [--all] [--for SECONDS] [ROW...]

WAY is whose libdat2 the programs have, and whose provider each end:

  debian          the distribution's libdat2, which loads our provider
  ours            our libdat2 in its place
  to-ofed         as debian, but the server has OFED's provider
  from-ofed       as debian, but the client has OFED's provider
  ours-to-ofed    as to-ofed, but the client has our libdat2
  ours-from-ofed  as from-ofed, but the server has our libdat2
  ofed            OFED's provider at both ends: what it is compared with
  ours-ofed       as ofed, but both ends have our libdat2

Without --way each row in those that are its own, but for --without's. Without --all, and
where no ROW is named, which is a part of a row's name, only the rows of rows.py that are
quick run, and of the ways with OFED's provider those that begin with ours-, which --all
leaves out.
With --for one row, ENDURANCE, whose client comes again and again for so long. Prints
TAP.
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

from cases import became
from rows import ENDURANCE, ROWS

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILT = TOP / "build/ulib"
WORK = pathlib.Path("/run/dapl")
# The folder of an end's libdat2, and its provider.
DEBIAN = ("debian", "kdapl")
OURS = ("ours", "kdapl")
OFED = ("debian", "ofed")
OURS_OFED = ("ours", "ofed")
# The server's end and the client's.
WAYS = {
    "debian": (DEBIAN, DEBIAN),
    "ours": (OURS, OURS),
    "to-ofed": (OFED, DEBIAN),
    "from-ofed": (DEBIAN, OFED),
    "ours-to-ofed": (OFED, OURS),
    "ours-from-ofed": (OURS, OFED),
    "ofed": (OFED, OFED),
    "ours-ofed": (OURS_OFED, OURS_OFED),
}
# A client opens the name that the server tells it, so both ends have it.
IA = "dapl0"
LISTENING = "0A"
# The debug kernel is some ten times slower: there, loops are shorter.
SLOW = 10 if float(os.environ.get("KDAPL_SCALE", "1")) < 0.1 else 1
SHOWN = 3000  # characters of what a program said that a failure shows


class Failed(Exception):
    """A row failed."""


def make_folders():
    """What the programs load comes from memory, and one libdat2 alone is in sight."""
    for folder, name in (("debian", "libdapl2_kdapl.so.2"), ("ours", "libdat2.so.2")):
        (WORK / folder).mkdir(parents=True)
        shutil.copy(BUILT / "lib" / name, WORK / folder / name)
    shutil.copy(BUILT / "tests/dapl/dapl_reject", WORK)
    for provider, line in (("kdapl", f'libdapl2_kdapl.so.2 kdapl.2.0 "{os.environ["KDAPL_DEVICE"]}" ""'),
                           ("ofed", f'libdaplofa.so.2 dapl.2.0 "{os.environ["KDAPL_NETDEV"]} 0" ""')):
        (WORK / f"{provider}.conf").write_text(f"{IA} u2.0 nonthreadsafe default {line}\n")


def listens(port):
    """Whether some process listens on a TCP port."""
    wanted = re.compile(rf"^ *\d+: [0-9A-F]+:{port:04X} [0-9A-F]+:0000 {LISTENING} ", re.M)
    return any(wanted.search(pathlib.Path(f"/proc/net/{table}").read_text()) for table in ("tcp", "tcp6"))


def spelled(words, address=""):
    """A command of a row as it is run here: fewer iterations where that takes long."""
    command = [word.format(ia=IA, address=address, work=WORK) for word in words]
    if SLOW > 1 and "-i" in command:
        place = command.index("-i") + 1
        command[place] = str(max(2, int(command[place]) // SLOW))
    return command


class End:
    """One process of a row, with its output in a file."""

    def __init__(self, name, row, have, command):
        self.command = command
        self.output = WORK / f"{name}.out"
        self.library, self.provider = have
        self.row = row
        self.seconds = row.seconds * SLOW
        env = dict(os.environ, DAT_OVERRIDE=str(WORK / f"{self.provider}.conf"),
                   LD_LIBRARY_PATH=str(WORK / self.library), LD_DEBUG="libs", LD_DEBUG_OUTPUT=str(WORK / name))
        with open(self.output, "wb") as out:
            self.process = subprocess.Popen(["stdbuf", "-oL", *command], env=env, stdin=subprocess.DEVNULL,
                                            stdout=out, stderr=subprocess.STDOUT, preexec_fn=self.limit)

    def limit(self):
        """In the new process: no more memory than the row has."""
        if self.row.memory:
            size = self.row.memory << 20
            resource.setrlimit(resource.RLIMIT_AS, (size, size))

    def said(self):
        """Its output so far."""
        return self.output.read_text(errors="replace")

    def await_word(self, said, what):
        """Until it has said something (a pattern), or listens on a port."""
        deadline = time.monotonic() + self.seconds
        while not (listens(said) if isinstance(said, int) else re.search(said, self.said(), re.M)):
            if self.process.poll() is not None:
                raise Failed(f"{what} ended with {self.process.returncode}")
            if time.monotonic() > deadline:
                raise Failed(f"{what}: does not say {said}")
            time.sleep(0.02)

    def threads(self):
        """How many it has."""
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def await_idle(self):
        """Until the threads are gone that it began since it was ready.

        One that dapltest is still in the midst of ending touches, when it is asked to
        quit meanwhile, what is gone by then.
        """
        if len(self.row.clients) < 2:
            return
        deadline = time.monotonic() + self.seconds
        while self.process.poll() is None and self.threads() > self.threads_when_ready:
            if time.monotonic() > deadline:
                raise Failed("the server's threads do not end")
            time.sleep(0.02)

    def check_library(self):
        """It has the libdat2 that it is to have, and no other."""
        linker = self.output.with_suffix(f".{self.process.pid}").read_text()
        loaded = set(re.findall(r"calling init: (\S+/libdat2\.so\S*)", linker))
        ours = {str(WORK / "ours/libdat2.so.2")}
        if not loaded or (self.library == "ours") != (loaded == ours):
            raise Failed(f"the wrong libdat2: {loaded}")

    def wait(self):
        """Its exit status."""
        try:
            return self.process.wait(self.seconds)
        except subprocess.TimeoutExpired as error:
            raise Failed(f"{' '.join(self.command)}: did not end") from error

    def finish(self, good):
        """It ends well and says so."""
        name = " ".join(self.command)
        if not self.row.ends:
            self.await_word(good, name)
            if re.search(self.row.excused, self.said()):
                # Nothing comes behind its last words.
                if status := self.wait():
                    raise Failed(f"{name}: exit status {status}")
                return self.check_words(good)
            return self.check_words("")
        if (status := self.wait()) != self.row.status:
            if not self.unloaded_too_soon(status):
                raise Failed(f"{name}: exit status {status}")
            comment(f"{name}: OFED's provider was unloaded while its thread still ran")
        return self.check_words(good)

    def unloaded_too_soon(self, status):
        """Its last IA is closed, and libdat2 unloads OFED's provider.

        That takes its thread for gone when the thread has said so, not when it is.
        """
        return status == -signal.SIGSEGV and self.provider == "ofed"

    def check_words(self, good):
        """Some of the programs say what went wrong, and exit with 0."""
        name = " ".join(self.command)
        if not re.search(good, self.said(), re.M):
            raise Failed(f"{name}: does not say {good}")
        said, excused = re.subn(self.row.excused, "", self.said())
        if excused:
            comment(f"{name}: what it says in the end is excused:\n{self.said()[-SHOWN:]}")
        if found := re.search(self.row.bad, said, re.M):
            raise Failed(f"{name}: says {found[0]}")

    def stop(self):
        """Whatever became of it."""
        self.process.kill()
        self.process.wait()


class Run:
    """A row in one way: its processes, which are gone when the block ends."""

    def __init__(self, row, way):
        self.row = row
        self.way = way
        self.server, self.client = WAYS[way]
        self.ends = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for end in self.ends:
            end.stop()

    def start(self, have, command):
        """One more process, with a libdat2 and a provider."""
        self.ends.append(End(f"end{len(self.ends)}", self.row, have, command))
        return self.ends[-1]

    def serve(self):
        """The server, when clients may come."""
        server = self.start(self.server, spelled(self.row.server))
        server.await_word(self.row.ready, "the server")
        server.threads_when_ready = server.threads()
        server.check_library()
        return server

    def ask(self, address, clients, settle):
        """Clients, one after another; the first is the test, the others are what ends it.

        settle() waits until the server has come to the end of a test.
        """
        for client in clients:
            test = client == self.row.clients[0]
            end = self.start(self.client, spelled(client, address))
            end.finish(self.row.good if test else "")
            end.check_library()
            if test:
                settle()

    def all(self):
        """Server and clients on this machine."""
        server = self.serve() if self.row.server else None
        self.ask(os.environ["KDAPL_ADDR"], self.row.clients, server.await_idle if server else lambda: None)
        if server:
            server.finish(self.row.server_good)

    def repeat(self, seconds):
        """The same with the first client again and again for so long."""
        deadline = time.monotonic() + seconds
        server = self.serve()
        while time.monotonic() < deadline:
            self.ask(os.environ["KDAPL_ADDR"], self.row.clients[:1], server.await_idle)
            # What it said is in nobody's way.
            self.ends.pop()
            print(f"# {deadline - time.monotonic():.0f} s are left", flush=True)
        self.ask(os.environ["KDAPL_ADDR"], self.row.clients[1:], server.await_idle)
        server.finish(self.row.server_good)

    def each_case(self):
        """Every case, in a process of its own, since some end it."""
        wrong = []
        for case in self.row.cases:
            command, expected = spelled(self.row.clients[0]) + [f"case{case.number}"], case.expected(self.way)
            end = self.start(self.client, command)
            status = end.wait()
            got = became(status, end.said())
            if got != expected and end.unloaded_too_soon(status):
                # It died before it could say its result, which comes behind that.
                comment(f"case {case.number}: OFED's provider was unloaded while its thread still ran")
                self.ends.pop()
                end = self.start(self.client, command)
                status = end.wait()
                got = became(0 if end.unloaded_too_soon(status) else status, end.said())
            self.ends.pop()
            if got != expected:
                wrong.append(f"case {case.number} {got}, and not: {expected}\n{end.said()[-SHOWN:]}")
        if wrong:
            raise Failed("\n".join(wrong))

    def attempt(self, part):
        """What went wrong in a part, or None."""
        try:
            part()
        except Failed as error:
            return f"{error}\n" + "\n".join(f"{end.command}:\n{end.said()[-SHOWN:]}" for end in self.ends)
        return None


def run_once(row, way, seconds):
    """What went wrong, or None."""
    with Run(row, way) as run:
        if row.cases:
            return run.attempt(run.each_case)
        return run.attempt((lambda: run.repeat(seconds)) if seconds else run.all)


def comment(text):
    """For who reads the TAP."""
    print("".join(f"# {line}\n" for line in text.splitlines()), end="", flush=True)


def run_row(row, way, seconds=0):
    """What went wrong, or None; in the second try, of a row that has one."""
    why = run_once(row, way, seconds)
    if why and row.again and re.search(row.again, why):
        comment(f"tried again, because of:\n{why}")
        why = run_once(row, way, seconds)
    return why


def report(number, name, why, start):
    """One line of TAP, and how it came to it."""
    print(f"{'not ok' if why else 'ok'} {number} - {name}")
    comment(why or "")
    print(f"# {time.monotonic() - start:.1f} s", flush=True)
    return why is not None


def ways_of(row, options):
    """Those asked for, as far as they make a difference to the row, or the row's own."""
    if not options.way:
        return row.ways if options.all or options.rows else row.quick_ways()
    return [way for way in options.way if row.server or WAYS[way][0] == WAYS[way][1]]


def wanted_rows(options):
    """(row, way) of all that is asked for, a way after the other."""
    rows = [row for row in ROWS if (row.quick or options.all or options.rows)
            and (row.iwarp or os.environ["KDAPL_RDMA"] != "siw")
            and (not options.rows or any(part in row.name for part in options.rows))]
    if options.seconds:
        rows = [ENDURANCE]
    ways = [way for way in WAYS if way not in options.without]
    return [(row, way) for way in ways for row in rows if way in ways_of(row, options)]


def main():
    """Runs the rows that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", action="append", choices=WAYS)
    parser.add_argument("--without", action="append", default=[], choices=WAYS)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--for", dest="seconds", type=int, default=0)
    parser.add_argument("rows", nargs="*", metavar="ROW")
    options = parser.parse_args()
    wanted = wanted_rows(options)
    make_folders()
    print(f"1..{len(wanted)}", flush=True)
    failed = 0
    for number, (row, way) in enumerate(wanted, 1):
        start = time.monotonic()
        failed += report(number, f"{way}: {row.name}", run_row(row, way, options.seconds), start)
    return 1 if failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
