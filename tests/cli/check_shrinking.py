#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recording that is cut by somebody else while it is read: every record in front of the cut is delivered, and the exit code is 4. In a file
container, a stream in a file, and a packed one; whoever reads the output takes a byte before the cut, so that the program cannot have come
far: its output fills a pipe. (A packed file container is unpacked before anything is written.) Prints TAP."""
import gzip
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
import recording_twins
from program import run, strict_json

BLOCKS = 240       # more records, and more bytes, than are read ahead
COMMANDS = (["ndjson"], ["ndjson", "-j", "4"], ["ndjson", "--order", "file"], ["json"], ["csv", "-e", "time,ip,period"], ["csv", "--table", "unknown"], ["dump"], ["script"],
            ["perf-json"])
LONGEST = 120

tap = program.Tap()


def records():
    """Samples, bytes that cannot be packed, and rounds."""
    rng = random.Random(7)
    w = recording_twins.Writer("<")
    for block in range(BLOCKS):
        for n in range(30):
            recording_twins.put_sample(w, n % 2, 100000 * block + n, 7)
            w.record(200, 0, lambda p: p.raw(rng.randbytes(2000)))
        w.record(68, 0, lambda p: None)
    return bytes(w.data)


def container(more):
    """The file container of the twins, with more records after its own."""
    good = bytearray(recording_twins.file_container("<"))
    at, size = struct.unpack_from("<QQ", good, 40)
    struct.pack_into("<Q", good, 48, size + len(more))
    for n in range(len(recording_twins.FEATURES)):
        entry = at + size + 16 * n
        struct.pack_into("<Q", good, entry, struct.unpack_from("<Q", good, entry)[0] + len(more))
    return bytes(good[:at + size]) + more + bytes(good[at + size:])


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c", "-1"], input=data, stdout=subprocess.PIPE, check=True).stdout


def convert_while_cut(words, path, size):
    """The file is cut when the first of the output is there, and the rest is read only then."""
    process = subprocess.Popen([program.PERFDATA, *words, path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        first = os.read(process.stdout.fileno(), 1)
        os.truncate(path, size)
        out, err = process.communicate(timeout=LONGEST)
    finally:
        process.kill()
        process.wait()
    return program.Done(process.returncode, first + out, err)


def key(line):
    record = strict_json(line)
    return record.get("file"), record.get("offset"), record.get("inner")


def faults_of(words, path, data, size):
    with open(path, "wb") as f:
        f.write(data)
    words = [*words, "-q", "--symbols", "no"]
    done = convert_while_cut(words, path, size)
    after = run(*words, path)
    faults = [] if done.code == 4 else ["exit %d: %s" % (done.code, done.err.decode("utf-8", "replace")[-500:])]
    if words[0] == "ndjson":
        lines = done.out.splitlines()
        if strict_json(lines[-1]).get("complete") is not False:
            faults.append("the summary does not say that it is not complete: %s" % lines[-1][-300:])
        missing = {key(line) for line in after.out.splitlines()[1:-1]} - {key(line) for line in lines[1:-1]}
        faults += ["missing: %s" % sorted(missing, key=str)[:5]] * (len(missing) > 0)
        if len(lines) < 1000:
            faults.append("%d lines" % len(lines))
    elif words[0] in ("json", "perf-json"):
        strict_json(done.out)
    elif words[0] == "csv" and not set(after.out.splitlines()) <= set(done.out.splitlines()):
        faults.append("rows are missing")
    if len(done.out) < len(after.out) * 9 // 10:
        faults.append("%d bytes, and %d of what is left" % (len(done.out), len(after.out)))
    return ["%s: %s" % (" ".join(words), fault) for fault in faults]


def main():
    more = records()
    stream = recording_twins.pipe_stream("<") + more
    forms = [("a file container", container(more)), ("a stream", stream)]
    if b"zlib" in run("version").out:
        forms.append(("a stream in gzip", gzip.compress(stream, 1, mtime=0)))
    if b"zstd" in run("version").out:
        forms.append(("a stream in zstd", zstd(stream)))
    with tempfile.TemporaryDirectory() as folder:
        for title, data in forms:
            path, size = os.path.join(folder, "recording"), len(data) * 7 // 10 + 3
            tap.report("%s is cut while it is read" % title, [fault for words in COMMANDS for fault in faults_of(words, path, data, size)])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
