#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How many samples of a recording have a name is one number in all commands, for every recording of testdata/: `info`, the overview, `match`, the
note of `report`, and rows of `csv --names`. `report`, `folded` and `info` also agree on deliveries: samples of groups count once for each event
that was read with them. All count the instruction that was executed, so `report` and `folded` show the interpreter's frames, for which they else show
the Java function. Prints TAP."""
import collections
import csv
import io
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import run, some_recordings


def document(*words):
    done = run(*words)
    return json.loads(done.out) if done.code in (0, 1, 4) and done.out else None


def counts_of_report(path):
    """(named, all) of the deliveries of each event."""
    report = document("report", "-q", "--json", "--top", "0", "--weight", "samples", "--show-art-frames", path)
    counts = collections.Counter(), collections.Counter()
    for event in report["events"] if report else ():
        counts[0][event["event"]] += event["samples"] - event["nameless_samples"]
        counts[1][event["event"]] += event["samples"]
    return counts


def folded_fault(path, event, samples):
    done = run("folded", "-q", "--weight", "samples", "--no-inline", "--show-art-frames", "--event", event, path)
    total = 0
    for line in done.out.decode("utf-8", "replace").splitlines():
        total += int(line.rpartition(" ")[2])
    return [] if done.code not in (0, 4) or total == samples else ["folded has %d samples of %s, report %d" % (total, event, samples)]


def faults_of(path):
    info = document("info", "-q", "--json", "--symbols", "yes", path)
    if not info or not info.get("names"):
        return None
    named, samples = info["names"]["named"], info["names"]["samples"]
    if not samples:
        return None
    faults, share = [], "%.1f" % (100 * named / samples)

    def compare(what, got, wanted):
        if got != wanted:
            faults.append("%s: %s, info: %s" % (what, got, wanted))

    rows = list(csv.reader(io.StringIO(run("csv", "-q", "--names", "--symbols", "yes", "--type", "sample", "-e", "ip_at.symbol", path).out.decode())))[1:]
    compare("csv --names", (sum(any(row) for row in rows), len(rows)), (named, samples))
    overview = re.search(r"(?m)^names: ([\d.]+) %", run(path).out.decode("utf-8", "replace"))
    compare("the overview", overview and overview[1], share)
    match = document("match", "-q", "--json", path)
    compare("match", match and "%.6f" % match["shares"]["named"], "%.6f" % (named / samples))
    deliveries = {event["event"]: event["deliveries"] for event in info["summary"]["events"] if event["deliveries"]}
    of_report, all_of_report = counts_of_report(path)
    compare("report's deliveries", dict(all_of_report), deliveries)
    if sum(deliveries.values()) == samples:
        compare("report", sum(of_report.values()), named)
        note = re.search(r"([\d.]+) % of (\d+) samples have no name", run("report", "--show-art-frames", path).err.decode("utf-8", "replace"))
        if note:
            compare("report's note", (note[1], int(note[2])), ("%.1f" % (100 * (samples - named) / samples), samples))
    for event, number in all_of_report.items():
        faults.extend(folded_fault(path, event, number))
    return faults


def main():
    tap, without = program.Tap(), 0
    simpleperf = os.path.join(program.TESTDATA, "simpleperf")
    more = [os.path.join(simpleperf, name) for name in sorted(os.listdir(simpleperf)) if name.endswith(".data")]
    for path in some_recordings(1 << 22) + more:
        faults = faults_of(path)
        without += faults is None
        if faults is not None:
            tap.report(os.path.basename(path), faults)
    tap.report("recordings with samples", [] if tap.count > 25 else ["%d, and %d without" % (tap.count, without)])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
