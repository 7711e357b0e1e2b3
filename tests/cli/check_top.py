#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perfdata_top gives what `perfdata report --json` gives of an event, row by row, with the build-ids that `buildids` tells; of paths and of bytes that are
fed. doc/examples/top.c shows the first ten rows. Every second recording is looked at, with PERFDATA_ALL=1 each. Prints TAP."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import run

# the program looks into ~/.debug, which the library does not know of
os.environ["HOME"] = "/nonexistent"
BUILD = os.environ.get("top_builddir", ".")
SUMS = ("self_samples", "self_weight", "total_samples", "total_weight")


def call(name, *words):
    done = subprocess.run([os.path.join(BUILD, "tests", name), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode()


def top(path, *words):
    code, out, words = call("support/top_json", path, *words)
    return json.loads(out) if code == 0 else words


def rows_of(event):
    return [(row["symbol"], row.get("dso", ""), row["kind"], *[row[key] for key in SUMS]) for row in event["rows"]]


def build_ids(path):
    """{file: its build-ids in the recording}"""
    ids = {}
    for row in json.loads(run("buildids", "--json", path).out or b"{}").get("files", []):
        ids.setdefault(row["filename"], set()).add(row.get("build_id"))
    return ids


def compare(path, report_words, top_words):
    """What is wrong with the top of each event."""
    done = run("report", "--json", "-q", *report_words, path)
    events = json.loads(done.out)["events"] if done.out else []
    wrong = []
    first = top(path, *top_words)
    if isinstance(first, str):
        return [] if done.code not in (0, 4) else [first]
    if not events:
        return [] if first["rows"] == [] and first["event"] == "" else ["rows, where the report has none"]
    for number, event in enumerate(events):
        if [other["event"] for other in events].index(event["event"]) != number:
            continue   # a name that two events have means the first
        found = first if not number else top(path, *top_words, "event=" + event["event"])
        if isinstance(found, str):
            wrong.append(found)
        elif rows_of(found) != rows_of(event):
            wrong.append("%s: other rows" % event["event"])
        elif any(found[key] != event[key] for key in ("event", "samples", "weight", "rows_left_out")):
            wrong.append("%s: other sums" % event["event"])
        elif found["complete"] != (done.code == 0):
            wrong.append("complete: %s, exit code %d" % (found["complete"], done.code))
    return wrong


def wrong_ids(path):
    known = build_ids(path)
    return ["%s: %s" % (row["dso"], row["build_id"]) for row in top(path, "no-names")["rows"]
            if row["build_id"] not in {wanted or "" for wanted in known.get(row["dso"], {""})}]


def limits(path):
    every, some = top(path), top(path, "most=3")
    wrong = []
    if some["rows"] != every["rows"][:3] or some["rows_left_out"] != len(every["rows"]) - 3 or some["weight"] != every["weight"]:
        wrong.append("most=3")
    if "there is no event 'x'" not in top(path, "event=x"):
        wrong.append("an event that there is not")
    if "-2 " not in top("/nowhere"):
        wrong.append("a file that there is not")
    return wrong


def example(path):
    rows = top(path)
    code, out, words = call("example_top", path)
    wanted = ["%6.2f%% %6.2f%%  %s  %s" % (100 * row["self_weight"] / rows["weight"], 100 * row["total_weight"] / rows["weight"], row["symbol"], row["dso"])
              for row in rows["rows"][:10]]
    return [] if code == 0 and out.decode().splitlines() == wanted else ["code %d: %s" % (code, words)]


def main():
    tap = program.Tap()
    recordings = [path for path, _kind in program.recordings(largest=1 << 20)]
    for path in recordings[::1 if program.ALL else 2]:
        tap.report("rows: " + os.path.basename(path), compare(path, [], []))
    for path in recordings[:None if program.ALL else 6]:
        tap.report("no inlines: " + os.path.basename(path), compare(path, ["--no-inline"], ["no-inlines"]))
        tap.report("no names: " + os.path.basename(path), compare(path, ["--symbols", "no"], ["no-names"]))
    for name in ("callgraph-73.data", "stream-73.pipe", "zstd-73.data"):
        path = os.path.join(program.TESTDATA, name)
        tap.report("fed: " + name, [] if top(path) == top(path, "fed") else ["other answers"])
        tap.report("build-ids: " + name, wrong_ids(path))
    path = os.path.join(program.TESTDATA, "callgraph-73.data")
    tap.report("limits and errors", limits(path))
    tap.report("the example", example(path))
    return tap.end()


sys.exit(main())
