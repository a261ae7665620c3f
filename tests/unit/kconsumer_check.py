#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A module over kdapl.ko builds from what is installed, without a word of the compiler;
and of that nothing is left when it is uninstalled.

usage: kconsumer_check.py TOP KERNEL

Skipped (77) where the module has not been built for that kernel: then there may be
no headers of it.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

problems = []


def build(top, kernel, into):
    done = subprocess.run([f"{top}/scripts/build-kconsumer", kernel, into], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode or re.search(r"kconsumer.*warning:|WARNING: modpost", done.stdout):
        sys.exit(done.stdout)


def exports(top):
    """The calls of the API, which is all that others may use."""
    found = set()
    for source in Path(top, "kmod/kapi").glob("*.c"):
        found |= set(re.findall(r"^EXPORT_SYMBOL_GPL\((\w+)\);", source.read_text(), re.M))
    return found


def modinfo(field, module):
    return subprocess.run(["modinfo", "-F", field, module], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def check_installed(top, root, release):
    sources = root / f"usr/src/kdapl-{release}"
    symbols = (sources / "Module.symvers").read_text()
    if {line.split("\t")[1] for line in symbols.splitlines()} != exports(top):
        problems.append(f"the symbols are not those of the API:\n{symbols}")
    if str(top) in symbols:
        problems.append(f"the symbols tell where they were built:\n{symbols}")
    headers = {file.name for file in (sources / "include/dat2").iterdir()}
    # Those that <dat2/kdat*.h> lead to; the others are for programs.
    wanted = {file.name for file in Path(top, "include/dat2").glob("kdat*.h")}
    while more := {name for file in wanted
                   for name in re.findall(r"^#include <dat2/(\S+)>$",
                                          Path(top, "include/dat2", file).read_text(), re.M)} - wanted:
        wanted |= more
    if headers != wanted or "kdat.h" not in headers:
        problems.append(f"headers: {sorted(headers ^ wanted)}")


def check_modules(root, release, consumer):
    installed = root / f"lib/modules/{release}/updates"
    for name in ("kdapl.ko", "kdapl_echo.ko"):
        if not (installed / name).exists():
            problems.append(f"{name} is not installed")
    if modinfo("depends", consumer) != "kdapl":
        problems.append(f"it depends on {modinfo('depends', consumer)}")


def check_removed(top, kernel, root):
    done = subprocess.run([f"{top}/scripts/install-module", "--remove", kernel, root], check=False)
    left = [str(path) for path in root.rglob("*") if not path.is_dir()]
    if done.returncode or left:
        problems.append(f"make uninstall: exit status {done.returncode}, these are left: {left}")


def main():
    top, kernel = sys.argv[1:]
    module = Path(top, f"build/kmod-{kernel}/kdapl.ko")
    if not module.exists():
        print(f"skipped: no {module} (make kmod KERNEL={kernel})")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as into:
        build(top, kernel, into)
        consumer = Path(into, "kconsumer.ko")
        release = modinfo("vermagic", consumer).split()[0]
        check_installed(top, Path(into, "root"), release)
        check_modules(Path(into, "root"), release, consumer)
        check_removed(top, kernel, Path(into, "root"))
    if problems:
        sys.exit("\n".join(problems))
    print(f"built for {release}")


main()
