#!/usr/bin/env python3
"""Makes the recordings of this folder: inputs that once crashed something, each from a recording that is made here. Usage: testdata/crash/make.py"""
import os
import struct
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "..", "tests", "support"))
import recording_twins as twins  # noqa: E402
from builder import IP, Recording, TID, TIME  # noqa: E402


def write(name, data):
    with open(os.path.join(here, name), "wb") as f:
        f.write(data)


def section_of(data, number):
    """Offset of a feature section of a little-endian file container."""
    at, size = struct.unpack_from("<QQ", data, 40)
    bits = struct.unpack_from("<Q", data, 72)[0]
    nth = bin(bits & ((1 << number) - 1)).count("1")
    return struct.unpack_from("<Q", data, at + size + 16 * nth)[0]


good = twins.file_container("<")

# EVENT_DESC with attrs of 32 bytes: a null pointer where the attr should have been.
data = bytearray(good)
struct.pack_into("<I", data, section_of(data, 12) + 4, 32)
write("event-desc-small-attr.data", data)

# A header without attrs: `perfdata events` had nothing to write and wrote it from a null pointer.
write("header-without-attrs.data", b"PERFILE2" + struct.pack("<8Q", 104, 0, 0, 0, 104, 0, 0, 0) + bytes(32) + bytes(64))


# MMAP2 records that end in front of their file name: bytes of names that are nowhere were compared.
w = twins.Writer("<")
w.raw(twins.pipe_stream("<"))
for _ in range(2):
    w.record(10, 2, lambda p: p.put("IIQQQ", 7, 7, 0x401000, 0x2000, 0x1000))
twins.put_sample(w, 0, 9000, 7)
write("mapping-without-name.pipe", w.data)


# A counter that stands so high that its estimate is no number of 64 bits: a double was converted that did not fit.
w = twins.Writer("<")
w.raw(twins.pipe_stream("<"))
w.record(73, 0, lambda p: (p.put("QQ", 1, 7), p.raw(b"work".ljust(16, b"\0"))))
w.record(74, 0, lambda p: p.put("HHH", 0, 1, 0))
w.record(75, 0, lambda p: p.put("QQQ", 1, 2, 1))
for n in range(2):
    w.record(76, 0, lambda p: p.put("QIIQQQ", twins.IDS[0], 0, 0, 2**63 * (1 - n), 2000 * (1 - n), 1 - n))
    w.record(77, 0, lambda p: p.put("QQ", n, 1000 + n))
write("stat-estimate-too-large.pipe", w.data)


# A map of threads that comes behind the first value and round: the table of counters had been made without it, and was read and written behind
# its end.
w = twins.Writer("<")
w.raw(twins.pipe_stream("<"))
w.record(74, 0, lambda p: p.put("HHHH", 0, 2, 0, 1))
w.record(76, 0, lambda p: p.put("QIIQQQ", twins.IDS[0], 0, 0, 5, 6, 7))
w.record(77, 0, lambda p: p.put("QQ", 0, 1000))
w.record(73, 0, lambda p: (p.put("Q", 2), [(p.put("Q", tid), p.raw(b"work".ljust(16, b"\0"))) for tid in (7, 8)]))
for n in range(2):
    w.record(76, 0, lambda p: p.put("QIIQQQ", twins.IDS[0], 0, n, 5, 6, 7))
w.record(77, 0, lambda p: p.put("QQ", 1, 2000))
write("stat-threads-too-late.pipe", w.data)


# A stream that is cut inside its first record: an offset was added to the null pointer of no records that wait.
write("first-record-cut.pipe", twins.pipe_stream("<")[:60])


# A sample whose attr has raw data alone, with three bytes where the four of its size should be: its bytes were taken from far behind it.
w = twins.Writer("<")
w.raw(twins.pipe_stream("<")[:16])
w.record(64, 0, lambda p: (p.put("IIQQQQQ", 2, 64, 4, 1, 1 << 10, 0, 0), p.put("QQ", 0, 0), p.put("Q", 1)))
w.put("IHH", 9, 2, 11)
w.raw(b"\1\0\0")
write("raw-data-without-size.pipe", w.data)


# A sample in front of all attrs. Where recordings were merged, the event that it has not was read from a null pointer; in a file it got an event.
w = twins.Writer("<")
whole = twins.pipe_stream("<")
w.raw(whole[:16])
twins.put_sample(w, 0, 9000, 7)
w.raw(whole[16:])
write("sample-before-attrs.pipe", w.data)


# A sample behind the first attr, of an id that no attr tells: with one event it was that event's, but in what was repaired perf stopped at it,
# and repairing that left it out.
w = twins.Writer("<")
first = 16 + struct.unpack_from("<H", whole, 22)[0]
w.raw(whole[:first])
sample = twins.Writer("<")
twins.put_sample(sample, 0, 9000, 7)
w.raw(sample.data.replace(struct.pack("<Q", twins.IDS[0]), struct.pack("<Q", 99)))
w.raw(whole[first:])
write("sample-of-unknown-id.pipe", w.data)


# The same in a file whose table of attrs is not usable, so that attrs come as records: what was repaired still had that sample, of no event.
def file_without_attrs(records):
    """The table stands where the file has nothing. The last byte is what tests/fuzz/fuzz_rewrite.c takes its choice from."""
    return b"PERFILE2" + struct.pack("<8Q", 104, 144, 1 << 40, 144, 104, len(records), 0, 0) + bytes(32) + records + b"\0"


write("sample-of-unknown-id.data", file_without_attrs(bytes(w.data[16:])))


# A file with a feature section as a record, as perf inject makes it of a stream, and that is damaged: what was repaired still had it.
w = twins.Writer("<")
w.record(80, 0, lambda p: (p.put("QI", 31, 5), p.raw(bytes(4))))
start, size = struct.unpack_from("<QQ", good, 40)
data = bytearray(good[:start + size] + w.data + good[start + size:])
struct.pack_into("<Q", data, 48, size + len(w.data))
for n in range(bin(struct.unpack_from("<Q", good, 72)[0]).count("1")):
    place = start + size + len(w.data) + 16 * n
    struct.pack_into("<Q", data, place, struct.unpack_from("<Q", data, place)[0] + len(w.data))
write("damaged-feature-record.data", data)


# A compressed record in another: in a copy the inner one stood a second time, behind the outer one.
def compressed(content):
    """In a frame of Zstandard with one block that is not packed."""
    size = struct.pack("<BB", 0x20, len(content)) if len(content) < 256 else struct.pack("<BH", 0x60, len(content) - 256)
    frame = b"\x28\xb5\x2f\xfd" + size + struct.pack("<I", 1 | len(content) << 3)[:3] + content
    return struct.pack("<IHH", 81, 0, 8 + len(frame)) + frame


w = twins.Writer("<")
w.raw(whole)
w.record(3, 0, lambda p: (p.put("II", 7, 7), p.raw(b"inner\0\0\0"), twins.put_trailer(p, 0, 9000, 7)))
w.raw(compressed(compressed(w.data[len(whole):])))
write("compressed-in-compressed.pipe", w.data)


# A damaged sample in a compressed record, which a copy takes over as it is: in the other byte order it cannot be told, and is left out.
w = twins.Writer("<")
w.raw(whole)
sample = twins.Writer("<")
twins.put_sample(sample, 0, 9000, 7)
chain = sample.data.index(struct.pack("<QQ", 4, 2**64 - 128))
sample.data[chain:chain + 8] = struct.pack("<Q", 1 << 40)
w.raw(compressed(sample.data))
write("damaged-sample-in-compressed.pipe", w.data + b"\x20")   # big-endian: see above


# META_INFO of simpleperf without the names of the product: their parts were looked for from a null pointer.
r = Recording()
r.event("cycles", [11], period=1, sample_type=IP | TID | TIME, sample_id_all=1)
r.feature(129, b"simpleperf_version\0" + b"1\0")
r.save(os.path.join(here, "facts-without-product.data"))


# A program whose index of frames (PT_GNU_EH_FRAME) states more bytes than the file has: that many were allocated for libdwfl. Its size chooses what the
# fuzz target does with it.
with open(os.path.join(here, "..", "unwind", "x86_64-indexed"), "rb") as f:
    elf = bytearray(f.read())
segments, = struct.unpack_from("<Q", elf, 32)
for at in range(segments, segments + 56 * struct.unpack_from("<H", elf, 56)[0], 56):
    if struct.unpack_from("<I", elf, at)[0] == 0x6474e550:
        struct.pack_into("<QQ", elf, at + 32, 1 << 38, 1 << 38)
        struct.pack_into("<I", elf, struct.unpack_from("<Q", elf, at + 8)[0] + 8, 0)   # no entries: libdwfl has to unwind
write("frame-index-too-large", bytes(elf) + bytes((2 - len(elf)) % 16))


# A table .debug_frame (see tests/fuzz/fuzz_unwind.c) whose expression of the CFA has DW_OP_deref_size: libdw 0.188 follows a null pointer there.
def entry(number, body):
    body += bytes(-(len(body) + 4) % 8)
    return struct.pack("<II", len(body) + 4, number) + body


common = entry(0xffffffff, b"\x01\0\x01\x78\x10\x0c\x07\x08\x90\x01")
write("frame-deref-size", b"\x02\0" + common + entry(0, struct.pack("<QQ", 0x1000, 0x2000) + b"\x0f\x04\x77\x08\x94\x08"))


# Samples in a stream of perf stat, whose events take none: its repair gave them another layout, and repairing once more lost them.
r = Recording(pipe=True)
for number in range(2):
    r.event("counter%d" % number, [number + 1], type=1, config=number, sample_type=0, read_format=3)
r.record(76, r.pack("QIIQQQ", 1, 0, 0, 1000, 10, 10))
r.record(9, r.pack("QIIQ", 0x1000, 7, 7, 1), trailer=b"")
r.save(os.path.join(here, "samples-of-stat.pipe"))
with open(os.path.join(here, "samples-of-stat.pipe"), "ab") as f:
    f.write(b"\0")   # see above
