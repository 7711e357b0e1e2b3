#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the examples of README.md ("$ perfdata …" and what it prints) and compares."""
import os
import re
import subprocess
import tempfile

TOP = os.environ.get("top_srcdir") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PERFDATA = os.path.abspath(os.environ.get("PERFDATA") or os.path.join(TOP, "build", "perfdata"))


def examples():
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as f:
        blocks = re.findall(r"^```\n(.*?)^```", f.read(), re.M | re.S)
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed.rstrip("\n").splitlines()   # an empty line separates commands


def main():
    number = 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(PERFDATA, os.path.join(folder, "perfdata"))
        environment = dict(os.environ, PATH=folder + ":" + os.environ["PATH"], LC_ALL="C.UTF-8")
        for command, expected in examples():
            done = subprocess.run(["bash", "-c", command], cwd=TOP, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            # which of both streams comes first is no promise
            found = [line for out in (done.stdout, done.stderr) for line in out.decode("utf-8", "replace").splitlines()]
            good = sorted(found) == sorted(expected) and expected
            number += 1
            print("%s - %s" % ("ok" if good else "not ok", command.replace("#", "")))
            if not good:
                print("\n".join("# " + line for line in found))
    print("1..%d" % number if number else "Bail out! README.md has no example")


if __name__ == "__main__":
    main()
