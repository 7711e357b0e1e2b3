#!/usr/bin/env python3
"""Runs the examples of the documentation: the reader of libperfdata.3, and the emitter outside the tree."""
import os
import subprocess

TOP = os.environ["top_srcdir"]
BUILD = os.environ["top_builddir"]
FILE = os.path.join(TOP, "testdata", "trace-73.data")
EMITTER = os.path.join(BUILD, ".libs", "emitter_example.so")
if not os.path.exists(EMITTER):
    EMITTER = os.path.join(BUILD, "tests", ".libs", "emitter_example.so")

number = 0


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)


def ok(good, what, done=None):
    global number
    number += 1
    print("%s - %s" % ("ok" if good else "not ok", what))
    if not good and done:
        print("# exit code %d\n# %s" % (done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace").replace("\n", "\n# ")))


def main():
    perfdata = os.environ["PERFDATA"]
    done = run(perfdata, "csv", "--type", "sample", "-e", "time,ip", "--order", "file", FILE)
    expected = [line.replace(",", " ") for line in done.stdout.decode().split()[1:]]
    done = run(os.path.join(BUILD, "tests", "reader_example"), FILE)
    ok(expected and sorted(done.stdout.decode().splitlines()) == sorted(expected), "the reader gives the same samples as csv", done)

    done = run(perfdata, "events", FILE)
    names = [line.split(": ", 1)[1].split("  (")[0] for line in done.stdout.decode().splitlines() if not line.startswith(" ")]
    outputs = []
    for jobs in ("1", "4"):
        done = run(perfdata, "convert", "--emitter", EMITTER, "-j", jobs, FILE)
        outputs.append(done.stdout)
        rows = dict(line.split("\t") for line in done.stdout.decode().splitlines())
        ok(done.returncode == 0 and rows.pop("event", "") == "samples" and set(rows) <= set(names) and
           sum(int(count) for count in rows.values()) == len(expected), "the emitter counts all samples with -j " + jobs, done)
    ok(outputs[0] == outputs[1], "the same bytes for one thread and for four")
    done = run(perfdata, "convert", "--emitter", EMITTER, "--no-headline", FILE)
    ok(done.stdout and outputs[0].endswith(done.stdout) and len(done.stdout) < len(outputs[0]), "its own option works", done)
    done = run(perfdata, "convert", "--emitter", EMITTER, "--headlin", FILE)
    ok(done.returncode == 2 and b"did you mean --headline?" in done.stderr, "and is suggested", done)
    done = run(perfdata, "convert", "--emitter", "/no/such.so", FILE)
    ok(done.returncode == 2, "an emitter that is not there is wrong use", done)
    done = run(perfdata, "convert", "--help", "--emitter", EMITTER)
    ok(done.returncode == 0 and b"samples by event" in done.stdout and b"--headline" in done.stdout, "its help comes from its table", done)
    print("1..%d" % number)


if __name__ == "__main__":
    main()
