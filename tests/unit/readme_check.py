#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The README keeps its word: its example builds, its status tables are true.

usage: readme_check.py TOP LIBRARY CC
       readme_check.py --example README FILE    writes the example to a file
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


def table(readme, mark):
    """Name to state, without the reason, from the table behind its mark."""
    part = readme.split(f"<!-- {mark}", 1)[1].split("\n\n", 1)[0]
    rows = re.findall(r"^\| `(dats?_[\w*]+)`.*\| (.*?)(: .+)? \|$", part, re.M)
    return {name: state for name, state, _ in rows}


def expected(top):
    exported = set(re.findall(r"^\t(dat_\w+);",
                              Path(top, "ulib/libdat.map").read_text(), re.M))
    exported.remove("dat_ia_openv")
    exported.add("dat_ia_open")
    states = dict.fromkeys(exported, "works")
    provider = "exported by providers, not by the library"
    states["dat_provider_init"] = states["dat_provider_fini"] = provider
    return states


def expected2(top):
    """Of uDAPL 2.0."""
    exported = re.findall(r"^\t(dats?_\w+);",
                          Path(top, "ulib/libdat2.map").read_text(), re.M)
    # What never succeeds; tests/unit/dat2/calls_test.cpp shows it.
    return dict.fromkeys(exported, "works") | {
        "dat_rmr_create_for_ep": "`DAT_MODEL_NOT_SUPPORTED`"}


def extensions(top):
    """Of its extensions: what is handled, by the operations behind the macros."""
    header = Path(top, "include/dat2/dat_ib_extensions.h").read_text()
    operations = re.findall(r"^#define (dat_ib_\w+)\([^)]*\) \\\n\tdat_extension_op\("
                            r".*?\b(DAT_IB_\w+_OP)\b", header, re.S | re.M)
    source = Path(top, "ulib/dat2/extensions.cpp").read_text()
    handled = set(re.findall(r"\bcase (DAT_IB_\w+_OP):", source))
    return {re.sub("(?<=^dat_ib_collective_).*", "*", name):
            "works" if operation in handled else "`DAT_NOT_IMPLEMENTED`"
            for name, operation in operations}


def problems(shown, true, count):
    """What a table says, against what it is."""
    for name in sorted(shown.keys() | true.keys()):
        if shown.get(name) != true.get(name):
            yield (f"{name}: the README says {shown.get(name)}, "
                   f"the library {true.get(name)}")
    if len(true) != count:
        yield f"{len(true)} names of {count}"


def main():
    if sys.argv[1] == "--example":
        Path(sys.argv[3]).write_text(example(Path(sys.argv[2]).read_text()))
        return
    top, library, compiler = sys.argv[1:]
    readme = Path(top, "README.md").read_text()
    build(example(readme), top, library, compiler)

    wrong = [
        *problems(table(readme, "status table"), expected(top), 74),
        *problems(table(readme, "uDAPL 2.0 status table"), expected2(top), 85),
        *problems(table(readme, "extensions status table"), extensions(top), 13)]
    if wrong:
        sys.exit("\n".join(wrong))


main()
