#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A packed stream that is broken in the middle: reading goes on at the next frame, member or stream, and every record outside the broken part is
delivered as it was. In gzip, zstd and xz, from a file and from a pipe. What the broken part unpacks to before the packer's sums tell is not
looked at. Prints TAP."""
import gzip
import lzma
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
import recording_twins
from program import run, strict_json

PARTS = 9
BROKEN = 4


def stream():
    """(bytes, offsets where its samples begin): a stream of many different samples."""
    w = recording_twins.Writer("<")
    w.raw(recording_twins.pipe_stream("<"))
    for n in range(3000):
        recording_twins.put_sample(w, n % 2, 5000 + n, 7)
    return bytes(w.data)


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c", "-1"], input=data, stdout=subprocess.PIPE, check=True).stdout


PACKERS = (("gzip", b"zlib", lambda data: gzip.compress(data, 1, mtime=0)), ("zstd", b"zstd", zstd),
           ("xz", b"lzma", lambda data: lzma.compress(data, preset=0)))


def cut(data):
    """Parts of about the same size, which end anywhere in a record."""
    size = len(data) // PARTS + 5
    return [data[at:at + size] for at in range(0, len(data), size)]


def lines_of(out):
    return [strict_json(line) for line in out.splitlines()]


def key(record):
    """A record without its offset, since missing records before it change the offset."""
    return tuple(sorted((name, str(value)) for name, value in record.items() if name not in ("offset", "after_gap")))


def faults_of(data, parts, packer, path, stdin):
    """What is wrong with what is delivered when the part in the middle is broken."""
    _name, _package, pack = packer
    packed = [pack(part) for part in parts]
    at = len(packed[BROKEN]) // 2
    damaged = bytearray(packed[BROKEN])
    damaged[at:at + 40] = bytes(40)
    packed[BROKEN] = bytes(damaged)
    with open(path, "wb") as f:
        f.write(b"".join(packed))
    words = ("ndjson", "-q", "--order", "file")
    done = run(*words, "-", stdin=path) if stdin else run(*words, path)
    if done.code != 4:
        return ["exit %d: %s" % (done.code, done.err.decode())]
    lines = lines_of(done.out)
    if lines[-1]["complete"] or not any(finding["code"] == 401 for finding in lines[-1]["findings"]):
        return ["the summary: %s" % lines[-1]]
    begin = sum(map(len, parts[:BROKEN]))
    end = begin + len(parts[BROKEN])
    with open(path, "wb") as f:
        f.write(data)
    whole = [(record["offset"], record["offset"] + record["size"], key(record)) for record in lines_of(run(*words, path).out)[1:-1]]
    got = {key(record) for record in lines[1:-1]}
    lost = [first for first, last, what in whole if what not in got and (last <= begin or first >= end)]
    missing = sum(what not in got for _first, _last, what in whole)
    return ["records outside the broken part are missing: %s" % lost[:9]] * (len(lost) > 0) + ["nothing is missing"] * (not missing)


def faults_of_bomb(path):
    """32 MiB out of a few kilobytes are refused, but where the user wants them."""
    with open(path, "wb") as f:
        f.write(zstd(recording_twins.pipe_stream("<") + b"\x44\0\0\0\0\0\x08\0" * (4 << 20)))
    refused, wanted = run("info", "-q", path), run("info", "-q", "--max-ratio", "0", path)
    return ["by default: exit %d: %s" % (refused.code, refused.err.decode())] * (refused.code != 4 or b"[E404]" not in refused.err) + \
           ["without a limit: exit %d" % wanted.code] * (wanted.code != 0)


def main():
    data = stream()
    parts = cut(data)
    number = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for packer in PACKERS:
            for stdin in (False, True):
                number += 1
                name = packer[0]
                if packer[1] not in run("version").out:
                    print("ok %d - %s # SKIP not in this build" % (number, name))
                    continue
                faults = faults_of(data, parts, packer, os.path.join(folder, "packed"), stdin)
                failures += bool(faults)
                print("%sok %d - %s%s" % ("not " if faults else "", number, name, " on standard input" if stdin else ""))
                for fault in faults:
                    print("# " + fault[:1500])
        if b"zstd" in run("version").out:
            number += 1
            faults = faults_of_bomb(os.path.join(folder, "bomb"))
            failures += bool(faults)
            print("%sok %d - a bomb" % ("not " if faults else "", number))
            for fault in faults:
                print("# " + fault[:1500])
    print("1..%d" % number)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
