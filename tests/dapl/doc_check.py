#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""docs/dapl.md shows the table of cases.py, every feature of it is run, and the options
of the rows of the smaller programs stand in its table of programs.

usage: doc_check.py TOP
"""

import pathlib
import re
import sys

from cases import CASES, PASSES, table
from rows import ROWS


def options_told(doc):
    """What is wrong with the table of programs; how large and how talkative they are is left out."""
    for row in ROWS:
        program, *words = row.name.split()
        if not program.startswith("dtest"):
            continue
        told = " ".join(re.findall(rf"^\| `{program}` \| .*", doc, re.M))
        for option in {word for word in words if re.fullmatch("-[a-zA-Z]", word)} - {"-b", "-v"}:
            if not re.search(rf"`[^`]*{option}\b", told):
                yield f"docs/dapl.md does not say that {program} {option} is run"


def problems(doc):
    """What is wrong."""
    shown = re.search(r"<!-- table of tests/dapl/cases.py -->\n\n(.*?)\n\n", doc, re.S)
    if not shown or shown[1] != table():
        yield "docs/dapl.md does not show what tests/dapl/cases.py prints"
    if sorted(case for row in ROWS for case in row.cases) != sorted(CASES):
        yield "the rows do not run each case once"
    for case in CASES:
        unlike = any(result != PASSES for result in (case.debian, case.ours, case.ofed))
        if unlike and not case.why:
            yield f"{case.feature} {case.number} has no reason"
    yield from options_told(doc)


def main():
    found = list(problems(pathlib.Path(sys.argv[1], "docs/dapl.md").read_text()))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
