#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What is installed of the manual is found by man(1) and shown without a warning.

usage: man_install.py TOP BUILD PAGES
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

problems = []


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False,
                          **options)


def install(build, into):
    done = run(["cmake", "--install", build, "--component", "manual"],
               env=os.environ | {"DESTDIR": into})
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    found = [folder.parent for folder in Path(into).rglob("man3")]
    if len(found) != 1:
        sys.exit(f"man3 was installed {len(found)} times")
    return found[0]


def shown(text):
    """As it is read: without bold and underlining, in one line."""
    return re.sub(r"\s+", " ", re.sub(r".\x08", "", text))


def check(name, text, said, how):
    if said:
        problems.append(f"{how} {name}: {said}")
    # A page that is another one's shows that one's calls.
    if name not in text or "SYNOPSIS" not in text:
        problems.append(f"{how} {name}: not the page of this call")


def show_by_man(manual, name):
    environment = os.environ | {"LC_ALL": "C.UTF-8", "MANWIDTH": "80",
                                "MANROFFSEQ": "", "PAGER": "cat"}
    done = run(["man", "-M", manual, "--warnings", "-s", "3", name],
               env=environment)
    if done.returncode:
        return problems.append(f"man {name}: {done.stderr}")
    check(name, shown(done.stdout), done.stderr, "man")


def show_by_mandoc(manual, name):
    page = f"man3/{name}.3"
    # It warns of every page that is a reference to another.
    link = Path(manual, page).read_text().startswith(".so ")
    done = run(["mandoc", "-T", "utf8", "-W",
                "error,stop" if link else "warning,stop", page], cwd=manual)
    if done.returncode:
        problems.append(f"mandoc {name}: status {done.returncode}")
    check(name, shown(done.stdout), done.stderr, "mandoc")


def main():
    top, build, expected = sys.argv[1:]
    source = {page.stem for page in Path(top, "docs/man/man3").glob("*.3")}

    with tempfile.TemporaryDirectory() as into:
        manual = install(build, into)
        names = sorted(page.stem for page in Path(manual, "man3").glob("*.3"))
        if set(names) != source or len(names) != int(expected):
            sys.exit(f"{len(names)} pages are installed: "
                     f"{sorted(set(names) ^ source)}")
        shows = [show for tool, show in (("man", show_by_man),
                                         ("mandoc", show_by_mandoc))
                 if shutil.which(tool)]
        if not shows:
            print("neither man nor mandoc is installed: no page is shown")
        for show in shows:
            for name in names:
                show(manual, name)
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(names)} pages, shown in {len(shows)} ways")


main()
