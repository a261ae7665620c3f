# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What is run of the distribution's uDAPL programs, and how it is told to have worked."""

import dataclasses

# Where dtest and dtestcm tell a client of themselves, over TCP.
DTEST_PORT = 15828
DTEST_BAD = r".*(FAILED|\b[Ee]rror\b|ERROR|ERR|\bErr\b).*"
DAPLTEST_BAD = r".*(\b[Ee]rror\b|ERROR|FAIL|\b[Ff]ailed\b|\b[Ww]arning\b).*"


@dataclasses.dataclass(frozen=True)
class Row:
    """One run: a server, clients one after another, and what they must say or must not."""
    name: str
    server: tuple
    ready: object  # a port on which it listens, or what it says
    clients: tuple
    good: str
    server_good: str
    bad: str
    quick: bool = False
    ends: bool = True  # or is stopped when it has said all that


def dtest(options, quick=False, program="dtest", ready=DTEST_PORT, good=r"Test Complete\. PASSED"):
    """The same options at both ends."""
    both = (program, "-P", "{ia}", *options.split())
    return Row(f"{program} {options}".strip(), both + ("-s",), ready, (both + ("-h", "{address}"),),
               good, good, DTEST_BAD, quick)


def dtestcm(options, quick=False):
    """It says no more than that it came to its end."""
    return dtest(options, quick, "dtestcm", good="DAPL Connection Test Complete")


def dtestx(options, quick=False):
    """Immediate data and atomic operations, both ways at once."""
    return dtest(options, quick, "dtestx", good="immed/atomic test PASSED")


def dtestsrq(options, quick=False):
    """Its client is told nothing of the server."""
    return dtest(options, quick, "dtestsrq", "Accepting...", "SRQ Test Complete")


def unfinished_dtestsrq(options, quick=False):
    """With an SRQ it waits in the end for an event that soft RoCE never has, whoever the provider is."""
    return dataclasses.replace(dtestsrq(f"-v {options}".strip(), quick), good="Wait for EP async event",
                               server_good="Wait for EP async event", ends=False)


def dapltest(options, quick=False):
    """A client of a server that a second client asks to quit. -T and its test come first."""
    test, rest = options.split()[:2], options.split()[2:]
    client = ("-D", "{ia}", "-s", "{address}")
    return Row(f"dapltest {options}", ("dapltest", "-T", "S", "-D", "{ia}"), "Service Point Ready",
               (("dapltest", *test, *client, *rest), ("dapltest", "-T", "Q", *client)), "", "", DAPLTEST_BAD, quick)


SR = "client SR 1024 3 server SR 1536 2"
ROWS = [
    dtest("-b 65536", True),
    dtest("-p -b 65536"),
    dtest("-c -b 65536", True),
    dtest("-w -b 65536"),
    dtest("-u -b 65536"),
    dtest("-D -b 4096"),
    dtest("-W -b 1024"),
    dtestsrq("-S 0", True),
    dtestsrq("-S 0 -c 4 -B 8 -b 4096"),
    unfinished_dtestsrq("", True),
    unfinished_dtestsrq("-c 4 -B 8 -b 4096"),
    dtestcm("-c 20", True),
    dtestcm("-w -c 20"),
    dtestx(""),
    dtestx("-b 4096"),
    dapltest(f"-T T -i 20 {SR}", True),
    dapltest(f"-T T -P -i 20 {SR}"),
    dapltest("-T T -V -i 20 client RW 4096 2 server RW 2048 4 " + SR, True),
    dapltest("-T T -V -i 20 client RR 4096 2 server RR 2048 4 " + SR, True),
    dapltest("-T T -V -t 2 -w 4 -i 20 client RW 4096 server RR 2048 " + SR),
    dapltest("-T P -i 100 -p 16 RW 4096", True),
    dapltest("-T P -m p -i 100 -p 16 RW 4096"),
    dapltest("-T P -i 100 -p 16 RR 4096"),
]
