#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The manual pages are complete, and agree with the headers.

usage: man_check.py TOP CC
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "PARAMETERS", "RETURN VALUE",
            "ERRORS", "ATTRIBUTES", "EXAMPLE", "SEE ALSO"]
# What a provider exports returns nothing.
PROVIDER_SECTIONS = [s for s in SECTIONS if s not in ("RETURN VALUE", "ERRORS")]
# Calls on these depend on the object's state, or change it; of the others, these do.
STATEFUL = {"DAT_EP_HANDLE", "DAT_EVD_HANDLE", "DAT_SRQ_HANDLE"}
STATEFUL_CALLS = {"dat_cr_accept", "dat_cr_handoff", "dat_cr_reject",
                  "dat_ep_create_with_srq", "dat_ia_close", "dat_rmr_bind",
                  "dat_rsp_create", "dat_rsp_free"}
# Macros of extensions that no adapter here has.
NOT_OFFERED = r"dat_ib_(collective_\w+|post_send_ud|ud_cm_free|ud_ah_free)"
ENVIRONMENT = {"DAT_OVERRIDE", "DAT_DBG_TYPE", "DAT_DBG_DEST"}

problems = []


def wrong(page, text):
    problems.append(f"{page.name}: {text}")


def prototypes(headers):
    """Name to (result, parameters as they stand), of every call."""
    calls = {}
    for text in headers:
        for result, name, args in re.findall(
                r"^extern (\w+) (dat_\w+)\((.*?)\);", text, re.S | re.M):
            calls[name] = (result, [a.strip() for a in args.split(",")])
    # A macro over the longer call.
    result, args = calls["dat_ia_openv"]
    calls["dat_ia_open"] = (result, args[:4])
    return calls


def prototypes2(headers):
    """The same of uDAPL 2.0; macros of extensions have names of parameters only."""
    calls = {}
    for text in headers:
        for result, name, args in re.findall(
                r"^(DAT_RETURN|void) (dats?_\w+)\((.*?)\);", text, re.S | re.M):
            calls[name] = (result, [re.sub(r"\s+", " ", a.strip())
                                    for a in args.split(",")])
        for name, args in re.findall(
                r"^#define (dat_ib_\w+)\((.*?)\)", text, re.M):
            calls[name] = (None, [a.strip() for a in args.split(",")])
    return {name: call for name, call in calls.items()
            if not re.fullmatch(NOT_OFFERED, name)}


class Version:
    """A version of uDAPL: what its headers have, and the calls it has pages of."""

    def __init__(self, files, read, without=()):
        texts = {p.name: p.read_text() for p in files}
        calls = read(texts.values())
        self.headers = texts.values()
        self.calls = {name: calls[name] for name in calls.keys() - set(without)}
        self.codes = return_codes(texts["dat_error.h"])
        self.names = set(re.findall(r"\bDAT_\w+", "\n".join(self.headers)))


def parameter_name(parameter):
    return re.search(r"(\w+)(\[\]\))?$", parameter).group(1)


def arguments(line):
    """The arguments of a macro line."""
    return [quoted or plain for quoted, plain
            in re.findall(r'"((?:[^"]|"")*)"|(\S+)', line)]


def plain(text):
    """Roff text as it is read."""
    text = re.sub(r"\\f[BIRP]|\\&", "", text)
    return text.replace(r"\-", "-").replace(r"\(dq", '"').replace(r"\e", "\\")


def sections(page):
    """Name to lines."""
    found, lines = {}, []
    for line in page.read_text().splitlines():
        if line.startswith(".SH "):
            lines = found.setdefault(" ".join(arguments(line[4:])), [])
        else:
            lines.append(line)
    return found


def tags(lines):
    """What the items of a list are called."""
    return [plain(" ".join(arguments(after)[1:]))
            for line, after in zip(lines, lines[1:]) if line == ".TP"]


def squeezed(text):
    return re.sub(r"\s+", "", text)


def check_macro(page, shown, args, name):
    """It takes what it is given for what the page says."""
    found = re.search(rf"\b{name}\((.*?)\);", shown)
    if not found or args != [parameter_name(p.strip())
                             for p in found[1].split(",")]:
        wrong(page, f"{name} does not take {args}")


def check_synopsis(page, lines, call, name):
    result, args = call
    shown = "".join(plain("".join(arguments(line)[1:]))
                    for line in lines if re.match(r"\.(B|BI) ", line))
    if result is None:
        return check_macro(page, shown, args, name)
    shown = squeezed(shown)
    if squeezed(f"{result} {name}({','.join(args)});") not in shown:
        wrong(page, f"the prototype of {name} is not the header's")


def check_errors(page, lines, types, subtypes):
    for tag in tags(lines):
        kind, *why = tag.split()
        if kind not in types or any(code not in subtypes for code in why):
            wrong(page, f"no such result: {tag}")


def check_names(page, names):
    """No name that the headers do not have (NAME_... stands for several)."""
    for name, more in re.findall(r"\b(DAT_[A-Z0-9_]+)\b(\.\.\.)?",
                                 plain(page.read_text())):
        known = any(n.startswith(name) for n in names) if more \
            else name in names
        if not known and name not in ENVIRONMENT:
            wrong(page, f"no header has {name}")


def check_structures(page, headers):
    """Structures are shown as the headers have them, without the remarks."""
    code = squeezed(re.sub(r"/\*.*?\*/", "", "".join(headers), flags=re.S))
    for shown in re.findall(r"^typedef (?:struct|union) .*?^\} \w+;",
                            plain(page.read_text()), re.S | re.M):
        if squeezed(shown) not in code:
            wrong(page, f"no header has this:\n{shown}")


def check_references(page, manual):
    text = plain(page.read_text())
    for name, number in re.findall(r"^\.BR (\S+) \((\d)\)", text, re.M):
        if re.match(r"dat", name) and \
                not Path(manual, f"man{number}", f"{name}.{number}").exists():
            wrong(page, f"refers to {name}({number}), which is not there")


def example(lines):
    text = "\n".join(lines)
    blocks = re.findall(r"^\.nf\n(.*?)^\.fi", text, re.S | re.M)
    return plain("".join(blocks))


def check_example(page, lines, top, compiler, name):
    source = example(lines)
    if name not in source:
        wrong(page, "the example does not call it")
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write(source)
        file.flush()
        done = subprocess.run(
            [compiler, "-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra",
             "-Werror", f"-I{top}/include", file.name],
            capture_output=True, text=True, check=False)
    if done.returncode:
        wrong(page, f"the example does not compile:\n{done.stderr}")


def needed_sections(name, parameters):
    if name.startswith("dat_provider_"):
        return PROVIDER_SECTIONS
    first = parameters[0].split()[0]
    # Of a macro that is a name alone.
    stateful = name in STATEFUL_CALLS or first in STATEFUL or first == "ep"
    return SECTIONS + ["STATES"] if stateful else SECTIONS


def check_page(page, name, calls, codes, top, compiler):
    parts = sections(page)
    needed = needed_sections(name, calls[name][1])
    missing = [s for s in needed if not parts.get(s)]
    if missing:
        return wrong(page, f"has no {', '.join(missing)}")
    if not re.match(rf"{name} \\- \w", parts["NAME"][0]):
        wrong(page, "NAME is another one")

    check_synopsis(page, parts["SYNOPSIS"], calls[name], name)
    if name == "dat_ia_open":
        name_with_all = "dat_ia_openv"
        check_synopsis(page, parts["SYNOPSIS"], calls[name_with_all],
                       name_with_all)
    else:
        name_with_all = name
    expected = [parameter_name(p) for p in calls[name_with_all][1]
                if p != "..."]
    if tags(parts["PARAMETERS"]) != expected:
        wrong(page, f"PARAMETERS are not {expected}")
    check_errors(page, parts.get("ERRORS", []), *codes)
    check_example(page, parts["EXAMPLE"], top, compiler, name)


def check_link(page, manual):
    target = page.read_text().split()[1]
    if not Path(manual, target).exists():
        wrong(page, f"stands for {target}, which is not there")


def lint(pages):
    """What mandoc has to say, where it is installed."""
    if not shutil.which("mandoc"):
        print("mandoc is not installed: the pages' macros are not checked")
        return
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages],
                          capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    if done.returncode or said:
        problems.append(f"mandoc: {said}")


def return_codes(header):
    """Names of the types, and of the subtypes."""
    types, subtypes = (
        set(re.findall(r"^\s*(DAT_\w+) = ", body, re.M)) for body in
        re.findall(r"^typedef enum \w+ \{(.*?)^\}", header, re.S | re.M))
    return types, subtypes


def main():
    top, compiler = sys.argv[1:]
    manual = Path(top, "docs/man")
    one = Version(Path(top, "include/dat").glob("*.h"), prototypes)
    # The kernel's headers lie beside those of programs.
    two = Version([p for p in Path(top, "include/dat2").glob("*.h")
                   if not p.name.startswith("kdat")], prototypes2, one.calls)

    pages = {p.stem: p for p in Path(manual, "man3").glob("*.3")}
    calls = one.calls.keys() | two.calls.keys()
    for name in sorted(calls ^ pages.keys()):
        problems.append(f"{name}: " + ("has no page" if name in calls else
                                       "is a page without a call"))
    links = {p for p in pages.values() if p.read_text().startswith(".so ")}
    for link in links:
        check_link(link, manual)
    for version in (one, two):
        for name in sorted(version.calls.keys() & pages.keys()):
            if pages[name] not in links:
                check_page(pages[name], name, version.calls, version.codes, top,
                           compiler)

    written = sorted(set(manual.glob("man*/*")) - links)
    for page in written:
        version = two if '"uDAPL 2.0"' in page.read_text() else one
        check_names(page, version.names)
        check_structures(page, version.headers)
        check_references(page, manual)
    lint(written)
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(written)} pages")


main()
