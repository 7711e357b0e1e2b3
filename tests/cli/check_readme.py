#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the examples of README.md ("$ perfdata …" and what it prints) and compares."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402
from program import PERFDATA, TOP  # noqa: E402


def examples():
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as f:
        blocks = re.findall(r"^```\n(.*?)^```", f.read(), re.M | re.S)
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed.rstrip("\n").splitlines()   # an empty line separates commands


def main():
    tap = program.Tap()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(PERFDATA, os.path.join(folder, "perfdata"))
        environment = dict(os.environ, PATH=folder + ":" + os.environ["PATH"], LC_ALL="C.UTF-8")
        for command, expected in examples():
            done = subprocess.run(["bash", "-c", command], cwd=TOP, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            # which of both streams comes first is no promise
            found = [line for out in (done.stdout, done.stderr) for line in out.decode("utf-8", "replace").splitlines()]
            good = sorted(found) == sorted(expected) and expected
            tap.report(command.replace("#", ""), [] if good else "\n".join(found) or "it prints nothing")
    if not tap.count:
        print("Bail out! README.md has no example")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
