#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recording without events: what happened is shown as where there are some, by what the records themselves say. So is what stands in
front of the attrs of a stream, whatever fields those have. Prints TAP."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import CPU, IDENTIFIER, IP, TID, TIME, Recording
from program import run

START = b"            prog     100 "
CASES = [
    (("--show-task-events",), START + b"[000]     0.000000: PERF_RECORD_COMM: prog:100/100\n"),
    (("--show-mmap-events",), START + b"[000]     0.000000: PERF_RECORD_MMAP 100/100: [0x400000(0x1000) @ 0]: x /bin/prog\n"),
    (("--show-task-events", "-F", "comm,tid"), START + b"PERF_RECORD_COMM: prog:100/100\n"),
    ((), b""),
]

# Attrs of a stream, by type and whether their samples have a CPU, after the records: what perf 7.3 shows of these.
ATTRS = [[(0, False)], [(0, True)], [(1, False)], [(0, False), (0, True)], [(0, True), (0, False)], [(1, False), (0, False)], [(4, False), (1, True)]]


def check(path, kind, number, failed):
    for options, wanted in CASES:
        number += 1
        done = run("script", "--symbols", "no", *options, path)
        fine = done.code == 0 and done.out == wanted
        failed += not fine
        print("%s %d - %s: script %s" % ("ok" if fine else "not ok", number, kind, " ".join(options)))
        if not fine:
            print("# %r" % (done,))
    return number, failed


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path, number = os.path.join(folder, "perf.data"), 0
        for kind in ("file", "stream"):
            recording = Recording(pipe=kind == "stream")
            recording.comm(100, 100, "prog")
            recording.mmap(100, 100, 0x400000, 0x1000, 0, "/bin/prog")
            recording.save(path)
            number, failed = check(path, kind, number, failed)
        for attrs in ATTRS:
            recording = Recording(pipe=True)
            recording.comm(100, 100, "prog")
            recording.mmap(100, 100, 0x400000, 0x1000, 0, "/bin/prog")
            for at, (type, has_cpu) in enumerate(attrs):
                recording.event(ids=[at + 1], type=type, config=at, sample_type=IP | TID | TIME | IDENTIFIER | (CPU if has_cpu else 0), sample_id_all=1)
            recording.save(path)
            number, failed = check(path, "in front of %s" % attrs, number, failed)
        print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
