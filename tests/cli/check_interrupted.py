#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A signal that comes while names are looked up, after the whole recording was read, ends the work with exit code 130: an output without those names is
never a whole one. SIGINT, SIGTERM and SIGHUP come at calls on files with names; no output file and no temporary file is left, and nohup's commands
go on after SIGHUP. Prints TAP; needs a compiler.

usage: check_interrupted.py [--all]     --all: at each call, not at one in seven"""
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from named_files import Tree
from names_failing import Program, build
from program import PERFDATA, Tap

signal.signal(signal.SIGHUP, signal.SIG_DFL)    # these tests may run under nohup
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STEP = 1 if "--all" in sys.argv else 7
COMMANDS = (["folded"], ["script"], ["report"], ["annotate"], ["flamegraph"], ["pprof"], ["ndjson", "--symbols", "yes"], ["match"], ["bundle"],
            ["info", "--symbols", "yes"])


class Interrupted(Program):
    """perfdata that gets a signal at a call on a file below the folder of the tree."""

    def interrupt(self, words, home, call, number, sent, before=()):
        environment = dict(os.environ, HOME=home, LC_ALL="C", LD_PRELOAD=self.library, FAIL_BELOW=self.folder + "/", FAIL_COUNTS=self.counts,
                           FAIL_PROGRAM="perfdata", FAIL_CALL=call, FAIL_NUMBER=str(number), FAIL_SIGNAL=str(int(sent)))
        return subprocess.run([*before, PERFDATA, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              env=environment)


def faults_of(program, words, home, folder):
    out, spool = os.path.join(folder, "out"), os.path.join(folder, "spool")
    has_file = words[0] not in ("match", "info")
    words = [*words, "--tmpdir", spool, *(["-o", os.path.join(out, "result")] if has_file else [])]
    os.makedirs(out, exist_ok=True)
    os.makedirs(spool, exist_ok=True)
    good, nr = program.run([*words, *(["--force"] if has_file else [])], home), 0
    for call in ("open", "read", "mmap"):
        for number in range(nr % STEP, good[3][call], STEP):
            for name in os.listdir(out):
                os.unlink(os.path.join(out, name))
            sent = SIGNALS[nr % len(SIGNALS)]
            nr += 1
            done = program.interrupt(words, home, call, number, sent)
            if done.returncode != 130:
                yield "%s at %s %d: exit code %d %r" % (sent.name, call, number, done.returncode, done.stderr[-200:])
            left = os.listdir(out) + os.listdir(spool)
            if left:
                yield "%s at %s %d: left %s" % (sent.name, call, number, left)
    if good[0] not in (0, 1) or nr < 3:
        yield "%d signals were sent; without one: %s" % (nr, good)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        library = build(folder)
        if not library:
            tap.skip("signals while names are looked up", "no compiler, or sanitizers")
            return tap.end()
        inner = os.path.join(folder, "tree")
        os.mkdir(inner)
        tree = Tree(inner)
        tree.add_all_kinds()
        tree.recording = os.path.join(folder, "recording")
        tree.save()
        program, options = Interrupted(inner, library), ["-q", "--symfs", tree.root, tree.recording]
        for words in COMMANDS:
            tap.report("%s is interrupted" % words[0], list(faults_of(program, [*words, *options], tree.home, folder)))
        done = program.interrupt(["folded", *options], tree.home, "open", 1, signal.SIGHUP, ["nohup"])
        tap.report("nohup keeps it going", [] if done.returncode == 0 else ["exit code %d %r" % (done.returncode, done.stderr)])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
