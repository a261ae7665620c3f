#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The README keeps its word: its example builds, its status table is true.

usage: readme_check.py TOP LIBRARY CC
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path


def example(readme):
    """The C program that the README shows."""
    found = re.search(r"<!-- example.*?-->\n```c\n(.*?)```", readme, re.S)
    if not found:
        sys.exit("the README shows no example")
    return found.group(1)


def build(source, top, library, compiler):
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "hello.c")
        program.write_text(source)
        subprocess.run(
            [compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror",
             f"-I{top}/include", str(program), library,
             "-o", f"{folder}/hello"], check=True)


def table(readme):
    """Name to state, from the table behind its mark."""
    part = readme.split("<!-- status table", 1)[1].split("\n\n", 1)[0]
    rows = re.findall(r"^\| `(dat_\w+)`.*\| (.*?) \|$", part, re.M)
    return dict(rows)


def expected(top):
    exported = set(re.findall(r"^\t(dat_\w+);",
                              Path(top, "ulib/libdat.map").read_text(), re.M))
    missing = Path(top, "ulib/dat1/not_implemented.cpp")
    missing = set(re.findall(r"^DAT_RETURN (dat_\w+)\(",
                             missing.read_text(), re.M)) \
        if missing.exists() else set()
    exported.remove("dat_ia_openv")
    exported.add("dat_ia_open")
    states = {name: "works" for name in exported - missing}
    states |= {name: "`DAT_NOT_IMPLEMENTED`" for name in missing}
    provider = "exported by providers, not by the library"
    states["dat_provider_init"] = states["dat_provider_fini"] = provider
    return states


def main():
    top, library, compiler = sys.argv[1:]
    readme = Path(top, "README.md").read_text()
    build(example(readme), top, library, compiler)

    shown, true = table(readme), expected(top)
    wrong = sorted(name for name in shown.keys() | true.keys()
                   if shown.get(name) != true.get(name))
    for name in wrong:
        print(f"{name}: the README says {shown.get(name)}, "
              f"the library {true.get(name)}")
    if wrong or len(true) != 74:
        sys.exit(f"{len(wrong)} rows are wrong, {len(true)} names of 74")


main()
