#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packets of traces in every output: the same for any number of threads, from files and pipes, packed and not; lines that parse, rows that fit;
recordings that break off, and changed bytes. Prints TAP."""
import csv
import glob
import gzip
import io
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import coresight_packets  # noqa: E402
import trace_packets  # noqa: E402
import program  # noqa: E402
from program import PERFDATA  # noqa: E402

TOP = os.environ.get("top_srcdir") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
KINDS = (["dump", "--aux", "--symbols", "no"], ["ndjson", "--aux", "packets"], ["ndjson", "--aux", "samples"],
         ["csv", "--table", "aux_packets"], ["csv", "--table", "spe_samples"], ["script", "--symbols", "no", "--itrace", "ibfmtaMl"])
tap = program.Tap()


def run(*words, data=None):
    return subprocess.run([PERFDATA, *words], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)


def recordings():
    for path in sorted(glob.glob(os.path.join(TOP, "testdata", "perf", "trace-*"))):
        with open(path, "rb") as f:
            yield os.path.basename(path), f.read()
    # larger than a piece, and than a chunk
    for tracer, size in (("pt", 3 << 20), ("spe", 200000), ("s390", 400000), ("bts", 100001), ("ptt", 90000), ("dtl", 90000)):
        packets = b"".join(trace_packets.every_packet(tracer))
        yield "large " + tracer, trace_packets.recording(tracer, [packets * (size // len(packets)), packets]).file()
    yield "all flags", odd_aux()
    for seed in (0, 4):
        yield "large coresight, seed %d" % seed, coresight_packets.random_recording(seed).file()


def same_ways(path, data):
    for kind in KINDS:
        if len(data) > 1 << 20 and kind[0] != "dump":
            continue
        want = run(*kind, "--jobs", "1", path).stdout
        if run(*kind, "--jobs", "4", path).stdout != want:
            yield "%s differs with four jobs" % kind
        # a pipe has another name
        piped = run(*kind, "-", data=data).stdout
        packed = run(*kind, "-", data=gzip.compress(data, 1)).stdout
        if kind[0] in ("csv", "script") and not want == piped == packed:
            yield "%s differs in a pipe" % kind
        elif kind[0] == "dump" and packets_of(want) != packets_of(piped):
            yield "%s differs in a pipe" % kind
        elif piped.count(b"\n") != packed.count(b"\n"):
            yield "%s differs when packed" % kind


def packets_of(text):
    return [line for line in text.split(b"\n") if line.startswith((b".  0000", b". ... ", b"    ["))]


def lines_fit(path):
    lines = [json.loads(line) for line in run("ndjson", "--aux", "packets", path).stdout.splitlines()]
    packets = [line for line in lines if line["type"] == "aux_packet"]
    samples = [line for line in lines if line["type"] == "spe_sample"]
    only = [json.loads(line) for line in run("ndjson", "--aux", "samples", path).stdout.splitlines()]
    if [line for line in only if line["type"] == "spe_sample"] != samples or any(line["type"] == "aux_packet" for line in only):
        yield "samples alone differ"
    for table, lines in (("aux_packets", packets), ("spe_samples", samples)):
        rows = list(csv.DictReader(io.StringIO(run("csv", "--table", table, path).stdout.decode("utf-8"), newline="")))
        if len(rows) != len(lines):
            yield "%s: %d rows, %d lines" % (table, len(rows), len(lines))
        for row, line in zip(rows, lines):
            if row["aux_offset"] != str(line["aux_offset"]) or row["size"] != str(line["size"]) or row.get("packet") != line.get("packet"):
                yield "%s: %s and %s" % (table, row, line)
    at = {}
    for line in packets:
        if line["trace"] == "cs_etm":    # bytes of several sources alternate
            continue
        buffer = line["offset"] - line["aux_offset"]
        if at.get(buffer, line["offset"]) != line["offset"]:
            yield "%d does not follow %d" % (line["offset"], at[buffer])
        at[buffer] = line["offset"] + line["size"] + line.get("padding", 0)


def survives(data, seed):
    chance = random.Random(seed)
    for _ in range(12):
        broken = bytearray(data[:chance.randrange(len(data))] if chance.random() < 0.5 else data)
        for _ in range(chance.randrange(1, 6)):
            if broken:
                broken[chance.randrange(len(broken))] = chance.getrandbits(8)
        for kind in (KINDS[0], KINDS[1], KINDS[3], KINDS[5]):
            done = run(*kind, "-", data=bytes(broken))
            if done.returncode not in (0, 2, 3, 4):
                yield "%s: exit code %d" % (kind, done.returncode)


KERNEL = 0xffff800008000000


def named_samples():
    """Operations in the kernel have the names, threads and times that `script --itrace` gives them, in NDJSON and CSV."""
    import builder
    chance = random.Random(5)
    payload = b""
    for n in range(40):
        payload += trace_packets.spe_packet(0xb0, KERNEL + chance.randrange(0x3000) & ~(0xff << 56) | 1 << 63 | 1 << 61) + trace_packets.spe_packet(0x64, 100 + n % 2)
        payload += trace_packets.spe_packet(0x4a, 0) + trace_packets.spe_packet(0x52, 2)
        payload += trace_packets.spe_packet(0xb1, KERNEL + chance.randrange(0x3000) & ~(0xff << 56) | 1 << 63 | 1 << 61) + trace_packets.spe_packet(0x71, 1000 + n)
    r = builder.Recording()
    r.mmap(-1, 0, KERNEL, 0x10000000, KERNEL, "[kernel.kallsyms]_text", misc=1)
    trace_packets.fill(r, "spe", [payload, payload], start=trace_packets.SPE_START)
    with tempfile.TemporaryDirectory() as folder:
        path, names = os.path.join(folder, "x.data"), os.path.join(folder, "kallsyms")
        r.save(path)
        with open(names, "w", encoding="ascii") as f:
            f.writelines("%x T %s\n" % (KERNEL + at, name) for at, name in ((0, "_text"), (0x800, "schedule"), (0x1800, "do_idle"), (0x2800, "last")))
        how = ["--symbols", "yes", "--kallsyms", names, path]
        want = [line.split() for line in run("script", "--ns", "--itrace", "i", "-F", "tid,time,ip,addr,sym,symoff,dso", *how).stdout.decode().splitlines()]
        lines = [json.loads(line) for line in run("ndjson", "--names", "--aux", "samples", *how).stdout.splitlines()]
        lines = [line for line in lines if line["type"] == "spe_sample"]
        rows = list(csv.DictReader(io.StringIO(run("csv", "--table", "spe_samples", "--names", *how).stdout.decode(), newline="")))
    if not len(want) == len(lines) == len(rows) == 80 or len({line["pc_at"].get("symbol") for line in lines}) != 4:
        yield "%d samples, %d lines, %d rows; %s" % (len(want), len(lines), len(rows), lines[:1])
    for fields, line, row in zip(want, lines, rows):
        at = line["pc_at"]
        shown = [str(line["tid"]), "%d.%09d:" % divmod(line["time"], 10**9), line["target"][2:], line["pc"][2:], "%s+0x%x" % (at["symbol"], at["symbol_offset"]),
                "(%s)" % at["dso"]]
        if fields != shown:
            yield "%s and %s" % (fields, shown)
        for name in ("pc", "target"):
            place = line[name + "_at"]
            if [row["%s_%s" % (name, part)] for part in ("dso", "symbol", "symbol_offset")] != [place["dso"], place["symbol"], str(place["symbol_offset"])]:
                yield "%s and %s" % (row, line)
        if (row["tid"], row["comm"], row["time"]) != (str(line["tid"]), line["comm"], str(line["time"])):
            yield "%s and %s" % (row, line)


def cut_payload(pipe, by_stdin):
    """A recording that ends inside a payload: what there is of it is given, and the error says so."""
    data = trace_packets.recording("pt", [b"".join(trace_packets.every_packet("pt")) * 20], pipe=pipe).file()
    start = data.index(trace_packets.PSB)
    whole = [line for line in run("dump", "--aux", "--symbols", "no", "-", data=data).stdout.split(b"\n") if line.startswith(b".  0000")]
    with tempfile.NamedTemporaryFile() as file:
        file.write(data[:start + 40000])
        file.flush()
        for kind in (KINDS[0], KINDS[1]):
            done = run(*kind, "-", data=data[:start + 40000]) if by_stdin else run(*kind, file.name)
            if done.returncode != 4 or b"payload" not in done.stderr:
                yield "%s: exit code %d, %s" % (kind, done.returncode, done.stderr)
            if kind[0] == "ndjson":
                lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b'{"type":"aux_packet"')]
                if not lines or lines[-1]["aux_offset"] + lines[-1]["size"] + lines[-1].get("padding", 0) != 40000:
                    yield "the last packet is %s" % lines[-1:]
                continue
            lines = [line for line in done.stdout.split(b"\n") if line.startswith(b".  0000")]
            if not lines or lines[:-20] != whole[:len(lines) - 20]:
                yield "%d lines, which are not the first ones of the whole" % len(lines)


def buffers_of(data):
    """Reads AUXTRACE records and the payload after each: [(tracer, size, offset, reference, idx, tid, cpu, payload)]; and the flags of AUX records."""
    order = "<" if data[:8] == b"PERFILE2" else ">"
    size = struct.unpack_from(order + "Q", data, 8)[0]
    at, end = (16, len(data)) if size == 16 else (lambda place: (place[0], sum(place)))(struct.unpack_from(order + "QQ", data, 40))
    buffers, flags, tracer = [], [], 0
    while at < end:
        kind, _, size = struct.unpack_from(order + "IHH", data, at)
        if kind == 70:
            tracer = struct.unpack_from(order + "I", data, at + 8)[0]
        elif kind == 11:
            flags.append(struct.unpack_from(order + "Q", data, at + 24)[0])
        elif kind == 71:
            said = struct.unpack_from(order + "QQQIii", data, at + 8)
            buffers.append((tracer, *said, data[at + size:at + size + said[0]]))
            at += said[0]
        at += size
    return buffers, flags


def all_packets(path):
    """NDJSON, CSV and the dump have the same packets of CoreSight, where the dump says that they are, and whose."""
    want = re.findall(r"^\tIdx:(\d+); ID:(\w+);\t(\w+) : .*$", run(*KINDS[0], path).stdout.decode(), re.M)
    lines = [json.loads(line) for line in run(*KINDS[1], path).stdout.splitlines() if line.startswith(b'{"type":"aux_packet"')]
    rows = list(csv.DictReader(io.StringIO(run(*KINDS[3], path).stdout.decode(), newline="")))
    shown = [(line["source"][2:], line["packet"].replace("SRC_ADDR_L_32IS0", "SCR_ADDR_L_32IS0")) for line in lines]
    if not want or shown != [packet[1:] for packet in want] or [row["packet"] for row in rows] != [line["packet"] for line in lines]:
        yield "%d packets in the dump, %d lines, %d rows" % (len(want), len(lines), len(rows))
    # OpenCSD does not count some bytes of a frame that are no data
    if any(not 0 <= line["aux_offset"] - int(packet[0]) <= 16 for line, packet in zip(lines, want)):
        yield "packets are elsewhere"


def odd_aux():
    """A recording of two processors whose AUX records have all flags."""
    import builder
    r = builder.Recording()
    kind = builder.IDENTIFIER | builder.IP | builder.TID | builder.TIME | builder.CPU
    r.event("intel_pt//", ids=[101], type=8, sample_type=kind, sample_id_all=1)
    trace_packets.add_info(r, "pt")
    for n in range(24):
        r.record(11, r.pack("QQQ", 64 * n, 64, n), pid=100, tid=100, time=n + 1, cpu=n % 2, id=101)
        trace_packets.add_trace(r, b"".join(trace_packets.some_packets("pt", n, 20 * n)), offset=64 * n, idx=n % 2, cpu=n % 2, reference=n)
    r.feature(18, r.words([0]))
    return r.file()


def counted(path, data):
    """`info` counts buffers and bytes of each tracer, and what AUX records say is missing."""
    buffers, flags = buffers_of(data)
    lines = run("info", "--symbols", "no", path).stdout.decode()
    shown = [(int(nr), int(size)) for nr, size in re.findall(r"^  \S+ +(\d+) buffers +(\d+) bytes$", lines, re.M)]
    want = [(sum(buffer[0] == tracer for buffer in buffers), sum(len(buffer[-1]) for buffer in buffers if buffer[0] == tracer))
            for tracer in sorted({buffer[0] for buffer in buffers})]
    if shown != want:
        yield "info shows %s, there are %s" % (shown, want)
    words = "of %d AUX records: %d truncated, %d partial, %d with collisions" % (len(flags), *(sum(bool(flag & bit) for flag in flags) for bit in (1, 4, 8)))
    if flags and words not in lines:
        yield "info does not show: " + words
    lost = sum(bool(flag & 13) for flag in flags)
    if (", %d pieces of AUX data" % lost in lines) != bool(lost):
        yield "info does not show %d lost pieces" % lost


def kept(path, data, folder):
    """`rewrite` keeps payloads and what their records say, in each form and byte order, plain and compressed."""
    want = buffers_of(data)
    out = os.path.join(folder, "rewritten.data")
    for how in ([], ["--form", "stream"], ["--form", "file"], ["--compress", "zstd"], ["--byte-order", "big"]):
        done = run("rewrite", "--force", *how, path, "-o", out)
        if how and not done.returncode:
            # inside other records, or turned; and back again
            os.replace(out, out + "1")
            done = run("rewrite", "--force", "--compress", "none", "--byte-order", "little", out + "1", "-o", out)
        if done.returncode:
            yield "rewrite %s: exit code %d, %s" % (how, done.returncode, done.stderr[:200])
            continue
        with open(out, "rb") as f:
            got = buffers_of(f.read())
        if got != want:
            yield "rewrite %s: %d payloads, %d AUX records, not %d and %d, or others" % (how, len(got[0]), len(got[1]), len(want[0]), len(want[1]))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, data in recordings():
            path = os.path.join(folder, "x.data")
            with open(path, "wb") as f:
                f.write(data)
            tap.report("%s: the same each way" % name, same_ways(path, data))
            if "coresight" in name:
                tap.report("%s: packets" % name, all_packets(path))
            tap.report("%s: counted" % name, counted(path, data))
            tap.report("%s: rewritten" % name, kept(path, data, folder))
            if len(data) < 20000:
                tap.report("%s: lines and rows" % name, lines_fit(path))
                tap.report("%s: broken" % name, survives(data, len(data)))
    tap.report("samples with names", named_samples())
    for pipe in (False, True):
        for by_stdin in (False, True):
            tap.report("the end inside a payload, %s, %s" % ("stream" if pipe else "file", "piped" if by_stdin else "by name"), cut_payload(pipe, by_stdin))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
