#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of doc/TRUST.md about hostile recordings and hostile files: the time and memory that the worst command takes for n of each and for 4 n. A
factor far above 4 is work that grows faster than the input. With --update they are written there, else printed.

usage: hostility_table.py [--update] [NAME…]     NAME: only rows whose name holds one of these texts"""
import os
import subprocess
import sys
import tempfile

import hostile_files
import hostile_kinds
import hostile_recordings
import program
from damage_table import write_table

COMMANDS = (["info"], ["ndjson", "--names", "--stacks", "ref"], ["csv", "--names"], ["dump", "--no-hex"], ["script"], ["perf-json"], ["folded"], ["buildids"],
            ["check"])


def measure(words, path, **more):
    """(seconds of processor, MiB, exit code)"""
    process = subprocess.Popen([program.PERFDATA, *words, "-q", path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
    _pid, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode


def write_apart(folder, make, n):
    """In a process of its own: what this one takes counts as memory of those that it starts."""
    child = os.fork()
    if not child:
        hostile_files.write(folder, make(n))
        os._exit(0)
    os.waitpid(child, 0)


def size_of(folder):
    return sum(os.path.getsize(os.path.join(where, name)) for where, _folders, names in os.walk(folder) for name in names)


def commands_of_recordings(_folder):
    return [[*words, *([] if words[0] in ("info", "buildids", "check") else ["--symbols", "no", "-j", "1"])] for words in COMMANDS]


def row(make, n, folder, commands):
    """The command with the largest factor among those that take some time, else the slowest."""
    found, sizes = {}, []
    for times in (1, 4):
        with tempfile.TemporaryDirectory(dir=folder) as own:
            write_apart(own, make, n * times)
            sizes.append(size_of(own))
            for words in commands(own):
                found.setdefault(words[0], []).append(measure(words, os.path.join(own, "hostile")))
    worst = max(found, key=lambda name: found[name][1][0])
    steepest = max(found, key=lambda name: found[name][1][0] / max(found[name][0][0], 0.05))
    memory = max(run[1] for runs in found.values() for run in runs)
    codes = sorted({run[2] for runs in found.values() for run in runs})
    first, second = found[worst]
    return [make.__name__.replace("_", " "), "%.1f MB" % (sizes[1] / 1e6), "%.2f s" % first[0], "%.2f s" % second[0], worst,
            "%.1f" % (found[steepest][1][0] / max(found[steepest][0][0], 0.05)), "%d MiB" % memory, ", ".join(map(str, codes))]


TABLES = (("recording", hostile_recordings.FILES, commands_of_recordings), ("file", hostile_kinds.FILES, hostile_files.commands))


def main():
    names = [word for word in sys.argv[1:] if not word.startswith("-")]
    with tempfile.TemporaryDirectory() as folder:
        for what, makers, commands in TABLES:
            lines = ["| %s | size of 4 n | n | 4 n | slowest command | largest factor | memory | exit |" % what,
                     "| --- | ---: | ---: | ---: | --- | ---: | ---: | --- |"]
            for make in makers:
                if not names or any(name in make.__name__ for name in names):
                    lines.append("| " + " | ".join(row(make, int(os.environ.get("HOSTILE_N", 12500)), folder, commands)) + " |")
                    print(lines[-1], file=sys.stderr, flush=True)
            if "--update" in sys.argv:
                write_table("<!-- begin: tests/support/hostility_table.py --update, %ss -->\n" % what, "\n".join(lines) + "\n")
            else:
                print("\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())
