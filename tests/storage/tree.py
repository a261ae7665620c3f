#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Works in a file system as many users do, and knows what must be in it.

usage: tree.py work FOLDER NOTES COUNT [SEED]
       tree.py check FOLDER NOTES

work makes, overwrites, cuts, renames, links and removes files and folders, COUNT times,
and notes what is there then in the file NOTES. check, after the file system has been
unmounted and mounted again, fails unless just that is there.
"""

import json
import os
import pathlib
import random
import sys
import zlib

LARGEST = 300_000


def content(seed, size):
    """The bytes of a file."""
    return random.Random(seed).randbytes(size)


class Tree:
    """Files and folders, and what they hold."""

    def __init__(self, folder, seed):
        self.folder = pathlib.Path(folder)
        self.dice = random.Random(seed)
        self.files = {}  # name: bytes
        self.folders = [""]
        self.made = 0

    def path(self, name):
        """Where it lies."""
        return self.folder / name

    def new_name(self):
        """One that nothing has had."""
        self.made += 1
        return os.path.join(self.dice.choice(self.folders), f"{self.made:06}")

    def make(self):
        """A file."""
        name, data = self.new_name(), content(self.dice.random(), self.dice.randrange(LARGEST))
        self.path(name).write_bytes(data)
        self.files[name] = data

    def overwrite(self, name):
        """Some bytes in the midst of a file, or behind its end."""
        old, new = self.files[name], content(self.dice.random(), self.dice.randrange(1, LARGEST // 4))
        place = self.dice.randrange(len(old) + LARGEST // 8)
        with self.path(name).open("r+b") as file:
            file.seek(place)
            file.write(new)
            if self.dice.random() < 0.1:
                os.fsync(file.fileno())
        old = old.ljust(place, b"\0")
        self.files[name] = old[:place] + new + old[place + len(new):]

    def cut(self, name):
        """A file, to any length."""
        size = self.dice.randrange(LARGEST)
        os.truncate(self.path(name), size)
        self.files[name] = self.files[name][:size].ljust(size, b"\0")

    def rename(self, name):
        """To a name of another folder."""
        new = self.new_name()
        self.path(name).rename(self.path(new))
        self.files[new] = self.files.pop(name)

    def remove(self, name):
        """A file."""
        self.path(name).unlink()
        del self.files[name]

    def make_folder(self):
        """In any folder there is."""
        name = self.new_name()
        self.path(name).mkdir()
        self.folders.append(name)

    def step(self):
        """One of these."""
        what = self.dice.choices(["make", "overwrite", "cut", "rename", "remove", "folder"],
                                 [30, 30, 10, 10, 18 if len(self.files) < 200 else 60, 2])[0]
        if what == "make" or not self.files:
            self.make()
        elif what == "folder":
            self.make_folder()
        else:
            getattr(self, what)(self.dice.choice(list(self.files)))

    def notes(self):
        """What is there."""
        return {name: [len(data), zlib.crc32(data)] for name, data in self.files.items()}


def found(folder):
    """What a folder really has."""
    top = pathlib.Path(folder)
    files = (path for path in top.rglob("*") if path.is_file() and "lost+found" not in path.parts)
    return {str(path.relative_to(top)): [path.stat().st_size, zlib.crc32(path.read_bytes())] for path in files}


def main():
    """The exit status."""
    what, folder, notes = sys.argv[1:4]
    if what == "work":
        tree = Tree(folder, int(sys.argv[5]) if len(sys.argv) > 5 else 1)
        for _ in range(int(sys.argv[4])):
            tree.step()
        pathlib.Path(notes).write_text(json.dumps(tree.notes()))
        print(f"{len(tree.files)} files in {len(tree.folders)} folders")
        return 0
    wanted, there = json.loads(pathlib.Path(notes).read_text()), found(folder)
    wrong = [name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name)]
    for name in wrong[:10]:
        print(f"{name}: must be {wanted.get(name)}, is {there.get(name)}")
    print(f"{len(wanted)} files, {len(wrong)} of them wrong")
    return 1 if wrong or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
