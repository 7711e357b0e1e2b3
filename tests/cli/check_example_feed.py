#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""doc/examples/feed.c over a socket: time and command of each sample, as ndjson has them, and as soon as their bytes are there. Prints TAP."""
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import run

EXAMPLE = os.path.join(os.environ.get("top_builddir", "."), "tests", "example_feed")
PERF_ROUND = b"\x44\0\0\0\0\0\x08\0"   # FINISHED_ROUND


def connect(path, process):
    """A connection to the example, which takes a moment to listen."""
    while process.poll() is None:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(path)
            return connection
        except OSError:
            connection.close()
            time.sleep(0.01)
    return None


def wanted(path):
    records = [json.loads(line) for line in run("ndjson", "-q", "--order", "time", "--names", "--symbols", "no", path).out.splitlines()]
    return ["%d %s" % (record["time"], record["comm"]) for record in records if record["type"] == "sample" and "comm" in record]


def feed(data, step, early):
    """(exit code, lines, whether something came before the end, words)"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        process = subprocess.Popen([EXAMPLE, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        connection = connect(path, process)
        came = False
        if connection:
            try:
                for at in range(0, len(data), step):
                    connection.sendall(data[at:at + step])
                if early:
                    came = bool(select.select([process.stdout], [], [], 60)[0])
            except OSError:
                pass
            connection.close()
        out, words = (part.decode() for part in process.communicate(timeout=60))
        return process.returncode, out.splitlines(), came, words


def main():
    tap = program.Tap()
    for name, step, early in (("stream-73.pipe", 100, True), ("stream-61.pipe", 4096, True), ("stream-trace-73.pipe", 1000, True),
                              ("callgraph-73.data", 999, False), ("zstd-73.data", 5000, False)):
        path = os.path.join(program.TESTDATA, name)
        with open(path, "rb") as file:
            code, lines, came, words = feed(file.read(), step, early)
        faults = [] if code == 0 else ["code %d: %s" % (code, words)]
        if sorted(lines) != sorted(wanted(path)) or not lines:
            faults.append("%d lines, %d wanted" % (len(lines), len(wanted(path))))
        if early and not came:
            faults.append("nothing came before the end")
        tap.report(name, faults)
    with open(os.path.join(program.TESTDATA, "stream-73.pipe"), "rb") as file:
        data = file.read()
    code, lines, _came, _words = feed(data[:data.rindex(PERF_ROUND) - 3], 700, False)
    tap.report("a connection that breaks", [] if code == 4 and lines else ["code %d, %d lines" % (code, len(lines))])
    code, lines, _came, words = feed(b"this is no recording, but some text", 10, False)
    tap.report("no recording", [] if code == 4 and not lines and "no perf.data recording" in words else ["code %d: %s" % (code, words)])
    return tap.end()


sys.exit(main())
