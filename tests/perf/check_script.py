#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares `perfdata script` and `perfdata perf-json` with what perf 7.3 prints, byte for byte (JSON: as parsed).

usage: check_script.py            tests/perf_text, and the corpus that PERFDATA_CORPUS names
       check_script.py GLOB…      only these recordings of the corpus
Prints TAP. A corpus is a folder with MANIFEST.tsv and expected/NAME.KIND.zst; of it, recordings are left out that perf could not read whole.
"""
import csv
import fnmatch
import json
import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402
from program import PERFDATA, TOP  # noqa: E402

EVENTS = ("script --ns --show-task-events --show-mmap-events --show-switch-events --show-namespace-events --show-cgroup-events "
          "--show-lost-events --show-bpf-events --show-text-poke-events --show-round-events")
KINDS = {"script": "script", "events": EVENTS, "json": "perf-json"}

# Recordings of the corpus where perf is not to be followed.
EXPLAINED = {
    "be-quipper-perf.data.piped.lost_samples-4.4": "perf exchanges precise_ip 1 and 2 of a foreign attr, so the name it makes has the other number of p",
    "simpleperf-perf_b.data": "perf finds a kernel address in a module that was recorded at address 0 with size 0",
    "hotspot-file_content-perf.data.true.v2": "perf reads prot and flags of MMAP2 where records of Linux 3.12 to 3.15 have the file name",
    "rec-dir-threads-p61.dir": "perf reads the files of a directory in the order in which the file system lists them",
    "rec-dir-threads-p73.dir": "perf reads the files of a directory in the order in which the file system lists them",
}

tap = program.Tap()


def run(command, recording, folder):
    args = [PERFDATA] + shlex.split(command) + ["-q", "--symbols", "no", recording]
    return subprocess.run(args, cwd=folder, capture_output=True, timeout=300, env=dict(os.environ, TZ="UTC", LC_ALL="C")).stdout


def first_difference(want, got):
    if want == got:
        return ""
    want, got = want.split(b"\n"), got.split(b"\n")
    at = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
    show = [repr(lines[at][:160]) if at < len(lines) else "(end)" for lines in (want, got)]
    return f"line {at + 1}: perf {show[0]} ours {show[1]}"


def json_difference(want, got, without=()):
    """want: perf's text. What perf takes from its own host is left out of both."""
    documents = []
    for text in (want, got):
        document = json.loads(text.decode("utf-8"))
        for key in ("captured-on", *without):
            document["headers"].pop(key, None)
        documents.append(document)
    if documents[0] == documents[1]:
        return ""
    if documents[0]["headers"] != documents[1]["headers"]:
        return "other headers"
    pairs = zip(documents[0]["samples"], documents[1]["samples"])
    return f"first other sample: {next((i for i, (a, b) in enumerate(pairs) if a != b), 'at the end')}"


def no_repeated_keys(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key occurs twice: {keys}")
    return dict(pairs)


def check_texts():
    folder = os.path.join(TOP, "tests/perf/perf_text")
    for line in open(os.path.join(folder, "cases.tsv"), encoding="utf-8"):
        name, recording, command = line.rstrip("\n").split("\t")
        want = open(os.path.join(folder, name + ".txt"), "rb").read()
        got = run(command, recording, os.path.join(TOP, "testdata"))
        if command == "perf-json":
            without = ("os-release", "cpuid") if "stream" in recording else ()
            difference = json_difference(want, got, without)
            json.loads(got.decode("utf-8"), object_pairs_hook=no_repeated_keys)
        else:
            difference = first_difference(want, got)
        tap.report(f"{name}: perfdata {command} {recording}", difference)


def check_jobs():
    for recording in ("callgraph-61.data", "trace-61.data"):
        for command in ("script", "script --deltatime", "perf-json", "folded"):
            one, four = (run(f"{command} -j {jobs}", recording, os.path.join(TOP, "testdata")) for jobs in (1, 4))
            tap.report(f"{command} {recording}: one thread and four", first_difference(one, four))


def check_refusals():
    for fields, word in (("insn", b"instruction traces"), ("srccode", b"source"), ("brstackinsn", b"disassembler"), ("nonsense", b"no field"),
                         ("comm,-ip", b"mix"), ("symoff,ip", b"sym"), ("data_src", b"attribute"), ("foo:ip", b"event type"),
                         ("trace:", b"do not exist"), ("+addr sw:time,addr", b"attribute"), ("+addr sw:-addr sw:+addr", b"attribute"),
                         ("sw:+tod", b"clock")):
        args = [PERFDATA, "script", *(f"-F{part}" for part in fields.split()), "callgraph-73.data"]
        done = subprocess.run(args, cwd=os.path.join(TOP, "testdata"), capture_output=True, timeout=60)
        wrong = "" if done.returncode == 2 and word in done.stderr and not done.stdout else f"exit {done.returncode}, {done.stderr!r}"
        tap.report(f"-F {fields} is refused", wrong)


def exit_of(cell, kind):
    if "=" not in cell:
        return cell
    return dict(part.split("=", 1) for part in cell.split(",")).get(kind, "?")


def expected(corpus, name, kind):
    path = f"{corpus}/expected/{name}.{kind}.zst"
    if not os.path.exists(path):
        return b""
    return subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout


def is_whole(row, kind):
    """Whether perf read the recording, and its text was kept."""
    if row["kind"] in ("damaged", "fuzz") or exit_of(row["perf73_exit"], kind) != "0" or exit_of(row["perf73_exit"], "dump") != "0":
        return False
    return not any(cell.startswith(kind + "(") for cell in row["expected"].split(","))


def corpus_difference(corpus, row, kind):
    name = row["file"]
    wants = [expected(corpus, name, kind)]
    twin = re.search(r"big-endian twin of ([^ ;]+)", row["note"])
    if twin:
        wants.append(expected(corpus, twin[1], kind).replace(twin[1].encode(), name.encode()))
    got = run(KINDS[kind], name, corpus)
    if kind != "json":
        return min((first_difference(want, got) for want in wants), key=bool)
    head = expected(corpus, name, "header")
    without = [key for key, line in (("os-release", b"# os release :"), ("cpuid", b"# cpuid :")) if line not in head]
    differences = []
    for want in filter(None, wants):
        try:
            json.loads(want.decode("utf-8"))
        except ValueError:
            return None
        differences.append(json_difference(want, got, without))
    return min(differences, key=bool) if differences else None


def check_corpus(corpus, globs):
    with open(f"{corpus}/MANIFEST.tsv", encoding="utf-8") as manifest:
        rows = list(csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE))
    for kind in KINDS:
        for row in rows:
            if not is_whole(row, kind) or (globs and not any(fnmatch.fnmatch(row["file"], glob) for glob in globs)):
                continue
            difference = corpus_difference(corpus, row, kind)
            if difference is None:
                continue
            why = EXPLAINED.get(row["file"])
            title = f"corpus: {KINDS[kind].split()[0]} {row['file']} ({kind})"
            if difference and why:
                tap.todo(title, difference, why)
            else:
                tap.report(title, difference)


def main():
    corpus = os.environ.get("PERFDATA_CORPUS")
    if len(sys.argv) == 1:
        check_texts()
        check_jobs()
        check_refusals()
    if corpus:
        check_corpus(corpus, sys.argv[1:])
    return tap.end()


sys.exit(main())
