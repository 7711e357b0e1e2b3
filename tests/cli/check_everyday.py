#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Right answers in everyday conditions, on recordings that are written here: names of threads after their end, in every
view; and what an empty answer says. Prints TAP."""
import csv
import json
import os
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from builder import CALLCHAIN, CPU, IP, KERNEL, PERIOD, TID, TIME, Recording
from program import run

FORK, EXIT = 7, 4
TEXT = 0xffffffff81000000
CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
SWITCH_CPU_WIDE, MISC_SWITCH_OUT = 15, 1 << 13

tap = program.Tap()


def different(got, wanted):
    return [] if got == wanted else ["got %s\nnot %s" % (got, wanted)]


def lines_of(words):
    done = run(*words)
    return done.out.decode().splitlines() + ([] if done.code == 0 else ["exit code %d: %s" % (done.code, done.err.decode())])


# --- a thread runs on after its EXIT record, until it is switched out for the last time ---


def exited_recording(path):
    r = Recording()
    clock = r.event("cpu-clock", ids=[1], type=1, sample_type=IP | TID | TIME | CPU | PERIOD, sample_id_all=1, period=1000, context_switch=1)
    time = 1000

    def sample(tid):
        nonlocal time
        time += 1000
        r.sample(clock, misc=KERNEL, ip=0xffffffff81000000, pid=tid, tid=tid, time=time, cpu=0, period=1000)

    def switch(tid, out, other):
        nonlocal time
        time += 1000
        r.record(SWITCH_CPU_WIDE, struct.pack("<II", other, other), MISC_SWITCH_OUT if out else 0, pid=tid, tid=tid, time=time, cpu=0)

    r.comm(100, 100, "shell", time=1000)
    r.task(FORK, 200, 100, 200, 100, 1500)
    r.comm(200, 200, "short", time=1600)
    switch(200, False, 100)
    sample(200)
    time += 500
    r.task(EXIT, 200, 100, 200, 100, time)
    sample(200)
    sample(200)
    switch(200, True, 100)
    switch(100, False, 200)
    sample(100)
    # its number goes to another one, which has the name of its parent until it calls exec
    time += 500
    r.task(FORK, 200, 100, 200, 100, time)
    sample(200)
    # nobody named this one
    sample(300)
    r.save(path)


def exited(folder):
    path = os.path.join(folder, "exited.data")
    exited_recording(path)
    report = json.loads(run("report", "--json", "--by", "comm", path).out)
    counts = {row["comm"]: row["self_samples"] for group in report["events"] for row in group["rows"]}
    tap.report("report: samples after EXIT have the thread's name", different(counts, {"short": 3, "shell": 2, ":300": 1}))
    names = ["short"] * 3 + ["shell"] * 2 + [":300"]
    for words in (["csv", "-q", "-e", "comm", "--names", "--type", "sample", path], ["csv", "-q", "-e", "comm", "--type", "sample", path]):
        tap.report("%s: the same" % " ".join(words[:5]), different(lines_of(words)[1:], names))
    of_script = [line.split()[0] for line in lines_of(["script", "-q", path])]
    tap.report("script calls it :TID, as perf script", different(of_script, ["short", ":200", ":200", "shell", "shell", ":300"]))
    tap.report("a filter takes it by its name", different(len(lines_of(["script", "-q", "--comm", "short", path])), 3))
    tap.report("but perf's by perf's", different(len(lines_of(["perf", "script", "--comms", "short", "-i", path])), 1))
    threads = [(row["comm"], row["self_samples"]) for row in json.loads(run("report", "--json", "--by", "thread,comm", path).out)["events"][0]["rows"]]
    tap.report("report --by thread,comm: one row a thread", different(sorted(threads), [(":300", 1), ("shell", 1), ("shell", 1), ("short", 3)]))
    for table in ("threads_time", "spans"):
        rows = csv.DictReader(lines_of(["csv", "-q", "--table", table, path]))
        tap.report("table %s has its name" % table, different(sorted(row["comm"] for row in rows), ["shell", "short"]))


# --- --limit counts records, of which the first ones are no samples ---


def limited():
    path = os.path.join(program.TESTDATA, "callgraph-73.data")
    for command, advice in (("report", True), ("folded", False), ("pprof", False), ("script", False)):
        said = run(command, "--limit", "6", path).err.decode()
        tap.report("%s --limit 6: says why it is empty" % command,
                   [] if "--limit 6 counts records" in said and ("--top N" in said) == advice else [said])
    tap.report("a limit that samples reach needs no note", [] if b"--limit" not in run("report", "--limit", "100", path).err else ["a note"])
    tap.report("nor do formats of records", [] if b"--limit" not in run("ndjson", "--limit", "6", path).err else ["a note"])


# --- diff: a caller without a name is an ancestor of what it calls, too ---


def of_nameless_caller(path, work):
    """A function of the kernel, called from an address of a file that is not here; it does so much work beside 600 samples of others."""
    r = Recording()
    clock = r.event("cpu-clock", ids=[1], type=1, sample_type=IP | TID | TIME | PERIOD | CALLCHAIN, sample_id_all=1, period=1000)
    r.mmap(-1, 0, TEXT, 0x1000000, TEXT, "[kernel.kallsyms]_text", misc=KERNEL, time=1)
    r.comm(100, 100, "caller", time=2)
    r.mmap2(100, 100, 0x10000000, 0x100000, 0, "/absent/library.so", build_id=bytes(range(20)), time=3)
    stacks = [[CONTEXT_KERNEL, TEXT + 0x1010, CONTEXT_USER, 0x10001234]] * work + [[CONTEXT_KERNEL, TEXT + 0x2010]] * 600
    for time, chain in enumerate(stacks):
        r.sample(clock, misc=KERNEL, ip=chain[1], pid=100, tid=100, time=1000 * (time + 1), period=1000, callchain=chain)
    r.save(path)


def nameless_caller(folder):
    kernel = os.path.join(folder, "kernel")
    with open(kernel, "w", encoding="ascii") as out:
        out.write("%x T _text\n%x t hot\n%x t steady\n%x T _etext\n" % (TEXT, TEXT + 0x1000, TEXT + 0x2000, TEXT + 0x3000))
    paths = [os.path.join(folder, "%s%d.data" % (side, n)) for side in ("before", "after") for n in range(3)]
    for n, path in enumerate(paths):
        of_nameless_caller(path, (400 if n < 3 else 600) + n % 3)
    done = run("diff", "--json", "--kallsyms", kernel, "--before", *paths[:3], "--after", *paths[3:])
    rows = [row for event in json.loads(done.out)["events"] for row in event["rows"]]
    causes = {row.get("symbol") or str(row): row.get("cause") for row in rows if row["state"] == "regressed"}
    tap.report("diff: a caller without a name is no cause", [] if done.code == 1 and len(causes) == 2 and list(causes.values()).count(None) == 1 and
               all("hot" in (cause or key) for key, cause in causes.items()) else [causes, rows[:2], done.err])


# --- diff: a stored side is as good as its recordings ---


def stored_side(folder):
    """Sums of squared weights of 15 to 19 hexadecimal digits, which are more than a word holds."""
    paths = [os.path.join(folder, "wide%d.data" % n) for n in range(2)]
    for n, path in enumerate(paths):
        r = Recording()
        clock = r.event("cpu-clock", ids=[1], type=1, sample_type=IP | TID | TIME | PERIOD, sample_id_all=1, period=1000)
        for bits in (28, 30, 32, 34):
            r.comm(bits, bits, "weighs-%d" % bits, time=1000)
            for time in range(200):
                r.sample(clock, misc=KERNEL, ip=TEXT + bits, pid=bits, tid=bits, time=1001 + time, period=2**bits + n * time)
        r.comm(99, 99, "once", time=1000)
        r.sample(clock, misc=KERNEL, ip=TEXT, pid=99, tid=99, time=1001, period=2**32)
        r.save(path)
    stored = os.path.join(folder, "side.zst")
    saved = run("diff", "-q", "--by", "comm", "--save", stored, paths[0])
    sides = [run("diff", "-q", "--json", "--by", "comm", "--before", before, "--after", paths[1]) for before in (stored, paths[0])]
    events = [json.loads(side.out or "{}").get("events") for side in sides]
    tap.report("diff: a stored side says what its recordings say", [] if events[0] and events[0] == events[1] else [saved.err, *sides])


# --- report --weight off-cpu: perf's dummy event carries the switches ---


def switched(folder):
    path = os.path.join(folder, "switched.data")
    r = Recording()
    clock = r.event("cpu-clock", ids=[1], type=1, sample_type=IP | TID | TIME | CPU | PERIOD, sample_id_all=1, period=1000)
    r.event("dummy:HG", ids=[2], type=1, config=9, sample_type=IP | TID | TIME | CPU | PERIOD, sample_id_all=1, context_switch=1)
    r.comm(100, 100, "shell", time=1000)
    r.sample(clock, misc=KERNEL, ip=TEXT, pid=100, tid=100, time=1500, cpu=0, period=1000)
    for out, time in ((True, 2000), (False, 5000)):
        r.record(SWITCH_CPU_WIDE, struct.pack("<II", 0, 0), MISC_SWITCH_OUT if out else 0, pid=100, tid=100, time=time, cpu=0)
    r.save(path)
    headings = [line for line in lines_of(["report", "-q", "--weight", "off-cpu", path]) if "samples," in line or "sample," in line]
    tap.report("report --weight off-cpu: the heading says what is weighed", different(headings, ["time off the CPU: 1 sample, 3.00 us"]))


# --- counters of perf stat record: running totals, which are shown as perf stat report shows them ---


def counted_recording(path, rounds, readings):
    """Two counters of a program on two processors. rounds: (type, time), each after its readings; then come readings that no round ends."""
    r = Recording(pipe=True)
    r.event("cpu-clock", [11, 12], type=1, config=0)
    r.event("page-faults", [13, 14], type=1, config=2)
    r.record(73, r.words([1, 100]) + b"prog".ljust(16, b"\0"))
    for round, totals in enumerate(readings):
        for number, total in enumerate(totals):
            r.record(76, r.pack("QIIQQQ", 11 + number, number % 2, 0, total, 10 * total, 9 * total))
        if round < len(rounds):
            r.record(77, r.words(rounds[round]))
    r.save(path)


def shown_counters(path):
    """Headings, and values with processor and event, of `info` as text and as JSON: both must say the same."""
    lines = lines_of(["info", "-q", path])
    text = [(line.strip() if line.split()[0] in ("interval", "totals") else (int(line.split()[0]), int(line.split()[2]), int(line.split()[3]), line.split()[5]))
            for line in lines[lines.index("counters:") + 2:]]
    headings = {"interval": "interval up to %.9f s", "final": "totals at the end, %.9f s", "last": "totals at the last reading"}
    of_json = []
    for row in json.loads(run("info", "--json", "-q", path).out)["counters"]:
        if "round" in row:
            heading = headings[row["round"]]
            of_json.append(heading % (row["time"] / 1e9) if "%" in heading else heading)
        else:
            of_json.append((row["cpu"], row["value"], row["enabled"], row["event"]))
    return text, of_json


def counters(folder):
    path = os.path.join(folder, "stat.pipe")
    interval, final = 0, 1
    counted_recording(path, [(interval, 100_000_000), (interval, 200_000_000)], [(100, 200, 7, 8), (150, 260, 9, 8), (155, 255, 9, 9)])
    wanted = ["interval up to 0.100000000 s", (0, 100, 1000, "cpu-clock"), (1, 200, 2000, "cpu-clock"), (0, 7, 70, "page-faults"), (1, 8, 80, "page-faults"),
              "interval up to 0.200000000 s", (0, 50, 500, "cpu-clock"), (1, 60, 600, "cpu-clock"), (0, 2, 20, "page-faults"), (1, 0, 0, "page-faults"),
              "totals at the last reading", (0, 155, 1550, "cpu-clock"), (1, 255, 2550, "cpu-clock"), (0, 9, 90, "page-faults"), (1, 9, 90, "page-faults")]
    for form, got in zip(("text", "JSON"), shown_counters(path)):
        tap.report("info, %s: an interval has its own values, below its time" % form, different(got, wanted))
    counted_recording(path, [(interval, 100_000_000), (final, 150_000_000)], [(100, 200), (90, 300)])
    wanted = ["interval up to 0.100000000 s", (0, 100, 1000, "cpu-clock"), (1, 200, 2000, "cpu-clock"),
              "totals at the end, 0.150000000 s", (0, 90, 900, "cpu-clock"), (1, 300, 3000, "cpu-clock")]
    for form, got in zip(("text", "JSON"), shown_counters(path)):
        tap.report("info, %s: the end has totals" % form, different(got, wanted))
    counted_recording(path, [(interval, 100_000_000), (interval, 200_000_000)], [(100, 200), (90, 300)])
    for form, got in zip(("text", "JSON"), shown_counters(path)):
        tap.report("info, %s: a value that sinks" % form, different(got[4:], [(0, -10, -100, "cpu-clock"), (1, 100, 1000, "cpu-clock")]))
    lines = lines_of([path])
    tap.report("the overview tells counters from samples", different([line.strip() for line in lines if "cpu-clock" in line or "counters" in line],
                                                                     ["counter  cpu-clock", "counters: 4 readings by perf stat record",
                                                                      "perfdata info %s  what the counters read, in each interval" % path]))
    note = "no samples, but 4 readings of counters (perf stat record): `perfdata info FILE` shows them"
    for command, noted in (("report", True), ("folded", True), ("flamegraph", True), ("script", False), ("ndjson", False)):
        done = run(command, path)
        tap.report("%s: %s about counters" % (command, "a note" if noted else "nothing"), different((done.code, note in done.err.decode()), (0, noted)))


# --- filters choose by what a record says of itself ---


def rows_of(*words):
    return [json.loads(line) for line in run("ndjson", "-q", "--symbols", "no", *words).out.splitlines()[1:-1]]


def groups():
    """A sample of {cpu-clock,page-faults}:S belongs to each event whose counter grew, in every output."""
    path = os.path.join(program.TESTDATA, "group-73.data")
    last, grown = {}, {"cpu-clock": [], "page-faults": []}
    for sample in rows_of("--type", "sample", path):
        for value in sample["read"]["values"]:
            key = value["id"], sample["tid"]
            if value["value"] != last.get(key, 0):
                grown[value["event"]].append(sample["offset"])
            last[key] = value["value"]
    for event, wanted in grown.items():
        words = ["--event", event, path]
        got = [[sample["offset"] for sample in rows_of(*more, "--type", "sample", *words)] for more in ([], ["--names"], ["-j", "1"])]
        table = run("csv", "-q", "--symbols", "no", "-e", "offset", "--type", "sample", *words).out.decode().split()[1:]
        lines = run("script", "-q", "--symbols", "no", *words).out.decode().count(event + ":")
        tap.report("--event %s: samples of a group" % event, [] if wanted and got == [wanted] * 3 and [int(cell) for cell in table] == wanted and
                   lines == len(wanted) else [wanted, got, table, lines])


def names_with_commas():
    path = os.path.join(program.TESTDATA, "group-73.data")
    notes = [run("report", "--symbols", "no", *words, path).err.decode().splitlines() for words in (["--comm", "a,b"], ["--comm", "a"], ["--comm", "work"])]
    tap.report("--comm a,b: a note says how to give several names", [] if ["several times" in "".join(note) for note in notes] == [True, False, False] and
               "none of the" in notes[1][-1] else notes)


def counter_filters(folder):
    """STAT records have a CPU and an event, in fields of their own."""
    stat, aux = 76, 71
    r = Recording()
    for number, name in enumerate(("cpu-clock", "page-faults")):
        r.event(name, ids=[2 * number + 1, 2 * number + 2], type=1, config=2 * number, sample_type=1 << 16, read_format=3)
    for at, (ident, cpu) in enumerate(((1, 0), (2, 1), (3, 0), (4, 1)) * 2):
        r.record(stat, struct.pack("<QIIQQQ", ident, cpu, 0, 1000 + at, 10, 10))
    r.record(aux, struct.pack("<QQQIiii", 0, 0, 0, 0, 7, 1, 0))
    path = os.path.join(folder, "counter-filters.data")
    r.save(path)
    for words, wanted in ((["--cpu", "0"], [1, 3] * 2), (["--cpu", "1"], [2, 4] * 2), (["--event", "page-faults"], [3, 4] * 2),
                          (["--event", "page-faults", "--cpu", "1"], [4] * 2), (["--cpu", "2"], [])):
        got = [row["id"] for row in rows_of("--type", "stat", *words, path)]
        table = run("csv", "-q", "--table", "stat", "-e", "id", *words, path).out.decode().split()[1:]
        tap.report("STAT records: " + " ".join(words), [] if got == wanted and [int(cell) for cell in table] == wanted else [got, table])
    tap.report("AUXTRACE records: --cpu, --tid", different([len(rows_of("--type", "auxtrace", *words, path)) for words in
                                                            (["--cpu", "1"], ["--cpu", "0"], ["--tid", "7"], ["--tid", "1"])], [1, 0, 1, 0]))


with tempfile.TemporaryDirectory() as folder:
    stored_side(folder)
    counters(folder)
    counter_filters(folder)
    switched(folder)
    nameless_caller(folder)
    exited(folder)
groups()
names_with_commas()
limited()
sys.exit(tap.end())
