# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The cases of dapltest -T F: what each tries, and what becomes of it with which library.

usage: cases.py

As a program it prints the table that docs/dapl.md shows.
"""

import dataclasses
import re
import signal

# What becomes of a case. The program says PASS also of one whose check has failed.
PASSES = "passes"
FAILS = "fails"
CHECK_FAILS = "a check fails"
NOTHING = "tests nothing"
CRASHES = "crashes"
RESULTS = {"PASS": PASSES, "FAIL": FAILS, "UNSUPP": NOTHING}

NUMBER = ("the distribution's libdat2 takes every handle but an IA's for an address, and an IA's is a small "
          "number there: nothing asks a provider")


@dataclasses.dataclass(frozen=True, order=True)
class Case:
    """One case: by which libdat2 our provider has which result, and OFED's by the distribution's."""
    feature: str
    number: int
    what: str
    debian: str = PASSES
    ours: str = PASSES
    ofed: str = PASSES
    why: str = ""

    def expected(self, way):
        """What must become of it."""
        # Where only the distribution's libdat2 is at fault, ours is not, whoever's provider it has.
        ours_ofed = self.ours if self.debian != self.ours else self.ofed
        return {"debian": self.debian, "ours": self.ours, "ofed": self.ofed, "ours-ofed": ours_ofed}[way]


CASES = (
    Case("hwconn", 0, "opens an IA and closes it"),
    Case("hwconn", 1, "opens five names that no adapter has"),
    Case("hwconn", 2, "closes the handle 0"),
    Case("hwconn", 3, "closes an IA that still has an EP, abruptly"),
    Case("endpoint", 0, "creates an EP and frees it"),
    Case("endpoint", 1, "creates an EP in a PZ that was freed"),
    Case("endpoint", 2, "frees an EP that has a receive posted"),
    Case("pz", 0, "creates a PZ and frees it"),
    Case("pz", 1, "frees a PZ that an EP is in"),
    Case("pz", 2, "frees a PZ that an LMR is in"),
    Case("mem", 0, "registers memory and frees it"),
    Case("mem", 1, "registers it, frees it, and registers it again"),
    Case("mem", 2, "registers no bytes", ofed=CHECK_FAILS,
         why="it wants `DAT_LENGTH_ERROR`; OFED's leaves it to the device, and says that resources are short"),
    Case("mem", 3, "registers memory", why="without a PZ, its description says; but it gives one"),
    Case("mem", 4, "nothing", why="to free an LMR of handle 0, its description says; but it does not call it"),
    Case("connmgt", 0, "waits 10 ms on an EVD that stays empty"),
    Case("connmgt", 1, "waits no time on an EVD that stays empty"),
    Case("queryinfo", 0, "queries an IA"),
    Case("queryinfo", 1, "queries a CNO"),
    Case("queryinfo", 2, "queries an EVD"),
    Case("queryinfo", 3, "queries a PSP whose requests bring EPs along"),
    Case("queryinfo", 4, "queries an RSP"),
    Case("queryinfo", 5, "nothing", NOTHING, NOTHING, NOTHING,
         "it says that `connmgt` queries a CR, which it does not"),
    Case("queryinfo", 6, "queries an EP"),
    Case("queryinfo", 7, "queries a PZ"),
    Case("queryinfo", 8, "queries an LMR"),
    Case("queryinfo", 9, "queries an RMR", ofed=CHECK_FAILS, why="OFED's has no RMRs"),
    Case("queryinfo", 10, "queries an IA without room for the answer"),
    Case("queryinfo", 11, "queries an EVD as an IA"),
    Case("queryinfo", 12, "queries a CNO without room for the answer"),
    Case("queryinfo", 13, "queries an IA as a CNO", debian=CRASHES, ofed=CRASHES, why=NUMBER),
    Case("queryinfo", 14, "queries an EVD without room for the answer"),
    Case("queryinfo", 15, "queries an IA as an EVD", debian=CRASHES, ofed=CRASHES, why="as case 13"),
    Case("queryinfo", 16, "queries a PSP without room for the answer"),
    Case("queryinfo", 17, "queries an EVD as a PSP"),
)


def became(status, said):
    """What became of a case, by how its process ended and by what it said."""
    if status == -signal.SIGSEGV:
        return CRASHES
    results = re.findall(r"^Result: (.*?) *$", said, re.M)
    if status or len(results) != 1:
        return f"exit status {status}, results {results}"
    if results[0] == "PASS" and " failed in file " in said:
        return CHECK_FAILS
    return RESULTS.get(results[0], results[0])


def table():
    """As in docs/dapl.md."""
    lines = ["| feature | case | what it does | ours by `libdat2` of the distribution | by ours | OFED's | why |",
             "|---|---|---|---|---|---|---|"]
    lines += [f"| `{case.feature}` | {case.number} | {case.what} | {case.debian} | {case.ours} | {case.ofed} | "
              f"{case.why} |".replace("|  |", "| |") for case in CASES]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
