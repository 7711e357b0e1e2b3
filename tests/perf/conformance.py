#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares `perfdata ndjson` with what perf printed for the same recording: counts by record type and by event with `perf report --stats`, and
each sample's fields with `perf script -D`.

usage: conformance.py            the recordings of testdata/ that have perf's text, and the corpus that PERFDATA_CORPUS names
       conformance.py GLOB…      only those
Prints TAP. A corpus is a folder with MANIFEST.tsv and expected/NAME.KIND.zst.
"""
import csv
import fnmatch
import json
import os
import re
import subprocess
import sys

PERFDATA = os.environ.get("PERFDATA", "perfdata")
TOP = os.environ.get("top_srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

HEAD = re.compile(rb"^((?:-?\d+ ){0,2})0x([0-9a-f]+) \[0x([0-9a-f]+)\]: PERF_RECORD_SAMPLE"
                  rb"\(IP, 0x([0-9a-f]+)\): (-?\d+)/(-?\d+): (0x[0-9a-f]+|0) period: (\d+) addr: (0x[0-9a-f]+|0)$")
CHAIN = re.compile(rb"^\.{5}\s+\d+: ([0-9a-f]{16})(?: \((PERF_CONTEXT_\w+)\))?$")
BRANCH = re.compile(rb"^\.{5}\s+\d+: ([0-9a-f]{16}) -> ([0-9a-f]{16}) (\d+) cycles (.)(.)(.)(.) ([0-9a-f]+) ?(\S*) ?(\S*)$")
REGS = re.compile(rb"^\.\.\. (user|intr) regs: mask 0x([0-9a-f]+) ABI (\S+)$")
REG = re.compile(rb"^\.{4} (\S+)\s+0x([0-9a-f]{16})$")
READ_ID = re.compile(rb"^\.{5} id ([0-9a-f]{16}), value ([0-9a-f]{16})(?:, lost (\d+))?$")
STAT = re.compile(rb"^\s+(\w+) events:\s+(\d+)")


def expected(corpus, name, kind):
    path = f"{corpus}/expected/{name}.{kind}"
    if os.path.exists(path):
        with open(path, "rb") as text:
            return text.read()
    path += ".zst"
    if not os.path.exists(path):
        return b""
    return subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout


class Sample:
    """What perf's dump says of one sample."""

    def __init__(self, match):
        self.prefix = [int(x) for x in match[1].split()]
        self.offset, self.size, self.misc = int(match[2], 16), int(match[3], 16), int(match[4], 16)
        self.pid, self.tid = int(match[5]), int(match[6])
        self.ip, self.period, self.addr = int(match[7], 16), int(match[8]), int(match[9], 16)
        self.chain = self.branches = self.weight = self.data_src = self.values = None
        self.phys_addr = self.transaction = self.enabled = self.running = self.ustack = None
        self.regs = {}
        self.is_call_stack = False    # lines that look like a chain's are a call stack's


def take_line(sample, line):
    """One line behind a sample's head; False where the sample's own lines end."""
    if line.startswith(b"....."):
        match = CHAIN.match(line)
        if match and sample.chain is not None:
            if not sample.is_call_stack:
                sample.chain.append(int(match[1], 16))
            return True
        match = BRANCH.match(line)
        if match and sample.branches is not None:
            sample.branches.append((int(match[1], 16), int(match[2], 16), int(match[3]), match[4] == b"M", match[5] == b"P",
                                    match[6] == b"A", match[7] == b"T"))
            return True
        match = READ_ID.match(line)
        if match:
            sample.values.append((int(match[1], 16), int(match[2], 16), int(match[3] or 0)))
            return True
        return True
    if line.startswith(b"...."):
        match = REG.match(line)
        if match:
            sample.regs[sample.reg_kind].setdefault(match[1].decode(), []).append(int(match[2], 16))
        return True
    if line.startswith(b"... FP chain: nr:"):
        sample.chain = []
    elif line.startswith(b"... branch callstack: nr:"):
        sample.is_call_stack = True
    elif line.startswith(b"... branch stack: nr:"):
        sample.branches = []
    elif line.startswith(b"... sample_read:"):
        sample.values = []
    elif line.startswith(b"... weight: "):
        sample.weight = [int(x, 0) for x in line[12:].split(b",")]
    elif line.startswith(b"... ustack: size "):
        sample.ustack = int(line.split()[3].rstrip(b","))
    elif line.startswith(b"... transaction: "):
        sample.transaction = int(line[17:], 16)
    elif line.startswith(b" . data_src: "):
        sample.data_src = int(line[13:], 16)
    elif line.startswith(b" .. phys_addr: "):
        sample.phys_addr = int(line[15:], 16)
    elif line.startswith(b"..."):
        match = REGS.match(line)
        if match:
            sample.reg_kind = match[1].decode()
            sample.regs[sample.reg_kind] = {}
    elif not line.startswith(b" .."):
        return False
    return True


def samples_of_dump(text):
    sample = None
    for line in text.split(b"\n"):
        if b"PERF_RECORD_SAMPLE(" in line:
            match = HEAD.match(line)
            if match:
                sample = Sample(match)
                yield sample
                continue
        if sample is None:
            continue
        if line.startswith(b"...... time "):
            word = line.split()
            setattr(sample, "enabled" if word[2] == b"enabled" else "running", int(word[3], 16))
        elif not take_line(sample, line):
            sample = None


def counts_of_stats(text):
    """({type: records}, {event: deliveries}) of `perf report --stats`."""
    types, events, event = {}, {}, None
    for line in text.split(b"\n"):
        match = STAT.match(line)
        if line.endswith(b" stats:") and not line.startswith(b"Aggregated"):
            event = line[:-7].decode("utf-8", "replace")
        elif match and event is None:
            types[match[1].decode().lower()] = int(match[2])
        elif match and match[1] == b"SAMPLE":
            events[event] = events.get(event, 0) + int(match[2])
    types.pop("total", None)
    types.pop("unknown", None)
    return types, events


def number(value):
    return int(value, 16) if isinstance(value, str) else value


def chain_number(entry):
    names = {"HV": 32, "KERNEL": 128, "USER": 512, "USER_DEFERRED": 640, "GUEST": 2048, "GUEST_KERNEL": 2176, "GUEST_USER": 2560}
    if entry.startswith("PERF_CONTEXT_"):
        return 2**64 - names[entry[13:]]
    return int(entry, 16)


def compare_sample(theirs, ours, has_cpu, has_time, nrcpus):
    """The first field that differs, or None."""
    def differ(name, a, b):
        return None if a == b else f"{name}: perf {a!r}, ours {b!r}"

    prefix = list(theirs.prefix)
    checks = [("size", theirs.size, ours["size"]), ("misc", theirs.misc, ours["misc_raw"])]
    if has_cpu and prefix:
        cpu = prefix.pop(0)
        if "cpu" in ours and not (cpu == 0 and ours["cpu"] is not None and ours["cpu"] >= nrcpus):
            checks.append(("cpu", cpu, ours["cpu"] if ours["cpu"] is not None else 2**32 - 1))
    if has_time and prefix and "time" in ours:
        checks.append(("time", prefix.pop(0), ours["time"]))
    # an off-CPU sample carries its own pid, tid and period in its raw data, and perf prints those
    offcpu = ours.get("event", "").startswith("offcpu-time")
    for key in () if offcpu else ("pid", "tid"):
        if key in ours:
            checks.append((key, getattr(theirs, key), ours[key]))
    for key in ("ip", "addr", "data_src", "phys_addr", "period"):
        if key in ours and getattr(theirs, key) is not None and not (offcpu and key in ("ip", "period")):
            value = ours[key]
            checks.append((key, getattr(theirs, key), number(value["raw"] if isinstance(value, dict) else value)))
    if theirs.chain is not None and not offcpu:
        checks.append(("callchain", theirs.chain, [chain_number(x) for x in ours.get("callchain", ())]))
    if theirs.branches is not None:
        mine = []
        for branch in ours.get("branch_stack", {}).get("entries", ()):
            flags = number(branch["branch_flags"]["raw"])
            mine.append((number(branch["from"]), number(branch["to"]), flags >> 4 & 0xffff, bool(flags & 1), bool(flags & 2),
                         bool(flags & 8), bool(flags & 4)))
        checks.append(("branch_stack", theirs.branches, mine))
    for kind in theirs.regs:
        # without a recorded machine perf takes its own host's register names, so the values alone are compared
        regs = ours.get(f"{kind}_regs", {}).get("regs", {})
        mine = [number(v) for value in regs.values() for v in (value if isinstance(value, list) else [value])]
        checks.append((f"{kind}_regs", sorted(v for values in theirs.regs[kind].values() for v in values), sorted(mine)))
    if theirs.weight is not None:
        struct = ours.get("weight_struct")
        mine = [struct.get("var1", 0), struct.get("var2", 0), struct.get("var3", 0)] if struct else [ours.get("weight")]
        checks.append(("weight", theirs.weight[:len(mine)], mine))
    if theirs.transaction is not None:
        value = ours.get("transaction")
        checks.append(("transaction", theirs.transaction, number(value["raw"] if isinstance(value, dict) else value)))
    if theirs.ustack is not None:
        checks.append(("user_stack", theirs.ustack, ours.get("user_stack", {}).get("dyn_size", 0)))
    if theirs.values is not None:
        read = ours.get("read", {})
        mine = [(v.get("id", 0), v["value"], v.get("lost", 0)) for v in read.get("values", ())]
        checks.append(("read values", theirs.values, mine))
        if theirs.enabled is not None:
            checks.append(("time_enabled", theirs.enabled, read.get("time_enabled")))
        if theirs.running is not None:
            checks.append(("time_running", theirs.running, read.get("time_running")))
    for check in checks:
        problem = differ(*check)
        if problem:
            return problem
    return None


def load(path):
    """(meta, records, summary) of our NDJSON, every line parsed."""
    # the exit code is the business of other tests: files of the corpus may hold notes and losses
    run = subprocess.run([PERFDATA, "ndjson", "-q", path], capture_output=True)
    meta = summary = None
    records = []
    for line in run.stdout.split(b"\n"):
        if not line:
            continue
        record = json.loads(line)
        if record["type"] == "meta":
            meta = record
        elif record["type"] == "summary":
            summary = record
        else:
            records.append(record)
    return run.returncode, meta, records, summary


def check_file(corpus, row):
    """A list of problems."""
    name = row["file"]
    code, meta, records, summary = load(f"{corpus}/{name}")
    if not meta or not summary:
        return ["no meta or summary line"]
    problems = []
    # recorders that were killed leave an unfinished header; perf inject of a pipe into a file leaves a BUILD_ID section of other bytes
    unfinished = "killed" in name or "crash" in name or "inj-bpipe" in name
    if code not in (0, 4) or (code == 4 and not unfinished):
        problems.append(f"exit code {code}")
    counts = {}
    for record in records:
        # perf steps over an EVENT_TYPE that is shorter than the struct of its recorder
        if record["type"] != "event_type" or record["size"] >= 80:
            counts[record["type"]] = counts.get(record["type"], 0) + 1
    counts.pop("unknown", None)     # perf steps over them
    exit_codes = row["perf73_exit"]
    read_whole = exit_codes == "0" or "stats=0" in exit_codes and "dump=0" in exit_codes
    stats = expected(corpus, name, "stats")
    if stats and read_whole:
        types, events = counts_of_stats(stats)
        if types != counts:
            both = sorted(set(types) | set(counts))
            problems.append("records by type: " + ", ".join(
                f"{t} perf {types.get(t, 0)} ours {counts.get(t, 0)}" for t in both if types.get(t) != counts.get(t)))
        # perf reads the two bits of precise_ip of a foreign file the wrong way round, and in a pipe it does not look at the
        # names of EVENT_DESC, but makes them from the attr with all modifiers
        def plain(event):
            if meta["container"] == "pipe":
                event = re.sub(r":[A-Za-z]+$", "", event)
            return re.sub(r":?p+", "", event) if meta["byte_order"] == "big" else event

        # perf does not read the section in which simpleperf names events
        own_names = {}
        if any(event["name_source"] == "meta_info" for event in meta["events"]):
            listed = subprocess.run([PERFDATA, "events", "--perf", f"{corpus}/{name}"], capture_output=True, text=True).stdout
            own_names = dict(enumerate(re.findall(r"^(.*?): type:", listed, re.M)))
        theirs, ours = {}, {}
        for event, count in events.items():
            theirs[plain(event)] = theirs.get(plain(event), 0) + count
        for event in summary["events"]:
            if event["deliveries"]:
                key = plain(own_names.get(event["index"], event["event"]) or "?")
                ours[key] = ours.get(key, 0) + event["deliveries"]
        if events and {k: v for k, v in theirs.items() if v} != ours:
            problems.append(f"deliveries by event: perf {theirs} ours {ours}")
    dump = expected(corpus, name, "dump")
    if not dump:
        dump = expected(corpus, name, "p61.dump")
    theirs = list(samples_of_dump(dump))
    ours = [r for r in records if r["type"] == "sample"]
    union = 0
    for event in meta["events"]:
        union |= event["attr"].get("sample_type_raw", 0)
    for event in summary.get("new_events", ()):
        union |= event["attr"].get("sample_type_raw", 0)
    has_cpu, has_time = bool(union & 0x80), bool(union & 4)
    features = {**meta.get("features", {}), **summary.get("features", {})}
    nrcpus = features.get("nrcpus", {}).get("available", 4096)
    if theirs and read_whole and len(theirs) != len(ours):
        problems.append(f"samples: perf {len(theirs)}, ours {len(ours)}")
    base = 16 if meta["container"] == "pipe" else 0
    for index, (a, b) in enumerate(zip(theirs, ours)):
        if a.offset + base != b["offset"]:
            problems.append(f"sample {index}: perf's is at {a.offset + base:#x}, ours at {b['offset']:#x}")
            break
        problem = compare_sample(a, b, has_cpu, has_time, nrcpus)
        if problem:
            problems.append(f"sample {index} at {b['offset']:#x}: {problem}"[:300])
            break
    return problems


def rows_of(corpus):
    with open(f"{corpus}/MANIFEST.tsv", encoding="utf-8") as manifest:
        for row in csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["kind"] not in ("damaged", "fuzz"):
                yield row


def main():
    globs = sys.argv[1:] or ["*"]
    corpora = [c for c in (f"{TOP}/testdata/perf", os.environ.get("PERFDATA_CORPUS")) if c and os.path.exists(f"{c}/MANIFEST.tsv")]
    tests = [(c, r) for c in corpora for r in rows_of(c) if any(fnmatch.fnmatch(r["file"], g) for g in globs)]
    if not tests:
        print("1..0 # SKIP no recordings with perf's text")
        return 0
    print(f"1..{len(tests)}")
    bad = 0
    for index, (corpus, row) in enumerate(tests, 1):
        try:
            problems = check_file(corpus, row)
        except (ValueError, KeyError, TypeError) as error:
            problems = [f"{type(error).__name__}: {error}"]
        for problem in problems:
            print(f"# {row['file']}: {problem}")
        bad += bool(problems)
        print(f"{'not ' if problems else ''}ok {index} - {row['file']}", flush=True)
    return 1 if bad else 0


sys.exit(main())
