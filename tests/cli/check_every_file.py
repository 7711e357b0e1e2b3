#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs every command over every recording of testdata/ and, where PERFDATA_CORPUS names a folder, over that too: no crash, no hang, an
honest exit code, JSON that parses, CSV rows as wide as their header, bounded memory.

Conversions that properties.py compares are left out, but for builds with sanitizers and with PERFDATA_ALL=1.
PERFDATA_CORPUS_KINDS (such as "damaged,fuzz") takes only files of these kinds, as the corpus' MANIFEST.tsv tells them."""
import concurrent.futures
import csv
import io
import json
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import SANITIZED

MEMORY = 256 << 20
TIMEOUT = 300 if SANITIZED else 60


def limit():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (4 * MEMORY, 4 * MEMORY))


def check_json(out):
    json.loads(out.decode("utf-8"))


def check_ndjson(out):
    lines = out.decode("utf-8").split("\n")
    if lines.pop() != "":
        raise ValueError("the last line has no newline")
    kinds = [json.loads(line)["type"] for line in lines]
    if kinds[0] != "meta" or kinds[-1] != "summary":
        raise ValueError("it begins with %s and ends with %s" % (kinds[0], kinds[-1]))


def check_csv(out):
    rows = list(csv.reader(io.StringIO(out.decode("utf-8"), newline="")))
    wrong = [n for n, row in enumerate(rows) if len(row) != len(rows[0])]
    if wrong:
        raise ValueError("row %d has %d columns, the header %d" % (wrong[0], len(rows[wrong[0]]), len(rows[0])))


CHECKS = {"json": check_json, "ndjson": check_ndjson, "csv": check_csv, "perf-json": check_json}


def run(task):
    """None, or what was wrong."""
    path, words, good_codes, check = task
    try:
        with tempfile.TemporaryDirectory() as folder:
            more = ["-o", folder + "/"] if words[0] in program.FOLDER_FORMATS else []
            done = program.run(*words, *more, path, timeout=TIMEOUT, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return "took more than %d seconds" % TIMEOUT
    said = done.err.decode("utf-8", "replace")
    if done.code not in good_codes:
        return "exit code %d: %s" % (done.code, said[-2000:])
    if ": error: " in said and done.code == 0:
        return "exit code 0 after an error message: %s" % said[-500:]
    if done.code in (0, 1, 4) and check:
        try:
            check(done.out)
        except (ValueError, KeyError, IndexError) as problem:
            return "its output is wrong: %s" % problem
    return None


def main():
    os.environ["ASAN_OPTIONS"] = "exitcode=99:detect_leaks=1:allocator_may_return_null=1"
    os.environ["UBSAN_OPTIONS"] = "exitcode=99:print_stacktrace=1"
    reading = (0, 3, 4)
    names = program.formats() if SANITIZED or program.ALL or program.VALGRIND else ["perf-json", *program.FOLDER_FORMATS]
    commands = [(name, [name, "-q", "--symbols", "no"], (*reading, 2) if name in program.FOR_COMPILERS else reading, CHECKS.get(name)) for name in names]
    commands += [("ndjson with 4 threads, and names", ["ndjson", "-q", "-j", "4"], reading, check_ndjson),
                 ("info", ["info", "-v"], reading, None), ("info --json", ["info", "--json"], reading, check_json),
                 ("info --perf", ["info", "--perf"], reading, None), ("events", ["events", "-v"], reading, None),
                 ("buildids --json", ["buildids", "--json"], reading, check_json),
                 ("check --json", ["check", "--json"], (0, 1, 3), check_json)]
    kinds = os.environ.get("PERFDATA_CORPUS_KINDS")
    files = [path for path, _kind in program.recordings(kinds=kinds and kinds.split(","))]
    tasks = [(path, words, codes, check) for path in files for _name, words, codes, check in commands]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = list(pool.map(run, tasks))
    for number, (title, words, _codes, _check) in enumerate(commands):
        wrong = [(tasks[i][0], results[i]) for i in range(number, len(tasks), len(commands)) if results[i]]
        print("%s - %s over %d recordings" % ("not ok" if wrong else "ok", title, len(files)))
        for path, problem in wrong:
            print("# %s: %s" % (path, problem.strip().replace("\n", "\n# ")))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    if SANITIZED:
        print("ok - peak memory # SKIP sanitizers need more")
    else:
        print("%s - peak memory %d MiB" % ("ok" if peak <= MEMORY else "not ok", peak >> 20))
    print("1..%d" % (len(commands) + 1))


if __name__ == "__main__":
    main()
