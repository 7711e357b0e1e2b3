#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tracepoints in Perfetto's traces: each one that tests/support/perfetto.proto has a message for is written as that message, with every field at its number
and of its type, all others as generic events; and the times that threads are running and runnable, computed from the trace as Perfetto's trace processor does,
are those of the scheduler (simulated, and of this machine where it may be recorded). TAP."""
import collections
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import json  # noqa: E402
import perfetto  # noqa: E402
import program  # noqa: E402
import scheduler_recording as scheduler  # noqa: E402
import views  # noqa: E402
from views import message, one  # noqa: E402

GENERIC = 327
KINDS = {"string": "text", "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q"}


def known_events():
    """{name: (number, system, {field: (number, type, repeated)})}, as the .proto says."""
    with open(os.path.join(os.path.dirname(scheduler.__file__), "perfetto.proto"), encoding="utf-8") as f:
        text = f.read()
    messages = {}
    for system, name, body in re.findall(r"^// ([\w-]+)\nmessage (\w+) \{(.*?)\}$", text, re.M | re.S):
        messages[name] = system, {field: (int(number), kind, label == "repeated")
                                  for label, kind, field, number in re.findall(r"(optional|repeated) (\w+) (\w+) = (\d+);", body)}
    inner = re.search(r"message FtraceEvent \{(.*?)\n\}", text, re.S)[1]
    return {name: (int(number), *messages[kind]) for kind, name, number in re.findall(r"optional (\w+) (\w+) = (\d+);", inner) if kind in messages}


def ftrace_events(path):
    """(CPU, decoded event) of a recording."""
    data = program.run("perfetto", "-q", "--symbols", "no", path).out
    for _number, packet in views.fields(data):
        for bundle in map(message, message(packet)[1]):
            for event in map(message, bundle[2]):
                yield one(bundle, 1), event


def value_of(kind, number):
    return {"string": "text of %d" % number, "int32": -number, "int64": -2**40 - number, "uint32": 2**31 + number, "uint64": 2**63 + number}[kind]


def check_fields(folder):
    known = known_events()
    if len(known) < 100:
        return "only %d events in the .proto" % len(known)
    events = [(system, name, [(field, "6Q" if repeated else KINDS[kind]) for field, (_, kind, repeated) in fields.items()])
              for name, (_, system, fields) in known.items()]
    trace = scheduler.Trace(events)
    for n, (_system, name, fields) in enumerate(events):
        numbers = known[name][2]
        trace.put(name, 1000 + n, 1, 77, [[value_of("uint64", k) for k in range(6)] if kind == "6Q" else value_of(numbers[field][1], numbers[field][0])
                                          for field, kind in fields])
    path = os.path.join(folder, "events.data")
    trace.save(path)
    found = list(ftrace_events(path))
    if len(found) != len(known):
        return "%d events of %d" % (len(found), len(known))
    for (_cpu, event), (name, (number, _system, fields)) in zip(found, known.items()):
        if not event[number] or event[GENERIC]:
            return "%s is not written at %d: %s" % (name, number, dict(event))
        inner = message(event[number][0])
        for field, (place, kind, repeated) in fields.items():
            wanted = [value_of("uint64", k) for k in range(6)] if repeated else [value_of(kind, place)]
            wanted = [value.encode() if isinstance(value, str) else value % 2**64 for value in wanted]
            if inner[place] != wanted:
                return "%s.%s is %r, expected %r" % (name, field, inner[place], wanted)
    return None


def check_generic(folder):
    """An event of another system, or of another name, is generic; and a field of another type than Perfetto's is left out."""
    trace = scheduler.Trace([("other", "sched_waking", [("pid", "i")]), ("sched", "sched_wakin", [("pid", "i")]),
                             ("power", "cpu_idle", [("state", "text"), ("cpu_id", "I")])])
    trace.put("sched_waking", 1, 0, 7, [5])
    trace.put("sched_wakin", 2, 0, 7, [5])
    trace.put("cpu_idle", 3, 0, 7, ["text", 2])
    path = os.path.join(folder, "generic.data")
    trace.save(path)
    events = [event for _cpu, event in ftrace_events(path)]
    names = [one(message(event[GENERIC][0]), 1) for event in events[:2]]
    idle = message(events[2][13][0])
    if names != [b"sched_waking", b"sched_wakin"] or idle[1] or idle[2] != [2]:
        return "%r, %r" % (names, dict(idle))
    return None


def check_calls_twice(folder):
    """A recording that has each system call by raw_syscalls, too, has it once for Perfetto."""
    trace = scheduler.Trace([("raw_syscalls", "sys_enter", [("id", "q"), ("args", "6Q")]), ("syscalls", "sys_enter_read", [("__syscall_nr", "i"), ("fd", "Q")])])
    trace.put("sys_enter", 10, 1, 7, [0, list(range(6))])
    trace.put("sys_enter_read", 11, 1, 7, [0, 3])
    path = os.path.join(folder, "twice.data")
    trace.save(path)
    found = [number for _cpu, event in ftrace_events(path) for number in (329, GENERIC) if event[number]]
    return None if found == [329, GENERIC] else "%r" % found


def check_system_calls(folder):
    """Events of one system call are also the events of any system call, from which Perfetto makes slices; on old kernels the number is called nr."""
    trace = scheduler.Trace([("syscalls", "sys_enter_read", [("__syscall_nr", "i"), ("fd", "Q")]), ("syscalls", "sys_exit_read", [("__syscall_nr", "i"), ("ret", "q")]),
                             ("syscalls", "sys_enter_io_getevents", [("nr", "i"), ("min_nr", "q")]), ("syscalls", "sys_exit_io_getevents", [("nr", "i"), ("ret", "q")]),
                             ("other", "sys_enter_read", [("__syscall_nr", "i")])])
    for n, (name, values) in enumerate([("sys_enter_io_getevents", [208, 7]), ("sys_exit_io_getevents", [208, -4])]):
        trace.put(name, 10 + n, 1, 7, values)
    path = os.path.join(folder, "calls.data")
    trace.put("sys_exit_read", 21, 1, 7, [0, 512])
    trace.save(path)
    found = [(one(event, 1), number, message(event[number][0])) for _cpu, event in ftrace_events(path) for number in (329, 330, GENERIC) if event[number]]
    numbers = [(time, number, one(inner, 1) if number != GENERIC else None, one(inner, 2) if number == 330 else None) for time, number, inner in found]
    wanted = [(10, 329, 208, None), (10, GENERIC, None, None), (11, 330, 208, 2**64 - 4), (11, GENERIC, None, None), (21, 330, 0, 512), (21, GENERIC, None, None)]
    return None if numbers == wanted else "%r, wanted %r" % (numbers, wanted)


def check_slices(folder):
    """Waits for locks are slices on their thread's track; requests that overlap are on different tracks."""
    trace = scheduler.Trace([("lock", "contention_begin", [("lock_addr", "Q"), ("flags", "I")]), ("lock", "contention_end", [("lock_addr", "Q"), ("ret", "i")]),
                             ("block", "block_rq_issue", [("dev", "I"), ("sector", "Q"), ("nr_sector", "I"), ("rwbs", "text")]),
                             ("block", "block_rq_complete", [("dev", "I"), ("sector", "Q"), ("nr_sector", "I"), ("rwbs", "text")])])
    for time, name, tid, values in [(10, "contention_begin", 7, [0x1000, 32]), (12, "block_rq_issue", 7, [1, 800, 8, "R"]), (15, "block_rq_issue", 7, [1, 900, 8, "W"]),
                                    (20, "contention_end", 7, [0x1000, 0]), (30, "block_rq_complete", 0, [1, 800, 8, "R"]),
                                    (40, "block_rq_complete", 0, [1, 900, 8, "W"]), (41, "block_rq_issue", 7, [1, 950, 8, "R"]),
                                    (50, "block_rq_complete", 0, [1, 950, 8, "R"]), (60, "contention_begin", 7, [0x1000, 32])]:
        trace.put(name, time, 0, 7, values, tid=tid)
    path = os.path.join(folder, "slices.data")
    trace.save(path)
    slices = perfetto.Trace(program.run("perfetto", "-q", "--symbols", "no", path).out).slices
    places = {}
    found = [(name, begin, end, places.setdefault(track, len(places))) for name, begin, end, track in slices]
    wanted = [("lock", 10, 20, 0), ("disk", 12, 30, 1), ("disk", 15, 40, 2), ("disk", 41, 50, 1)]
    return None if sorted(found, key=lambda one: one[1]) == wanted else "%r, wanted %r" % (found, wanted)


# --- states of threads ---

def states_of_trace(path):
    """Running and runnable ns of each thread, by the rules of Perfetto's trace processor: a switch ends what both threads did; a waking of a thread that
    neither runs nor is runnable makes it runnable. What has no end counts nothing."""
    sums, current = collections.Counter(), {}

    def enter(tid, time, state):
        if tid in current:
            before, since = current[tid]
            sums[tid, before] += time - since
        current[tid] = state, time

    for _cpu, event in ftrace_events(path):
        time = one(event, 1)
        for switch in map(message, event[4]):
            before, after, state = one(switch, 2), one(switch, 6), one(switch, 4)
            enter(before, time, "runnable" if state & 255 == 0 else "asleep")
            enter(after, time, "running")
        for waking in map(message, event[20]):
            tid = one(waking, 2)
            if tid not in current or current[tid][0] == "asleep":
                enter(tid, time, "runnable")
    return {key: value for key, value in sums.items() if key[0] and key[1] != "asleep"}


def states_of_records(path):
    """The same from NDJSON, thread by thread: from each switch-out or waking to the switch-in, from each switch-in to the switch-out."""
    done = program.run("ndjson", "-q", "--symbols", "no", "--type", "sample", "-e", "event,time,fields", path)
    each = collections.defaultdict(list)
    for line in done.out.splitlines()[1:-1]:
        record = json.loads(line)
        fields = record.get("fields") or {}
        if record["event"].startswith("sched:sched_switch"):
            each[fields["prev_pid"]].append((record["time"], "out", fields["prev_state"]))
            each[fields["next_pid"]].append((record["time"], "in", None))
        elif record["event"].startswith("sched:sched_waking"):
            each[fields["pid"]].append((record["time"], "waking", None))
    sums = collections.Counter()
    for tid, moves in each.items():
        ready = came = None
        runs = False
        for time, what, state in moves:
            if what == "in":
                if ready is not None and not runs:
                    sums[tid, "runnable"] += time - ready
                if runs and came is not None:
                    sums[tid, "running"] += time - came
                runs, came, ready = True, time, None
            elif what == "out":
                if runs:
                    sums[tid, "running"] += time - came
                elif ready is not None:
                    sums[tid, "runnable"] += time - ready
                runs, ready = False, time if state & 255 == 0 else None
            elif not runs and ready is None:
                ready = time
    return {key: value for key, value in sums.items() if key[0]}


def states_of_simulation():
    """What really happened."""
    sums, since = collections.Counter(), {}
    for time, _cpu, name, _pid, values in scheduler.simulate(1, 1500):
        if name == "sched_waking":
            since[values[1], "runnable"] = time
        if name != "sched_switch":
            continue
        _comm, out, _prio, state, _next_comm, following, _ = values
        for tid, what in ((out, "running"), (following, "runnable")):
            if (tid, what) in since:
                sums[tid, what] += time - since.pop((tid, what))
        since[following, "running"] = time
        if state in (0, 256):
            since[out, "runnable"] = time
    return {key: value for key, value in sums.items() if key[0]}


def compare(got, wanted):
    wrong = [(key, got.get(key), wanted.get(key)) for key in sorted(set(got) | set(wanted)) if got.get(key, 0) != wanted.get(key, 0)]
    return "%d of %d sums differ: %s" % (len(wrong), len(wanted), wrong[:4]) if wrong or not wanted else None


def check_simulated(folder):
    scheduler.make(folder)
    path = os.path.join(folder, "whole.data")
    truth = states_of_simulation()
    if sum(what == "runnable" for _, what in truth) < 5:
        return "no thread waits for a CPU"
    return compare(states_of_trace(path), truth) or compare(states_of_records(path), truth)


def check_this_machine(folder):
    path = os.path.join(folder, "here.data")
    command = ["perf", "record", "-q", "-a", "-m", "1024", "-e", "sched:sched_switch,sched:sched_waking", "-o", path, "--", "sh", "-c",
               "for i in 1 2 3 4 5 6; do sleep 0.01 & done; wait"]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    except (OSError, subprocess.SubprocessError):
        return "SKIP"
    wanted = states_of_records(path)
    return compare(states_of_trace(path), wanted) if any(what == "runnable" for _, what in wanted) else "SKIP"


def main():
    cases = [("every field of every event that Perfetto computes from", check_fields), ("all others are generic", check_generic),
             ("system calls by events of their own", check_system_calls), ("and by both kinds of events", check_calls_twice),
             ("locks and requests of disks are slices", check_slices),
             ("running and runnable times are those of the simulated scheduler", check_simulated),
             ("and those of this machine's", check_this_machine)]
    bad = 0
    for name, run in cases:
        with tempfile.TemporaryDirectory() as folder:
            problem = run(folder)
        skipped = problem == "SKIP"
        bad += bool(problem) and not skipped
        print("%s - %s%s" % ("not ok" if problem and not skipped else "ok", name, " # SKIP perf records no switches here" if skipped else ""))
        if problem and not skipped:
            print("# %s" % problem[:900])
    print("1..%d" % len(cases))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
