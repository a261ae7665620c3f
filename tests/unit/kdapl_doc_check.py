#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What is said of kDAPL is true: docs/kdapl.md shows tests/kconsumer/ as it is, and
names only calls that work; the README's table tells which ones do.

usage: kdapl_doc_check.py TOP
"""

import re
import sys
from pathlib import Path

# What is refused to everybody, and why.
REFUSED = {"dat_rmr_create_for_ep": "`DAT_MODEL_NOT_SUPPORTED`: a key of the kernel's is good for a whole zone"}
problems = []


def exported(folder):
    """The calls that the files of a folder export."""
    found = set()
    for source in folder.glob("*.c"):
        found |= set(re.findall(r"^EXPORT_SYMBOL_GPL\((dat_\w+)\);", source.read_text(), re.M))
    return found


def tried(top):
    """The calls that tests in the kernel make."""
    text = "".join(source.read_text() for folder in ("kmod/tests", "tests/kconsumer", "tests/vm-suite")
                   for source in Path(top, folder).rglob("*.c"))
    # That one is a macro over the other.
    return set(re.findall(r"\b(dat_\w+)\(", text.replace("dat_ia_open(", "dat_ia_openv(")))


def states(top):
    """Name to state, as the sources have it: what is exported, and tried by a test, works."""
    tests = tried(top)
    return {name: REFUSED.get(name, "works") if name in tests else "not tested"
            for name in exported(Path(top, "kmod/kapi"))}


def check_table(top, true):
    part = Path(top, "README.md").read_text().split("<!-- kDAPL status table", 1)[1]
    shown = dict(re.findall(r"^\| `(dat_\w+)` \| (.*?) \|$", part, re.M))
    for name in sorted(shown.keys() | true.keys()):
        if shown.get(name) != true.get(name):
            problems.append(f"{name}: the README says {shown.get(name)}, the sources {true.get(name)}")


def check_copies(top, doc):
    """Each file of the example stands in the text, whole."""
    shown = dict(re.findall(r"<!-- copy of (\S+): .*?-->\n```\w*\n(.*?)```\n", doc, re.S))
    files = {f"tests/kconsumer/{file.name}": file.read_text()
             for file in Path(top, "tests/kconsumer").iterdir()}
    for name in sorted(shown.keys() | files.keys()):
        if shown.get(name) != files.get(name):
            problems.append(f"{name}: docs/kdapl.md shows something else")


def check_names(doc, true):
    """The text and its example keep to what there is."""
    # These are in the headers.
    known = true | dict.fromkeys(["dat_ia_open", "dat_ext_memory_segment"], "works")
    for name in sorted(set(re.findall(r"\b(dat_\w+)\(", doc))):
        if known.get(name) not in ("works", REFUSED.get(name)):
            problems.append(f"{name}: docs/kdapl.md tells of it, but it is {known.get(name)}")


def main():
    top = sys.argv[1]
    true, doc = states(top), Path(top, "docs/kdapl.md").read_text()
    check_table(top, true)
    check_copies(top, doc)
    check_names(doc, true)
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(true)} calls")


main()
