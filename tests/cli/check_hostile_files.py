#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hostile files that names come from (tests/support/hostile_files.py, hostile_kinds.py), small: each ends with exit 0 in bounded memory, in processor time in
proportion to its bytes and, where it asks for more than its size explains, with a finding that names it, which --strict makes exit 4. Prints TAP.
HOSTILE_N is the size; with PERFDATA_ALL also four times as much. The limit of time is far above what was measured (doc/TRUST.md): work that grows with the
square of the bytes exceeds it, a slow machine does not."""
import os
import resource
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import hostile_files
import hostile_kinds
import hostility_table
from program import ALL, SANITIZED, VALGRIND, Tap, run

SIZE = int(os.environ.get("HOSTILE_N", 2500))
SECONDS, BYTES_OF_SECOND = 10, 100000   # of processor time: for each run, and bytes for which it gets one more
MEMORY = 160    # MiB of one run: twice the least that an account allows, and what the process takes without it


def faults_of(make, folder, size):
    hostility_table.write_apart(folder, make, size)
    seconds = SECONDS + hostility_table.size_of(folder) // BYTES_OF_SECOND

    def limit_time():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    files = [os.path.join(where, name) for where, _folders, names in os.walk(folder) for name in names if name != "hostile"]
    faults, path = [], os.path.join(folder, "hostile")
    for words in hostile_files.commands(folder):
        done = run(*words, path, timeout=120, preexec_fn=None if SANITIZED or VALGRIND else limit_time)
        found = b"[W806]" in done.err
        if done.code not in hostile_kinds.REFUSED.get(make, (0,)):
            faults.append("%s: exit %d: %s" % (words[0], done.code, done.err[-300:]))
        if found != (make in hostile_kinds.EXCESS):
            faults.append("%s: %s finding: %s" % (words[0], "a" if found else "no", done.err[-300:]))
        if found and not any(name.encode() in done.err for name in files if name.endswith(hostile_files.BLAMED.get(make, ""))):
            faults.append("%s: the finding names no file: %s" % (words[0], done.err[-300:]))
        if make in hostile_kinds.EXCESS and run(words[0], "--strict", *words[1:], path, timeout=120).code != 4:
            faults.append("%s: --strict does not end with 4" % words[0])
        memory = hostility_table.measure(words, path)[1]
        if memory > MEMORY and not SANITIZED and not VALGRIND:
            faults.append("%s: %d MiB" % (words[0], memory))
    return faults


def main():
    tap = Tap()
    for make in hostile_kinds.FILES:
        for size in (SIZE, 4 * SIZE) if ALL else (SIZE,):
            with tempfile.TemporaryDirectory() as folder:
                tap.report("%s, %d" % (make.__name__.replace("_", " "), size), faults_of(make, folder, size))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
