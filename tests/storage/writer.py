#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Writes a disk and knows what must be on it, whatever ends in the middle.

usage: writer.py write DEVICE LOG [--seed N] [--offset MIB] [--size MIB] [--block BYTES]
       writer.py check DEVICE LOG...

write goes on until it is killed, or the device reports an error (exit status 3). It
writes blocks in an order that the seed decides, one at a time, past the page cache, and
now and then reads one that it has written (exit status 4 when that is not what it
wrote). The log tells how many writes were asked for, and how many the device said were
done; it is on its own disk or machine. check reads the disk and fails unless each block
holds its last write that was done, or the one write that was under way.
"""

import argparse
import mmap
import os
import random
import struct
import sys
import zlib

# Of the log: seed, offset, size and block, then how many were asked for and done. lib.sh
# reads the last one.
LOG = struct.Struct("<QQQQ")
COUNTS = struct.Struct("<QQ")
# Of a block: seed, number of the write, number of the block; its checksum is at the end.
HEAD = struct.Struct("<QQQ")
SUM = struct.Struct("<I")
REPORTED, CORRUPT = 3, 4
READ_ONE_IN = 4


class Corrupt(Exception):
    """A block does not hold what it must."""


class Disk:
    """A part of a device, read and written past the page cache."""

    def __init__(self, path, offset, block, flags):
        self.file = os.open(path, flags | os.O_DIRECT)
        self.offset = offset
        self.block = block
        self.buffer = mmap.mmap(-1, block)  # direct I/O wants whole pages

    def write(self, number, data):
        """One block, which is on the device when this returns."""
        self.buffer[:] = data
        if os.pwritev(self.file, [self.buffer], self.offset + number * self.block) != self.block:
            raise OSError("a short write")

    def read(self, number):
        """One block, from the device."""
        if os.preadv(self.file, [self.buffer], self.offset + number * self.block) != self.block:
            raise OSError("a short read")
        return self.buffer[:]


def make_block(seed, write, number, size):
    """What the write of this number puts into a block."""
    word = struct.pack("<Q", zlib.crc32(HEAD.pack(seed, write, number)) * 0x9E3779B97F4A7C15 & (1 << 64) - 1)
    body = HEAD.pack(seed, write, number) + word * ((size - HEAD.size - SUM.size) // 8)
    body += bytes(size - SUM.size - len(body))
    return body + SUM.pack(zlib.crc32(body))


class Order:
    """Which block each write goes to: the same for the same seed."""

    def __init__(self, seed, blocks):
        self.random = random.Random(seed)
        self.blocks = blocks

    def next(self):
        """The block of the next write."""
        return self.random.randrange(self.blocks)


class Log:
    """The counts of a writer, each of them in its place before the next step."""

    def __init__(self, path, flags):
        self.file = os.open(path, flags, 0o644)

    def put(self, asked, done):
        """Both counts, in one piece."""
        os.pwrite(self.file, COUNTS.pack(asked, done), LOG.size)
        os.fdatasync(self.file)

    def get(self):
        """(seed, offset, size, block), (asked, done)"""
        text = os.pread(self.file, LOG.size + COUNTS.size, 0)
        return LOG.unpack(text[:LOG.size]), COUNTS.unpack(text[LOG.size:])


def write(options):
    """Until something ends it."""
    offset, size = options.offset << 20, options.size << 20
    disk = Disk(options.device, offset, options.block, os.O_RDWR)
    log = Log(options.log[0], os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    os.pwrite(log.file, LOG.pack(options.seed, offset, size, options.block), 0)
    log.put(0, 0)
    order, last, dice = Order(options.seed, size // options.block), {}, random.Random(options.seed + 1)
    number = 0
    while True:
        number += 1
        block = order.next()
        log.put(number, number - 1)
        disk.write(block, make_block(options.seed, number, block, options.block))
        log.put(number, number)
        last[block] = number
        if dice.randrange(READ_ONE_IN) == 0:
            block = dice.choice(list(last)) if number < 1000 else block
            if disk.read(block) != make_block(options.seed, last[block], block, options.block):
                raise Corrupt(f"block {block} does not hold its write {last[block]}")


def check(device, path):
    """Compares a disk with a log; how many blocks it was."""
    (seed, offset, size, block_size), (asked, done) = Log(path, os.O_RDONLY).get()
    disk = Disk(device, offset, block_size, os.O_RDONLY)
    order, last, under_way = Order(seed, size // block_size), {}, {}
    for number in range(1, asked + 1):
        block = order.next()
        if number <= done:
            last[block] = number
        else:
            under_way[block] = number
    for block in last.keys() | under_way.keys():
        found = disk.read(block)
        allowed = [counts[block] for counts in (last, under_way) if block in counts]
        if block not in last:  # what was there before is nobody's business
            continue
        if not any(found == make_block(seed, number, block, block_size) for number in allowed):
            raise Corrupt(f"block {block} must hold write {' or '.join(map(str, allowed))}, "
                          f"and begins with {HEAD.unpack(found[:HEAD.size])}, seed, write, block")
    return len(last), done


def main():
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["write", "check"])
    parser.add_argument("device")
    parser.add_argument("log", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--size", type=int, default=16)
    parser.add_argument("--block", type=int, default=4096)
    options = parser.parse_args()
    if not options.log:
        parser.error("no log")
    try:
        if options.what == "write":
            write(options)
        for path in options.log:
            blocks, writes = check(options.device, path)
            print(f"{blocks} blocks hold what {writes} writes left")
    except Corrupt as error:
        print(f"writer.py: corrupt: {error}", file=sys.stderr)
        return CORRUPT
    except OSError as error:
        print(f"writer.py: {error}", file=sys.stderr)
        return REPORTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
