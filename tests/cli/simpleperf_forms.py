#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Forms that recordings of Android's simpleperf take: payloads of traces that are compressed, maps in a section of their own, symbols in
records, an index of traces without a number in front, bytes of an older file after the last section, tracepoints without formats, and facts of
the device. Prints TAP."""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import coresight_packets
import perfetto
import trace_packets
from builder import CALLCHAIN, CONTEXT_USER, CPU, ID, IP, PERIOD, TID, TIME, Recording
from program import Tap, run, strict_json

META_INFO, FILE, INIT_MAP = 129, 128, 134


def check(tap, passes, title, detail=""):
    tap.report(title, [] if passes else [detail])


def packed(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


def carriers(data, step=400):
    """COMPRESSED records, as simpleperf writes them: of any size."""
    data = packed(data) if data else b""
    return b"".join(struct.pack("<IHH", 81, 0, 8 + len(data[at:at + step])) + data[at:at + step] for at in range(0, len(data), step))


def compress(r):
    """The records of a recording with traces, compressed as simpleperf does: a frame up to each AUXTRACE record, whose payload is one more."""
    out, records, at, data = bytearray(), bytearray(), 0, bytes(r.data)
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if kind != 71:
            records += data[at:at + size]
            at += size
            continue
        length, = struct.unpack_from("<Q", data, at + 8)
        payload = packed(data[at + size:at + size + length])
        out += carriers(bytes(records)) + data[at:at + 8] + struct.pack("<Q", len(payload)) + data[at + 16:at + size] + payload
        records.clear()
        at += size + length
    r.data = out + carriers(bytes(records))


def packets_of(path):
    """What `ndjson` says of packets, without their places in the file."""
    found = []
    for line in run("ndjson", "-q", "--aux", "packets", path).out.splitlines():
        row = strict_json(line)
        if row["type"] in ("aux_packet", "spe_sample"):
            found.append({key: value for key, value in row.items() if key != "offset"})
    return found


def dumped(path):
    """The lines of packets in a dump."""
    lines = run("dump", "-q", "--aux", path).out.decode("utf-8", "replace").split("\n")
    return [line.split(":", 1)[-1].split(";", 1)[-1] for line in lines if "Idx:" in line or re.match(r"\.  [0-9a-f]{8}:", line)]


def check_payloads(tap, folder):
    builds = {
        "CoreSight": coresight,
        "Arm SPE, larger than a piece": lambda: spe(3000),
        "Arm SPE": lambda: spe(5),
    }
    for name, build in builds.items():
        r = build()
        plain, small, again = (os.path.join(folder, name) for name in ("plain.data", "small.data", "again.data"))
        r.save(plain)
        compress(r)
        r.save(small)
        wanted = packets_of(plain)
        check(tap, len(wanted) > 4 and packets_of(small) == wanted, f"{name}: packets of compressed payloads", f"{len(wanted)} packets")
        check(tap, dumped(small) == dumped(plain), f"{name}: a dump of them")
        check(tap, run("check", "--strict", small).code == 0, f"{name}: check --strict", run("check", "--strict", small).out.decode())
        run("rewrite", "-q", "--force", small, "-o", again)
        check(tap, packets_of(again) == wanted and run("check", "--strict", again).code == 0, f"{name}: rewritten")
        with open(small, "rb") as file:
            data = file.read()
        for at in list(range(104, len(data), max(1, len(data) // 25))):
            with open(again, "wb") as file:
                file.write(data[:at])
            done = run("ndjson", "-q", "--aux", "packets", again)
            if done.code not in (0, 3, 4):
                check(tap, False, f"{name}: cut at {at}", repr(done)[:300])
        place = data.rindex(b"\x28\xb5\x2f\xfd")
        with open(again, "wb") as file:
            file.write(data[:place + 9] + b"\xff" * 20 + data[place + 29:])
        done = run("ndjson", "--aux", "packets", again)
        check(tap, done.code == 4 and b"E401" in done.err, f"{name}: a payload that is broken", repr(done.err)[:300])


def coresight():
    r = coresight_packets.random_recording(4)
    r.feature(META_INFO, b"simpleperf_version\0001\0")
    return r


def spe(count):
    r = Recording()
    trace_packets.fill(r, trace_packets.SPE, trace_packets.spe_operations(29, 2, count))
    r.feature(META_INFO, b"simpleperf_version\0001\0")
    # pairs of offset and size, without their number
    r.feature(18, struct.pack("<QQQQ", 0x1000, 48, 0x2000, 48))
    return r


def maps(r):
    r.comm(7, 7, "worker")
    r.mmap2(7, 7, 0x10000, 0x10000, 0x1000, "/system/bin/work")
    r.mmap2(7, 7, 0x20000, 0x10000, 0, "/system/lib64/libz.so")


def symbols_recording(path, place, sections=True):
    """place: where the maps are: "data", "section", or "compressed" in the section."""
    r = Recording()
    clock = r.event("cpu-clock", ids=[11], type=1, config=0, period=1, sample_type=IP | TID | TIME | CALLCHAIN | ID | CPU | PERIOD,
                    sample_id_all=1, mmap2=1, comm=1)
    maps(r)
    if place != "data":
        records, r.data = bytes(r.data), bytearray()
        r.feature(INIT_MAP, carriers(records, 40) if place == "compressed" else records)
    for n, ip in enumerate((0x11110, 0x21120, 0x2ffff)):
        r.sample(clock, ip=ip, pid=7, tid=7, time=1000 + n, id=11, cpu=0, period=1, callchain=[CONTEXT_USER, ip])
    entries = [(b"/system/bin/work", 0, 0, [(0x2110, 16, b"first")]), (b"/system/lib64/libz.so", 0, 0, [(0x1120, 16, b"second")])]
    section = b""
    for name, min_vaddr, offset, symbols in entries:
        entry = name + b"\0" + struct.pack("<IQI", 2, min_vaddr, len(symbols))
        entry += b"".join(struct.pack("<QI", at, size) + name + b"\0" for at, size, name in symbols) + struct.pack("<Q", offset)
        section += struct.pack("<I", len(entry)) + entry
    r.feature(FILE, section)
    r.feature(META_INFO, b"simpleperf_version\0001\0")
    r.save(path)


def check_init_map(tap, folder):
    texts = {}
    for place in ("data", "section", "compressed"):
        path = os.path.join(folder, place + ".data")
        symbols_recording(path, place)
        texts[place] = run("script", "-q", "-F", "comm,tid,time,ip,sym,dso", path).out.decode()
        check(tap, run("check", "--strict", path).code == 0, f"maps in {place}: check --strict", run("check", "--strict", path).out.decode())
        meta = strict_json(run("ndjson", "-q", path).out.splitlines()[0])
        check(tap, place == "data" or meta["features"]["init_map"][0]["data"], f"maps in {place}: the bytes of the section")
        again = os.path.join(folder, "again.data")
        run("rewrite", "-q", "--force", path, "-o", again)
        check(tap, run("script", "-q", "-F", "comm,tid,time,ip,sym,dso", again).out.decode() == texts[place], f"maps in {place}: rewritten")
        run("anonymize", "-q", "--force", path, "-o", again)
        with open(again, "rb") as file:
            check(tap, b"libz" not in file.read(), f"maps in {place}: anonymous")
    check(tap, "first" in texts["data"] and "second" in texts["data"] and "worker" in texts["data"], "names", texts["data"])
    check(tap, texts["data"] == texts["section"] == texts["compressed"], "maps in a section count from the start", repr(texts))
    symbols_recording(path, "compressed")
    with open(path, "rb") as file:
        data = file.read()
    place = data.rindex(b"\x28\xb5\x2f\xfd")
    with open(path, "wb") as file:
        file.write(data[:place + 8] + b"\xff" * 8 + data[place + 16:])
    done = run("script", path)
    check(tap, done.code == 4 and b"INIT_MAP" in done.err, "maps that do not unpack are said to be lost", repr(done)[:300])


def text(value):
    value = value.encode() + b"\0"
    return value + bytes(-len(value) % 8)


def check_symbol_records(tap, folder):
    """Symbols of 2016, in front of the samples that need them; with and without the least address of the file."""
    r = Recording()
    clock = r.event("cpu-clock", ids=[11], type=1, config=0, period=1, sample_type=IP | TID | TIME | CALLCHAIN | ID | CPU | PERIOD,
                    sample_id_all=1, mmap2=1, comm=1)
    maps(r)
    add = lambda kind, body: r.raw(struct.pack("<IHH", kind, 0, 8 + len(body)) + body)
    add(32770, struct.pack("<QQQ", 2, 5, 0x400000) + text("/system/bin/work"))
    add(32771, struct.pack("<QQQ", 0x401110, 16, 5) + text("_Z5firsti"))
    sample = lambda ip, time: r.sample(clock, ip=ip, pid=7, tid=7, time=time, id=11, cpu=0, period=1, callchain=[CONTEXT_USER, ip])
    sample(0x11110, 1000)
    add(32770, struct.pack("<QQ", 2, 9) + text("/system/lib64/libz.so"))
    add(32770, struct.pack("<QQQ", 0, 2, 0) + text("[kernel.kallsyms]"))
    add(32771, struct.pack("<QQQ", 0, 2**64 - 1, 2) + text("unknown"))
    add(32771, struct.pack("<QQQ", 0x1120, 16, 9) + text("second"))
    add(32771, struct.pack("<QQQ", 0x1120, 16, 1234) + text("of_no_file"))
    sample(0x21125, 2000)
    sample(0x11111, 3000)
    r.feature(11, struct.pack("<I", 1) + r.string("/system/bin/simpleperf"))
    path = os.path.join(folder, "records.data")
    r.save(path)
    for options in ((), ("--jobs", "4"), ("--order", "file")):
        found = run("script", "-q", "-F", "ip,sym", *options, path).out.decode().split()
        check(tap, found == ["11110", "first(int)", "21125", "second", "11111", "first(int)"], f"symbols in records {' '.join(options)}", repr(found))
    for options in ((), ("--compress", "zstd")):
        again = os.path.join(folder, "again.data")
        run("rewrite", "-q", "--force", *options, path, "-o", again)
        found = run("script", "-q", "-F", "ip,sym", again).out.decode().split()
        check(tap, found[1::2] == ["first(int)", "second", "first(int)"], f"rewritten {' '.join(options)}", repr(found))
    run("anonymize", "-q", "--force", "--compress", "zstd", path, "-o", again)
    with open(again, "rb") as file:
        check(tap, b"libz" not in file.read(), "anonymous")
    check(tap, b"first(int)" in run("report", "-q", path).out and run("check", "--strict", path).code == 0, "a report of them")
    with open(path, "rb") as file:
        data = file.read()
    for at in range(104, len(data), 7):
        with open(path, "wb") as file:
            file.write(data[:at])
        done = run("folded", "-q", path)
        if done.code not in (0, 3, 4):
            check(tap, False, f"cut at {at}", repr(done))


def check_valid(tap, folder):
    """Notes, and no more, for what simpleperf writes."""
    path = os.path.join(folder, "valid.data")
    r = Recording()
    r.event("sched:sched_switch", ids=[11], type=2, config=77, period=1, sample_type=IP | TID | TIME | ID | CPU | PERIOD, sample_id_all=1)
    r.comm(7, 7, "worker")
    r.feature(META_INFO, b"event_type_info\0sched:sched_switch,2,77\0")
    r.save(path)
    done = run("check", "--strict", path)
    check(tap, done.code == 0 and b"[N505]" in done.out, "tracepoints without formats", repr(done))
    with open(path, "ab") as file:
        file.write(b"\x01\x02\x03\xff" * 400)
    done = run("check", "--strict", path)
    check(tap, done.code == 0 and b"[N121]" in done.out, "what an older file left after the last section", repr(done))
    spe(4).save(path)
    done = run("check", "--strict", path)
    meta = strict_json(run("ndjson", "-q", path).out.splitlines()[0])
    check(tap, done.code == 0 and meta["features"]["auxtrace"] == [{"offset": "0x1000", "size": 48}, {"offset": "0x2000", "size": 48}],
          "an index of traces without a number", repr(done))


def app_recording(path, form, symbols, kind=2, offset=0x1000, build_id=b"\x11" * 20, facts=None, time=1000, ip=0x10110, off_cpu=False):
    """One file with symbols. form: 128 or 132."""
    r = Recording()
    clock = r.event("cpu-clock", ids=[11], type=1, config=0, period=1, sample_type=IP | TID | TIME | CALLCHAIN | ID | CPU | PERIOD,
                    sample_id_all=1, mmap2=1, comm=1)
    if off_cpu:
        r.event("sched:sched_switch", ids=[12], type=2, config=77, period=1, sample_type=IP | TID | TIME | CALLCHAIN | ID | CPU | PERIOD,
                sample_id_all=1)
    r.comm(7, 7, "worker", time=time)
    r.mmap2(7, 7, 0x10000, 0x10000, 0x1000, "/system/lib64/libapp.so", time=time)
    r.sample(clock, ip=ip, pid=7, tid=7, time=time, id=11, cpu=0, period=1, callchain=[CONTEXT_USER, ip])
    name = b"/system/lib64/libapp.so"
    if form == FILE:
        entry = name + b"\0" + struct.pack("<IQI", kind, 0x2000, len(symbols))
        entry += b"".join(struct.pack("<QI", at, size) + text + b"\0" for at, size, text in symbols)
        entry += struct.pack("<Q", offset) if kind == 2 else struct.pack("<IQ", 1, 0x40)
    else:
        number = lambda field, value: varint(field << 3) + varint(value) if value else b""
        part = lambda field, data: varint(field << 3 | 2) + varint(len(data)) + data
        entry = part(1, name) + number(2, kind) + number(3, 0x2000)
        entry += b"".join(part(4, number(1, at) + number(2, size) + part(3, text)) for at, size, text in symbols)
        entry += part(6, number(1, offset)) if kind == 2 else part(5, part(1, varint(0x40)))
    r.feature(form, struct.pack("<I", len(entry)) + entry)
    r.feature(2, struct.pack("<IHHi", 1, 2, 36 + 24, -1 % 2**32 - 2**32) + build_id + bytes(4) + (name + b"\0").ljust(24, b"\0"))
    r.feature(META_INFO, b"".join(f"{key}\0{value}\0".encode() for key, value in (facts or {"simpleperf_version": "1"}).items()))
    r.save(path)


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def check_merged(tap, folder):
    """One recording of two of the same app: each file once, with the symbols of both."""
    one, two, both = (os.path.join(folder, name) for name in ("one.data", "two.data", "both.data"))
    first, second, inner = (0x2110, 16, b"first"), (0x2200, 32, b"second"), (0x2210, 4, b"inner")
    for forms in ((FILE, FILE), (132, 132), (FILE, 132), (132, FILE)):
        app_recording(one, forms[0], [first, inner], facts={"event_type_info": "cpu-clock,1,0", "record_stat": "sample_record_count=1,userspace_lost_samples=2"})
        app_recording(two, forms[1], [second, first], time=2000, ip=0x10204,
                      facts={"event_type_info": "cpu-clock,1,0\ncpu-cycles,0,0", "record_stat": "sample_record_count=4,userspace_lost_samples=5", "clockid": "perf"})
        done = run("rewrite", "--force", one, two, "-o", both)
        meta, *rows = [strict_json(line) for line in run("ndjson", "-q", both).out.splitlines()]
        sections = [key for key in ("file", "file2") if key in meta["features"]]
        wanted = ["file2"] if 132 in forms else ["file"]
        files = meta["features"].get(wanted[0], [])
        names = [symbol["name"] for file in files for symbol in file["symbols"]]
        check(tap, done.code == 0 and sections == wanted and len(files) == 1 and names == ["first", "second", "inner"],
              f"sections {forms}: one file with the symbols of both", repr((done, meta["features"]))[:600])
        found = run("script", "-q", "-F", "ip,sym", both).out.decode().split()
        check(tap, found == ["10110", "first", "10204", "second"], f"sections {forms}: names", repr(found))
        done = run("check", "--strict", both)
        check(tap, done.code == 1 and done.out.count(b"[") == 1 and b"lost: 0 records, 7 samples [W701]" in done.out,
              f"sections {forms}: nothing wrong but the losses of both", repr(done))
        facts = {fact["key"]: fact["value"] for fact in meta["features"]["meta_info"]}
        check(tap, facts["event_type_info"] == "cpu-clock,1,0\ncpu-cycles,0,0" and facts["clockid"] == "perf" and rows[-1]["lost_samples"] == 7 and
              facts["record_stat"].startswith("sample_record_count=5,"), f"sections {forms}: facts", repr(facts))
    refused = {
        "another build": {"build_id": b"\x22" * 20}, "another segment": {"offset": 0x3000}, "another type": {"kind": 3},
        "another name at an address": {"symbols": [(0x2110, 16, b"other")]}, "another length": {"symbols": [(0x2110, 20, b"first")]},
        "time off the CPU": {"facts": {"trace_offcpu": "true"}, "off_cpu": True},
    }
    app_recording(one, 132, [first])
    for what, how in refused.items():
        app_recording(two, 132, **{"symbols": [second], "time": 2000, **how})
        done = run("rewrite", "--force", one, two, "-o", both)
        check(tap, done.code == 2 and (b"libapp.so" in done.err or b"off the CPU" in done.err), f"refused: {what}", repr(done)[:400])


FACTS = {
    "product_props": "Maker:Phone 5:code", "android_version": "14", "android_sdk_version": "34", "android_build_type": "user",
    "android_build_fingerprint": "maker/code", "kernel_version": "6.1", "app_package_name": "com.example.app", "app_type": "debuggable",
    "simpleperf_version": "1.2", "clockid": "monotonic", "timestamp": "1700000000", "system_wide_collection": "false", "trace_offcpu": "true",
}


def check_device(tap, folder):
    path = os.path.join(folder, "device.data")
    r = Recording()
    r.event("cpu-clock", ids=[11], type=1, config=0, period=1, sample_type=IP | TID | TIME | ID | CPU | PERIOD, sample_id_all=1)
    r.comm(7, 7, "worker")
    r.feature(META_INFO, b"".join(f"{key}\0{value}\0".encode() for key, value in FACTS.items()))
    r.save(path)
    wanted = {"manufacturer": "Maker", "model": "Phone 5", "name": "code", "android_version": "14", "android_sdk_version": 34,
              "android_build_type": "user", "android_build_fingerprint": "maker/code", "kernel_version": "6.1", "app": "com.example.app",
              "app_type": "debuggable", "simpleperf_version": "1.2", "clock": "monotonic", "recorded": 1700000000, "system_wide": False,
              "trace_offcpu": True}
    meta = strict_json(run("ndjson", "-q", path).out.splitlines()[0])
    check(tap, meta["device"] == wanted, "the device in meta", repr(meta.get("device")))
    check(tap, json.loads(run("info", "--json", path).out)["meta"]["device"] == wanted, "the device in info --json")
    for words in (("info",), ()):
        shown = run(*words, path).out.decode()
        lines = ("recorded: 2023-11-14 22:13:20 UTC", "device: Maker Phone 5 code", "android: 14, SDK 34, user build, maker/code",
                 "app: com.example.app, debuggable", "clock: monotonic", "time off the CPU: traced")
        check(tap, all(line in shown.split("\n") for line in lines), f"the device in {' '.join(words) or 'the overview'}", shown)
    r.feature(META_INFO, b"product_props\0::\0android_sdk_version\0x\0trace_offcpu\0maybe\0app_package_name\0\xff\xfe\0timestamp\0\0clockid")
    r.save(path)
    meta = strict_json(run("ndjson", "-q", path).out.splitlines()[0])
    check(tap, meta["device"] == {"app": "\ufffd\ufffd", "app_hex": "fffe"}, "facts that say nothing, or are no text", repr(meta["device"]))


def without_switches(data):
    """A recording with --trace-offcpu as simpleperf made it before 2021: the attr asks for no SWITCH records, and there are none."""
    data = bytearray(data)
    attrs = struct.unpack_from("<Q", data, 24)[0]
    flags, = struct.unpack_from("<Q", data, attrs + 40)
    struct.pack_into("<Q", data, attrs + 40, flags & ~(1 << 26))
    offset, size = struct.unpack_from("<QQ", data, 40)
    nr = bin(int.from_bytes(data[72:104], "little")).count("1")
    kept, at = b"", offset
    while at < offset + size:
        kind, upper, lower = struct.unpack_from("<IHH", data, at)
        length = lower + (upper << 16 if kind > 32768 else 0)
        kept += data[at:at + length] if kind != 14 else b""
        at += length
    less = size - len(kept)
    sections = [struct.unpack_from("<QQ", data, offset + size + 16 * i) for i in range(nr)]
    table = b"".join(struct.pack("<QQ", start - less if start else 0, length) for start, length in sections)
    struct.pack_into("<Q", data, 48, len(kept))
    return bytes(data[:offset]) + kept + table + bytes(data[offset + size + 16 * nr:])


def check_viewers(tap, folder):
    """Firefox's profiler and Perfetto, as they show simpleperf's own reports: kinds of code, the app, time off the CPU, threads with their names."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testdata", "simpleperf", "offcpu.data")
    sums = {}
    for weight in ("wall", "period", "samples", None):
        profile = json.loads(run("firefox", "-q", *(("--weight", weight) if weight else ()), path).out)
        samples = [thread["samples"] for thread in profile["threads"]]
        kinds = {one["weightType"] for one in samples}
        sums[weight] = sum(sum(one["weight"] or []) for one in samples)
        check(tap, kinds == ({"samples"} if weight == "samples" else {"tracing-ms"}), f"firefox --weight {weight}: of time", repr(kinds))
    check(tap, sums["wall"] == sums[None] > sums["period"] > 0 == sums["samples"], "weights of firefox", repr(sums))
    folded = sum(int(line.rpartition(" ")[2]) for line in run("folded", "-q", path).out.decode().splitlines())
    check(tap, abs(sums["wall"] * 1e6 - folded) < 1, "the same as of folded stacks", f"{sums['wall']} {folded}")
    trace = perfetto.Trace(run("perfetto", "-q", path).out)
    check(tap, set(trace.sums) == {"cpu-clock", "sched:sched_switch"} and not trace.tracepoints and len(trace.states) > 10 and
          set(trace.names.values()) >= {"work"}, "perfetto: who runs is in SWITCH records", repr((trace.sums.keys(), trace.tracepoints, trace.names)))
    old = os.path.join(folder, "old.data")
    with open(path, "rb") as file, open(old, "wb") as to:
        to.write(without_switches(file.read()))
    trace = perfetto.Trace(run("perfetto", "-q", old).out)
    samples = [json.loads(line) for line in run("ndjson", "-q", "--type", "sample", "-e", "type,time,tid,event,fields", old).out.splitlines()]
    wanted, last = [], {}
    for sample in samples:
        if sample["type"] == "sample":
            out = sample["event"] == "sched:sched_switch"
            state = 3 if not out else 4 if sample["fields"]["prev_state"] & 0xff else 2
            if last.get(sample["tid"]) != state:
                wanted.append((sample["tid"], state))
            last[sample["tid"]] = state
    check(tap, trace.states == wanted and {3, 4} <= {state for _, state in wanted} and not trace.tracepoints,
          "perfetto: without SWITCH records samples say who runs", f"{trace.states[:4]} instead of {wanted[:4]}")
    app_recording(path := os.path.join(folder, "app.data"), 132, [(0x2110, 16, b"first")], facts={"app_package_name": "com.example.app"})
    profile = json.loads(run("firefox", "-q", path).out)
    names = [category["name"] for category in profile["meta"]["categories"]]
    kinds = [names[at] for at in profile["shared"]["frameTable"]["category"]]
    check(tap, profile["meta"]["product"] == "com.example.app" and kinds == ["System"] and {"Native", "Java", "Kernel"} < set(names) and
          profile["threads"][0]["name"] == "worker", "firefox: the app and kinds of code", repr((profile["meta"]["product"], kinds, names)))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        check_payloads(tap, folder)
        check_init_map(tap, folder)
        check_symbol_records(tap, folder)
        check_valid(tap, folder)
        check_merged(tap, folder)
        check_device(tap, folder)
        check_viewers(tap, folder)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
