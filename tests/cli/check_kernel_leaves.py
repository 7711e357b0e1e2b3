#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Samples in the kernel whose chain has only user space (perf record --user-callchains): in every view of functions, the sample's own address is where the time
went, and the chain has its callers. Outputs of records keep the chain as it was recorded. Prints TAP."""
import collections
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import perfetto
import program
import views
from builder import BRANCH_STACK, CALLCHAIN, CONTEXT_KERNEL, CONTEXT_USER, HYPERVISOR, IP, KERNEL, PERIOD, TID, TIME, USER, Recording
from program import run

TEXT, PROGRAM = 0xffffffff81000000, 0x400000
READING, WRITING, VIRTUAL = TEXT + 0x1010, TEXT + 0x2010, TEXT + 0x7000
CALL, OUTER = PROGRAM + 0x111, PROGRAM + 0x222
CALL_STACK = 1 << 11 | 1                   # of branches in user space
CONTEXT_HV = 2**64 - 32
CHAIN = [CONTEXT_USER, CALL, OUTER]
# cpumode, address, chain, samples, the line of folded; one chain has leaves in the kernel and in user space
SAMPLES = [
    (USER, CALL, CHAIN, 1, "demo;program+0x222;program+0x111"),
    (KERNEL, READING, CHAIN, 3, "demo;program+0x222;program+0x111;reading"),
    (KERNEL, WRITING, CHAIN, 2, "demo;program+0x222;program+0x111;writing"),
    (USER, CALL, CHAIN, 1, "demo;program+0x222;program+0x111"),
    (KERNEL, READING, [CONTEXT_KERNEL, READING, CONTEXT_USER, CALL, OUTER], 1, "demo;program+0x222;program+0x111;reading"),
    (KERNEL, WRITING, [CONTEXT_USER], 1, "demo;writing"),
    (KERNEL, WRITING, [], 1, "demo;writing"),
    (HYPERVISOR, VIRTUAL, CHAIN, 1, "demo;program+0x222;program+0x111;[unknown]"),
]
IN_FILE = "[unknown] (program)"
OWN = {IN_FILE: 2, "reading": 4, "writing": 4, "[unknown]": 1}
tap = program.Tap()


def equal(title, got, wanted):
    tap.report(title, [] if got == wanted else ["got %s\nnot %s" % (got, wanted)])


def save(path, samples, **flags):
    r = Recording()
    fields = IP | TID | TIME | PERIOD | CALLCHAIN
    event = r.event("cpu-clock", ids=[1], type=1, sample_type=fields, sample_id_all=1, period=1000, **flags)
    r.mmap(-1, 0, TEXT, 0x4000, TEXT, "[kernel.kallsyms]_text", misc=KERNEL, time=1)
    r.comm(100, 100, "demo", time=2)
    r.mmap2(100, 100, PROGRAM, 0x10000, 0, "/absent/program", time=3)
    time = 1000
    for mode, address, chain, count, _line in samples:
        for _ in range(count):
            time += 1000
            r.sample(event, misc=mode, ip=address, pid=100, tid=100, time=time, period=1000, callchain=chain)
    r.save(path)


def function(name, file=""):
    """What report calls a function."""
    if name not in ("", "[unknown]"):
        return name
    return IN_FILE if os.path.basename(file) == "program" else "[unknown]"


def of_sums(sums, unit=1000):
    found = collections.Counter()
    for (name, file), weight in sums.self_weight.items():
        found[function(name, file)] += weight // unit
    return {name: weight for name, weight in found.items() if weight}


def of_firefox(data):
    profile = json.loads(data)
    shared, found = profile["shared"], collections.Counter()
    for thread in profile["threads"]:
        for stack in thread["samples"]["stack"]:
            at = shared["frameTable"]["func"][shared["stackTable"]["frame"][stack]]
            resource = shared["funcTable"]["resource"][at]
            file = "" if resource in (None, -1) else shared["stringArray"][shared["resourceTable"]["name"][resource]]
            name = shared["stringArray"][shared["funcTable"]["name"][at]]
            found[IN_FILE if name.startswith("0x") or "program" in name else function(name, file)] += 1
    return dict(found)


def of_speedscope(data):
    document = json.loads(data)
    for frame in document["shared"]["frames"]:
        frame["name"] = function(frame["name"].split(" (")[0], frame.get("file", ""))
    return {name: weight // 1000 for name, weight in views.speedscope_profiles(document)["cpu-clock"][0][2].items()}


def of_report(data):
    rows = json.loads(data)["events"][0]["rows"]
    found = collections.Counter()
    for row in rows:
        found[function(row["symbol"] or "", row.get("dso") or "")] += row["self_samples"]
    return {name: samples for name, samples in found.items() if samples}


def of_annotate(data):
    return {found["symbol"]: sum(row["sums"][0][0] for row in found["rows"]) for found in json.loads(data)["functions"]}


VIEWS = [
    (("report", "--json"), of_report), (("pprof",), lambda data: of_sums(next(iter(views.Pprof(data).sums().values())))),
    (("flamegraph",), lambda data: of_sums(views.Page(data).sums()["cpu-clock"])), (("callgrind",), lambda data: of_sums(views.Callgrind(data).sums()["cpu_clock"])),
    (("otlp",), lambda data: of_sums(views.Otlp(data).found[0][2])), (("speedscope",), of_speedscope),
    (("perfetto",), lambda data: of_sums(perfetto.Trace(data).sums["cpu-clock"])), (("firefox",), of_firefox),
]
# these have no name or time of the file
OF_STACKS = [("folded", "--addresses"), ("report", "--json"), ("annotate", "--json"), ("pprof",), ("callgrind",), ("perfetto",)]


def check_views(path, whole, names):
    for words, read in VIEWS:
        for jobs in ("1", "3"):
            equal("%s -j %s: each function by itself" % (" ".join(words), jobs), read(run(*words, "-q", "-j", jobs, "--kallsyms", names, path).out), OWN)
    equal("annotate: the samples of each function", of_annotate(run("annotate", "--json", "-q", "--kallsyms", names, path).out), {"reading": 4, "writing": 4})
    lines = collections.Counter()
    for _mode, _address, _chain, count, line in SAMPLES:
        lines[line] += count
    text = run("folded", "--addresses", "-q", "--kallsyms", names, path).out.decode().replace("/absent/", "")
    equal("folded: the address is above its callers", text, "".join("%s %d\n" % line for line in sorted(lines.items())))
    for words in OF_STACKS:
        outputs = [run(*words, "-q", "--kallsyms", names, each).out for each in (path, whole)]
        tap.report("%s: as of chains with the kernel's part" % " ".join(words), [] if outputs[0] == outputs[1] and outputs[0] else outputs)


def check_filters(path, names):
    for words, wanted in ((("--dso", "[kernel.kallsyms]"), {"reading": 4, "writing": 4}), (("--symbol", "reading"), {"reading": 4})):
        equal("report %s" % " ".join(words), of_report(run("report", "--json", "-q", "--kallsyms", names, *words, path).out), wanted)


def check_records(path, names):
    """Outputs of records have the address and the chain apart."""
    wanted = [("0x%x" % address, ["0x%x" % word for word in chain if word < 2**63 or word == address]) for _mode, address, chain, count, _line in SAMPLES
              for _ in range(count)]
    stacks, found = {}, []
    for line in run("ndjson", "-q", "--stacks", "ref", path).out.splitlines():
        record = json.loads(line)
        if record["type"] == "stack":
            stacks[record["stack_id"]] = [frame["ip"] for frame in record["frames"]]
        elif record["type"] == "sample":
            found.append((record["ip"], stacks.get(record.get("stack_id"), [])))
    equal("ndjson --stacks ref: the address and the chain as recorded", found, wanted)
    script = run("script", "-q", "--kallsyms", names, path).out.decode()
    shown = [[line.split()[0] for line in block.splitlines()[1:]] for block in script.split("\n\n") if block.strip()]
    equal("script: the chain as recorded", shown, [[word[2:] for word in chain] for _address, chain in wanted])


def check_diff(folder, names):
    """A function of the kernel that takes more time by itself than before is the one that diff names."""
    sides = []
    for side, count in (("before", 400), ("after", 800)):
        for n in range(3):
            sides.append(os.path.join(folder, "%s%d.data" % (side, n)))
            save(sides[-1], [(KERNEL, READING, CHAIN, count + n, ""), (KERNEL, WRITING, CHAIN, 600, "")], exclude_callchain_kernel=1)
    stored = os.path.join(folder, "before.baseline")
    run("baseline", "-q", "--kallsyms", names, "-o", stored, *sides[:3])
    for title, before in (("recordings", sides[:3]), ("a baseline", [stored])):
        done = run("diff", "-q", "--json", "--kallsyms", names, "--before", *before, "--after", *sides[3:])
        rows = [row for event in json.loads(done.out)["events"] for row in event["rows"]]
        regressed = [row for row in rows if row["state"] == "regressed"]
        tap.report("diff against %s: the function of the kernel regressed" % title,
                   [] if done.code == 1 and any("reading" in str(row) for row in regressed) and not any("writing" in str(row) for row in regressed) else [done])


def check_call_stack(path, names):
    """A call stack of branches begins with the sample's own address."""
    r = Recording()
    event = r.event("cycles", ids=[1], type=0, sample_type=IP | TID | TIME | CALLCHAIN | BRANCH_STACK, branch_sample_type=CALL_STACK, sample_id_all=1,
                    exclude_callchain_kernel=1)
    r.mmap(-1, 0, TEXT, 0x4000, TEXT, "[kernel.kallsyms]_text", misc=KERNEL, time=1)
    r.comm(100, 100, "demo", time=2)
    r.mmap2(100, 100, PROGRAM, 0x10000, 0, "/absent/program", time=3)
    branches = [(CALL, READING, 0), (OUTER, PROGRAM + 0x100, 0)]
    r.sample(event, misc=KERNEL, ip=READING, pid=100, tid=100, time=9, callchain=CHAIN, branches=branches)
    r.save(path)
    text = run("folded", "-q", "--addresses", "--kallsyms", names, path).out.decode().replace("/absent/", "")
    equal("folded of a call stack of branches", text, "demo;program+0x222;program+0x111;reading 1\n")


def main():
    with tempfile.TemporaryDirectory() as folder:
        path, whole, names = os.path.join(folder, "user.data"), os.path.join(folder, "whole.data"), os.path.join(folder, "kallsyms")
        with open(names, "w", encoding="ascii") as out:
            out.write("%x T _text\n%x t reading\n%x t writing\n%x T _etext\n" % (TEXT, TEXT + 0x1000, TEXT + 0x2000, TEXT + 0x3000))
        save(path, SAMPLES, exclude_callchain_kernel=1)
        markers = {KERNEL: CONTEXT_KERNEL, HYPERVISOR: CONTEXT_HV}
        save(whole, [(mode, address, [markers[mode], address] + chain if mode in markers and chain == CHAIN else chain, count, line)
                     for mode, address, chain, count, line in SAMPLES])
        check_views(path, whole, names)
        check_filters(path, names)
        check_records(path, names)
        check_diff(folder, names)
        check_call_stack(os.path.join(folder, "branches.data"), names)
    return tap.end()


sys.exit(main())
