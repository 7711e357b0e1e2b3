#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings about files with symbols are reported in the order of the file names, for any number of threads. Prints TAP."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from builder import IP, KERNEL, TID, TIME, Recording
from elf_program import Elf

SHOWN = 5     # of a kind, without -v
NAMES = ["/files/%s" % letter for letter in "abcdefghijkl"]


def write_recording(folder):
    """Files that have no build-id, where the recording says that they had one; the last one is sampled first."""
    source = os.path.join(program.TESTDATA, "unwind", "x86_64")
    elf = Elf(source)
    os.makedirs(os.path.join(folder, "files"))
    r = Recording()
    event = r.event("cpu-clock", ids=[1], type=1, sample_id_all=1, period=1000, sample_type=IP | TID | TIME)
    r.comm(100, 100, "frames", time=1)
    for at, name in enumerate(NAMES):
        shutil.copy(source, folder + name)
        r.mmap2(100, 100, (at + 1) << 24 | elf.start, 0x1000, elf.pgoff, name, build_id=bytes(range(at + 1, at + 21)), time=2)
    for at in reversed(range(len(NAMES))):
        r.sample(event, ip=(at + 1) << 24 | elf.symbols["leaf"], pid=100, tid=100, time=3)
    path = os.path.join(folder, "perf.data")
    r.save(path)
    return path


def faults_of(path, folder, words, shown):
    faults = []
    for jobs in 1, 2, 4, 4, 4:
        done = program.run(*words, "--symfs", folder, "-j", str(jobs), path)
        reported = [line.split(b":")[1].decode().strip() for line in done.err.splitlines() if b"[N801]" in line and b" more of this kind" not in line]
        if reported != [folder + name for name in NAMES[:shown]]:
            faults.append("-j %d: %s" % (jobs, reported))
    return faults


def odd_lines(folder):
    """Lines of a kernel's symbols that are none: `FILE: N of its lines are no symbol`."""
    text = os.path.join(folder, "symbols")
    with open(text, "w", encoding="ascii") as out:
        out.write("ffffffff81000000 T _text\nffffffff81001000 t known\n\nno symbol\n81002000\nffffffff81003000 T _etext\n")
    r = Recording()
    event = r.event("cpu-clock", ids=[1], type=1, sample_id_all=1, period=1000, sample_type=IP | TID | TIME)
    r.mmap(-1, 0, 0xffffffff81000000, 0x1000000, 0xffffffff81000000, "[kernel.kallsyms]_text", misc=KERNEL, time=1)
    r.sample(event, misc=KERNEL, ip=0xffffffff81001010, pid=100, tid=100, time=3)
    path = os.path.join(folder, "kernel.data")
    r.save(path)
    done = program.run("folded", "--kallsyms", text, path)
    wanted = b"symbols: warning: for [kernel.kallsyms]: 2 of its lines are no symbol (ADDRESS TYPE NAME): line 4, the first of them, is 'no symbol' [W802]"
    return [] if done.code == 0 and b"known" in done.out and done.err.count(wanted) == 1 else [done]


def main():
    tap = program.Tap()
    with tempfile.TemporaryDirectory() as folder:
        path = write_recording(folder)
        for command in "script", "dump", "folded", "report":
            tap.report("%s: the first of them" % command, faults_of(path, folder, [command], SHOWN))
            tap.report("%s: all of them" % command, faults_of(path, folder, [command, "-v"], len(NAMES)))
        tap.report("lines that are no symbols", odd_lines(folder))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
