#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Markers of `firefox`: each interval that two records make is one marker that lasts, beside no markers of the two records; what lacks a side
is an instant. Compared with pairs that are made here from the lines of ndjson. TAP."""
import collections
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import program
from program import TESTDATA, run

FOLDER = os.path.join(TESTDATA, "spans")


class Tap(program.Tap):
    def equal(self, title, found, wanted):
        self.report(title, [] if found == wanted else [f"{found!r} instead of {wanted!r}"])


def records(path):
    return [json.loads(line) for line in run("ndjson", "-q", path).out.splitlines()]


def markers_of(path, *words):
    """(tid, name, text, begin, end or None), times in ns."""
    profile = json.loads(run("firefox", "-q", *words, path).out)
    strings = profile["shared"]["stringArray"]
    zero = int(profile["meta"].get("startTimeAsClockMonotonicNanosecondsSinceBoot", "0"))
    found = []
    for thread in profile["threads"]:
        markers = thread["markers"]
        columns = ("data", "name", "startTime", "endTime", "phase", "category")
        assert {len(markers[key]) for key in columns} == {markers["length"]}
        assert markers["startTime"] == sorted(markers["startTime"]), "markers of a thread are in order"
        for i in range(markers["length"]):
            begin, end = (zero + round(markers[key][i] * 1e6) for key in ("startTime", "endTime"))
            assert markers["phase"][i] in (0, 1) and (markers["phase"][i] == 1 or markers["endTime"][i] == 0)
            found.append((int(thread["tid"]), strings[markers["name"][i]], strings[markers["data"][i]["text"]], begin,
                          end if markers["phase"][i] else None))
    return found


def pairs_of(rows, begin, end, key, same):
    """Whole pairs as (tid, begin, end), and how many begins and ends have no other side."""
    opened, whole, alone = {}, [], 0
    for row in rows:
        if row["type"] != "sample" or row["event"] not in (begin, end):
            continue
        one = key(row)
        before = opened.pop(one, None)
        if row["event"] == begin:
            alone += before is not None
            opened[one] = row
        elif before is None or not same(before, row):
            alone += 1 + (before is not None)
        else:
            whole.append((before["tid"], before["time"], row["time"]))
    return collections.Counter(whole), alone + len(opened)


def check_calls(tap):
    path = os.path.join(FOLDER, "calls.data")
    rows, markers = records(path), markers_of(path)
    whole, alone = pairs_of(rows, "raw_syscalls:sys_enter", "raw_syscalls:sys_exit", lambda row: row["tid"],
                            lambda a, b: a["fields"]["id"] == b["fields"]["id"])
    calls = [marker for marker in markers if marker[1] == "system call"]
    tap.equal("each call is one marker that lasts", collections.Counter((tid, begin, end) for tid, _, _, begin, end in calls if end), whole)
    tap.equal("calls without a side are instants", sum(end is None for *_, end in calls), alone)
    tap.equal("no marker of their events", [marker for marker in markers if marker[1].startswith("raw_syscalls:")], [])
    for begin, end in zip((row for row in rows if row["type"] == "sample"), [row for row in rows if row["type"] == "sample"][1:]):
        if begin["event"] == "raw_syscalls:sys_enter" and end["event"] == "raw_syscalls:sys_exit" and begin["fields"]["id"] == 1 and end["tid"] == begin["tid"]:
            arguments = ", ".join(f"{value:x}" if value < 10 else f"{value:#x}" for value in begin["fields"]["args"])
            text = f"write({arguments}) = {end['fields']['ret']}"
            tap.equal("a call's text has arguments and result",
                      [marker[2] for marker in calls if (marker[0], marker[3]) == (begin["tid"], begin["time"])], [text])
            break
    tap.equal("--no-markers", markers_of(path, "--no-markers"), [])


def check_soft_interrupts(tap):
    path = os.path.join(FOLDER, "softirq.data")
    rows, markers = records(path), markers_of(path)
    whole, alone = pairs_of(rows, "irq:softirq_entry", "irq:softirq_exit", lambda row: (row["cpu"], row["fields"]["vec"]), lambda a, b: True)
    shown = [marker for marker in markers if marker[1] == "soft interrupt"]
    tap.equal("each soft interrupt is one marker", collections.Counter((tid, begin, end) for tid, _, _, begin, end in shown if end), whole)
    tap.equal("and what lacks a side an instant", sum(end is None for *_, end in shown), alone)


def check_waits(tap):
    path = os.path.join(FOLDER, "process.data")
    rows, markers = records(path), markers_of(path)
    opened, waits, alone = {}, collections.Counter(), 0
    for row in rows:
        if row["type"] == "switch" and "SWITCH_OUT" in row["misc"]:
            opened[row["tid"]] = row["time"]
        elif row["type"] == "switch":
            since = opened.pop(row["tid"], None)
            waits[row["tid"], since, row["time"]] += since is not None
            alone += since is None
    tap.equal("each wait is one marker", collections.Counter((tid, begin, end) for tid, name, _, begin, end in markers if name == "off-CPU"), +waits)
    tap.equal("switches without the other one are instants", sum(marker[1] == "switch" for marker in markers), alone + len(opened))
    tap.equal("sched_switch says more: who came", sum(marker[1] == "sched:sched_switch" for marker in markers),
              sum(row["type"] == "sample" for row in rows))


def main():
    tap = Tap()
    check_calls(tap)
    check_soft_interrupts(tap)
    check_waits(tap)
    sys.exit(tap.end())


main()
