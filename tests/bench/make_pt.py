#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a recording with so many MB of Intel PT packets, as a processor that runs branchy code writes them, over and over: mostly TNT, TIP and
CYC, with the packets between them. usage: make_pt.py MB FILE"""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from trace_packets import PSB, PT, cyc, ip_packet, recording, tnt  # noqa: E402

BUFFER = 4 << 20


def stretch(chance):
    """What a few microseconds leave."""
    out = [PSB, b"\0\0\0", b"\x99\x20", b"\x99\x01", b"\x19" + chance.randbytes(7), b"\x02\x73" + chance.randbytes(5), b"\x02\x03\x1d\0", b"\x02\x23"]
    for _ in range(600):
        kind = chance.random()
        if kind < 0.6:
            out.append(tnt([chance.getrandbits(1) for _ in range(6)]))
        elif kind < 0.75:
            out.append(ip_packet(0x0d, chance.choice((1, 1, 2, 3)), chance.getrandbits(47)))
        elif kind < 0.95:
            out.append(cyc(chance.randrange(200)))
        else:
            out.append(chance.choice((b"\x59" + chance.randbytes(1), ip_packet(0x1d, 3, chance.getrandbits(47)), b"\0" * chance.randrange(1, 9))))
    return b"".join(out)


def main():
    size, path = int(sys.argv[1]) << 20, sys.argv[2]
    chance = random.Random(1)
    buffer = b""
    while len(buffer) < BUFFER:
        buffer += stretch(chance)
    recording(PT, [buffer[:BUFFER]] * (size // BUFFER)).save(path)


if __name__ == "__main__":
    main()
