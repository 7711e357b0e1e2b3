#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recording that says that the recorder lost something has one warning for it, in every command, and is complete nevertheless; a recording
without losses has none. Prints TAP."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from builder import IP, TID, TIME, Recording

LOST, AUX, LOST_SAMPLES = 2, 11, 13
TRUNCATED, OVERWRITE, PARTIAL, COLLISION = 1, 2, 4, 8
DROPPED_BY_BPF = 0x8000
SAMPLES = 20
W701 = "warning: lost: 12 records, 7 samples [W701]"
W702 = "warning: lost: data of 3 of 5 AUX records (2 truncated, 1 with gaps, 1 with collisions) [W702]"
# Losses: (type, words, misc) of each record; what `check` says.
RECORDINGS = {
    "no losses": ([(LOST_SAMPLES, [0], 0), (LOST_SAMPLES, [7], DROPPED_BY_BPF), (AUX, [0, 64, 0], 0), (AUX, [64, 64, OVERWRITE], 0)], []),
    "records and samples": ([(LOST, [1, 5], 0), (LOST, [1, 7], 0), (LOST_SAMPLES, [7], 0)], [W701]),
    "records": ([(LOST, [1, 12], 0)], [W701.replace("7 samples", "0 samples")]),
    "samples": ([(LOST_SAMPLES, [7], 0)], [W701.replace("12 records", "0 records")]),
    "data of AUX": ([(AUX, [0, 64, flags], 0) for flags in (0, TRUNCATED, OVERWRITE, PARTIAL, TRUNCATED | COLLISION)], [W702]),
    "all": ([(LOST, [1, 12], 0), (LOST_SAMPLES, [7], 0)] +
            [(AUX, [0, 64, flags], 0) for flags in (0, TRUNCATED, 0, PARTIAL, TRUNCATED | COLLISION)], [W701, W702]),
}
# What reads a recording once, or more than once; the output of each is on stdout.
COMMANDS = (["script"], ["dump"], ["folded"], ["report"], ["info"], ["info", "--json"], ["ndjson"], ["ndjson", "--jobs", "4"], ["json"], ["csv"],
            ["csv", "--table", "recordings"], ["script", "--time", "10%-90%"], ["script", "--event", "cpu-clock"], ["ndjson", "--order", "file"],
            ["perfetto"], ["pprof"], ["flamegraph"], ["speedscope"], ["firefox"])


def write_recording(folder, losses, pipe=False):
    r = Recording(pipe=pipe)
    event = r.event("cpu-clock", ids=[1], type=1, sample_id_all=1, period=1000, sample_type=IP | TID | TIME)
    r.comm(100, 100, "work", time=1)
    for at in range(SAMPLES):
        r.sample(event, ip=0x1000 + at, pid=100, tid=100, time=10 + at)
    for at, (kind, words, misc) in enumerate(losses):
        r.record(kind, r.words(words), misc=misc, pid=100, tid=100, time=12 + at)
    path = os.path.join(folder, "made.data")
    r.save(path)
    return path


def warnings_of(text):
    """The warnings about losses, without the name of the file."""
    lines = text.decode().splitlines()
    return [line[line.index("warning: "):] for line in lines if "warning: " in line and ("[W701]" in line or "[W702]" in line)]


def faults_of_check(path, wanted):
    faults = []
    done = program.run("check", path)
    if (done.code, warnings_of(done.out)) != (0, wanted) or b" 0 errors, %d warnings" % len(wanted) not in done.out:
        faults.append(done)
    if program.run("check", "--strict", path).code != (1 if wanted else 0):
        faults.append("--strict")
    document = json.loads(program.run("check", "--json", path).out)
    codes = ["W%d" % finding["code"] for finding in document["findings"]]
    if (document["exit_code"], document["errors"], document["warnings"]) != (0, 0, len(wanted)) or codes != [words[-5:-1] for words in wanted]:
        faults.append(document)
    junit = program.run("check", "--junit", path)
    if junit.code or b"<failure" in junit.out or any(words[-6:].encode() not in junit.out for words in wanted) or (not wanted and b"[W70" in junit.out):
        faults.append(junit)
    return faults


def faults_of_conversions(path, wanted):
    faults = []
    for words in COMMANDS:
        done = program.run(*words, "--symbols", "no", path)
        if (done.code, warnings_of(done.err)) != (0, wanted):
            faults.append("%s: exit %d: %s" % (words, done.code, done.err))
        strict = program.run(*words, "--symbols", "no", "--strict", path)
        if strict.code != (4 if wanted else 0) or strict.out != done.out:
            faults.append("%s --strict: exit %d" % (words, strict.code))
        if program.run(*words, "--symbols", "no", "--quiet", path).err:
            faults.append("%s --quiet" % words)
    return faults


def faults_of_summary(path, wanted):
    """The last line of ndjson, from a file and from a pipe."""
    codes = [int(words[-4:-1]) for words in wanted]
    for source in path, "-":
        done = program.run("ndjson", "--symbols", "no", source, stdin=path)
        summary = json.loads(done.out.splitlines()[-1])
        if not summary["complete"] or [finding["code"] for finding in summary["findings"]] != codes:
            yield summary


def main():
    tap = program.Tap()
    with tempfile.TemporaryDirectory() as folder:
        for name, (losses, wanted) in RECORDINGS.items():
            path = write_recording(folder, losses)
            tap.report("%s: check" % name, faults_of_check(path, wanted))
            tap.report("%s: conversions" % name, faults_of_conversions(path, wanted))
            tap.report("%s: the summary" % name, list(faults_of_summary(path, wanted)))
            path = write_recording(folder, losses, pipe=True)
            tap.report("%s: a pipe's" % name, faults_of_check(path, wanted) + list(faults_of_summary(path, wanted)))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
