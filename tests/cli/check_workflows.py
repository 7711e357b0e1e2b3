#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the perfdata commands of doc/ci/: each shard of each, over good recordings and with a damaged one among them. Prints TAP."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from check_batch import tree

SHARDS = 4

tap = program.Tap()
report = tap.report


def commands(name):
    """The lines that begin with perfdata, and variables: which are set where a pipeline sets them."""
    with open(os.path.join(program.TOP, "doc", "ci", name), encoding="utf-8") as f:
        text = f.read()
    found = re.findall(r"^\s*(?:run: |- )?(perfdata .*)$", text, re.M)
    return found, dict(re.findall(r"^\s*(SUMMARY): (.*)$", text, re.M))


def make(folder, damaged):
    for number, name in enumerate(("callgraph-73.data", "group-73.data", "stat-73.data", "callgraph-61.data")):
        os.makedirs("%s/recordings/suite%d" % (folder, number))
        shutil.copy(os.path.join(program.TESTDATA, name), "%s/recordings/suite%d/perf.data" % (folder, number))
    for run in range(3):
        os.makedirs("%s/recordings/gate-%d" % (folder, run))
        shutil.copy(os.path.join(program.TESTDATA, "callgraph-73.data"), "%s/recordings/gate-%d/perf.data" % (folder, run))
    os.mkdir(folder + "/baseline")
    if damaged:
        shutil.copy(os.path.join(program.TESTDATA, "bad-record-size.data"), folder + "/recordings/suite1/other.data")


def run_all(folder, found, variables):
    """(command, exit code, what was printed) of every command, for each shard where it says which one it is."""
    os.makedirs(folder + "/bin", exist_ok=True)
    if not os.path.lexists(folder + "/bin/perfdata"):
        os.symlink(program.PERFDATA, folder + "/bin/perfdata")
    done = []
    # the gate needs what a run on main has stored
    for command in sorted(found, key=lambda line: "--save" not in line):
        sharded = "shard" in command
        for shard in range(SHARDS if sharded else 1):
            environment = dict(os.environ, PATH=folder + "/bin:" + os.environ["PATH"], CI_NODE_INDEX=str(shard + 1), CI_NODE_TOTAL=str(SHARDS),
                               GITHUB_STEP_SUMMARY=folder + "/summary.md")
            line = command.replace("${{ matrix.shard }}", str(shard))
            for name, value in variables.items():
                line = line.replace("$" + name, value)
            ended = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, timeout=120)
            done.append((line, ended.returncode, ended.stderr))
    return done


def check_workflow(name, damaged):
    found, variables = commands(name)
    report("%s has commands" % name, [] if len(found) >= 3 else found)
    with tempfile.TemporaryDirectory() as folder:
        make(folder, damaged)
        first = run_all(folder, found, variables)
        written = [path for path in ("summary.md", "gate.xml") if os.path.exists(os.path.join(folder, path)) and os.path.getsize(os.path.join(folder, path))]
        recordings = tree(folder + "/recordings")
        wanted = sorted("%s.csv.zst" % path for path in recordings)
        tables = [path for path in tree(folder + "/tables") if path.endswith(".zst")]
        again = run_all(folder, found, variables)
        summaries = [program.strict_json(line) for path in tree(folder + "/tables") if path.endswith("son")
                     for line in open(os.path.join(folder, "tables", path), "rb").read().splitlines()]
    what = "%s%s" % (name, ", one recording is damaged" if damaged else "")
    faults = [each for each in first if each[1] != (1 if damaged and each[0].startswith("perfdata check") else 0)]
    report("%s: exit codes" % what, faults)
    report("%s: the gate writes its verdict" % what, [] if len(written) == 1 else [written])
    report("%s: a table for each recording" % what, [] if tables == wanted else [tables, wanted])
    report("%s: nothing is made again" % what, [] if [each[:2] for each in again] == [each[:2] for each in first] and
           sum(line["type"] == "input" and line["status"] == "skipped" for line in summaries) == len(recordings) else [summaries])


def check_yaml():
    try:
        import yaml
    except ImportError:
        tap.skip("doc/ci is YAML", "no python3-yaml")
        return
    faults = []
    for name in ("github.yml", "gitlab.yml"):
        with open(os.path.join(program.TOP, "doc", "ci", name), encoding="utf-8") as f:
            faults += [] if isinstance(yaml.safe_load(f), dict) else [name]
    report("doc/ci is YAML", faults)


def main():
    check_yaml()
    for name in ("github.yml", "gitlab.yml"):
        for damaged in (False, True):
            check_workflow(name, damaged)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
