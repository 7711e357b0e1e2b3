#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cuts the seeds of the fuzz targets out of testdata/. usage: fuzz_seeds.py SOURCE-FOLDER OUTPUT-FOLDER"""
import gzip
import lzma
import os
import re
import random
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import hostile_recordings  # noqa: E402
import recording_twins  # noqa: E402
import coresight_packets  # noqa: E402
import trace_packets  # noqa: E402

KALLSYMS = b"""ffffffff81000000 T _text
ffffffff81000000 T startup_64
ffffffff81000190 t secondary_startup_64
ffffffff81c00000 D _etext
ffffffffc0000000 t helper\t[module]
ffffffffc0000100 T _ZN4core3fmt5write17h0123456789abcdefE\t[module]
"""
BUILD_ID_LISTS = (
    b"5277bf5a7b903142783f3d8c7342a46f7c4ffb60 /usr/bin/program\n" + b" " * 41 + b"/usr/bin/without\n0123456789abcdef [vdso]\n",
    b"0x400000+0x5000 5277bf5a7b903142783f3d8c7342a46f7c4ffb60@0x4002c4 . - program\n0x7fff0000+0x2000 e95b5d@0x1 - - linux-vdso.so.1\n",
    b"state\tbuild_id\tpath\nmatch\t5277bf5a7b903142783f3d8c7342a46f7c4ffb60\t/a\\tb\\nc\\\\\nabsent\t\t/c\n",
)
ANSWERS = (b"perfdata-answers\t1\tuser\t-\tfile\t1\t1000\nt\t_ZN1a1bEv\nt\tx.cc\ns\t1000\t20\t1\t0\t-\t-\nc\t0\t-\t1\t7\t3\t5\t0\t-\nc\t0\t1\t1\t9\t3\t5\t1\t0\n"
           b"a\t1000\t0\t0\t4\t1\na\t1004\t0\t1\t5\t-\nr\t401000\t3\t0\t0\t5\t10\tfffffff8\tfffffff0\t0\nw\t2000\t401000\n",
           b"perfdata-answers\t1\tjitdump\t-\tfile\t1\t0\nt\twork\\n\na\t10\t-\t-\t0\t-\nj\t10\t20\t1\tff\t0\n")
PERF_MAP = b"1000 20 plain\n1010 8 inside _another_ one\n2000 0 _RNvC6_123foo3bar\nffff 1\n"
NAMES = (b"_ZN4core3fmt5write17h0123456789abcdefE", b"_RNvNtCs1234_7mycrate3foo3bar", b"_RINvNtC3std3mem8align_ofjdE",
         b"_ZNSt6vectorIiSaIiEE9push_backEOi", b"_RNvXs_NtCs1_4core5sliceINtB4_4IterhE4next")
SOURCE = b"""extern int far(int), away(const char *);
static inline __attribute__((always_inline)) int inner(int x) { return x * 3; }
__attribute__((noinline)) int outer(int x) { return inner(x) + inner(x + 1); }
int data = 4;
int entry(void) { return outer(data) + far(data) + away("text"); }
"""


class Seeds:
    def __init__(self, folder):
        self.folder, self.count = folder, 0

    def add(self, target, data):
        where = os.path.join(self.folder, target)
        os.makedirs(where, exist_ok=True)
        with open(os.path.join(where, "seed-%d" % self.count), "wb") as f:
            f.write(data)
        self.count += 1


def recordings(source):
    folder = os.path.join(source, "testdata")
    for where, _folders, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith((".data", ".pipe")) or where.endswith((".dir", "crash")):
                with open(os.path.join(where, name), "rb") as f:
                    yield f.read()
    for order in "<>":
        yield recording_twins.file_container(order)
        yield recording_twins.pipe_stream(order)
    yield recording_twins.pipe_stream("<") + b"".join(simpleperf_records())


def simpleperf_records():
    """One of each type, and one in parts."""
    def record(kind, body):
        return struct.pack("<IHH", kind, 0, 8 + len(body)) + body

    symbols = b"ffffffff81000000 T start\nffffffff81000040 t next\t[module]\n"
    whole = record(32769, struct.pack("<I", len(symbols)) + symbols + bytes(-len(symbols) % 8))
    yield whole
    yield record(32770, struct.pack("<QQQ", 2, 7, 0x1000) + b"/lib/x.so".ljust(16, b"\0"))
    yield record(32771, struct.pack("<QQQ", 0x1100, 64, 7) + b"main".ljust(8, b"\0"))
    yield record(32772, whole[:40])
    yield record(32772, whole[40:])
    yield record(32773, b"")
    yield record(32774, struct.pack("<QQQ", 1, 0, 987654))
    yield record(32775, struct.pack("<iiQQQQQ", 1, 2, 3, 99, 1, 0x401000, 0x7ff0))
    yield record(32776, struct.pack("<14Q", 99, 5000, 1, 0x8000, 0x7ff0, 0x8000, 2, 1 << 7, 0x7ff0, 8, 1, 8, 1, 2) + bytes(8))
    yield record(32777, struct.pack("<I", 10) + b"\x17\x08\x44tracing" + bytes(54))
    yield record(32778, struct.pack("<Q", 99) + b"text\0\0\0\0")


def take_apart(seeds, data):
    """Feature sections, tracing data, and records with their attr, of a file container."""
    order = "<" if data[:8] == b"PERFILE2" else ">" if data[:8] == b"2ELIFREP" else None
    if order is None or len(data) < 104 or struct.unpack_from(order + "Q", data, 8)[0] != 104:
        return
    attr_size, attrs, _size, at, size = struct.unpack_from(order + "QQQQQ", data, 16)
    side = bytes([order == ">"])
    words = struct.unpack_from(order + "QQQQ", data, 72)
    table = at + size
    if not size or table > len(data) or attrs + attr_size > len(data):
        return
    seeds.add("fuzz_record", side + data[attrs:attrs + 144] + data[at:at + min(size, 4000)])
    for bit in (n for n in range(256) if words[n // 64] >> n % 64 & 1):
        if table + 16 > len(data):
            break
        offset, length = struct.unpack_from(order + "QQ", data, table)
        table += 16
        section = data[offset:offset + length]
        if bit == 1:
            seeds.add("fuzz_trace", section)
        elif section:
            number = 203 + bit - 128 if 128 <= bit < 135 else bit     # see fuzz_feature.c: 203 is a multiple of 7
            seeds.add("fuzz_feature", side + bytes([number]) + struct.pack("<H", 2) + section)


def format_texts(seeds, source):
    """Format texts alone, with raw data after them."""
    with open(os.path.join(source, "testdata", "trace-73.data"), "rb") as f:
        data = f.read()
    at = 0
    while (at := data.find(b"name: ", at)) >= 0:
        end = data.find(b"\n", data.find(b"print fmt:", at)) + 1
        if end:
            seeds.add("fuzz_trace", b"\0" + data[at:end] + b"\0" + bytes(range(80)))
        at += 6


def baselines(seeds, source):
    folder = os.path.join(source, "testdata", "diff")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".txt"):
            with open(os.path.join(folder, name), "rb") as f:
                seeds.add("fuzz_baseline", f.read(8192).rpartition(b"\n")[0] + b"\n")


def print_formats(seeds, source):
    """The print formats of the unit test, all with its fields and raw data."""
    with open(os.path.join(source, "tests", "unit", "unit_trace_print.c")) as f:
        text = f.read()
    string = r'"((?:[^"\\]|\\.)*)"'
    head = "".join(re.findall(string, text[text.index("#define HEAD"):text.index("raw_bytes[]")]))
    raw = re.sub(r"/\*.*?\*/", "", text[text.index("raw_bytes[] = {") + 15:text.index("};", text.index("raw_bytes[]"))])
    raw = bytes(ord(eval(word)) if "'" in word else int(word, 0) for word in re.findall(r"'.'|0x[0-9a-f]+|[0-9]+", raw))
    for number, string in enumerate(re.findall(r"\{ " + string, text)):
        fmt = (head + string).encode().decode("unicode_escape").encode("latin-1")
        if b'"' not in fmt:
            continue
        seeds.add("fuzz_trace", b"\0" + fmt + b"\0" + raw)
        if number % 3 == 0:
            recording = hostile_recordings.with_format(fmt, raw, 7, 2)
            seeds.add("fuzz_session", recording)
            for odd in range(0, 32, 1 if number == 3 else 7):
                seeds.add("fuzz_emit", recording + bytes([odd]))


def directories(seeds, source):
    for name in ("threads-61.dir", "threads-73.dir"):
        parts = []
        for part in ("data", "data.0", "data.1"):
            with open(os.path.join(source, "testdata", name, part), "rb") as f:
                parts.append(f.read()[:6000])
        for odd in range(2):
            seeds.add("fuzz_reader", b"DIRECTRY" + struct.pack("<II", len(parts[1]), len(parts[2])) + b"".join(parts) + bytes(odd))


def each_way(seeds, source):
    """Rich recordings, and a byte after them that selects how fuzz_emit.c formats them and how fuzz_rewrite.c writes them."""
    for name in ("perf/every-field.data", "perf/kernel-records.data", "perf/user-records.data", "perf/stat.pipe", "perf/branches.data",
                 "perf/registers-x86_64.data", "perf/data-sources.data", "trace-73.data", "callgraph-73.data"):
        with open(os.path.join(source, "testdata", name), "rb") as f:
            data = f.read()
        for odd in range(32):
            seeds.add("fuzz_emit", data + bytes([odd]))
    for name in ("trace-73.data", "stream-trace-73.pipe"):
        with open(os.path.join(source, "testdata", name), "rb") as f:
            data = f.read()
        for choice in (1, 4, 5, 6, 13, 36, 37):   # fields of tracepoints in the other byte order: see fuzz_rewrite.c
            seeds.add("fuzz_rewrite", data + bytes([choice]))


def jitdump():
    """A load, a move, debug information and the end."""
    def record(kind, body):
        return struct.pack("<IIQ", kind, 16 + len(body), 1000 + kind) + body
    header = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 7, 99, 0)
    load = struct.pack("<IIQQQQ", 7, 7, 0x1000, 0x1000, 16, 1) + b"jitted\0" + bytes(16)
    move = struct.pack("<IIQQQQQ", 7, 7, 0x1000, 0x1000, 0x2000, 16, 1)
    lines = struct.pack("<QQ", 0x1000, 1) + struct.pack("<QII", 0x1000, 3, 0) + b"file.js\0"
    return header + record(2, lines) + record(0, load) + record(1, move) + record(3, b"")


def packed_streams(seeds):
    """In several members each, so that bytes follow a break."""
    data = recording_twins.pipe_stream("<")
    parts = [data[at:at + 700] for at in range(0, len(data), 700)]
    seeds.add("fuzz_reader", b"".join(gzip.compress(part, 1, mtime=0) for part in parts))
    seeds.add("fuzz_reader", b"".join(lzma.compress(part, preset=0) for part in parts))
    frames = [subprocess.run(["zstd", "-q", "-c", "-1"], input=part, stdout=subprocess.PIPE, check=False).stdout for part in parts]
    seeds.add("fuzz_reader", b"".join(frames) or data)


def elves(seeds):
    compiler = os.environ.get("FUZZ_CC", "clang")
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "seed.c"), os.path.join(folder, "seed.o")
        with open(path, "wb") as f:
            f.write(SOURCE)
        for flags in (["-c", "-g", "-O1"], ["-shared", "-nostdlib", "-g1", "-O1", "-fPIC", "-Wl,--build-id"], ["-shared", "-nostdlib", "-s", "-fPIC"],
                      ["-c", "-gdwarf-4", "-O2", "-gz"], ["-m32", "-c", "-g", "-O1"]):
            if subprocess.run([compiler, *flags, "-o", out, path], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                with open(out, "rb") as f:
                    image = f.read()
                for target in ("fuzz_elf", "fuzz_match"):
                    seeds.add(target, image)


def unwinding(seeds):
    """Entries of .eh_frame and .debug_frame for all code, of forms that compilers write and of some that they do not."""
    def entry(number, body):
        body += bytes(-(len(body) + 4) % 8)
        return struct.pack("<II", len(body) + 4, number) + body
    for machine, common in ((0, b"\x01\0\x01\x78\x10\x0c\x07\x08\x90\x01"), (1, b"\x01\0\x04\x78\x1e\x0c\x1f\0\x14\x1f\0")):
        for rest in (b"\x41\x0e\x10\x86\x02\x43\x0d\x06", b"\x0a\x41\x0e\x10\x41\x0b\x07\x10", b"\x0f\x02\x77\x08\x10\x06\x02\x77\x10\x83\x02\x2d",
                     b"\x41\x0e\x20\x9d\x04\x9e\x03\x44\xde\xdd\x0e\0", b"\x0f\x0b\x77\x08\x80\0\x3f\x1a\x3b\x2a\x33\x24\x22"):
            first = entry(0, common)
            frames = first + entry(len(first) + 4, struct.pack("<QQ", 0x1000, 0x2000) + rest) + bytes(4)
            seeds.add("fuzz_unwind", bytes([machine, 1]) + struct.pack("<HH", 0, len(first)) + frames)
            frames = entry(0xffffffff, common)
            for start, size in ((0x1060, 0xa0), (0x1000, 0x40), (0x1040, 0x20), (0x1090, 0x10), (0, 0)):
                frames += entry(0, struct.pack("<QQ", start, size) + rest)
            seeds.add("fuzz_unwind", bytes([machine | 2, 0]) + frames)
    # ARM: an index whose second and third entries lead to the tables after it
    end = 64 + 2 * 56 + 16   # where the table is: after two headers of segments and an empty index
    tables = b"\x08\x80\x97\x81" + b"\0\x10\0\0" + struct.pack("<II", 0x0184b240, 0xb0b0c901)
    entries = [(0x1000, 0x80a8b0b0), (0x1040, None), (0x1080, None), (0x10c0, 0x80b108b0), (0x1100, 1)]
    index = b""
    for at, (start, word) in enumerate(entries):
        place = end + 8 * at
        table = end + 8 * len(entries) + (4 if at == 2 else 0)
        index += struct.pack("<II", start - place & 0x7fffffff, word if word is not None else table - place - 4 & 0x7fffffff)
    seeds.add("fuzz_unwind", bytes([6, 0]) + index + tables)
    seeds.add("fuzz_unwind", bytes([4, 0]) + index + tables)


def traces(seeds):
    """Packets of each tracer, after a byte that selects the tracer and its settings."""
    for tracer, number in trace_packets.TYPES.items():
        texts = [b"".join(trace_packets.every_packet(tracer))]
        texts += [b"".join(trace_packets.some_packets(tracer, seed, 60)) for seed in range(4)] if tracer in trace_packets.RANDOM else []
        for n, text in enumerate(texts):
            seeds.add("fuzz_auxtrace", bytes([number + 9 * n]) + text)
    chance = random.Random(1)
    framed = coresight_packets.mixed(chance, (1, 2, 3), 60, True)
    for how in (0x03, 0x0c, 0x15, 0x1e):
        for text in (framed, framed[:64] + b"\xff\xff\xff\x7f" * 4 + framed[:160], b"".join(coresight_packets.every_packet(how > 0x10))):
            seeds.add("fuzz_auxtrace", bytes([how]) + text)


def main():
    source, folder = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    seeds = Seeds(folder)
    for data in recordings(source):
        for target in ("fuzz_reader", "fuzz_session", "fuzz_emit", "fuzz_rewrite"):
            seeds.add(target, data)
        take_apart(seeds, data)
    format_texts(seeds, source)
    print_formats(seeds, source)
    directories(seeds, source)
    each_way(seeds, source)
    packed_streams(seeds)
    for target, texts in (("fuzz_kallsyms", (KALLSYMS, *NAMES)), ("fuzz_perf_map", (PERF_MAP,)), ("fuzz_jitdump", (jitdump(),))):
        for text in texts:
            seeds.add(target, text)
    for text in (*BUILD_ID_LISTS, *ANSWERS):
        seeds.add("fuzz_match", text)
    baselines(seeds, source)
    elves(seeds)
    unwinding(seeds)
    traces(seeds)


if __name__ == "__main__":
    main()
