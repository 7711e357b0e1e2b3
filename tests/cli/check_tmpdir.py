#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--tmpdir: commands make their temporary files in this folder. Each command has to succeed with a folder of its own, and to fail, naming
the folder, where no file can be made. Prints TAP."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import Recording, IP, TID, TIME, USER
from program import PERFDATA, Tap

NOWHERE = "/proc"   # the kernel makes no files there, not even for root
SAMPLES = 20000     # 800 KB: more than any command keeps in memory


def make_recording(path):
    recording = Recording()
    event = recording.event("cycles", [11], type=0, sample_type=IP | TID | TIME, sample_id_all=1)
    recording.comm(100, 100, "prog")
    for i in range(SAMPLES):
        recording.sample(event, misc=USER, ip=0x400000 + 16 * i, pid=100, tid=100, time=5 + i)
    recording.save(path)


def commands(folder, recording):
    """Name, words, and the file that comes through stdin."""
    out = ["--force", "-o", os.path.join(folder, "out.data")]
    yield "rewrite", ["rewrite", *out, recording], None
    yield "rewrite of two", ["rewrite", *out, recording, recording], None
    yield "repair", ["repair", *out, recording], None
    yield "anonymize", ["anonymize", *out, recording], None
    yield "rewrite of a pipe", ["rewrite", *out, "-"], recording
    yield "diff of a pipe", ["diff", "-", recording], recording


def run_with(words, tmpdir, stdin):
    """Runs the program; `stdin` goes through a pipe."""
    with subprocess.Popen(["cat", stdin or os.devnull], stdout=subprocess.PIPE) as pipe:
        done = subprocess.run([PERFDATA, words[0], "--tmpdir", tmpdir, *words[1:]], stdin=pipe.stdout, capture_output=True)
        pipe.stdout.close()
        return done


def faults_of(words, spool, stdin):
    done = run_with(words, spool, stdin)
    if done.returncode:
        yield f"with a folder: {done.returncode} {done.stderr!r}"
    done = run_with(words, NOWHERE, stdin)
    if done.returncode != 5 or NOWHERE.encode() not in done.stderr:
        yield f"with {NOWHERE}: {done.returncode} {done.stderr!r}"


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        recording, spool = os.path.join(folder, "in.data"), os.path.join(folder, "spool")
        os.mkdir(spool)
        make_recording(recording)
        for name, words, stdin in commands(folder, recording):
            tap.report("temporary files of " + name, faults_of(words, spool, stdin))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
