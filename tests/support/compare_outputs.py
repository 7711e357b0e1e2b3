#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what two builds of the program print: every command below, over every recording of testdata/ and of the folder that
PERFDATA_CORPUS names. What differs is printed; the exit code is 1 then.

usage: compare_outputs.py OLD-PERFDATA NEW-PERFDATA [--jobs N] [--commands script,dump] [--large BYTES] [FILE...]"""
import argparse
import concurrent.futures
import glob
import hashlib
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMANDS = {
    "ndjson": ["ndjson"], "names": ["ndjson", "--names", "--stacks", "ref"], "json": ["json"], "csv": ["csv"],
    "stacks": ["csv", "--table", "stacks", "--names"], "script": ["script"], "script-plain": ["script", "--symbols", "no"],
    "dump": ["dump"], "report-dump": ["dump", "--no-samples-line"], "perf-json": ["perf-json"], "folded": ["folded"],
    "folded-plain": ["folded", "--symbols", "no"], "info": ["info"], "info-json": ["info", "--json"], "stats": ["info", "--perf-stats"],
    "events": ["events", "--perf"], "buildids": ["buildids"], "hits": ["buildids", "--with-hits"], "check": ["check", "--json"],
    "pprof": ["pprof"], "otlp": ["otlp"], "spans": ["report", "--spans", "off", "--by", "waker"], "thread-times": ["csv", "--table", "threads_time"],
}


def output(program, words, path):
    """What the command prints on stdout and stderr, as a digest, and its exit code."""
    with subprocess.Popen([program, *words, path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as run:
        digest = hashlib.sha256()
        for piece in iter(lambda: run.stdout.read(1 << 16), b""):
            digest.update(piece.replace(program.encode(), b"perfdata"))
    return digest.hexdigest(), run.returncode


def recordings(large):
    folders = [os.path.join(TOP, "testdata"), os.path.join(TOP, "testdata", "perf")]
    if os.environ.get("PERFDATA_CORPUS"):
        folders.append(os.environ["PERFDATA_CORPUS"])
    ends = (".tsv", ".md", ".txt", "README", ".json", ".py")
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(folder, "*"))):
            if os.path.basename(path) in ("expected", "compare", "perf") or path.endswith(ends):
                continue
            if os.path.isdir(path) and not path.endswith(".dir"):
                continue
            if os.path.getsize(path) <= large:
                yield path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--commands", default=",".join(COMMANDS))
    parser.add_argument("--large", type=int, default=4 << 20)
    options = parser.parse_args()
    for program in (options.old, options.new):   # two programs that do not start print the same, too
        if subprocess.run([program, "--version"], capture_output=True).returncode != 0:
            sys.exit("%s does not run" % program)
    work = [(name, path) for path in options.files or recordings(options.large) for name in options.commands.split(",")]

    def differ(item):
        name, path = item
        return output(options.old, COMMANDS[name], path) != output(options.new, COMMANDS[name], path)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        different = [item for item, differs in zip(work, pool.map(differ, work)) if differs]
    for name, path in different:
        print("differs: %s %s" % (" ".join(COMMANDS[name]), path))
    print("%d comparisons, %d differ" % (len(work), len(different)))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
