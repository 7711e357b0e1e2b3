#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replaces the names of threads and files that are neither of waits.c nor of the system, in samples and records, by as many x.
usage: hide_names.py PERFDATA FILE"""
import json
import re
import subprocess
import sys

OURS = re.compile(r"waits|sleeper|holder|waiter|asker|answerer|spinner|perf|swapper/.*|(kworker|migration|ksoftirqd|rcu|kcompactd|cpuhp|kswapd).*")

FILES = re.compile(r"\[.*|//anon|/srv/demo/waits|/srv/perf73/.*|/usr/lib/.*/(libc|libm|ld-linux)[-.].*")


def names(program, path):
    lines = subprocess.run([program, "ndjson", "-q", path], stdout=subprocess.PIPE, check=True).stdout.splitlines()
    for record in map(json.loads, lines):
        fields = record.get("fields") or {}
        yield from (value for key, value in fields.items() if key in ("prev_comm", "next_comm", "comm"))
        if record["type"] == "comm":
            yield record["comm"]
        if record["type"] == "mmap2" and not FILES.fullmatch(record["filename"]):
            yield record["filename"]


def main():
    program, path = sys.argv[1:]
    with open(path, "rb") as f:
        data = f.read()
    for name in sorted({name for name in names(program, path) if name and not OURS.fullmatch(name)}, key=len, reverse=True):
        data = data.replace(name.encode() + b"\0", b"x" * len(name.encode()) + b"\0")
    with open(path, "wb") as f:
        f.write(data)


main()
