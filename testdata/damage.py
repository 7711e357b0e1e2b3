#!/usr/bin/env python3
"""Makes the bad-* recordings from the good ones of this folder. Usage: testdata/damage.py"""
import os
import struct

here = os.path.dirname(os.path.abspath(__file__))


def read(name):
    with open(os.path.join(here, name), "rb") as f:
        return bytearray(f.read())


def write(name, data):
    with open(os.path.join(here, name), "wb") as f:
        f.write(data)


def records(data):
    """Offset, type and size of each record of a file container."""
    at, size = struct.unpack_from("<QQ", data, 40)
    end = at + size
    while at + 8 <= end:
        kind, _misc, length = struct.unpack_from("<IHH", data, at)
        yield at, kind, length
        at += length


def middle(data, kind):
    found = [r for r in records(data) if r[1] == kind]
    return found[len(found) // 2]


good = read("callgraph-73.data")

at, _, size = middle(good, 9)
write("bad-cut.data", good[:at + size // 2])

data = bytearray(good)
struct.pack_into("<H", data, at + 6, 0)
write("bad-record-size.data", data)

data = bytearray(good)
data[at:at + 40] = b"\xa5" * 40
write("bad-garbage.data", data)

data = bytearray(good)
struct.pack_into("<Q", data, at + 8 + 8 + 8 + 8 + 8, 1 << 60)
write("bad-callchain-count.data", data)

data = bytearray(good)
offset, length = struct.unpack_from("<QQ", data, 40)
table = offset + length
section, _ = struct.unpack_from("<QQ", data, table)
struct.pack_into("<I", data, section, 0x7fffffff)
write("bad-feature-string.data", data)

# a block of the reserved type, which every decoder refuses: damage inside a block may look like data to some of them
packed = read("zstd-73.data")
at, kind, _ = next(r for r in records(packed) if r[1] in (81, 83))
frame = at + (16 if kind == 83 else 8)
assert packed[frame:frame + 4] == b"\x28\xb5\x2f\xfd"
flags = packed[frame + 4]
block = frame + 5 + (not flags & 32) + (0, 1, 2, 4)[flags & 3] + (flags >> 5 & 1, 2, 4, 8)[flags >> 6]
packed[block:block + 3] = b"\xff" * 3
write("bad-zstd-frame.data", packed)

stream = read("stream-73.pipe")
write("bad-stream-text.pipe", stream + b"[ perf record: Woken up 1 times to write data ]\n")
