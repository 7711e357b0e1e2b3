#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs tests under valgrind's memcheck: unit tests themselves, and every run of the program that a script makes. Prints TAP: a test passes when it
passes and no run had an error or lost memory, whatever its exit code was. `make check-valgrind` runs all of `make check` so, but what only
reads sources; `make check-valgrind VALGRIND_TESTS='tests/unit/unit_base tests/cli/check_json.py'` some.

usage: valgrind.py TEST…     in the build folder, with the environment of `make check`"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

# An error's own exit code would be hidden where a test expects another: what counts is that the log is empty.
VALGRIND = ("valgrind", "-q", "--vgdb=no", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite", "--show-leak-kinds=definite")
LIMIT = 2 * 3600
WRAPPED = {"PERFDATA": "perfdata", "PERFDATA_FAILING": "tests/failing_perfdata", "PERFDATA_EXAMPLE_READER": "tests/example_reader"}


def real(program):
    """What libtool's script would run."""
    folder, name = os.path.split(os.path.abspath(program))
    path = os.path.join(folder, ".libs", name)
    return path if os.path.exists(path) else os.path.join(folder, name)


def wrapper(folder, logs, program):
    path = os.path.join(folder, os.path.basename(program))
    with open(path, "w") as f:
        f.write("#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s --log-file=%s/%%p %s \"$@\"\n"
                % (os.path.abspath(".libs"), " ".join(VALGRIND), logs, real(program)))
    os.chmod(path, 0o755)
    return path


def take_logs(logs):
    """(number of runs, what they said)"""
    names, said = os.listdir(logs), []
    for name in names:
        with open(os.path.join(logs, name), errors="replace") as f:
            text = f.read()
        os.unlink(os.path.join(logs, name))
        if text:
            said.append(text)
    return len(names), said


def run(test, environment, logs):
    source = os.path.join(os.environ["top_srcdir"], test)
    if test.endswith(".py"):
        words = [sys.executable, source]
    elif test.endswith(".sh"):
        words = ["sh", source]
    else:
        words = [*VALGRIND, "--log-file=%s/%%p" % logs, real(test)]
    try:
        done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return ["took more than %d seconds" % LIMIT]
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    faults = [line for line in lines if line.startswith(("not ok", "Bail out"))]
    if done.returncode and not faults:
        faults = ["exit %d: %s" % (done.returncode, "\n".join(lines[-5:]))]
    return faults


def main():
    tests = sys.argv[1:]
    if not shutil.which(VALGRIND[0]):
        print("1..0 # SKIP valgrind is not installed")
        return 0
    failures = total = 0
    with tempfile.TemporaryDirectory() as folder:
        logs = os.path.join(folder, "logs")
        os.mkdir(logs)
        environment = dict(os.environ, PERFDATA_SANITIZED="1", PERFDATA_VALGRIND="1",
                           **{name: wrapper(folder, logs, path) for name, path in WRAPPED.items()})
        for number, test in enumerate(tests, 1):
            begin = time.monotonic()
            faults = run(test, environment, logs)
            runs, said = take_logs(logs)
            total += runs
            failures += bool(faults or said)
            print("%sok %d - %s: %d runs, %d s" % ("not " if faults or said else "", number, test, runs, time.monotonic() - begin))
            for fault in faults[:20] + said[:20]:
                print("# " + fault.strip().replace("\n", "\n# "))
            sys.stdout.flush()
    print("# %d runs under valgrind\n1..%d" % (total, len(tests)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
