#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings whose events have their ids at different places, or none: perf refuses them. Repaired, all records have an identifier, the samples are those
that our reader delivers, and perf, where PERF names one of version 7, opens them and gives each event its samples. TAP."""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rewritten  # noqa: E402
from rewritten import program  # noqa: E402
import builder  # noqa: E402
from builder import ADDR, CPU, ID, IDENTIFIER, IP, STREAM_ID, TID, TIME  # noqa: E402

BASE = IP | TID | TIME
# What is wrong → the sample types of the events, their sample_id_all, their ids
CASES = {"an address in front of the id": ((BASE | ID, BASE | ADDR | ID), (1, 1), (11, 22)),
         "an identifier in one only": ((BASE | ID | IDENTIFIER, BASE | ID | CPU), (1, 1), (11, 22)),
         "a trailer that ends otherwise": ((BASE | ID | CPU, BASE | ID | STREAM_ID | CPU), (1, 1), (11, 22)),
         "no trailer behind one's records": ((BASE | IDENTIFIER, BASE | IDENTIFIER), (1, 0), (11, 22)),
         "no ids": ((BASE, BASE), (1, 1), (None, None)),
         "three of a kind each": ((BASE | ID, BASE | ADDR | ID, BASE | IDENTIFIER), (1, 1, 1), (11, 22, 33))}


def made(folder, types, trailers, ids, big, pipe):
    """Comms with trailers of each event in turn, and ten samples."""
    recording = builder.Recording(big=big, pipe=pipe)
    events = [recording.event("cycles" if i == 0 else "instructions", ids=[own] if own else (), type=0, config=i, sample_type=kind, sample_id_all=has,
                              period=1000, comm=1, mmap=1)
              for i, (kind, has, own) in enumerate(zip(types, trailers, ids))]
    recording.mmap(7, 7, 0x400000, 0x1000, 0, "/usr/bin/work", pid=7, tid=7, time=900)
    recording.record(3, recording.pack("II", 7, 7) + recording.text("work"), 0, event=events[0], pid=7, tid=7, time=910, id=ids[0] or 0)
    for n in range(10):
        event = n % len(events)
        recording.sample(events[event], ip=0x400010 + n, pid=7, tid=7, time=1000 + n, id=ids[event] or 0, addr=0x500000 + n, cpu=1, period=5)
    path = os.path.join(folder, "ids.pipe" if pipe else "ids.data")
    recording.save(path)
    return path


def samples(path):
    """Event, time and place of each sample; without what the repair adds."""
    done = program.run("ndjson", "-q", "--symbols", "no", "--type", "sample", "--order", "file", path)
    records = [json.loads(line) for line in done.out.decode().splitlines()]
    return [[record.get(key) for key in ("event", "time", "pid", "tid", "ip", "addr", "cpu")] for record in records if record["type"] == "sample"]


def faults_of(path, use_perf):
    wanted = samples(path)
    with tempfile.TemporaryDirectory() as folder:
        out, code, said = rewritten.rewritten(folder, path, command="repair")
        if code not in (0, 4) or not out:
            return ["exit code %d: %s" % (code, said)]
        faults = [] if len(wanted) == 10 and samples(out) == wanted else ["samples: %s instead of %s" % (samples(out), wanted)]
        checked = program.run("check", out)
        if checked.code != 0 or b"W603" in checked.out + checked.err:
            faults.append("check: exit code %d: %s" % (checked.code, checked.out))
        for command in ("script",), ("evlist", "-v"), ("report", "--stats"):
            done = rewritten.perf(command, out) if use_perf else None
            if done and done.returncode != 0:
                faults.append("perf %s: exit code %d: %s" % (command[0], done.returncode, done.stderr[-300:]))
        if use_perf:
            found = sorted(re.findall(r"\d+\.\d+: +\d+ +([\w-]+):", rewritten.perf(("script",), out).stdout.decode()))
            if found != sorted(event.split(":")[0] for event, *_more in wanted):
                faults.append("perf script: samples of %s" % found)
    return faults


def main():
    tap = program.Tap()
    seven = rewritten.perf_is_seven()
    for title, (types, trailers, ids) in CASES.items():
        faults = []
        for big, pipe in (False, False), (False, True), (True, False):
            with tempfile.TemporaryDirectory() as folder:
                path = made(folder, types, trailers, ids, big, pipe)
                faults += ["%s: %s" % (("big" if big else "little", "stream" if pipe else "file"), fault) for fault in faults_of(path, seven)]
        tap.report("%s: repaired%s" % (title, ", and opened by perf" if seven else ""), faults)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
