#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `rewrite` keeps by a filter answers as the original does with this filter: samples that read counters weigh the same, time off the CPU is that of
the threads that were asked for, and records of other threads and CPUs are gone. Parts that are merged again are the whole. Prints TAP."""
import collections
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from builder import (CALLCHAIN, CONTEXT_USER, CONTEXT_USER_DEFERRED, CPU, ENABLED, GROUP, ID, IDENTIFIER, IP, LOST, READ, READ_ID, RUNNING, TID, TIME,
                     Recording)
from program import run, strict_json

OWNED = "lost,lost_samples,throttle,unthrottle,read,switch,switch_cpu_wide,stat"
WHERE = ("offset", "inner", "file", "late", "after_gap")   # of a record in its file
LOSSES = re.compile(r"^lost: .*\n\n?", re.M)
# Between these a filter chooses by pid, tid, comm, cpu.
THREADS = [(10, 10, "one", 0), (10, 11, "one", 1), (20, 20, "two", 0), (30, 30, "three", 1)]

tap = program.Tap()
report = tap.report


def records(*words):
    lines = [strict_json(line) for line in run("ndjson", "-q", "--symbols", "no", *words).out.splitlines()]
    return [{key: value for key, value in line.items() if key not in WHERE} for line in lines if line["type"] not in ("meta", "summary")]


def answers(path, *filters):
    """{question: answer}. Losses are stated of a whole recording, whatever the filter."""
    asked = {"weights": ("report", "--by", "comm"), "stacks": ("folded",), "off CPU": ("report", "--by", "comm", "--weight", "off-cpu")}
    found = {title: run(*words, "-q", "--symbols", "no", path, *filters) for title, words in asked.items()}
    found = {title: (done.code, LOSSES.sub("", done.out.decode()).strip("\n") if done.code == 0 else "") for title, done in found.items()}
    return dict(found, records=records("--type", OWNED, path, *filters))


def differences(before, after):
    return ["%s: %s | %s" % (title, before[title], after[title])[:600] for title in before if before[title] != after[title]]


def rewrite(out, *words):
    done = run("rewrite", "-q", "--symbols", "no", "--force", "-o", out, *words)
    return [] if done.code == 0 else ["rewrite %s: %s" % (words, done)]


def comms(recording):
    for pid, tid, comm, cpu in THREADS:
        recording.comm(pid, tid, comm, time=1, cpu=cpu)


def counters(folder, name, big=False, pipe=False, group=True, inherit=1, read_format=READ_ID | LOST):
    """Two threads on each of two CPUs, whose samples read counters: those of their CPU or, where events are inherited, their own."""
    r = Recording(big, pipe)
    formats = read_format | (GROUP if group else 0)
    events = [r.event(event, ids=ids, type=1, config=config, sample_type=IP | TID | TIME | CPU | IDENTIFIER | READ, read_format=formats,
                      period=1 if group else 100, inherit=inherit, sample_id_all=1)
              for event, ids, config in (("cpu-clock", (11, 12), 0), ("page-faults", (21, 22), 2))]
    comms(r)
    totals = collections.Counter()
    samples = []
    for n in range(60):
        pid, tid, _comm, cpu = THREADS[n * n % 7 % 4]
        who = tid if inherit else cpu
        totals[who, 0] += 100 + n
        totals[who, 1] += n % 3
        leader = 0 if group or n % 2 else 1
        values = [(totals[who, i], (11, 21)[i] + cpu, n) for i in ((0, 1) if group else (leader,))]
        samples.append((events[leader], dict(id=(11, 21)[leader] + cpu, ip=0x1000 + n % 4, pid=pid, tid=tid, cpu=cpu, time=1000 + 10 * n, read=values,
                                             enabled=n, running=n)))
    for cpu in (1, 0):   # as their buffers are read: not in the order of time
        for event, sample in samples:
            if sample["cpu"] == cpu:
                r.sample(event, **sample)
    r.record(68)
    path = os.path.join(folder, name)
    r.save(path)
    return path


def switches(folder, wide):
    r = Recording()
    r.event("cpu-clock", ids=(11, 12), type=1, config=0, sample_type=IP | TID | TIME | CPU | IDENTIFIER, period=100, context_switch=1, sample_id_all=1)
    comms(r)
    for n in range(40):
        pid, tid, _comm, cpu = THREADS[n % 4]
        for step, out in ((0, 0), (5, 1)):
            ids = dict(misc=0x2000 * out, pid=pid, tid=tid, cpu=cpu, time=1000 + 10 * n + step, id=11 + cpu)
            r.record(15, r.pack("II", 77, 77), **ids) if wide else r.record(14, **ids)
        ids = dict(pid=pid, tid=tid, cpu=cpu, time=1002 + 10 * n, id=11 + cpu)
        r.sample(r.events[0], ip=0x1000 + n % 3, **ids)
        for type, body in ((2, [11 + cpu, n]), (13, [n]), (5, [1002 + 10 * n, 11 + cpu, 0]), (6, [1003 + 10 * n, 11 + cpu, 0])):
            if n % 5 == type % 5:
                r.record(type, r.words(body), **ids)
        if n % 7 == 0:
            r.record(8, r.pack("II", pid, tid) + r.words([n]), **ids)
    path = os.path.join(folder, "switches-%d.data" % wide)
    r.save(path)
    return path


def counts(folder):
    """As perf stat record writes them: without samples, trailers and times."""
    r = Recording()
    r.event("task-clock", ids=(11, 12), type=1, config=1, sample_type=IDENTIFIER, read_format=ENABLED | RUNNING)
    for cpu in (0, 1, 2, -1):
        r.record(76, r.words([11]) + r.pack("iI", cpu, 0) + r.words([100 + cpu, 5, 5]))
    r.record(77, r.words([1, 5]))
    r.feature(21, b"")
    path = os.path.join(folder, "counts.data")
    r.save(path)
    return path


def deferred(folder):
    r = Recording()
    event = r.event("cycles", ids=(11,), sample_type=IP | TID | TIME | CPU | CALLCHAIN | IDENTIFIER, period=1, sample_id_all=1, defer_callchain=1,
                    defer_output=1)
    comms(r)
    for n in range(8):
        pid, tid, _comm, cpu = THREADS[n % 4]
        r.sample(event, ip=0x1000, pid=pid, tid=tid, cpu=cpu, time=1000 + n, callchain=[CONTEXT_USER_DEFERRED, n])
    for n in range(8):
        pid, tid, _comm, cpu = THREADS[n % 4]
        r.record(22, r.words([n, 2, CONTEXT_USER, 0x1000 + n]), misc=2, pid=pid, tid=tid, cpu=1 - cpu, time=2000 + n, id=11)
    path = os.path.join(folder, "deferred.data")
    r.save(path)
    return path


def filters_of(path):
    """Filters that each let through a part of the samples."""
    samples = records("--names", "--type", "sample", path)
    for option, key in (("--pid", "pid"), ("--tid", "tid"), ("--cpu", "cpu"), ("--comm", "comm"), ("--event", "event")):
        values = collections.Counter(sample.get(key) for sample in samples)
        values.pop(None, None)
        for value in [value for value, _nr in values.most_common()][1:3] if len(values) > 1 else list(values):
            if "*" not in str(value) and "?" not in str(value):
                yield (option, str(value))
    times = sorted(sample["time"] for sample in samples if sample.get("time"))
    if len(times) > 4:
        first, last = times[len(times) // 3], times[2 * len(times) // 3]
        yield ("--time", "%d.%09d,%d.%09d" % (first // 10**9, first % 10**9, last // 10**9, last % 10**9))


def is_same_filtered(path, folder, *forms, filters=None):
    out = os.path.join(folder, "out")
    problems, nr = [], 0
    has_traces = bool(records("-n", "1", "--type", "auxtrace_info", path))
    for words in filters or filters_of(path):
        before = answers(path, *words)
        problems += rewrite(out, path, *words, *forms)
        after = answers(out)
        # a cut has no records from before it, so a wait that began there has no known beginning; waits may be of samples of two events; and traces
        # need the switches of all threads
        if words[0] in ("--time", "--event") or has_traces:
            del before["off CPU"]
        if has_traces:
            del before["records"]
        problems += ["%s %s: %s" % (os.path.basename(path), " ".join(words + forms), problem) for problem in differences(before, after)]
        nr += 1
    return problems if nr else ["no filter of %s was tried" % path]


def recorded():
    """Those whose samples read counters or whose records have owners; the others of testdata/ in tests/perf/rewritten.py."""
    with tempfile.TemporaryDirectory() as folder:
        for path, kind in program.recordings(largest=300000):
            if kind != "real":
                continue
            samples = records("-n", "200", "--type", "sample", path)
            if any("read" in sample for sample in samples) or (samples and records("-n", "1", "--type", OWNED, path)):
                report("filtered: %s" % os.path.basename(path), is_same_filtered(path, folder))


FORMATS = [("group", {}), ("group of CPUs", {"inherit": 0}), ("group, big-endian", {"big": True}), ("group in a stream", {"pipe": True}),
           ("group with times", {"read_format": READ_ID | ENABLED | RUNNING}), ("single counters", {"group": False, "inherit": 0}),
           ("single counters with times", {"group": False, "read_format": READ_ID | ENABLED | RUNNING | LOST})]


def generated():
    with tempfile.TemporaryDirectory() as folder:
        for title, how in FORMATS:
            path = counters(folder, "counters", **how)
            weights = answers(path)["weights"][1]
            problems = [] if "cpu-clock" in weights and "page-faults" in weights else ["weights: %s" % weights]
            report("filtered: counters, %s" % title, problems + is_same_filtered(path, folder))
        path = counters(folder, "counters")
        for forms in (("--form", "stream"), ("--byte-order", "big"), ("--compress", "zstd")):
            report("filtered: counters %s" % " ".join(forms), is_same_filtered(path, folder, *forms))
        for wide in (False, True):
            report("filtered: switches%s" % (", of CPUs" if wide else ""), is_same_filtered(switches(folder, wide), folder))
        report("filtered: deferred chains", is_same_filtered(deferred(folder), folder))


def leaves_others_out():
    """Also what no answer shows: the chains of other threads, counts of other CPUs."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        problems = rewrite(out, deferred(folder), "--pid", "20")
        found = {record["pid"] for record in records("--type", "sample,callchain_deferred", out)}
        problems += [] if found == {20} else ["chains of processes %s" % found]
        path = counts(folder)
        for cpus, wanted in (("0", [0]), ("1-2", [1, 2])):
            problems += rewrite(out, path, "--cpu", cpus)
            found = [record["cpu"] for record in records("--type", "stat", out)]
            shown = [record["cpu"] for record in records("--type", "stat", "--cpu", cpus, path)]
            problems += [] if found == shown == wanted else ["counts of CPUs %s, shown %s, instead of %s" % (found, shown, wanted)]
        report("records of other threads and CPUs are left out", problems)


def is_whole_again():
    """Merged parts weigh what the whole weighs, whether the parts begin anew or were recorded one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        for title, how in FORMATS:
            path = counters(folder, "counters", **how)
            whole = answers(path)
            whole.pop("records")
            for cuts in ([("--pid", "10"), ("--pid", "20"), ("--pid", "30")], [("--time", ",0.000001200"), ("--time", "0.000001201,")]):
                parts = [os.path.join(folder, "part-%d" % n) for n in range(len(cuts))]
                problems = []
                for part, words in zip(parts, cuts):
                    problems += rewrite(part, path, *words)
                out = os.path.join(folder, "out")
                problems += rewrite(out, *parts)
                after = answers(out)
                problems += differences(whole, {key: after[key] for key in whole})
                report("merged again: counters, %s, %s" % (title, cuts[0][0]), problems)


if __name__ == "__main__":
    generated()
    leaves_others_out()
    is_whole_again()
    recorded()
    sys.exit(tap.end())
