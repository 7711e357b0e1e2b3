#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recording without events: what happened is shown as where there are some, by what the records themselves say. Prints TAP."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import Recording
from program import run

START = b"            prog     100 "
CASES = [
    (("--show-task-events",), START + b"[000]     0.000000: PERF_RECORD_COMM: prog:100/100\n"),
    (("--show-mmap-events",), START + b"[000]     0.000000: PERF_RECORD_MMAP 100/100: [0x400000(0x1000) @ 0]: x /bin/prog\n"),
    (("--show-task-events", "-F", "comm,tid"), START + b"PERF_RECORD_COMM: prog:100/100\n"),
    ((), b""),
]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path, number = os.path.join(folder, "perf.data"), 0
        for kind in ("file", "stream"):
            recording = Recording(pipe=kind == "stream")
            recording.comm(100, 100, "prog")
            recording.mmap(100, 100, 0x400000, 0x1000, 0, "/bin/prog")
            recording.save(path)
            for options, wanted in CASES:
                number += 1
                done = run("script", "--symbols", "no", *options, path)
                fine = done.code == 0 and done.out == wanted
                failed += not fine
                print("%s %d - %s: script %s" % ("ok" if fine else "not ok", number, kind, " ".join(options)))
                if not fine:
                    print("# %r" % (done,))
        print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
