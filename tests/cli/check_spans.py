#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Spans: what `report --spans` says of the recordings in testdata/spans, against spans that are paired here, from the lines of ndjson and
thread by thread; against what the recorded program measured of itself (waits.c); and weights of time off the CPU, whose sums are those of
the spans. TAP."""
import collections
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import perfetto
import program
import scheduler_recording as scheduler
import views
from builder import CONTEXT_USER, CPU, IDENTIFIER, IP, PERIOD, RAW, TID, TIME, Recording
from program import PERFDATA, TESTDATA, run



class Tap(program.Tap):
    def check(self, holds, title, fault=""):
        self.report(title, [] if holds else [fault or "it does not hold"])


FOLDER = os.path.join(TESTDATA, "spans")
LETTERS = {1: "sleeping", 2: "uninterruptible", 4: "stopped", 8: "traced", 16: "dead", 32: "dead", 64: "parked", 128: "idle"}
STATES = {*LETTERS.values(), "preempted", "run queue", "off-CPU", "running"}
SOFTIRQS = "HI TIMER NET_TX NET_RX BLOCK IRQ_POLL TASKLET SCHED HRTIMER RCU".split()
Span = collections.namedtuple("Span", "kind name tid begin end")


def path_of(name):
    return os.path.join(FOLDER, name + ".data")


def records(name):
    done = run("ndjson", "-q", path_of(name))
    return [json.loads(line) for line in done.out.splitlines()]


def state_of(value):
    return next((name for bit, name in sorted(LETTERS.items()) if value & bit), "preempted")


def between(marks):
    """Off-CPU and run-queue spans of one thread, from its marks (time, what, state) in order."""
    before, woken = None, None
    for time, what, state in marks:
        if what == "wake":
            if woken is None and (before is None or (before[1] == "out" and before[2] != "preempted")):
                woken = time
            continue
        if what == "in" and before and before[1] == "out":
            yield "off", before[2], before[0], time
            since = before[0] if before[2] == "preempted" else woken
            if since is not None:
                yield "runq", before[2], since, time
        elif what == "in" and not before and woken is not None:
            yield "runq", "run queue", woken, time
        before, woken = (None if what == "gone" else (time, what, state)), None


def spans_of(name):
    """All spans of a recording."""
    marks, on, found, open_pairs = collections.defaultdict(list), collections.defaultdict(list), [], {}
    rows = records(name)
    by_records = any(row["type"] == "switch" for row in rows)
    for row in rows:
        fields, time = row.get("fields"), row.get("time")
        event = (row.get("event") or "").split(":")[-1]
        if row["type"] == "switch":
            leaves = "SWITCH_OUT" in row["misc"]
            why = "preempted" if "SWITCH_OUT_PREEMPT" in row["misc"] else "off-CPU"
            marks[row["tid"]].append((time, "out" if leaves else "in", why))
        elif row["type"] == "exit" and by_records:
            marks[row["tid"]].append((time, "gone", ""))
        elif not fields or row["type"] != "sample":
            continue
        elif event == "sched_switch" and not by_records:
            state = state_of(fields["prev_state"])
            marks[fields["prev_pid"]].append((time, "gone" if state == "dead" else "out", state))
            marks[fields["next_pid"]].append((time, "in", ""))
            on[row["cpu"]].append((time, fields["prev_pid"], fields["next_pid"]))
        elif event in ("sched_waking", "sched_wakeup_new"):
            marks[fields["pid"]].append((time, "wake", ""))
        elif event in ("sys_enter", "softirq_entry"):
            key = (row["tid"],) if event == "sys_enter" else (row["cpu"], fields["vec"])
            open_pairs[key] = (time, fields.get("id"), row["tid"])
        elif event in ("sys_exit", "softirq_exit"):
            key = (row["tid"],) if event == "sys_exit" else (row["cpu"], fields["vec"])
            begin = open_pairs.pop(key, None)
            if begin and event == "softirq_exit":
                found.append(Span("softirq", SOFTIRQS[fields["vec"]], begin[2], begin[0], time))
            elif begin and begin[1] == fields["id"]:
                found.append(Span("syscall", fields["id"], row["tid"], begin[0], time))
    for tid, thread in marks.items():
        if not tid:
            continue
        found += [Span(kind, state, tid, begin, end) for kind, state, begin, end in between(thread)]
        if by_records:
            found += [Span("run", "running", tid, a[0], b[0]) for a, b in zip(thread, thread[1:]) if a[1] == "in" and b[1] != "in"]
    for switches in on.values():
        found += [Span("run", "running", a[2], a[0], b[0]) for a, b in zip(switches, switches[1:]) if a[2] == b[1] and a[2]]
    return found


def report(kind, name, *words):
    done = run("report", "-q", "--json", "--top", "0", "--spans", kind, *words, path_of(name))
    return json.loads(done.out) if done.code == 0 else {"rows": [], "failed": repr(done)}


def measured(name):
    """{tid: (thread's name, ns that it waited)} as the program printed it."""
    with open(os.path.join(FOLDER, name + ".txt"), encoding="ascii") as f:
        return {int(words[1]): (words[0], int(words[3])) for words in map(str.split, f)}


def rank(lengths, percent):
    return sorted(lengths)[-(-len(lengths) * percent // 100) - 1]


def summed(spans, key):
    sums = collections.defaultdict(list)
    for span in spans:
        sums[key(span)].append(span.end - span.begin)
    return {key: (len(lengths), sum(lengths), min(lengths), max(lengths)) for key, lengths in sums.items()}


def rows_of(document, key):
    sums = {}
    for row in document["rows"]:
        if row["count"]:
            sums[key(row)] = (row["count"], row["total"], row["min"], row["max"])
    return sums


def check_pairs(tap, name, kinds):
    found = spans_of(name)
    for kind in kinds:
        own = [span for span in found if span.kind == kind]
        document = report(kind, name, "--by", "thread")
        if kind == "syscall":       # names, not numbers: how many and how long by thread
            mine, theirs = summed(own, lambda span: span.tid), collections.Counter()
            for row in document["rows"]:
                theirs[row["tid"]] += row["total"]
            tap.check(own and {tid: sums[1] for tid, sums in mine.items()} == {tid: total for tid, total in theirs.items() if total},
                      f"{name}: {kind} by thread", repr((mine, theirs)))
            continue
        mine, theirs = summed(own, lambda span: (span.tid, span.name)), rows_of(document, lambda row: (row["tid"], row["name"]))
        differ = {key: (mine.get(key), theirs.get(key)) for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key)}
        tap.check(own and not differ, f"{name}: {kind} by thread and name", repr(differ) + document.get("failed", ""))
        whole = report(kind, name)
        total = (sum(row["count"] for row in whole["rows"]), sum(row["total"] for row in whole["rows"]))
        tap.check(total == (len(own), sum(span.end - span.begin for span in own)) == (whole["count"], whole["total"]),
                  f"{name}: {kind} in all", repr((total, whole["count"], whole["total"])))
        for row in whole["rows"]:
            lengths = [span.end - span.begin for span in own if span.name == row["name"]]
            exact = [rank(lengths, percent) if lengths else 0 for percent in (50, 99)]
            near = all(least <= stated <= least * 1.001 for least, stated in zip(exact, (row["p50"], row["p99"])))
            tap.check(near, f"{name}: {kind} {row['name']}: percentiles", repr((exact, row)))


def check_construction(tap, name):
    """The recording has the waits that the program measured."""
    by_thread = collections.defaultdict(collections.Counter)
    for row in report("off", name, "--by", "thread")["rows"]:
        by_thread[row["tid"]][row["name"]] += row["total"]
    for tid, (thread, waited) in measured(name).items():
        off = by_thread[tid]
        blocked = sum(off.values()) - off["preempted"]
        if thread == "sleeper":
            tap.check(0.97 * waited <= sum(off.values()) <= 1.001 * waited + 2_000_000, f"{name}: sleeps of 5 ms", repr((off, waited)))
        elif thread == "asker":
            tap.check(0.9 * waited <= sum(off.values()) <= 1.05 * waited + 2_000_000, f"{name}: answers through a pipe", repr((off, waited)))
        elif thread == "waiter":
            tap.check(waited + 4_900_000 <= blocked + off["preempted"] <= waited + 40_000_000, f"{name}: a lock", repr((off, waited)))
        elif thread == "spinner":
            tap.check(waited * 0.95 <= off["preempted"] <= waited * 1.3 + 5_000_000, f"{name}: preempted by a busy loop", repr((off, waited)))


def folded(name, *words):
    done = run("folded", "-q", *words, path_of(name))
    return {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in done.out.decode().splitlines()}, done


def check_weights(tap):
    for name in ("process", "wide", "clock", "outs"):
        off, runs = report("off", name), report("run", name)
        stacks, done = folded(name, "--weight", "off-cpu")
        tap.check(done.code == 0 and sum(stacks.values()) == off["total"] > 0, f"{name}: stacks weigh the time off the CPU", repr(done.err))
        states = collections.Counter()
        for stack, weight in stacks.items():
            states[stack.rsplit(";", 1)[-1].strip("[]")] += weight
        stated = {row["name"]: row["total"] for row in off["rows"] if row["total"]}
        queued = states.pop("run queue", 0)
        tap.check(all(states[key] <= stated.get(key, 0) for key in states) and sum(stated.values()) - sum(states.values()) == queued,
                  f"{name}: the last frame is the state", repr((states, stated)))
        tap.check(not any(";__schedule;" in stack or ";schedule;[" in stack for stack in stacks), f"{name}: without the scheduler's frames")
        for words in (["pprof"], ["speedscope"], ["flamegraph"], ["baseline"], ["callgrind"], ["otlp"]):
            done = run(*words, "-q", "--weight", "off-cpu", path_of(name))
            tap.check(done.code == 0 and done.out, f"{name}: {words[0]} of time off the CPU", repr(done.err))
        if name != "clock":
            wall, done = folded(name, "--weight", "wall")
            tap.check(sum(wall.values()) == off["total"] + runs["total"], f"{name}: wall is on and off", repr(done.err))
    bare, _ = folded("process", "--weight", "off-cpu", "--no-state-frames")
    ends = tuple(f"[{state}]" for state in STATES)
    tap.check(len(bare) > 3 and not [stack for stack in bare if stack.endswith(ends) and stack.count(";") > 1],
              "--no-state-frames leaves stacks as they are", repr(list(bare)[:3]))
    some, _ = folded("process", "--weight", "off-cpu", "--state", "preempted")
    tap.check(some and all(stack.endswith("[preempted]") for stack in some), "--state chooses", repr(some))
    for format in "callgrind", "otlp", "pprof":
        whole, part = (run(format, "-q", "--weight", "off-cpu", *words, path_of("process")) for words in ((), ("--state", "preempted")))
        out = gzip.decompress(part.out) if format == "pprof" else part.out
        tap.check(part.code == 0 and len(part.out) < len(whole.out) and b"[preempted]" in out and b"[sleeping]" not in out, "--state chooses: " + format, repr(part.err))
    done = run("folded", "-q", "--weight", "off-cpu", path_of("calls"))
    tap.check(done.code == 2 and b"sched_switch" in done.err, "no record shows time off the CPU: refused", repr(done))


def check_states(tap):
    """report --by state: what weights have as the last frame of their stacks, in a row for each state."""
    def rows(name, *words):
        return json.loads(run("report", "-q", "--json", "--top", "0", *words, path_of(name)).out)["events"][0]["rows"]

    for name in ("process", "wide", "outs", "clock"):
        for weight in ("off-cpu", "wall"):
            wanted = collections.Counter()
            for stack, ns in folded(name, "--weight", weight)[0].items():
                leaf = stack.rsplit(";", 1)[-1]
                wanted[leaf[1:-1] if leaf[1:-1] in STATES else "running"] += ns
            found = {row["state"]: row["self_weight"] for row in rows(name, "--by", "state", "--weight", weight)}
            tap.check(found == dict(wanted), f"{name}: --by state, --weight {weight}", f"{found} instead of {dict(wanted)}")
            several = collections.Counter()
            for row in rows(name, "--by", "thread,state", "--weight", weight):
                several[row["state"]] += row["self_weight"]
            tap.check(several == wanted, f"{name}: --by thread,state, --weight {weight}", repr(several))
    chosen = {row["state"] for row in rows("wide", "--by", "state", "--weight", "off-cpu", "--state", "preempted,run queue")}
    tap.check(chosen == {"preempted", "run queue"}, "--by state with --state", repr(chosen))
    for words, why in ((("--by", "state"), b"--weight off-cpu"), (("--by", "state,dso", "--weight", "wall"), b"contradict each other"),
                       (("--by", "state", "--weight", "wall", "--no-state-frames"), b"--no-state-frames")):
        done = run("report", "-q", *words, path_of("process"))
        tap.check(done.code == 2 and why in done.err, "refused: " + " ".join(words), repr(done))


def check_wait_keys(tap):
    """report --by waker, wakee, syscall with weights: the same sums as report --spans off has, and in all the same as without a key."""
    def weights(name, key, *words):
        out = run("report", "-q", "--json", "--top", "0", "--weight", "off-cpu", "--by", key, *words, path_of(name)).out
        found = collections.Counter()
        for row in json.loads(out)["events"][0]["rows"]:
            found[row[key]] += row["self_weight"]
        return +found

    def who(row):
        return f"{row.get('comm', 'idle' if not row['tid'] else '')} ({row.get('pid', -1)}/{row['tid']})"

    for name in ("wide", "process", "outs"):
        states = collections.Counter()
        for row in json.loads(run("report", "-q", "--json", "--top", "0", "--weight", "off-cpu", "--by", "state", path_of(name)).out)["events"][0]["rows"]:
            states[row["state"]] += row["self_weight"]
        for key in ("waker", "wakee", "syscall"):
            found, wanted = weights(name, key), collections.Counter()
            tap.check(sum(found.values()) == sum(states.values()) > 0, f"{name}: --by {key} adds up", repr((found, states)))
            for row in report("off", name, "--by", key)["rows"]:
                wanted[row["name"] if key == "syscall" else who(row)] += row["total"]
            woken = collections.Counter({name: weight for name, weight in found.items() if key == "syscall" or name not in ("not woken", "run queue")})
            tap.check(woken == +wanted, f"{name}: --by {key} as spans have it", repr((woken - wanted, wanted - woken)))
            parts = collections.Counter()
            for state in states:
                parts += weights(name, key, "--state", state)
            tap.check(parts == found, f"{name}: --by {key}: --state cuts it into parts", repr((found - parts, parts - found)))
    done = run("report", "-q", "--by", "waker,syscall", "--weight", "off-cpu", path_of("wide"))
    tap.check(done.code == 2 and b"contradict each other" in done.err, "a stack ends with one frame", repr(done))


def check_simpleperf(tap):
    """Samples where threads leave the CPU are spans like others."""
    path = os.path.join(TESTDATA, "simpleperf", "offcpu.data")
    done = run("ndjson", "-q", path)
    open_waits, states, weights = {}, collections.Counter(), collections.Counter()
    for row in map(json.loads, done.out.splitlines()):
        runs = row["type"] == "sample" or (row["type"] == "switch" and "SWITCH_OUT" not in row["misc"])
        if runs and row["tid"] in open_waits:
            since, state = open_waits.pop(row["tid"])
            states[state] += 1
            weights[state] += max(row["time"] - since, 1)
        if row["type"] == "sample" and row["event"] == "sched:sched_switch":
            open_waits[row["tid"]] = row["time"], state_of(row["fields"]["prev_state"])
    document = json.loads(run("report", "-q", "--json", "--spans", "off", path).out)
    tap.check({row["name"]: (row["count"], row["total"]) for row in document["rows"] if row["count"]} ==
              {state: (states[state], weights[state]) for state in states}, "spans of simpleperf", repr((document, states, weights)))
    rows = json.loads(run("report", "-q", "--json", "--weight", "off-cpu", "--by", "state", path).out)["events"][0]["rows"]
    tap.check({row["state"]: row["self_weight"] for row in rows} == weights, "states of simpleperf", repr(rows))
    spans = list(csv.DictReader(run("csv", "-q", "--table", "spans", path).out.decode().splitlines()))
    tap.check(sum(int(row["duration"]) for row in spans if row["kind"] == "off" and row["duration"]) == sum(weights.values()) and
              {row["source"] for row in spans} == {"simpleperf"}, "the table of simpleperf's spans", repr(spans[:2]))


def check_off_cpu_samples(tap):
    """Samples of perf record --off-cpu: waits with their time, and sums without any."""
    with tempfile.TemporaryDirectory() as folder:
        path, r = os.path.join(folder, "waits.data"), Recording()
        common = dict(type=1, config=10, period=1, sample_type=IP | TID | TIME | CPU | PERIOD | RAW | IDENTIFIER, sample_id_all=1)
        clock = r.event("cpu-clock", [11], type=1, config=0, period=1000, sample_type=IP | TID | TIME | CPU | PERIOD | IDENTIFIER, sample_id_all=1)
        waits = r.event("offcpu-time", [12], **common)
        r.comm(100, 101, "worker")
        r.sample(clock, ip=0x400100, pid=100, tid=101, time=1000, cpu=0, period=1000)
        for time, period in ((9000, 700), (20000, 5000), (0xffffffff00000000, 123456)):
            chain = [CONTEXT_USER, 0x400100, 0x400200]
            raw = r.pack("IIQQ", 100, 101, period, len(chain)) + r.words(chain) + r.words([4242])
            r.sample(waits, ip=0, pid=0, tid=0, time=time, cpu=0, period=1, raw=raw + bytes(4))
        r.feature(12, r.event_desc())
        r.save(path)
        rows = list(csv.DictReader(run("csv", "-q", "--table", "spans", path).out.decode().splitlines()))
        tap.check([(row["begin"], row["end"], row["tid"], row["source"], row["stack_id"] != "") for row in rows] ==
                  [("8300", "9000", "101", "offcpu", True), ("15000", "20000", "101", "offcpu", True)], "waits with a time are spans", repr(rows))
        stacks = run("folded", "-q", "--weight", "off-cpu", path).out.decode()
        tap.check(stacks.endswith("[off-CPU] 129156\n") and stacks.count("\n") == 1, "and all of them weigh", stacks)
        stacks = run("folded", "-q", "--weight", "off-cpu", "--time", "0,0.00001", path).out.decode()
        tap.check(stacks.endswith("[off-CPU] 700\n"), "sums are at no time", stacks)
        done = run("folded", "-q", "--weight", "wall", path)
        tap.check(sum(int(line.rsplit(" ", 1)[1]) for line in done.out.decode().splitlines()) == 130156, "wall is both", repr(done))


def check_other_weight(tap):
    with tempfile.TemporaryDirectory() as folder:
        stored = os.path.join(folder, "wall.json")
        done = run("baseline", "-q", "--weight", "wall", path_of("process"), "-o", stored)
        tap.check(done.code == 0, "a baseline of time on and off the CPU", repr(done))
        done = run("diff", "-q", "--strict", "--weight", "off-cpu", stored, path_of("process"))
        tap.check(done.code == 1 and done.out.startswith(b"incomparable: ") and b"[weight]" in done.out, "no comparison with a baseline of another weight",
                  repr(done))
        done = run("diff", "-q", "--weight", "wall", stored, path_of("process"))
        tap.check(done.code == 0, "and takes one of the same", repr(done))


def check_refusals(tap):
    document = report("off", "sampled")
    tap.check(document["count"] == 0 and document["sampled_switches"] > 0, "sampled switches say nothing", repr(document))
    done = run("folded", "-q", "--weight", "off-cpu", path_of("sampled"))
    tap.check(done.code == 2 and b"was sampled" in done.err, "sampled switches weigh nothing", repr(done))
    document = report("off", "outs")
    lacking = document["unknown"]
    tap.check(lacking["no_end"] > 0 and sum(lacking.values()) > document["count"] / 10, "a process without SWITCH: what is not known is counted",
              repr(lacking))
    text = run("report", "-q", "--spans", "off", path_of("outs")).out.decode()
    tap.check("lack a begin or an end" in text, "and said in the text", text)
    text = run("report", "-q", "--spans", "lock", path_of("outs")).out.decode()
    tap.check("perf record" in text and "contention_begin" in text, "how to record what is not there", text)
    done = run("report", "-q", "--spans", "off", "--by", "dso", path_of("outs"))
    tap.check(done.code == 2 and b"--by dso" in done.err, "rows that spans do not have are refused", repr(done))


def check_filters(tap):
    everything = [span for span in spans_of("wide") if span.kind == "off"]
    tid = next(tid for tid, (thread, _) in measured("wide").items() if thread == "sleeper")
    document = report("off", "wide", "--tid", str(tid))
    own = [span.end - span.begin for span in everything if span.tid == tid]
    tap.check((document["count"], document["total"]) == (len(own), sum(own)), "--tid chooses spans, not records", repr(document))
    times = sorted(span.begin for span in everything)
    first, last = times[len(times) // 4], times[len(times) // 2]
    document = report("off", "wide", "--time", f"{first / 1e9:.9f},{last / 1e9:.9f}")
    clipped = [min(span.end, last) - max(span.begin, first) for span in everything if span.begin <= last and span.end >= first]
    tap.check((document["count"], document["total"]) == (len(clipped), sum(clipped)), "--time cuts spans to the window", repr(document))


def check_sameness(tap):
    for name in ("wide", "process", "calls"):
        for kind in ("off", "run", "syscall"):
            words = ("report", "-q", "--spans", kind, "--by", "thread", "--csv")
            outs = {run(*words, "--jobs", jobs, path_of(name)).out for jobs in ("1", "4")}
            with open(path_of(name), "rb") as f:
                outs.add(subprocess.run([PERFDATA, *words, "-"], input=f.read(), stdout=subprocess.PIPE, check=False).stdout.replace(b"-,", b","))
            tap.check(len(outs) == 1 or len({out.split(b"\n", 1)[1] for out in outs}) == 1, f"{name}: {kind}: any threads, file or pipe", repr(outs)[:600])


def table(name, table_name, *words):
    done = run("csv", "-q", "--table", table_name, *words, path_of(name))
    return list(csv.DictReader(done.out.decode().splitlines()))


def check_tables(tap):
    for name in ("wide", "process", "calls"):
        rows = table(name, "spans", "--with-run-spans")
        for kind in ("run", "off", "runq", "syscall"):
            whole = [int(row["duration"]) for row in rows if row["kind"] == kind and row["duration"]]
            document = report(kind, name)
            tap.check((len(whole), sum(whole)) == (document["count"], document["total"]), f"{name}: the table spans has all of {kind}")
        tap.check(not [row for row in table(name, "spans") if row["kind"] == "run"], f"{name}: runs only where they are asked for")
        for row in rows:
            if row["duration"]:
                assert int(row["end"]) - int(row["begin"]) == int(row["duration"]), row
        parts = [row for row in rows if row["kind"] == "off" and row["blocked_ns"]]
        tap.check(all(int(row["blocked_ns"]) + int(row["runq_ns"]) == int(row["duration"]) for row in parts), f"{name}: off is blocked and queued")
    offsets = {row["offset"] for row in records("wide") if row["type"] == "sample"}
    tap.check(all(int(row["end_offset"]) in offsets for row in table("wide", "spans") if row["end_offset"]), "spans lead back to their samples")
    begins = {(row["offset"], row["tid"]): row["fields"]["args"] for row in records("calls") if row["type"] == "sample" and row["event"] == "raw_syscalls:sys_enter"}
    shown = {(int(row["begin_offset"]), int(row["tid"])): json.loads(row["args"])["args"] for row in table("calls", "spans") if row["begin"]}
    tap.check(shown and shown == {key: args for key, args in begins.items() if key in shown}, "args of system calls", repr(shown)[:600])
    threads = table("wide", "threads_time")
    off, runs = report("off", "wide"), report("run", "wide")
    tap.check(sum(int(row["off_ns"] or 0) for row in threads) == off["total"] and sum(int(row["run_ns"] or 0) for row in threads) == runs["total"],
              "threads_time has the sums of spans")
    states = ("sleep_ns", "uninterruptible_ns", "preempted_ns", "stopped_ns", "idle_ns", "other_ns")
    tap.check(all(int(row["off_ns"]) == sum(int(row[key]) for key in states) for row in threads if row["off_ns"]), "off is the sum of its states")
    lives = [row for row in threads if row["tid"] in map(str, measured("wide")) and row["gaps"] == "0"]
    tap.check(all(int(row["last"]) - int(row["first"]) == int(row["run_ns"]) + int(row["off_ns"]) + int(row["unknown_ns"]) for row in lives),
              "a life is time on, off, and unknown")


def check_part(tap):
    """Switches of some processors, in a recording that a thread of its own reads ahead: what is found at the end is said all the same."""
    for cpus, stated in (((0,), True), ((0, 1), False)):
        trace = scheduler.Trace([scheduler.SWITCH])
        r = trace.recording
        r.record(69, r.words([len(cpus)] + [word for cpu in cpus for word in (50, 0, cpu, 2**64 - 1)]), trailer=b"")
        for step in range(12000):
            prev, after = (101, 102) if step % 2 else (102, 101)
            trace.put("sched_switch", 1000 + 10 * step, 0, prev, ("one", prev, 120, 1, "two", after, 120))
        r.feature(7, r.pack("II", 2, 2))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "part.data")
            trace.save(path)
            for jobs in ("1", "4"):
                done = run("report", "--spans", "off", "--jobs", jobs, path)
                tap.check(done.code == 0 and (b"switches of 1 of 2 processors [N813]" in done.err) == stated,
                          f"switches of {len(cpus)} of 2 processors, --jobs {jobs}", repr(done.err))


def check_lines(tap):
    """ndjson --spans has the rows of the tables, and json the same objects."""
    for name in ("wide", "process", "calls"):
        lines = [json.loads(line) for line in run("ndjson", "-q", "--spans", "--with-run-spans", "--stacks", "ref", path_of(name)).out.splitlines()]
        for kind, of in (("span", "spans"), ("thread_time", "threads_time")):
            shown = [{key: json.dumps(value, separators=(",", ":")) if key == "args" else str(value) for key, value in line.items() if key != "type"}
                     for line in lines if line["type"] == kind]
            rows = [{key: value for key, value in row.items() if value and key != "recording"} for row in table(name, of, "--with-run-spans")]
            tap.check(shown == rows and rows, f"{name}: ndjson --spans has the rows of {of}", repr((shown[:1], rows[:1])))
        document = json.loads(run("json", "-q", "--spans", "--with-run-spans", "--stacks", "ref", path_of(name)).out)
        tap.check(document["records"] == lines[1:-1], f"{name}: json --spans has the same objects")
        outs = {run("ndjson", "-q", "--spans", "--jobs", jobs, path_of(name)).out for jobs in ("1", "4")}
        tap.check(len(outs) == 1, f"{name}: ndjson --spans is the same for any --jobs")
    document = json.loads(run("json", "-q", "--spans", "--type", "lost", path_of("process")).out)
    tap.check({row["type"] for row in document["records"]} == {"span", "thread_time"}, "spans without records", repr(document)[:300])
    done = run("ndjson", "--with-run-spans", path_of("process"))
    tap.check(done.code == 2 and b"without --spans" in done.err, "--with-run-spans alone is refused", repr(done))


def check_flows(tap):
    """perfetto: a flow leads from each thread that woke another one to the instant where that one got a CPU."""
    for name in ("wide", "process", "calls"):
        found = perfetto.Trace(run("perfetto", "-q", path_of(name)).out).flows.values()
        wakes = [row for row in table(name, "spans") if row["kind"] == "runq" and int(row["waker_tid"] or 0) > 0 and row["duration"]]
        tap.check(sorted((begin, end) for begin, end, *_ in found) == sorted((int(row["begin"]), int(row["end"])) for row in wakes)
                  and bool(wakes) == (name == "wide"), f"{name}: perfetto has a flow for each of {len(wakes)} wake-ups by a thread")
    by_waker = report("runq", "wide", "--by", "waker")
    wakes = [row for row in table("wide", "spans") if row["kind"] == "runq" and row["waker_tid"] and row["duration"]]
    tap.check((by_waker["count"], by_waker["total"]) == (len(wakes), sum(int(row["duration"]) for row in wakes)), "runq by waker has what was woken")


def check_page(tap):
    """The page has time off the CPU beside what was sampled, and strips of what each thread did: the sums are those of the spans."""
    for name, on in (("wide", True), ("process", False), ("clock", False), ("outs", False)):
        page = views.Page(run("flamegraph", "-q", path_of(name)).out)
        waits, off, runs = page.waits(), report("off", name), report("run", name)
        tap.check(sum(waits.values()) - waits["[running]"] == off["total"], f"{name}: the page's time off the CPU", repr((waits, off["total"])))
        if on:
            tap.check(waits["[running]"] == runs["total"], f"{name}: without a clock, time on the CPU is that of runs", repr((waits, runs["total"])))
        times = collections.Counter()
        for _thread, cell, state, time in page.cells:
            assert cell < 1024 and 0 < time
            times["run" if state == "running" else "off"] += time
        tap.check(times == collections.Counter(run=runs["total"], off=off["total"]), f"{name}: strips of states", repr((times, runs["total"], off["total"])))
    page = views.Page(run("flamegraph", "-q", path_of("sampled")).out)
    tap.check(not page.waits() and not page.cells, "sampled: the page has nothing of it")
    page = views.Page(run("flamegraph", "-q", "--base", path_of("wide"), path_of("wide")).out)
    tap.check(not page.waits(), "with a base, the page has what both sides weigh")
    with tempfile.TemporaryDirectory() as folder:
        done = run("convert", "-q", "--to", "flamegraph,folded", "-o", folder + "/", path_of("wide"))
        with open(os.path.join(folder, "wide.data.flamegraph"), "rb") as f:
            tap.check(not views.Page(f.read()).waits(), "of several formats, none changes what the others count", repr(done))


def check_many_strips(tap):
    """With many threads the cells of strips are wider: there are at most half a million."""
    trace, threads = scheduler.Trace([scheduler.SWITCH]), 1300
    for step in range(3 * threads):
        prev, after = 1000 + step % threads, 1000 + (step + 1) % threads
        trace.put("sched_switch", 1000 + 1000 * step, 0, prev, ("a", prev, 120, 1, "a", after, 120))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "many.data")
        trace.save(path)
        page = views.Page(run("flamegraph", "-q", path).out)
    tap.check(256 <= max(cell for _thread, cell, *_ in page.cells) < 512 and len(page.cells) <= 1 << 19 and
              len({thread for thread, *_ in page.cells}) == threads, "strips of 1,300 threads", repr(len(page.cells)))


def check_overview(tap):
    out = run(path_of("process")).out.decode()
    tap.check("off-CPU: from sched_switch and SWITCH records, 66 waits, " in out and "report --spans off --by thread" in out,
              "the overview says what can be answered", out)
    out = run(path_of("sampled")).out.decode()
    tap.check("off-CPU: unknown" in out and "-c 1" in out, "… and how to record what cannot", out)
    for name, stated in (("process", "waiting: off-CPU (from sched_switch and SWITCH records); "), ("calls", "waiting: system calls; "),
                       ("clock", "waiting: off-CPU (from SWITCH records, without stacks); "), ("softirq", "waiting: soft interrupts; "),
                       ("sampled", "waiting: unknown, since sched_switch was sampled"), ("../callgraph-73", "waiting: not recorded; perf record")):
        out = run("info", path_of(name)).out.decode()
        tap.check("\n" + stated in out, f"info says so without reading all: {name}", out)
    out = run("info", "--symbols", "yes", path_of("process")).out.decode()
    tap.check("off-CPU: from sched_switch and SWITCH records, 66 waits, " in out, "info with names counts them", out)
    done = run("report", "--spans", "off", path_of("outs"))
    tap.check(done.code == 0 and b"[N810]" in done.err, "what is unknown is a finding with its share", repr(done.err))
    done = run("report", "--spans", "off", path_of("sampled"))
    tap.check(done.code == 0 and b"[N809]" in done.err, "sampled switches are a finding", repr(done.err))


def save_late(path, name, values):
    """Switches of CPU 0 in rounds of perf; in the last, a record of CPU 1, NAME, that is older than switches of earlier rounds. None: without it."""
    trace = scheduler.Trace((scheduler.SWITCH, scheduler.WAKING, ("sched", "sched_process_hang", [("comm", "16s"), ("pid", "i")])))
    for number in range(40):
        if number == 5:
            trace.put("sched_switch", 2020, 1, 90, ("early", 90, 120, 1, "swapper/1", 0, 120))
        before, after = 101 + number % 2, 102 - number % 2
        trace.put("sched_switch", 2000 + 100 * number, 0, before, ("b", before, 120, 1, "a", after, 120))
        if number % 10 == 9:
            trace.recording.record(68)   # FINISHED_ROUND
        if number == 35 and name:
            trace.put(name, 2050, 1, 90, values)
    trace.save(path)


def check_late(tap):
    """W602 is about records that the output depends on: spans need no sample of other events, and are the same with and without a late one."""
    with tempfile.TemporaryDirectory() as folder:
        path, found = os.path.join(folder, "late.data"), {}
        for name, values in ((None, ()), ("sched_process_hang", ("early", 90)), ("sched_switch", ("early", 90, 120, 1, "swapper/1", 0, 120))):
            save_late(path, name, values)
            spans = run("report", "--json", "--spans", "off", path)
            late = [b"[W602]" in done.err for done in (spans, run("ndjson", path))]
            found[name] = [json.loads(spans.out)["rows"], late]
    tap.check(found[None][1] == [False, False] and found["sched_process_hang"][1] == [False, True], "a late sample is reported where it is in the output",
              repr(found))
    tap.check(found["sched_process_hang"][0] == found[None][0], "and changes no span that does not need it", repr(found))
    tap.check(found["sched_switch"][1] == [True, True], "a late switch is reported", repr(found))


def main():
    tap = Tap()
    check_late(tap)
    check_pairs(tap, "wide", ("run", "off", "runq"))
    check_pairs(tap, "outs", ("run", "off"))
    check_pairs(tap, "clock", ("run", "off"))
    check_pairs(tap, "process", ("run",))
    check_pairs(tap, "calls", ("syscall",))
    check_pairs(tap, "softirq", ("softirq",))
    check_construction(tap, "process")
    check_construction(tap, "wide")
    check_weights(tap)
    check_states(tap)
    check_wait_keys(tap)
    check_simpleperf(tap)
    check_off_cpu_samples(tap)
    check_other_weight(tap)
    check_refusals(tap)
    check_filters(tap)
    check_sameness(tap)
    check_tables(tap)
    check_part(tap)
    check_lines(tap)
    check_flows(tap)
    check_page(tap)
    check_many_strips(tap)
    check_overview(tap)
    sys.exit(tap.end())


main()
