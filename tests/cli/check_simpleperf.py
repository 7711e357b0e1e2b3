#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings of Android's simpleperf: its records in JSON, split ones joined or refused, what its sections say, and what rewriting and
anonymizing make of them. Prints TAP."""
import json
import os
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import run, strict_json

FOLDER = os.path.join(program.TESTDATA, "simpleperf")
NAMES = sorted(name for name in os.listdir(FOLDER) if name.endswith(".data"))
number, failed = 0, 0


def check(what, faults):
    global number, failed
    number += 1
    failed += bool(faults)
    for fault in faults[:5]:
        print("# %s" % (fault,))
    print("%s %d - %s" % ("not ok" if faults else "ok", number, what))


def recording(name):
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()


def written(folder, data, name="made.data"):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def record(kind, body, size=None):
    size = size or 8 + len(body)
    return struct.pack("<IHH", kind, size >> 16, size & 0xffff) + body


def text(s):
    s = s.encode() + b"\0"
    return s + bytes(-len(s) % 8)


def split(whole):
    parts = [record(32772, whole[at:at + 65527]) for at in range(0, len(whole), 65527)]
    return parts + [record(32773, b"")]


def with_records(data, records):
    """The recording with more records in front of its others."""
    offset, size = struct.unpack_from("<QQ", data, 40)
    bits = bin(int.from_bytes(data[72:104], "little")).count("1")
    more = b"".join(records)
    table = b"".join(struct.pack("<QQ", at + len(more), length)
                     for at, length in struct.iter_unpack("<QQ", data[offset + size:offset + size + 16 * bits]))
    return (data[:40] + struct.pack("<QQ", offset, size + len(more)) + data[56:offset] + more + data[offset:offset + size] + table +
            data[offset + size + 16 * bits:])


def lines_of(path, *options):
    return [strict_json(line) for line in run("ndjson", "-q", *options, path).out.splitlines()]


ALL_TYPES = [
    record(32769, struct.pack("<I", 24) + b"ffffffff81000000 T secr\n" + bytes(0)),
    record(32769, struct.pack("<I", 0)),
    record(32770, struct.pack("<QQQ", 2, 7, 0x1000) + text("/secret/libx.so")),
    record(32770, struct.pack("<QQ", 2, 8) + text("/secret/liby.so")),
    record(32771, struct.pack("<QQQ", 0x1100, 64, 7) + text("secret_function")),
    record(32774, struct.pack("<QQQ", 1, 0, 987654)),
    record(32775, struct.pack("<iiQQQQQQQ", 1, 2, 3, 99, 2, 0x401000, 0x402000, 0x7ff0, 0x7ff8)),
    record(32776, struct.pack("<QQQQQQQQQQQ", 99, 5000, 1, 0x8000, 0x7ff0, 0x8000, 2, 1 << 7, 0x7ff0, 0, 0)),
    record(32778, struct.pack("<Q", 99) + text("secret message")),
]
TYPES = ["kernel_symbol", "kernel_symbol", "dso", "dso", "symbol", "event_id", "callchain", "unwinding_result", "debug"]


def check_sound():
    faults = []
    for name in NAMES:
        path = os.path.join(FOLDER, name)
        done = run("check", "--strict", path)
        if done.code:
            faults.append("%s: exit %d: %s" % (name, done.code, done.out.decode()[:200]))
        for line in lines_of(path):
            if "rest" in line or "problem" in line:
                faults.append("%s: %s" % (name, str(line)[:200]))
        features = lines_of(path)[0]["features"]
        faults += ["%s lacks %s" % (name, key) for key in ("meta_info", "file2") if key not in features and name != "split-z.data"]
    check("every recording is sound, also with --strict, and every byte is accounted for", faults)


def check_types(folder):
    path = written(folder, with_records(recording("stacks.data"), ALL_TYPES))
    lines = lines_of(path)
    made = [line for line in lines if line["type"].startswith("simpleperf_")]
    faults = [] if [line["type"][11:] for line in made] == TYPES else [[line["type"] for line in made]]
    faults += [line for line in lines if "rest" in line or "problem" in line]
    if made[2].get("min_vaddr") != "0x1000" or "min_vaddr" in made[3] or made[3]["path"] != "/secret/liby.so":
        faults.append(made[2:4])
    if made[7]["user_regs"]["abi_raw"] != 2 or made[7]["error_code"] != "MEMORY_INVALID":
        faults.append(made[7])
    done = run("check", "--strict", path)
    faults += [done.out.decode()] if done.code else []
    if b"SIMPLEPERF" in run("dump", "-q", path).out or b"SIMPLEPERF" in run("info", "--perf-stats", path).out:
        faults.append("perf leaves these records out")
    check("records of all types", faults)


def check_split(folder):
    symbols = b"".join(b"%016x T function_number_%d\n" % (0xffffffff81000000 + n * 64, n) for n in range(4000))
    body = struct.pack("<I", len(symbols)) + symbols + bytes(-len(symbols) % 8)
    whole = record(32769, body)
    parts = split(whole)
    base = recording("stacks.data")
    path = written(folder, with_records(base, parts))
    joined = [line for line in lines_of(path) if line["type"] == "simpleperf_kernel_symbol"]
    faults = [] if len(joined) == 1 and joined[0]["size"] == len(whole) and joined[0]["kallsyms"].encode() == symbols else ["not joined"]
    for options in ((), ("--compress", "zstd")):
        out = os.path.join(folder, "rewritten.data")
        run("rewrite", "--force", *options, path, "-o", out)
        again = [line for line in lines_of(out) if line["type"] == "simpleperf_kernel_symbol"]
        if len(again) != 1 or again[0]["kallsyms"].encode() != symbols or run("check", "--strict", out).code:
            faults.append("rewritten with %s" % (options,))
    out = os.path.join(folder, "anonymous.data")
    run("anonymize", "--force", path, "-o", out)
    with open(out, "rb") as file:
        bytes_ = file.read()
    again = [line for line in lines_of(out) if line["type"] == "simpleperf_kernel_symbol"]
    if b"function_number" in bytes_ or len(again) != 1 or again[0]["kallsyms"].count("\n") != 4000:
        faults.append("anonymous")
    bad = {
        "no end": parts[:-1], "no parts": parts[-1:], "a record between": parts[:1] + [record(32778, struct.pack("<Q", 1) + text("x"))] + parts[1:],
        "a part is missing": parts[:1] + parts[2:], "too many parts": parts[:1] + parts,
        "a part inside": split(record(32772, bytes(70000))), "a size of its own": split(record(32769, body, len(whole) + 8)),
        "a kernel's record": split(record(1, bytes(70000), 60000)),
    }
    for name, records in bad.items():
        done = run("check", written(folder, with_records(base, records)))
        if done.code != 1 or b"[E120]" not in done.out:
            faults.append("%s: exit %d, %s" % (name, done.code, done.out.decode()[:300]))
        kinds = [line["type"] for line in lines_of(os.path.join(folder, "made.data"))]
        if kinds.count("sample") != 13:
            faults.append("%s: %d samples" % (name, kinds.count("sample")))
    large = with_records(base, [struct.pack("<IHH", 32769, 1, 16) + bytes(65544)])
    if run("check", written(folder, large)).code != 1:
        faults.append("a size of 32 bits in a record that was not joined")
    check("split records are joined, also when rewritten and anonymous; damaged ones are refused, and nothing else is lost", faults)


def check_meta(folder):
    base = recording("stacks.data")
    faults = []
    lost = base.replace(b"userspace_lost_samples=0,userspace_lost_non_samples=0", b"userspace_lost_samples=7,userspace_lost_non_samples=5")
    summary = lines_of(written(folder, lost))[-1]
    if (summary["lost_samples"], summary["lost_records"]) != (7, 5):
        faults.append(summary)
    overview = run(os.path.join(FOLDER, "offcpu.data"), "--symbols", "no").out.decode()
    for words in ("recording of simpleperf", "time off the CPU: traced", "simpleperf: 1.build.12284122", "clock: monotonic", "recorded: 20"):
        faults += [] if words in overview else ["%s is not in: %s" % (words, overview)]
    events = lines_of(os.path.join(FOLDER, "offcpu.data"))[0]["events"]
    if [(event["name"], event["name_source"]) for event in events] != [("cpu-clock", "meta_info"), ("sched:sched_switch", "meta_info")]:
        faults.append(events)
    check("META_INFO: losses, names of events, the device", faults)


def check_java():
    """The map of a JIT is a file of the recording; names are those that simpleperf's own report-sample gives."""
    path = os.path.join(FOLDER, "java.data")
    rows = [row for event in json.loads(run("report", "-q", "--json", "--top", "0", "--symfs", FOLDER, path).out)["events"] for row in event["rows"]]
    names = {row["symbol"] for row in rows if (row["dso"] or "").endswith(".map")}
    check("a JVM: names of compiled methods", [] if {"Interpreter", "void Work.compute(long)"} <= names else [sorted(names)])


def check_unwinding(folder):
    """Reasons of stacks that were not followed to their end, by simpleperf's rule for stacks that were recorded too short."""
    path = os.path.join(FOLDER, "failed.data")
    found = json.loads(run("info", "--json", path).out)["unwinding"]
    faults = [found] if found["errors"] != {"UNWIND_INFO": found["stacks"]} or found["not_enough_stack"] else []
    results = [(1, 0x2000), (1, 0x2000 + (128 << 10)), (1, 0x2001 + (128 << 10)), (1, 0x1fff), (5, 0), (99, 0)]
    made = [record(32776, struct.pack("<6Q", 5, 1, code, at, 0x1000, 0x2000) + bytes(8 * 3)) for code, at in results]
    made.append(record(32776, struct.pack("<4Q", 5, 1, 2, 0)))
    path = written(folder, with_records(recording("stacks.data"), made))
    found = json.loads(run("info", "--json", path).out)["unwinding"]
    wanted = {"stacks": 7, "errors": {"MEMORY_INVALID": 4, "UNWIND_INFO": 1, "MAX_FRAMES_EXCEEDED": 1, "OTHER": 1}, "not_enough_stack": 2}
    faults += [found] if found != wanted else []
    text = run("info", path).out.decode()
    faults += [] if "unwinding: 7 stacks were incomplete: 4 MEMORY_INVALID, 1 UNWIND_INFO, " in text else [text[:2000]]
    faults += ["a recording without"] if "unwinding" in run("info", os.path.join(FOLDER, "zstd.data")).out.decode() else []
    check("why stacks end early", faults)


def check_anonymous(folder):
    faults = []
    for name in NAMES:
        out = os.path.join(folder, "anonymous.data")
        done = run("anonymize", "--force", os.path.join(FOLDER, name), "-o", out)
        plain = os.path.join(folder, "plain.data")
        run("rewrite", "--force", "--compress", "none", out, "-o", plain)
        with open(plain, "rb") as file:
            data = file.read()
        faults += ["%s has %s" % (name, secret) for secret in (b"demo", b"Work", b"outer", b"libjvm", b"tableless", b"inner", b"middle", b"testhost", b"12284122") if secret in data]
        if done.code or run("check", "--strict", out).code:
            faults.append(name)
    path = written(folder, with_records(recording("stacks.data"), ALL_TYPES))
    run("anonymize", "--force", path, "-o", out)
    with open(out, "rb") as file:
        data = file.read()
    kinds = [line["type"] for line in lines_of(out)]
    faults += ["secr"] if b"secr" in data else []
    faults += [kinds] if "simpleperf_debug" in kinds or "simpleperf_callchain" in kinds or kinds.count("simpleperf_dso") != 2 else []
    check("anonymous recordings", faults)


def check_prefixes(folder):
    faults = []
    for data in (with_records(recording("stacks.data"), ALL_TYPES), recording("split-z.data"), recording("nounwind.data")):
        for size in range(0, len(data), max(1, len(data) // (400 if program.ALL else 40))):
            done = run("check", written(folder, data[:size]))
            if done.code not in (0, 1, 3):
                faults.append("%d bytes: exit %d, %s" % (size, done.code, done.err.decode()[:200]))
    check("every prefix ends in a status", faults)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_sound()
        check_types(folder)
        check_split(folder)
        check_meta(folder)
        check_java()
        check_unwinding(folder)
        check_anonymous(folder)
        check_prefixes(folder)
    print("1..%d" % number)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
