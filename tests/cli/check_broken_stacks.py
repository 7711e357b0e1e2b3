#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `info` and `match` say of stacks that end too early, or were cut, is what `report` says; deep stacks are whole. Prints TAP."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from builder import CALLCHAIN, IDENTIFIER, IP, Recording, TID, TIME

USER = 0xfffffffffffffe00   # PERF_CONTEXT_USER
START = 0x400000

tap = program.Tap()


def output(*words):
    return subprocess.run([program.PERFDATA, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120).stdout.decode()


def record(path):
    recording = Recording()
    events = [recording.event(name, ids=[1 + i], type=0, config=i, sample_type=IDENTIFIER | IP | TID | TIME | CALLCHAIN, sample_id_all=1, period=10)
              for i, name in enumerate(("cycles", "instructions"))]
    recording.comm(100, 100, "program", time=1)
    recording.mmap2(100, 100, START, 0x4000, 0, "/srv/work/program", time=2)
    recording.mmap2(100, 100, START + 0x10000, 0x4000, 0, "/srv/work/other", time=2)
    for i in range(90):
        chain = [[START + 8], [START + 8, START + 16, 0x10], [START + 0x10008, START + 16, START + 24]][i % 3]
        recording.sample(events[i % 2], ip=chain[0], pid=100, tid=100, time=3 + i, callchain=[USER] + chain)
    recording.save(path)


def said(text, rest=""):
    return [line[len(rest):] for line in text.split("\n") if line.startswith(rest) and (" of stacks of " in line or " were cut" in line)]


def compare(path, name):
    report = [line for line in said(output("report", "-q", "--color", "never", path)) if line]
    info, match = said(output("info", "-q", "--symbols", "yes", path), "stacks: "), said(output("match", "-q", path))
    # report leaves them out where its rows are no functions, as for tracepoints
    missing = [line for line in report if not any(other.endswith(line) for other in info)]
    tap.report("sentences, %s" % name, [] if not missing and match == info else [missing, info, match])
    events = json.loads(output("report", "-q", "--json", "--top", "1", path) or "{}").get("events", [])
    wanted = [(event["event"], file["dso"], file["stacks"], file["single"], file["outside"]) for event in events for file in event.get("broken_stacks", [])]
    cut = [event["cut_stacks"] for event in events if "cut_stacks" in event]
    for words in (["info", "--symbols", "yes"], ["match"]):
        rows = json.loads(output(*words, "-q", "--json", path)).get("broken_stacks", [])
        found = [(row["event"], row["dso"], row["stacks"], row["single"], row["outside"]) for row in rows if "dso" in row]
        fine = set(found) <= set(wanted) and [row["cut"] for row in rows if "cut" in row] == cut
        tap.report("%s counts as report, %s" % (words[0], name), [] if fine else [wanted, cut, rows])
    return len(report)


def check_deep(folder):
    """kernel.perf_event_max_stack can be raised: outputs have whole chains, `script` as many addresses as perf prints."""
    recording = Recording()
    event = recording.event("cycles", ids=[1], type=0, config=0, sample_type=IDENTIFIER | IP | TID | TIME | CALLCHAIN, sample_id_all=1, period=10)
    chain = [START + at for at in range(1000)]
    recording.comm(100, 100, "program", time=1)
    recording.mmap2(100, 100, START, 0x4000, 0, "/srv/work/program", time=2)
    recording.sample(event, ip=chain[0], pid=100, tid=100, time=3, callchain=[USER] + chain)
    path = os.path.join(folder, "deep.data")
    recording.save(path)
    lines = [output("script", "-q", "-F", "ip", *words, path).split() for words in ([], ["--max-stack", "500"], ["--max-stack", "2000"])]
    tap.report("script prints 127 addresses, or as many as asked for", [] if [len(one) for one in lines] == [127, 500, 1000] else [len(one) for one in lines])
    stack = output("folded", "-q", path).split(";")
    tap.report("folded has all", [] if len(stack) == 1001 else [len(stack)])
    deepest = {"speedscope": lambda profile: max(len(sample) for part in profile["profiles"] for sample in part["samples"]),
               "firefox": lambda profile: profile["shared"]["stackTable"]["length"]}
    for name, depth_of in deepest.items():
        depth = depth_of(json.loads(output(name, "-q", path)))
        tap.report("%s has all" % name, [] if depth == 1000 else [depth])


def check_limit(folder):
    """Stacks with as many addresses as the kernel records were cut, unless a deeper one shows another limit."""
    for depths, cut in (((100, 127, 127), 20), ((100, 127, 200), 0), ((40, 50, 60), 0)):
        recording = Recording()
        event = recording.event("cycles", ids=[1], type=0, config=0, sample_type=IDENTIFIER | IP | TID | TIME | CALLCHAIN, sample_id_all=1, period=10)
        recording.comm(100, 100, "program", time=1)
        recording.mmap2(100, 100, START, 0x4000, 0, "/srv/work/program", time=2)
        for i in range(30):
            chain = [START + at for at in range(depths[i % 3])]
            recording.sample(event, ip=chain[0], pid=100, tid=100, time=3 + i, callchain=[USER] + chain)
        path = os.path.join(folder, "limit.data")
        recording.save(path)
        found = json.loads(output("report", "-q", "--json", "--top", "1", path))["events"][0].get("cut_stacks", 0)
        tap.report("%d stacks of %s were cut" % (cut, depths), [] if found == cut else [found])
        lines = compare(path, "depths %s" % (depths,))
        tap.report("and are reported", [] if lines == (cut > 0) else [lines])


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_deep(folder)
        check_limit(folder)
        path = os.path.join(folder, "perf.data")
        record(path)
        tap.report("a recording with such stacks", [] if compare(path, "built") == 2 else ["none"])
    some = 0
    for name in sorted(os.listdir(program.TESTDATA)):
        path = os.path.join(program.TESTDATA, name)
        if name.endswith(".data") and os.path.isfile(path) and "broken_stacks" in (text := output("report", "-q", "--json", "--top", "1", path)) + (
                "broken_stacks" if "cut_stacks" in text else ""):
            compare(path, name)
            some += 1
    print("# %d recordings" % some)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
