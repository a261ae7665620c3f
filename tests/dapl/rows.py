# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What is run of the distribution's uDAPL programs, and how it is told to have worked."""

import dataclasses
import os

from cases import CASES

SIW = os.environ.get("KDAPL_RDMA") == "siw"
# Where dtest and dtestcm tell a client of themselves, over TCP.
DTEST_PORT = 15828
DTEST_BAD = r".*(FAILED|\b[Ee]rror\b|ERROR|ERR|\bErr\b).*"
DAPLTEST_BAD = r".*(\b[Ee]rror\b|ERROR|FAIL|\b[Ff]ailed\b|\b[Ww]arning\b).*"
BOTH_WAYS = ("debian", "ours", "to-ofed", "from-ofed")
ONE_PROVIDER = ("debian", "ours")
OURS_WITH_OFED = ("ours-to-ofed", "ours-from-ofed")


@dataclasses.dataclass(frozen=True)
class Row:
    """One run: a server, clients one after another, and what they must say or must not."""
    name: str
    server: tuple  # empty: there is none
    ready: object  # a port on which it listens, or what it says (a pattern)
    clients: tuple
    good: str
    server_good: str
    bad: str
    quick: bool = False
    two_hosts: bool = False  # runs between two machines by our libdat2 (pair.py)
    status: int = 0  # with which it ends
    ends: bool = True  # or is stopped when it has said all that
    ways: tuple = BOTH_WAYS  # those in which it is run
    iwarp: bool = False  # keeps to iWARP: who connected sends first, a read has one segment
    cases: tuple = ()  # or these, each in a process of its own
    seconds: int = 60  # what a process may take
    memory: int = 0  # MiB that a process may have, 0: as many as there are
    again: str = ""  # a failure that says this (a pattern) has a second try
    excused: str = r"(?!)"  # what is bad, but not where a program says it (a pattern)

    def quick_ways(self):
        """Where only what is quick runs: by each libdat2 with our provider, and what --all leaves out.

        That is our libdat2 with OFED's at the other end, and, of what goes with any provider, at both.
        """
        ways = tuple(way for way in ONE_PROVIDER if way in self.ways)
        ways += tuple(way for way in OURS_WITH_OFED if way.removeprefix("ours-") in self.ways)
        return ways + (("ours-ofed",) if "to-ofed" in self.ways else ())


def dtest(options, quick=False, program="dtest", ready=DTEST_PORT, good=r"Test Complete\. PASSED", **more):
    """The same options at both ends."""
    both = (program, "-P", "{ia}", *options.split())
    return Row(f"{program} {options}".strip(), both + ("-s",), ready, (both + ("-h", "{address}"),),
               good, good, DTEST_BAD, quick, **more)


# The server of dtestcm takes as many events for connections as it has accepted, whatever
# they say, and then as many for disconnections. Its client disconnects as soon as its own
# ends are connected, and what happens to two connections is told in any order: a
# disconnection among the first makes a connection one of the others, whose endpoint it
# frees, and the next event of that is of none. These are its last words then, whoever the
# provider is; it ends with 0. The client must come to its end.
OVERTAKEN = r"ALL \d+ CONNECTED on Server!\s+Error disconnect_eps: DAT_INVALID_HANDLE\s*\Z"


def dtestcm(options, quick=False, before="", **more):
    """It says no more than that it came to its end, and its server what is to come before (a pattern)."""
    row = dtest(options, quick, "dtestcm", good="DAPL Connection Test Complete", **more)
    return dataclasses.replace(row, server_good=f"{before}({row.good}|{OVERTAKEN})", excused=OVERTAKEN)


# A second passes before each request is accepted, which the server tells.
DELAYED = dtestcm("-w -d 1 -p 45300 -c 2", ways=ONE_PROVIDER,
                  before=r"(?s:Server ready on port 45300$(.*Accept delayed by 1 seconds){2}.*)")


def dtestx(options, **more):
    """Immediate data and atomic operations, both ways at once.

    Each end sleeps a second, and takes it that the other has come as far by then.
    """
    return dtest(options, program="dtestx", good="immed/atomic test PASSED", **more)


# What its counters must tell by then. OFED's provider, as it is built there, has none.
COUNTED = r"(?s)" + ".*".join(("^DCNT_IA_EP_CREATE = 1$", "^DCNT_EP_POST_WRITE_IMM = [1-9]",
                               "^DCNT_EP_RECV_RDMA_IMM = [1-9]", "^DCNT_EVD_WAIT = [1-9]",
                               "immed/atomic test PASSED"))
# Both ends print their counters, some of which have ERR in their names.
COUNTERS = dataclasses.replace(dtestx("-p", ways=ONE_PROVIDER), good=COUNTED, server_good=COUNTED,
                               bad="^(?!DCNT_)" + DTEST_BAD)


def unreliable(options, program="dtestx", said="dat_ep_create returned {} :", status=1):
    """Datagrams, which our provider says that it does not have. OFED's cannot make the queue pair.

    These are an end's last words, by itself. Over soft iWARP dtestx comes to an end before
    that, since there are no extensions at all.
    """
    last = [said.format("DAT_MODEL_NOT_SUPPORTED"),
            r"DAPL ERR create_qp Invalid argument\s+" + said.format("DAT_INVALID_PARAMETER")]
    if SIW:
        last = [r"\d+ ERROR: IB extension not supported"]
    return Row(f"{program} {options}", (), None, ((program, "-P", "{ia}", *options.split()),),
               rf"({'|'.join(last)})\s*\Z", "", r".*(PASSED|Complete\b).*", status=status,
               ways=ONE_PROVIDER + ("ofed",), iwarp=program == "dtestx")


# How the others say it; they end with 0 all the same.
UNRELIABLE = {"said": r"Error dat_ep_create: {}\s+ERR: Checking ASYNC EVD\.\.\.", "status": 0}


# The client of dtestsrq disconnects when it has the server's last messages, and the
# server's sends may not have been acknowledged by then (NOT_ACKNOWLEDGED_QUIT tells why).
# Where one is not, these are the server's last words. Had it lost more than that, the
# client would not come to its end. With our provider it is rare: what was acknowledged
# succeeds (Disconnect.WhatThePeerHasAcknowledgedSucceeds of the vm-suite).
NOT_ACKNOWLEDGED_SRQ = (rf"ERROR: DTO REQ size 0, status {2 if SIW else 1}\s+"
                        r"ERR: Checking ASYNC EVD\.\.\.\s*\Z")


def dtestsrq(options, quick=False, **more):
    """Its client is told nothing of the server."""
    row = dtest(options, quick, "dtestsrq", "Accepting...", "SRQ Test Complete", **more)
    return dataclasses.replace(row, server_good=f"{row.good}|{NOT_ACKNOWLEDGED_SRQ}", excused=NOT_ACKNOWLEDGED_SRQ)


def unfinished_dtestsrq(options, quick=False):
    """With an SRQ it waits in the end for an event that soft RoCE never has, whoever the provider is.

    With OFED's provider, both ends of which have an SRQ, it often fails on a busy machine,
    also between two of its own.
    """
    row = dtestsrq(f"-v {options}".strip(), quick, ways=ONE_PROVIDER)
    good = "Wait for EP async event"
    return dataclasses.replace(row, good=good, server_good=f"{good}|{NOT_ACKNOWLEDGED_SRQ}", ends=False)


# Of a test that failed early a client may say nothing but this in its end, and exit with 0.
DAPLTEST_GOOD = {"T": "^Total WQE ", "P": "^raw: R[RW], "}


# The server of -T P leaves abruptly when it has the client's last message, and that it
# has it may not have been acknowledged by then: the client's send is flushed, whoever
# the provider is.
NOT_ACKNOWLEDGED = "Client_Sync_Send-reaping DTO problem, status = FAILURE"

# So do the server that was asked to quit, when it has given its answer, and the client that
# asked it, when it has that answer: the other's send may not have been acknowledged by
# then. Soft RoCE completes a receive before it acknowledges it, and acknowledges nothing
# once the queue pair is in error. Soft iWARP's sender looks whether the connection still
# stands when the last byte is out, before it notes that: the send is flushed, or else its
# completion is an error, which breaks the connection. The server quits all the same: these
# are an end's last words. The program has one word for all errors but that of a flush.
FLUSHED = ("FAILURE", "")
BROKEN = ("LengthError", r"Warning: disconn_event_wait DAT_CONNECTION_EVENT_BROKEN\s+"
                         r"DT_cs_{end}: bad disconnect event\s+")


def not_acknowledged(end, message, last_words):
    """A pattern of how an end says so.

    With OFED's provider a send has the length that it was posted with, whatever became of it.
    """
    return "|".join(rf"Test Error: {message}-reaping DTO problem, status = {status}\s+"
                    rf"(?:Length mismatch \(xfer 0x0 wanted 0x[0-9a-f]+\)\s+)?{then.format(end=end)}"
                    rf"(?=DT_cs_{end}{last_words}\s*\Z)"
                    for status, then in ((FLUSHED, BROKEN) if SIW else (FLUSHED,)))


NOT_ACKNOWLEDGED_QUIT = "|".join((
    not_acknowledged("Server", "Server_Info_Send", r" \(\w+\): +Exiting\."),
    not_acknowledged("Client", "Client_Cmd_Send", r": =+ End of Work -- Client Exiting")))


def dapltest(options, quick=False, **more):
    """A client of a server that a second client asks to quit. -T and its test come first."""
    test, rest = options.split()[:2], options.split()[2:]
    client = ("-D", "{ia}", "-s", "{address}")
    return Row(f"dapltest {options}", ("dapltest", "-T", "S", "-D", "{ia}"), "Service Point Ready",
               (("dapltest", *test, *client, *rest), ("dapltest", "-T", "Q", *client)),
               DAPLTEST_GOOD[test[1]], "", DAPLTEST_BAD, quick, **more,
               again=NOT_ACKNOWLEDGED if test[1] == "P" else "", excused=NOT_ACKNOWLEDGED_QUIT)


def performance_rows():
    """dapltest -T P for each operation, blocking and polling. There is none for sends.

    With OFED's provider at one end fewer are run, but those with each operation, either way
    to wait, and each number on the way.
    """
    shapes = ("-i 200 -p 1 {} 1", "-i 200 -p 8 {} 4096", "-i 200 -p 64 {} 1", "-i 64 -p 64 {} 65536",
              "-i 32 -p 16 {} 1048576")
    with_ofed = (("RW", "p", 1), ("RW", "b", 3), ("RR", "b", 0), ("RR", "p", 4))
    return [dapltest(f"-T P -m {mode} " + shape.format(operation),
                     ways=BOTH_WAYS if (operation, mode, number) in with_ofed else ONE_PROVIDER)
            for operation in ("RW", "RR") for mode in ("b", "p") for number, shape in enumerate(shapes)]


# An adapter is asked what it is, by a program that opens no IA.
OPEN_QUERY = Row("dtestx -q", (), None, (("dtestx", "-P", "{ia}", "-q"),),
                 r"Open_Query: .* DAT_IB_PROVIDER_NAME=kdapl$", "", DTEST_BAD, True, ways=ONE_PROVIDER)

# Makes of each kind of object as many as it can, up to 1000, and says how many. The
# largest LMR is what it can have of memory: else it would take all that there is.
LIMITS = Row("dapltest -T L", (), None, (("dapltest", "-T", "L", "-D", "{ia}"),),
             r"(?s)" + ".*".join(rf"{what}: [1-9]" for what in (
                 "IAs opened", "PZs created", "CNOs created", "EVDs created", "EPs created", "RSPs created",
                 "PSPs created", "LMRs created", "recv buffers posted per EP"))
             + r".*(Largest LMR was|LMR of) 0x[1-9a-f]",
             "", r".*(error occurs|(free|close|disconnect)\b.* (fails|error)|bogus|unimplemented).*",
             ways=ONE_PROVIDER, seconds=300, memory=512)


def feature(name, quick=False):
    """dapltest -T F: cases that need no server."""
    cases = tuple(case for case in CASES if case.feature == name)
    return Row(f"dapltest -T F -f {name}", (), None, (("dapltest", "-T", "F", "-D", "{ia}", "-f", name),), "", "",
               "", quick, ways=ONE_PROVIDER + ("ofed",), cases=cases)


def reject(size, name, **more):
    """So many bytes to the server, as many others back with its rejection.

    Of the distribution's programs none does it as they are built there. Ours, with whose
    libdat2 it is told.
    """
    return Row(name, ("{work}/dapl_reject", "-s", "{ia}", size), "ready",
               (("{work}/dapl_reject", "{ia}", size, "{address}"),), f"^rejected with {size} bytes$",
               f"^rejected a request of {size} bytes$", ".*error.*", True, iwarp=True, **more)


# Nobody listens: not a peer has refused, but its host.
UNUSED_PORT = Row("a port that is unused", (), None, (("{work}/dapl_reject", "-u", "{ia}", "{address}"),),
                  "^nobody is there$", "", ".*error.*", True, iwarp=True, ways=ONE_PROVIDER + ("ofed",))

SR = "client SR 1024 3 server SR 1536 2"
ROWS = [
    dtest("-b 65536", True),
    dtest("-p -b 65536"),
    dtest("-c -b 65536", True),
    # Longer than what it makes its EP for, which are 64 KiB.
    dtest("-B 4 -b 1048576", ways=ONE_PROVIDER),
    # Writes with immediate data.
    dtest("-w -b 65536", two_hosts=True),
    dtest("-u -b 65536"),
    # Both ends poll their memory, which takes long where processors are few.
    dtest("-D -b 4096", seconds=180),
    dtest("-W -b 1024", seconds=180),
    # Sizes that grow, by powers of two and by steps; -W sets how many are written, -B sets it again.
    dtest("-W -a -B 50 -b 1024", ways=ONE_PROVIDER),
    dtest("-W -i 256 -B 50 -b 1024", ways=ONE_PROVIDER),
    # Every fiftieth write is told of.
    dtest("-B 200 -S 50 -b 4096", ways=ONE_PROVIDER),
    dtest("-t -c -b 65536", ways=ONE_PROVIDER),
    # The peer waits a second for the answer.
    dtest("-d 1 -b 4096", ways=ONE_PROVIDER),
    dtestsrq("-S 0", True, iwarp=True),
    dtestsrq("-S 0 -p 45300 -t 10 -c 2 -B 4 -b 1024", ways=ONE_PROVIDER),
    dtestsrq("-S 0 -c 4 -B 8 -b 4096"),
    unfinished_dtestsrq("", True),
    unfinished_dtestsrq("-c 4 -B 8 -b 4096"),
    dtestcm("-c 20", True, iwarp=True),
    dtestcm("-w -c 20"),
    # Five at a time, to one service point and to five.
    dtestcm("-b 5 -c 20", ways=ONE_PROVIDER),
    dtestcm("-m -b 5 -c 20", ways=ONE_PROVIDER),
    DELAYED,
    OPEN_QUERY,
    dtestx(""),
    dtestx("-b 4096", ways=ONE_PROVIDER),
    COUNTERS,
    unreliable("-u"),
    unreliable("-U 2"),
    unreliable("-U 2 -m"),
    unreliable("-u", program="dtestsrq", **UNRELIABLE),
    unreliable("-u -c 4", program="dtestcm", **UNRELIABLE),
    reject("48", "rejection with private data"),
    reject("0", "rejection without private data"),
    UNUSED_PORT,
    dapltest(f"-T T -i 20 {SR}", True, iwarp=True),
    dapltest(f"-T T -P -i 20 {SR}"),
    # The next send goes out without waiting for the last one's completion.
    dapltest("-T T -V -i 20 client SR 256 1 -f server SR 256 1 -f"),
    dapltest("-T T -V -i 20 client RW 4096 2 server RW 2048 4 " + SR, True, iwarp=True),
    dapltest("-T T -V -i 20 client RR 4096 2 server RR 2048 4 " + SR, True),
    dapltest("-T T -V -i 20 client RR 4096 server RR 2048 " + SR, iwarp=True),
    dapltest("-T T -P -V -i 20 client RW 4096 2 server RR 2048 " + SR),
    dapltest("-T T -V -t 2 -w 4 -i 20 client RW 4096 server RR 2048 " + SR),
    dapltest("-T T -V -t 4 -w 4 -i 10 client RW 4096 server RW 1024 client RR 2048 server RR 512 " + SR,
             two_hosts=True),
    dapltest("-T T -P -V -t 2 -w 4 -i 10 client RR 4096 server RW 2048 " + SR, two_hosts=True),
    # By an RSP for each EP of the server, in place of a PSP.
    dapltest(f"-T T -r -i 20 {SR}", True, iwarp=True),
    dapltest("-T T -r -V -t 2 -w 4 -i 10 client RW 4096 server RR 2048 " + SR),
    dapltest("-T P -i 100 -p 16 RW 4096", True),
    *performance_rows(),
    LIMITS,
    feature("hwconn", True),
    feature("endpoint", True),
    feature("pz", True),
    feature("mem", True),
    feature("connmgt", True),
    feature("queryinfo"),
]

# 8 threads of 8 EPs, again and again.
ENDURANCE = dapltest("-T T -V -t 8 -w 8 -i 30 client SR 1024 server SR 1536 client RW 4096 server RR 2048")
