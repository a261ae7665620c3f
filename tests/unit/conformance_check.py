#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Whether the tests that docs/conformance.md names are there.

usage: conformance_check.py PROJECT
"""

import pathlib
import re
import sys


def written(folder):
    """Suite.Test of every test, from the sources."""
    for path in sorted(folder.glob("*.[ch]pp")):
        for suite, test in re.findall(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", path.read_text(), re.M):
            yield f"{suite}.{test}"


def main():
    """Says what is named and not there."""
    project = pathlib.Path(sys.argv[1])
    tests = list(written(project / "tests/conformance"))
    named = re.findall(r"`(Dat\w+\.[\w*]+)`", (project / "docs/conformance.md").read_text())
    missing = [name for name in named
               if not any(re.fullmatch(name.replace(".", r"\.").replace("*", ".*"), test) for test in tests)]
    for name in missing:
        print(f"docs/conformance.md names {name}, which is no test")
    print(f"{len(named)} names, {len(tests)} tests")
    return 1 if missing or not named or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
