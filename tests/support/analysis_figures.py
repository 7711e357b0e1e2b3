#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The numbers that the questions of doc/analysis.md ask for, computed from NDJSON: one JSON document. Everything is in memory, and nothing is shared with
the tables.

    PERFDATA=… analysis_figures.py RECORDING…"""
import collections
import json
import os
import subprocess
import sys


def lines(path, *options):
    done = subprocess.run([os.environ["PERFDATA"], "ndjson", "-q", *options, path], capture_output=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def quantile(values, share):
    """Between the two nearest."""
    values = sorted(values)
    at = (len(values) - 1) * share
    low = int(at)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (at - low)


def is_sampled(meta, name):
    """Only every nth event is in the recording."""
    return any(event["name"].startswith(name) and (event["attr"]["attr_flags"].get("freq") or event["attr"]["sample_period"] != 1)
               for event in meta.get("events", ()))


class Holes:
    """Times in which something is missing on a CPU."""

    def __init__(self, records):
        self.list, last = [], {}
        for record in records:
            if record["type"] == "sample" and record.get("cpu") is not None and record.get("time") is not None:
                last[record["cpu"]] = record["time"]
            elif record["type"] == "lost" and record.get("time") is not None:
                self.list.append((last.get(record.get("cpu"), 0), record["time"]))

    def across(self, begin, end):
        return any(first < end and last > begin for first, last in self.list)


STATES = {1: "sleeping", 2: "uninterruptible", 4: "stopped", 8: "traced", 64: "parked", 128: "idle"}


def state_of(value):
    return next((name for bit, name in sorted(STATES.items()) if value & bit), "preempted")


def lost_between(records, begin, end):
    return any(record["type"] in ("lost", "lost_samples") and begin < (record.get("time") or 0) <= end for record in records)


def waits(meta, records):
    """(thread, since when, comm, why, ns or None, ns in a queue or None, unsure, lost) of each wait; lost: records were. unsure: or switches."""
    if is_sampled(meta, "sched:sched_switch"):
        return []
    holes, names, on_cpu, since, open_outs, woken, found = Holes(records), {}, {}, {}, {}, {}, []
    losses = [record for record in records if record["type"] in ("lost", "lost_samples")]
    for record in records:
        if record["type"] == "comm":
            names[record["tid"]] = record["comm"]
        elif record["type"] == "fork":
            names[record["tid"]] = names.get(record["ptid"], ":%d" % record["tid"])
        if record["type"] != "sample" or not record["event"].startswith("sched:sched_"):
            continue
        fields, time, cpu = record["fields"], record["time"], record["cpu"]
        if record["event"].startswith("sched:sched_waking"):
            pid = fields["pid"]
            if pid not in on_cpu.values() and not (pid in open_outs and open_outs[pid][3] == "preempted"):
                woken.setdefault(pid, time)
        if not record["event"].startswith("sched:sched_switch"):
            continue
        out, into = fields["prev_pid"], fields["next_pid"]
        if cpu in on_cpu and on_cpu[cpu] != out:
            holes.list.append((since[cpu], time))
        on_cpu[cpu], since[cpu] = into, time
        if out in open_outs:                 # it came in unseen
            found.append((*open_outs.pop(out), None, None))
        if out:
            woken.pop(out, None)
        if out and not fields["prev_state"] & 48:
            open_outs[out] = out, time, names.get(out, ":%d" % out), state_of(fields["prev_state"])
        if not into:
            continue
        wake = woken.pop(into, None)
        if into in open_outs:
            left = open_outs.pop(into)
            found.append((*left, time, time - left[1] if left[3] == "preempted" else None if wake is None else time - wake))
        elif wake is None:                   # it went out unseen
            found.append((into, None, names.get(into, ":%d" % into), "off-CPU", None, None))
    found += [(*left, None, None) for left in open_outs.values()]
    return [(*out, None if back is None else back - out[1], queued, back is not None and holes.across(out[1], back),
             back is not None and lost_between(losses, out[1], back)) for *out, back, queued in found]


def calls(meta, records):
    """(number as text: the recordings name no machine; ns, lost, failed) of each call whose end is the thread's next event."""
    if is_sampled(meta, "raw_syscalls:sys_"):
        return []
    losses = [record for record in records if record["type"] in ("lost", "lost_samples")]
    entered, found = {}, []
    for record in records:
        if record["type"] != "sample" or not record["event"].startswith("raw_syscalls:sys_"):
            continue
        number, tid, time = record["fields"]["id"], record["tid"], record["time"]
        before = entered.pop(tid, None)
        if record["event"].startswith("raw_syscalls:sys_enter"):
            entered[tid] = number, time
        elif before and before[0] == number:
            found.append((str(number), time - before[1], lost_between(losses, before[1], time), record["fields"]["ret"] < 0))
    return found


def who_waits(found):
    groups = collections.defaultdict(list)
    for _tid, _since, comm, why, off, queued, _unsure, lost in found:
        groups[comm, why].append((off, queued, lost))
    rows = []
    for (comm, why), each in groups.items():
        off, queues = ([one[at] for one in each if one[at] is not None] for at in (0, 1))
        rows.append([comm, why, len(off), round(sum(off) / 1e6, 3) if off else None, round(quantile(off, 0.99) / 1e6, 3) if off else None,
                     round(sum(queues) / 1e6, 3) if queues else None, sum(lost for _, _, lost in each), len(each) - len(off)])
    return sorted(rows, key=lambda row: (row[3] is None, -(row[3] or 0), row[0], row[1]))


def how_long(found):
    groups = collections.defaultdict(list)
    for name, ns, lost, failed in found:
        groups[name].append((ns, lost, failed))
    rows = [[name, len(each), sum(failed for _, _, failed in each), sum(ns for ns, _, _ in each) / len(each), quantile([ns for ns, _, _ in each], 0.5),
             quantile([ns for ns, _, _ in each], 0.99), sum(lost for _, lost, _ in each)] for name, each in groups.items()]
    return sorted(rows, key=lambda row: (-row[1] * row[3], row[0]))


def losses(name, records):
    samples = sum(record["type"] == "sample" for record in records)
    kinds = [sum(record["lost"] for record in records if record["type"] == kind) for kind in ("lost", "lost_samples")]
    return [name, samples, max(kinds), round(100 * max(kinds) / max(max(kinds) + samples, 1), 3)]


# --- profiles ---

def profile(meta, records):
    """(comm, where it was, steps of its stack, weight) of the samples of the event that the recording was made for: that with most samples that is no tracepoint."""
    counts = collections.Counter(record["event"] for record in records if record["type"] == "sample")
    events = {event["name"]: event["attr"] for event in meta.get("events", ()) if event["attr"]["type_raw"] != 2 and counts[event["name"]]}
    if not events:
        return []
    name = max(events, key=lambda event: counts[event])
    return [(record.get("comm"), record.get("ip_at") or {}, record.get("stack") or [], record.get("period", events[name]["sample_period"] or 1))
            for record in records if record["type"] == "sample" and record["event"] == name]


def name_of(step):
    return step.get("symbol") or (step.get("dso") and "[%s]" % step["dso"]) or "[unknown]"


def functions(samples):
    weights = collections.Counter()
    for _comm, top, _steps, weight in samples:
        weights[name_of(top)] += weight
    return sorted(weights.items(), key=lambda row: -row[1])


def with_callees(samples):
    weights = collections.Counter()
    for _comm, _top, steps, weight in samples:
        for symbol in {(step["symbol"], step.get("dso")) for step in steps if step.get("symbol")}:
            weights[symbol] += weight
    return sorted(([*symbol, weight] for symbol, weight in weights.items()), key=lambda row: -row[2])


def threads(samples):
    rows = collections.defaultdict(lambda: [0, 0])
    for comm, top, _steps, weight in samples:
        row = rows[comm, top.get("dso"), (top.get("build_id") or "")[:12] or None]
        row[0] += 1
        row[1] += weight
    return sorted(([*key, *row] for key, row in rows.items()), key=lambda row: -row[4])


def without_names(samples):
    rows = collections.defaultdict(lambda: [0, 0])
    for _comm, top, _steps, _weight in samples:
        row = rows[top.get("dso"), not top.get("build_id")]
        row[0] += 1
        row[1] += bool(top.get("symbol"))
    return sorted(([*key, *row] for key, row in rows.items()), key=lambda row: row[3] - row[2])


def changes(by_recording):
    """[function, before, after, Welch's t] of what differs most between the recordings called before-… and others."""
    weights = {name: collections.Counter() for name, samples in by_recording if samples}
    for name, samples in by_recording:
        for _comm, top, _steps, weight in samples:
            weights[name][top.get("symbol") or top.get("dso") or "?"] += weight
    rows = []
    for function in {function for each in weights.values() for function in each}:
        sets = [[each[function] / sum(each.values()) for name, each in weights.items() if ("before-" in name) == before] for before in (True, False)]
        means = [sum(shares) / len(shares) for shares in sets]
        spread = sum(sum((share - mean) ** 2 for share in shares) / (len(shares) - 1) / len(shares) for shares, mean in zip(sets, means))
        rows.append([function, *(100 * mean for mean in means), (means[1] - means[0]) / spread ** 0.5 if spread > 0 else None])
    return sorted(rows, key=lambda row: -abs(row[2] - row[1]))


def folded(samples):
    weights = collections.Counter()
    for _comm, _top, steps, weight in samples:
        if steps:
            weights[";".join((step.get("symbol") or (step.get("dso") and "[%s]" % step["dso"].rsplit("/", 1)[-1]) or step["ip"]).replace(";", ":")
                             for step in reversed(steps))] += weight
    return sorted("%s %d" % row for row in weights.items())


def main():
    waiting, took, lost, profiles = [], [], [], []
    for path in sys.argv[1:]:
        meta, *records = lines(path, "--stacks", "inline", "--names", "--symbols", "yes")
        records = [record for record in records if record["type"] in ("sample", "comm", "fork", "lost", "lost_samples")]
        waiting += waits(meta, records)
        took += calls(meta, records)
        lost.append(losses(os.path.basename(path), records))
        profiles.append((os.path.basename(path), profile(meta, records)))
    samples = [sample for _name, each in profiles for sample in each]
    json.dump({"functions": functions(samples), "with_callees": with_callees(samples), "threads": threads(samples),
               "without_names": without_names(samples), "changes": changes(profiles), "folded": folded(samples),
               "waits": who_waits(waiting), "calls": how_long(took), "losses": sorted(lost, key=lambda row: (-row[3], row[0]))}, sys.stdout)


if __name__ == "__main__":
    main()
