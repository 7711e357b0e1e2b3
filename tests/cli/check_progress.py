#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--progress: what stderr shows and when; stdout has the same bytes with and without it. Prints TAP."""
import json
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import run

LINE = re.compile(rb"perfdata: [^\n]+: [0-9.]+ MB of [0-9.]+ MB, ([0-9]+) %(?:, [0-9]+ MiB held)?\n")
LINE_OF_PIPE = re.compile(rb"perfdata: -: [0-9.]+ MB read(?:, [0-9]+ MiB held)?\n")
GOOD = os.path.join(program.TESTDATA, "callgraph-73.data")
FOLDER = os.path.join(program.TESTDATA, "threads-73.dir")
STREAM = os.path.join(program.TESTDATA, "stream-73.pipe")
CUT = os.path.join(program.TESTDATA, "bad-cut.data")
COMMANDS = [["ndjson"], ["ndjson", "--order", "file"], ["script", "--symbols", "no"], ["csv"], ["info"], ["events"], ["buildids"], ["check"]]

tap = program.Tap()
report = tap.report


def expect(*checks):
    """The names of the (name, passed) that did not pass."""
    return [name for name, passed in checks if not passed]


def compare(command, path):
    """One run each with always, never and auto."""
    never = run(*command, "--progress", "never", path)
    auto = run(*command, path)
    always = run(*command, "--progress", "always", path)
    added = LINE.findall(always.err)
    return expect(("never shows nothing: %r" % never.err, not LINE.search(never.err)),
                  ("auto without a terminal is never", auto == never),
                  ("always changes no byte of stdout", always.out == never.out and always.code == never.code),
                  ("always shows lines: %r" % always.err, len(added) >= 1),
                  ("all was read: %r" % added, added[-1:] == [b"100"]),
                  ("always adds nothing else", LINE.sub(b"", always.err) == never.err))


def rest_of(master):
    seen = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:      # nobody has the other end any more
            part = b""
        if not part:
            os.close(master)
            return seen
        seen += part


def on_terminal(*words, stdout):
    """Exit code and what a terminal on stderr got."""
    master, slave = pty.openpty()
    with open(os.devnull, "rb") as nothing:
        process = subprocess.Popen([program.PERFDATA, *words], stdin=nothing, stdout=stdout, stderr=slave)
    os.close(slave)
    seen = rest_of(master)
    return process.wait(timeout=300), seen


def on_terminal_quiet(*words, stdout):
    begin = time.monotonic()
    code, seen = on_terminal(*words, stdout=stdout)
    took = time.monotonic() - begin
    return expect(("code %d" % code, code == 0), ("quiet: %r after %.2f s" % (seen, took), not seen or took > 1))


def line_in_place():
    """A recording through a pipe, whose end, the half of a record, comes only when a line was seen: after a second, however fast the machine is."""
    with open(STREAM, "rb") as source:
        recording = source.read()
    master, slave = pty.openpty()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([program.PERFDATA, "info", "-"], stdin=subprocess.PIPE, stdout=out, stderr=slave)
    os.close(slave)
    # FINISHED_ROUND, which may be anywhere
    padding = (68).to_bytes(4, "little") + bytes(2) + (8).to_bytes(2, "little")
    process.stdin.write(recording)
    seen = b""
    while b"\r" not in seen:
        process.stdin.write(padding * (64 << 10))
        process.stdin.flush()
        if select.select([master], [], [], 0)[0]:
            seen += os.read(master, 65536)
    process.stdin.write(padding[:4])
    process.stdin.close()
    seen += rest_of(master)
    code = process.wait(timeout=300)
    return expect(("code %d" % code, code == 4), ("a line: %r" % seen, re.match(rb"perfdata: -: [0-9.]+ MB read(?:, [0-9]+ MiB held)? *\r", seen)),
                  ("gone before the error: %r" % seen[-300:], re.search(rb"\r +\rperfdata: -:0x[0-9a-f]+: error: [^\r\n]*\r\n", seen)),
                  ("nothing is left of it: %r" % seen[-80:], re.search(rb"[\r\n]$", seen)))


def as_objects(path):
    done = run("ndjson", "--progress", "always", "--log-format", "json", path)
    try:
        objects = [json.loads(line) for line in done.err.decode().splitlines()]
    except ValueError as problem:
        return ["%s: %r" % (problem, done.err)]
    reported = [o for o in objects if o["level"] == "progress"]
    return expect(("something is reported: %r" % objects, reported),
                  ("of the file", all(o["file"] == path for o in reported)),
                  ("of the numbers: %r" % reported, all(0 < o["bytes"] <= o["total"] and 0 <= o["percent"] <= 100 for o in reported)),
                  ("of memory: %r" % reported, all(0 <= o["memory"] < 1 << 30 for o in reported) and any(o["memory"] for o in reported)))


def from_pipe(path):
    """No size is known of it."""
    with open(path, "rb") as source:
        done = subprocess.run([program.PERFDATA, "info", "--progress", "always", "-"], input=source.read(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=300)
    return expect(("code", done.returncode == 0), ("what was read: %r" % done.stderr, LINE_OF_PIPE.search(done.stderr)))


def main():
    for command in COMMANDS:
        report("%s shows the file" % " ".join(command), compare(command, GOOD))
    report("of a directory", compare(["ndjson"], FOLDER))
    report("of a stream in a file", compare(["ndjson"], STREAM))
    report("of a pipe", from_pipe(STREAM))
    report("as objects", as_objects(GOOD))
    for command in (["info"], ["folded", "--symbols", "no"]):
        reported = run(*command, "-v", "--max-memory", "96M", GOOD).err
        report("%s -v reports how much memory was used, and the limit" % command[0],
               expect(("reported: %r" % reported, re.search(rb": note: memory that grows with the recording: up to [1-9][0-9]* of 96 MiB\n", reported))))
    cut = run("ndjson", "--progress", "always", CUT)
    report("beside other messages", expect(("code", cut.code == 4), ("a line of its own: %r" % cut.err, LINE.search(cut.err)),
                                           ("the error", b": error: " in cut.err)))
    report("always is stronger than --quiet", expect(("shown", LINE.fullmatch(run("ndjson", "-q", "--progress", "always", GOOD).err))))
    absent = run("info", "--progress", "always", "/nonexistent")
    report("what cannot be opened has no progress", expect(("one line: %r" % absent.err, absent.err.count(b"\n") == 1)))
    wrong = run("info", "--progress", "sometimes", GOOD)
    report("another word is wrong use", expect(("code", wrong.code == 2), ("choices", b"auto|always|never" in wrong.err)))
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "out"), "wb") as out:
        for command in (["info"], ["ndjson"]):
            report("%s on a terminal: nothing of what takes no second" % command[0],
                   on_terminal_quiet(*command, GOOD, stdout=out))
        report("on a terminal a line replaces the line before, and is erased before a message", line_in_place())
        two = run("ndjson", "--progress", "always", "-j2", "-o", folder + "/", GOOD, STREAM)
        report("nothing of several files at once", expect(("code", two.code == 0), ("quiet: %r" % two.err, b" MB" not in two.err)))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
