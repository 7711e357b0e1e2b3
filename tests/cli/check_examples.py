#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of doc/examples say what the program says: convert makes the same bytes in every format, count counts what script shows."""
import collections
import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import run

TESTS = os.path.join(os.environ.get("top_builddir", "."), "tests")
FORMATS = ("ndjson", "json", "csv", "dump", "script", "perf-json", "folded")


def example(name, *arguments):
    done = subprocess.run([os.path.join(TESTS, "example_" + name), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120)
    return done.returncode, done.stdout


def converts(path):
    for name in FORMATS:
        wanted = run(name, "-q", "--symbols", "no", path)
        code, found = example("convert", name, path)
        if found != wanted.out or (code == 0) != (wanted.code in (0, 4)):
            return False
    return True


def counts(path):
    """Samples by comm, as ndjson --names has them: of recordings where each sample is one delivery."""
    records = [json.loads(line) for line in run("ndjson", "-q", "--names", "--symbols", "no", path).out.splitlines()]
    wanted = collections.Counter(record["comm"] for record in records if record["type"] == "sample" and "comm" in record)
    code, found = example("count", path)
    lines = [line.split(" ", 1) for line in found.decode().splitlines()]
    numbers = [int(number) for number, _ in lines]
    return bool(wanted) and numbers == sorted(numbers, reverse=True) and {comm: int(number) for number, comm in lines} == wanted


def main():
    cases = [("convert: " + os.path.basename(path), converts(path)) for path in sorted(glob.glob(os.path.join(program.TESTDATA, "*.data")))]
    cases += [("count: " + name, counts(os.path.join(program.TESTDATA, name))) for name in ("trace-73.data", "zstd-73.data")]
    code, out = example("convert", "no-such-format", os.path.join(program.TESTDATA, "trace-73.data"))
    cases.append(("a format that there is not", code == 1 and not out))
    print("1..%d" % len(cases))
    for number, (name, good) in enumerate(cases, 1):
        print("%sok %d - %s" % ("" if good else "not ", number, name))
    return 0 if all(good for _, good in cases) else 1


sys.exit(main())
