#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rules of the formats for viewers that recordings of testdata/ do not reach: events of nearly one name, a process with the number 0, a number that was given
again, threads of different weight, the time of day, states of threads; and of intervals with losses. On recordings that are written here. Prints TAP."""
import csv
import json
import os
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import perfetto
import program
import scheduler_recording as scheduler
import views
from builder import CALLCHAIN, CPU, IDENTIFIER, IP, KERNEL, PERIOD, TID, TIME, Recording
from program import run

FORK, EXIT, SWITCH, LOST_SAMPLES = 7, 4, 14, 13
SWITCH_OUT, PREEMPTED = 1 << 13, 1 << 14
EVENT_DESC, CLOCK_DATA = 12, 29
USER = 2**64 - 512
RUNNABLE, RUNNING, SLEEPING = 2, 3, 4

tap = program.Tap()


def equal(title, got, wanted):
    tap.report(title, [] if got == wanted else ["got %s\nnot %s" % (got, wanted)])


def output(*words):
    done = run(*words)
    return done.out if done.code == 0 else b"exit code %d: %s" % (done.code, done.err)


# --- profiles ---


def save_profile(path):
    """The lighter process comes first; the heavier one has two threads with one stack; process 100 ends, and its number goes to another one."""
    r = Recording()
    fields = IP | TID | TIME | PERIOD | CALLCHAIN | IDENTIFIER
    clock, dashed, dotted = (r.event(name, ids=[n + 1], type=1, config=n, sample_type=fields, sample_id_all=1, period=1000)
                             for n, name in enumerate(("cpu-clock", "a-b", "a.b")))
    time = 5000

    def sample(event, pid, tid, place):
        nonlocal time
        time += 10
        r.sample(event, pid=pid, tid=tid, ip=place, time=time, period=1000, callchain=[USER, place])

    for pid, name in ((100, "light"), (200, "heavy")):
        r.comm(pid, pid, name, time=time, id=1)
        r.mmap2(pid, pid, 0x10000 * pid, 0x10000, 0, "/absent/" + name, time=time, id=1)
    r.comm(200, 201, "second", time=time, id=1)
    sample(clock, 100, 100, 0x640010)
    for tid in (200, 201, 201, 201):
        sample(clock, 200, tid, 0xc80010)
    sample(clock, 0, 0, 0x1000)
    sample(dashed, 200, 200, 0xc80020)
    sample(dotted, 200, 200, 0xc80030)
    r.task(EXIT, 100, 1, 100, 1, time + 1, id=1)
    r.task(FORK, 100, 200, 100, 200, time + 2, id=1)
    time += 3
    sample(clock, 100, 100, 0xc80040)
    r.feature(EVENT_DESC, r.event_desc())
    r.feature(CLOCK_DATA, struct.pack("<IIQQ", 1, 1, 1_700_000_000_000_000_000, 4000))
    r.save(path)


def check_profiles(path):
    save_profile(path)
    words = ("-q", "--symbols", "no", path)
    equal("callgrind: events of one spelling have different names", views.Callgrind(output("callgrind", *words)).events, ["cpu_clock", "a_b", "a_b_3"])
    for weight, unit in (("samples", "none"), ("period", "nanoseconds")):
        document = json.loads(output("speedscope", "--weight", weight, *words))
        equal("speedscope --weight %s: the clock's unit" % weight, {part["unit"] for part in document["profiles"] if "cpu-clock" in part["name"]}, {unit})
        equal("and the heaviest thread first", [who.split()[-1] for who, _, _ in views.speedscope_profiles(document)["cpu-clock"]][1], "201)")
    pprof = views.Pprof(output("pprof", *words))
    equal("pprof: thread 0 is a number", sorted({labels["tid"] for _, _, labels in pprof.samples}), [0, 100, 200, 201])
    equal("pprof: the first mapping is the main file of the heaviest process", pprof.strings[views.one(pprof.mappings[1], 5)], "/absent/heavy")
    otlp = views.Otlp(output("otlp", *words))
    threads = next(sums for name, _, sums in otlp.found if name == "cpu").thread_weights
    equal("otlp: threads with one stack stay apart", threads[200, 201], 3 * threads[200, 200])
    equal("otlp: the time of day", views.one(otlp.profiles[0], 3), 1_700_000_000_000_000_000 + 5010 - 4000)
    for percent, rows in ((100, 1), (100.1, 0)):
        done = run("report", "-q", "--json", "--symbols", "no", "--event", "a-b", "--percent-limit", str(percent), path)
        equal("report --percent-limit %g" % percent, [len(event["rows"]) for event in json.loads(done.out or "{}").get("events", []) if event["event"] == "a-b"],
              [rows] if rows else [])
    mains = [thread["pid"] for thread in json.loads(output("firefox", *words))["threads"] if thread["isMainThread"]]
    equal("firefox: each process has a main thread, also one whose number was given again", sorted(mains), ["0", "100", "100.1", "200"])


# --- mappings ---

READ_ONLY = 1        # a mapping that is not executable has no recorded range in a profile
BUILD_ID = 2
TWIN = b"/absent/twin"
# title: number of different mappings; what is mapped by processes 100 and 200 (start, size, file offset, name; more), and the addresses sampled there
TWINS = {
    "files of two generations": (1, [((0x400000, 0x1000, 0, TWIN), {"generation": n}, [0x400010]) for n in (0, 7)]),
    "names that are one in UTF-8": (1, [((0x400000, 0x1000, 0, b"/absent/" + end), {}, [0x400010]) for end in (b"\xfe", b"\xff")]),
    "ranges that were not recorded": (1, [((0x400000, 0x3000, 0, TWIN), {"generation": n, "prot": READ_ONLY}, [0x400010, 0x402010]) for n in (0, 7)]),
    "a range that was not recorded, as a recorded one": (2, [((0x1000, 0x1000, 0, TWIN), {}, [0x1010]),
                                                             ((0x11000, 0x1000, 0x1000, TWIN), {"prot": READ_ONLY}, [0x11010])]),
    "a range at 0 that was not recorded, as a recorded one": (2, [((0, 0x1000, 0x5000, TWIN), {}, [0x10]),
                                                                  ((0x11000, 0x1000, 0, TWIN), {"prot": READ_ONLY}, [0x11010])]),
}


def check_twins(path):
    """Dsos of which a consumer sees the same: name, build-id and range. Each address lies in its mapping, and no two mappings are equal."""
    for title, (wanted, twins) in TWINS.items():
        for with_id in (False, True):
            r = Recording()
            event = r.event("cpu-clock", ids=[1], type=1, sample_type=IP | TID | TIME | PERIOD, sample_id_all=1, period=1000)
            for pid, (place, more, addresses) in zip((100, 200), twins):
                r.comm(pid, pid, "twin", time=1000, id=1)
                r.mmap2(pid, pid, *place, time=1000, id=1, **more)
                for address in addresses:
                    r.sample(event, pid=pid, tid=pid, ip=address, time=2000, period=1000)
            if with_id:
                r.feature(BUILD_ID, r.pack("IHHi24s", 0, 2, 8 + 4 + 24 + 16, -1, b"\x12\x34" * 10) + TWIN.ljust(16, b"\0"))
            r.save(path)
            what = "%s, %s build-id" % (title, "with a" if with_id else "without")
            samples = sum(len(addresses) for _, _, addresses in twins)
            otlp, pprof = (kind(output(command, "-q", "--symbols", "no", path)) for kind, command in ((views.Otlp, "otlp"), (views.Pprof, "pprof")))
            equal("otlp, %s: samples" % what, sum(sums.weight for _, _, sums in otlp.found), 1000 * samples)
            equal("pprof, %s: samples" % what, len(pprof.samples), samples)
            equal("%s: mappings of otlp and pprof" % what, [len(otlp.tables["mappings"]) - 1, len(pprof.mappings)], [wanted, wanted])


# --- states ---


def check_states(path):
    """A thread is seen to run twice in a row; it is preempted, then sleeps."""
    r = Recording()
    r.event("cpu-clock", ids=[1], type=1, sample_type=IP | TID | TIME | CPU | PERIOD, sample_id_all=1, period=1000, context_switch=1)
    r.comm(100, 100, "thread", time=1000)
    for time, misc in enumerate((0, 0, SWITCH_OUT | PREEMPTED, 0, SWITCH_OUT)):
        r.record(SWITCH, b"", misc | KERNEL, pid=100, tid=100, time=2000 + time, cpu=0)
    r.save(path)
    equal("perfetto: a state is written where it changes", perfetto.Trace(output("perfetto", "-q", path)).states,
          [(100, state) for state in (RUNNING, RUNNABLE, RUNNING, SLEEPING)])


# --- intervals ---


def check_intervals(path):
    """One thread sleeps, and is woken by two; another one is preempted, though a wake-up follows. Losses are within the first interval, and before the last."""
    trace = scheduler.Trace([scheduler.SWITCH, scheduler.WAKING])

    def switch(time, cpu, out, state, into):
        trace.put("sched_switch", time, cpu, out, ["t%d" % out, out, 120, state, "t%d" % into, into, 120])

    def wake(time, cpu, by, woken):
        trace.put("sched_waking", time, cpu, by, ["t%d" % woken, woken, 120, cpu])

    switch(1000, 0, 101, 1, 102)
    trace.recording.record(LOST_SAMPLES, struct.pack("<Q", 5), pid=0, tid=0, time=1100, cpu=0, id=50)
    wake(1200, 0, 102, 101)
    switch(1300, 0, 102, 0, 101)
    wake(1350, 1, 103, 102)
    switch(1400, 0, 101, 1, 102)
    wake(1500, 1, 103, 101)
    switch(1600, 0, 102, 1, 101)
    trace.save(path)
    rows = list(csv.DictReader(output("csv", "-q", "--table", "spans", path).decode().splitlines()))
    off = [(row["tid"], row["begin"], row["state"], row["waker_tid"], row["unknown"]) for row in rows if row["kind"] == "off" and row["duration"]]
    equal("spans: waits, who ended them, and what losses they may hide", off,
          [("101", "1000", "sleeping", "102", "lost"), ("102", "1300", "preempted", "", ""), ("101", "1400", "sleeping", "103", "")])


with tempfile.TemporaryDirectory() as folder:
    for check in (check_profiles, check_twins, check_states, check_intervals):
        try:
            check(os.path.join(folder, check.__name__ + ".data"))
        except (ArithmeticError, LookupError, ValueError) as error:
            tap.report("%s: outputs can be read" % check.__name__, [repr(error)])
sys.exit(tap.end())
