#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What counts occurrences is shown as that: a sample of a tracepoint, a probe, a page fault says that something happened, and no time. `report` says so,
and lists comms where the function belongs to the event; the start page (`perfdata FILE`) names what answers. Prints TAP."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from builder import CALLCHAIN, CONTEXT_USER, ID, IP, PERIOD, TID, TIME, Recording
from program import run, strict_json

KINDS = os.path.join(program.TESTDATA, "kinds-73.data")
TRACE = os.path.join(program.TESTDATA, "trace-73.data")
EVENT_DESC = 12
HARDWARE, SOFTWARE, TRACEPOINT, BREAKPOINT = 0, 1, 2, 5

tap = program.Tap()
report = tap.report


def blocks(*words):
    """{event: its lines} of a report."""
    found = {}
    for block in run("report", "-q", *words).out.decode().strip("\n").split("\n\n"):
        lines = block.split("\n")
        found[lines[0].split(": ")[0]] = lines
    return found


def missing(lines, *wanted):
    return ["no line %r in %s" % (each, lines) for each in wanted if each not in lines]


def kallsyms_of(path, folder):
    """Names for the kernel's leaf functions of a recording: __schedule for those of switches, else fn_ADDRESS; and the text's beginning."""
    lines = [strict_json(line) for line in run("ndjson", "-q", path).out.splitlines()]
    symbols = {next(int(line["addr"], 16) for line in lines if line["type"] in ("mmap", "mmap2") and line["pid"] == -1): "_text"}
    for line in lines:
        if line["type"] == "sample" and line["misc"] == ["KERNEL"]:
            at = int(line["ip"], 16) & ~0xff
            symbols[at] = "__schedule" if line["event"] == "sched:sched_switch" else symbols.get(at, "fn_%x" % at)
    name = os.path.join(folder, "kallsyms")
    with open(name, "w") as out:
        out.writelines("%016x T %s\n" % each for each in sorted(symbols.items()))
    return name


def recording(path, *events):
    """Each event: name, type, config, period (0: a frequency), and its samples (comm's pid, ip, period)."""
    r = Recording()
    made = [r.event(name, ids=(10 + i,), type=type, config=config, sample_type=IP | TID | TIME | ID | PERIOD | CALLCHAIN, period=period or 1000,
                    freq=not period) for i, (name, type, config, period, _samples) in enumerate(events)]
    for pid, comm in ((1, "one"), (2, "two")):
        r.comm(pid, pid, comm)
        r.mmap(pid, pid, 0x400000, 0x10000, 0, "/bin/prog")
    time = 1000
    for event, (_name, _type, _config, _period, samples) in zip(made, events):
        for pid, ip, period in samples:
            time += 1000
            r.sample(event, ip=ip, pid=pid, tid=pid, time=time, period=period, callchain=[CONTEXT_USER, ip])
    r.feature(EVENT_DESC, r.event_desc())
    r.save(path)
    return path


def check_rows(folder):
    names = ("--kallsyms", kallsyms_of(KINDS, folder), "--symbols", "yes")
    switches = blocks(*names, "--event", "sched:sched_switch", KINDS)["sched:sched_switch"]
    report("one function of all switches: comms, and who called it", missing(
        switches, "sched:sched_switch: 4 occurrences (how often, not how long)", "all in __schedule: rows are comms; --callers __schedule shows the callers",
        "  self%    count  comm", " 100.00        4  work"))
    functions = blocks(*names, "--event", "sched:sched_switch", "--by", "symbol", KINDS)["sched:sched_switch"]
    report("--by symbol: functions", missing([line[:37].rstrip() for line in functions], " 100.00  100.00        4  __schedule") +
           missing(functions, "sched:sched_switch: 4 occurrences (how often, not how long)"))
    callers = blocks(*names, "--event", "sched:sched_switch", "--callers", "__schedule", KINDS)["sched:sched_switch"]
    report("the command that the line names answers", [] if len(callers) > 4 and "__schedule" in callers[2] else callers)
    document = strict_json(run("report", "-q", "--json", *names, KINDS).out)
    units = {event["event"]: event["unit"] for event in document["events"]}
    report("JSON: units, and rows as before", ([] if units == {
        "cpu-clock/freq=500/": "ns", "page-faults/period=1/": "occurrences", "sched:sched_switch": "occurrences",
        "raw_syscalls:sys_enter": "occurrences", "raw_syscalls:sys_exit": "occurrences"} else [units]) +
        ([] if document["by"] == "symbol" and all("symbol" in row for event in document["events"] for row in event["rows"]) else [document["by"]]))
    whole = blocks(*names, KINDS)
    report("several that count: how often each was comes first", [] if list(whole)[0] == "events" and [line.split() for line in whole["events"][2:]] == [
        ["59.79", "116", "page-faults/period=1/"], ["19.07", "37", "raw_syscalls:sys_enter"], ["19.07", "37", "raw_syscalls:sys_exit"],
        ["2.06", "4", "sched:sched_switch"]] else [whole["events"]])
    report("functions of a clock beside them stay", [] if whole["cpu-clock/freq=500/"][0].endswith("13 samples, 26.0 ms") and
           "function" in whole["cpu-clock/freq=500/"][2] else [whole["cpu-clock/freq=500/"][:4]])
    report("page faults happen in functions", [] if ["self%", "total%", "count", "function", "file"] in [line.split() for line in whole["page-faults/period=1/"]]
           else whole["page-faults/period=1/"][:4])
    timed = blocks("--symbols", "no", TRACE)["sched:sched_stat_runtime"]
    report("a tracepoint whose period is a time weighs that", missing(
        timed, "sched:sched_stat_runtime: 13 samples, 15.7 ms", "rows are comms; --by symbol lists functions") +
        ([] if strict_json(run("report", "-q", "--json", "--symbols", "no", "--event", "sched:sched_stat_runtime", TRACE).out)["events"][0]["unit"] == "ns"
         else ["unit"]))


def check_kinds(folder):
    path = os.path.join(folder, "built.data")
    here, there = 0x401000, 0x402000
    recording(path, ("faults", SOFTWARE, 2, 0, [(1, here, 30), (2, there, 10)]), ("switches", SOFTWARE, 3, 1, [(1, here, 1), (2, there, 1), (2, there, 1)]),
              ("watch", BREAKPOINT, 0, 1, [(1, here, 1), (2, here, 1), (2, there, 1)]), ("probe:f", TRACEPOINT, 77, 4, [(1, here, 4), (2, here, 4), (2, here, 4)]),
              ("cycles", HARDWARE, 0, 0, [(1, here, 1000)]), ("one", SOFTWARE, 5, 1, [(1, here, 1)]))
    found = blocks("--symbols", "no", path)
    report("a frequency: samples, and how often it happened", missing(found["faults"][:1], "faults: 2 samples of 40 occurrences (how often, not how long)") +
           ([] if found["faults"][2].split() == ["self%", "samples", "count", "comm"] else [found["faults"]]))
    report("context switches in the scheduler", missing(found["switches"], "  66.67        2  two", "  33.33        1  one"))
    report("a probe in its function, every fourth one", missing(
        found["probe:f"], "probe:f: 3 samples of 12 occurrences (how often, not how long)", "  66.67        2         8  two"))
    report("counters are counted as before", missing(found["cycles"][:1], "cycles: 1 sample, 1.00 k"))
    report("a single one", missing(found["one"][:1], "one: 1 occurrence (how often, not how long)"))
    counted = [line.split() for line in found["events"][2:]]
    report("the sum by event counts occurrences", [] if counted[0] == ["67.80", "2", "40", "faults"] and len(counted) == 5 else [counted])


def next_of(path):
    lines = run(path, "--symbols", "no").out.decode().split("\nnext:\n")[1].splitlines()
    return {line.split("  ")[1].replace(" " + path, "").replace("perfdata ", ""): line.split("  ")[-1] for line in lines}


def check_start_page(folder):
    switches, faults = os.path.join(folder, "switches.data"), os.path.join(folder, "faults.data")
    assert run("rewrite", "-q", "--event", "sched:sched_switch", KINDS, "-o", switches).code == 0
    assert run("rewrite", "-q", "--event", "page-faults/period=1/", KINDS, "-o", faults).code == 0
    found = next_of(switches)
    report("switches: nothing is said to be time; tables and a timeline", [] if not any("time goes" in text for text in found.values()) and {
        "report", "flamegraph -o out.html", "perfetto -o out.pftrace", "csv --table event:sched:sched_switch", "parquet -o tables/"} <= set(found) else [found])
    found = next_of(TRACE)
    report("tracepoints without stacks: no picture of them", [] if "flamegraph -o out.html" not in found and "perfetto -o out.pftrace" in found and
           "csv --table event:sched:sched_stat_runtime" in found else [found])
    found = next_of(faults)
    report("page faults", [] if set(found) == {"report", "flamegraph -o out.html", "script", "-v"} and "how often" in found["report"] else [found])
    found = next_of(KINDS)
    report("a clock beside tracepoints", [] if found["report"] == "where the time goes" and "report --by event" in found and
           "perfetto -o out.pftrace" in found else [found])
    found = next_of(os.path.join(program.TESTDATA, "callgraph-73.data"))
    report("a clock alone", [] if found["report"] == "where the time goes" and set(found) == {"report", "flamegraph -o out.html", "script", "-v"}
           else [found])
    for path in (switches, TRACE, KINDS):
        for command in next_of(path):
            words = command.split() if command != "-v" else ["info"]
            if "-o" in words:
                at = words.index("-o") + 1
                words[at] = os.path.join(tempfile.mkdtemp(dir=folder), words[at])
            done = run(*words, path)
            report("%s: `%s` works" % (os.path.basename(path), command), [done.err] if done.code not in (0, 1) or (done.code and words[0] != "match") else [])


with tempfile.TemporaryDirectory() as folder:
    check_rows(folder)
    check_kinds(folder)
    check_start_page(folder)
sys.exit(tap.end())
