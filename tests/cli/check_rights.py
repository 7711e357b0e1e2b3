#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Copies of recordings, and outputs that hold what programs had in memory, are for no more people than the recording is; what is made to be
shown follows the umask. Prints TAP."""
import os
import shutil
import stat
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program import TESTDATA, Tap, run

RECORDING = os.path.join(TESTDATA, "dwarf-73.data")
COPIES = [["rewrite", "-o", "OUT"], ["repair", "-o", "OUT"], ["ndjson", "-o", "OUT"], ["ndjson", "-o", "OUT.gz"], ["json", "-o", "OUT"], ["csv", "-o", "OUT"],
          ["dump", "-o", "OUT"], ["parquet", "-o", "OUT.d/"], ["ndjson", "-o", "OUT.d/"]]
SHOWN = [["anonymize", "-o", "OUT"], ["report", "-o", "OUT"], ["flamegraph", "-o", "OUT"], ["baseline", "-o", "OUT"], ["pprof", "-o", "OUT"]]


def modes_below(path):
    """Of the file, or of all files below the folder."""
    if os.path.isfile(path):
        return {stat.S_IMODE(os.stat(path).st_mode)}
    return {stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) for folder, _, names in os.walk(path) for name in names if not name.startswith(".")}


def check(words, folder, inputs, wanted, stdin=None, replaced=None):
    out = os.path.join(folder, "out")
    words = [word.replace("OUT", out) for word in words]
    path = words[words.index("-o") + 1]
    if replaced is not None and not path.endswith("/"):
        with open(path, "w"):
            os.chmod(path, replaced)
        words.append("--force")
    done = run(*words, *inputs, stdin=stdin)
    modes = modes_below(path)
    for name in os.listdir(folder):
        if name.startswith("out"):
            (shutil.rmtree if name.endswith(".d") else os.unlink)(os.path.join(folder, name))
    return [] if done.code == 0 and modes == {wanted} else [f"{words[0]}: {done.code}, modes {[oct(mode) for mode in modes]}, wanted {wanted:o} {done.err!r}"]


def main():
    tap = Tap()
    before = os.umask(0o022)
    with tempfile.TemporaryDirectory() as folder:
        own, other = os.path.join(folder, "own.data"), os.path.join(folder, "other.data")
        for path in (own, other):
            shutil.copy(RECORDING, path)
        for mode in (0o600, 0o640, 0o644, 0o444):
            os.chmod(own, mode)
            wanted = 0o600 | mode & 0o044
            for words in COPIES:
                tap.report(f"{words[0]} {words[2]} of {mode:o}", check(words, folder, [own], wanted) + check(words, folder, [own], wanted, replaced=0o644))
        os.chmod(own, 0o600)
        for words in SHOWN:
            tap.report(f"{words[0]} is for all", check(words, folder, [own], 0o644))
        os.chmod(other, 0o644)
        tap.report("several inputs", check(["rewrite", "-o", "OUT"], folder, [other, own], 0o600))
        tap.report("a file on stdin", check(["ndjson", "-o", "OUT"], folder, ["-"], 0o644, stdin=other))
        os.umask(0o077)
        tap.report("the umask keeps out more", check(["ndjson", "-o", "OUT"], folder, [other], 0o600))
    os.umask(before)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
