#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the command lines of goldens.tsv and compares what they print with goldens/NAME.out and NAME.err, and their exit codes.

    tests/cli/run_goldens.py              TAP, for make check
    tests/cli/run_goldens.py --update     writes the expected files and the exit codes; the difference is reviewed like code
    tests/cli/run_goldens.py NAME...      only these

A command may take PERFDATA_GOLDEN_SECONDS, which are 120 where the variable is not set.
"""
import difflib
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
TABLE = os.path.join(HERE, "goldens.tsv")
TESTDATA = os.path.join(TOP, "testdata")
SECONDS = int(os.environ.get("PERFDATA_GOLDEN_SECONDS", "120"))
NEEDS_DISASSEMBLER = ("perfdata profgen", "perfdata sampleprof", "perfdata gcov")


def read(path):
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as f:
        return f.read()


def write(path, content):
    if content:
        with open(path, "wb") as f:
            f.write(content)
    elif os.path.exists(path):
        os.unlink(path)


def run(command, perfdata):
    with tempfile.TemporaryDirectory() as folder:
        tmp = os.path.join(folder, "tmp")
        os.mkdir(tmp)
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(perfdata, os.path.join(folder, "bin", "perfdata"))
        environment = dict(os.environ, LC_ALL="C.UTF-8", TMP=tmp,
                           PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"])
        try:
            done = subprocess.run(["bash", "-c", command], cwd=TESTDATA, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)
        except subprocess.TimeoutExpired as expired:
            return None, expired.stdout or b"", b"did not end within %d s\n" % SECONDS
        return done.returncode, done.stdout, done.stderr


def difference(name, expected, found):
    lines = [side.decode("utf-8", "replace").splitlines() for side in (expected, found)]
    for line in list(difflib.unified_diff(*lines, name, "found", lineterm="", n=1))[:40]:
        print("#", line[:400])


def main():
    arguments = sys.argv[1:]
    update = "--update" in arguments
    names = [a for a in arguments if a != "--update"]
    perfdata = os.path.abspath(os.environ.get("PERFDATA") or os.path.join(TOP, "build", "perfdata"))
    with open(TABLE) as f:
        table = f.read().splitlines()
    cases = [line.split("\t") for line in table if line and not line.startswith("#")]
    has_disassembler = b"none is installed" not in subprocess.run([perfdata, "version", "-v"], stdout=subprocess.PIPE).stdout
    known = set()
    for name, code, command in cases:
        if name in known:
            sys.exit("goldens.tsv has %s twice" % name)
        known.add(name)
        if names and name not in names:
            continue
        if not has_disassembler and code == "0" and command.startswith(NEEDS_DISASSEMBLER) and not update:
            print("ok - %s # SKIP no library that decodes instructions" % name)
            continue
        found_code, out, err = run(command, perfdata)
        paths = [os.path.join(HERE, "goldens", name + end) for end in (".out", ".err")]
        if update:
            write(paths[0], out)
            write(paths[1], err)
            if found_code != int(code):
                print("%s: exit code %s, the table says %s" % (name, found_code, code))
            continue
        expected = [read(path) for path in paths]
        good = found_code == int(code) and expected == [out, err]
        print("%s - %s" % ("ok" if good else "not ok", name))
        if not good:
            print("# %s\n# exit code %s, expected %s" % (command, found_code, code))
            difference("stdout", expected[0], out)
            difference("stderr", expected[1], err)
    if not update:
        left = {os.path.splitext(path)[0] for path in os.listdir(os.path.join(HERE, "goldens"))} - known
        print("%s - no expected file without a case" % ("not ok" if left else "ok"))
        print("1..%d" % ((len(names) if names else len(cases)) + 1))


if __name__ == "__main__":
    main()
