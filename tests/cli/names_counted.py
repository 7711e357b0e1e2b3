#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How many samples have a name is one number, whichever command says it: `perfdata FILE`, `info --symbols yes`, the note of `report`, and
`match`. The recording has samples in a program with all of its symbols, one with exported symbols only, one without any, one with separate
debug information, generated code, the kernel, and outside of all files. Needs a compiler and binutils. Prints TAP."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import KERNEL, Recording, IP, TID, TIME
from program import PERFDATA, TESTDATA

PROGRAM = """
static volatile unsigned long sink;
static __attribute__((noinline)) void hidden_leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i * i + %d; }
__attribute__((noinline)) void shown_leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i * i; }
int main(void) { hidden_leaf(9); shown_leaf(9); return 0; }
"""
SHOWN, HIDDEN = 10, 5
# The program, how it is linked and treated, and how many of its samples have a name.
PROGRAMS = (("full", [], [], SHOWN + HIDDEN), ("exported", ["-rdynamic"], [["strip", "{}"]], SHOWN), ("bare", [], [["strip", "{}"]], 0),
            ("apart", [], [["objcopy", "--only-keep-debug", "{}", "{}.debug"], ["strip", "{}"],
                           ["objcopy", "--add-gnu-debuglink={}.debug", "{}"]], SHOWN + HIDDEN))
results = []


def run(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=120)


def check(title, good, *details):
    results.append(bool(good))
    print(f"{'ok' if good else 'not ok'} {len(results)} - {title}")
    for detail in () if good else details:
        print(f"# {str(detail)[:900]}")


def build(folder, compiler):
    """The addresses of the two functions and the build-id, by program."""
    facts = {}
    for number, (name, link, steps, _) in enumerate(PROGRAMS):
        path = os.path.join(folder, name)
        with open(path + ".c", "w", encoding="ascii") as file:
            file.write(PROGRAM % number)
        if run(compiler, "-O1", "-fno-ipa-icf", "-Wl,--build-id=sha1", *link, "-o", path, path + ".c").returncode:
            return None
        symbols = dict(reversed(line.split()[::2]) for line in run("nm", path).stdout.decode().splitlines() if len(line.split()) == 3)
        notes = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", path).stdout.decode())
        facts[name] = (int(symbols["shown_leaf"], 16), int(symbols["hidden_leaf"], 16), bytes.fromhex(notes.group(1)))
        for step in steps:
            if run(*(word.format(path) for word in step)).returncode:
                return None
    return facts


def record(folder, facts, pid):
    r = Recording(pipe=True)
    event = r.event("cycles", [11], period=1, sample_type=IP | TID | TIME, sample_id_all=1)
    clock, addresses = iter(range(10**9, 2 * 10**9)), []
    r.mmap(-1, 0, 0xffffffff81000000, 0x1000000, 0xffffffff81000000, "[kernel.kallsyms]_text", misc=KERNEL, time=next(clock))
    r.comm(pid, pid, "programs", time=next(clock))
    for number, (name, (shown, hidden, build_id)) in enumerate(facts.items()):
        base = 0x10000000 * (number + 1)
        r.mmap2(pid, pid, base, 0x100000, 0, os.path.join(folder, name), build_id=build_id, time=next(clock))
        addresses += [base + shown + 4] * SHOWN + [base + hidden + 4] * HIDDEN
    r.mmap2(pid, pid, 0x70000000, 0x10000, 0, "//anon", inode=0, device=(0, 0), time=next(clock))
    addresses += [0x70001010] * 4 + [0x70008000] * 2 + [0x7f0000000000] * 2
    for address in addresses:
        r.sample(event, ip=address, pid=pid, tid=pid, time=next(clock))
    for offset in range(3):
        r.sample(event, misc=KERNEL, ip=0xffffffff81800000 + offset, pid=pid, tid=pid, time=next(clock))
    path = os.path.join(folder, "recording.pipe")
    r.save(path)
    return path, len(addresses) + 3


def match(*words):
    done = run(PERFDATA, "match", "--json", "-q", *words)
    document = json.loads(done.stdout or b"{}")
    return document, {row["paths"][0].rpartition("/")[2]: row for row in document.get("rows", ())}


def check_shares(folder, facts):
    pid = os.getpid()
    jit = f"/tmp/perf-{pid}.map"
    with open(jit, "w", encoding="ascii") as file:
        file.write("70001000 100 generated\n")
    try:
        recording, total = record(folder, facts, pid)
        counts = json.loads(run(PERFDATA, "info", "--json", "--symbols", "yes", recording).stdout)["names"]
        kernel = 3 - sum(entry["samples"] for entry in counts["unnamed"] if entry["dso"] and "kernel" in entry["dso"])
        # a map of generated code is taken from this host only if it is known to be of the recorded process
        named = sum(row[3] for row in PROGRAMS) + kernel
        share = f"{100 * named / total:.1f} %"
        check(f"info: {named} of {total}", (counts["named"], counts["samples"]) == (named, total), counts)
        done = run(PERFDATA, recording)
        check(f"overview: {share}", f"names: {share} of samples" in done.stdout.decode(), done.stdout.decode())
        done = run(PERFDATA, "report", recording)
        check("report: the rest", f"{100 * (total - named) / total:.1f} % of {total} samples have no name" in done.stderr.decode(), done.stderr.decode())
        done = run(PERFDATA, "dump", "--no-samples-line", "--symfs", "/", recording)
        check("dump without samples' lines shows no names: no file lacks any, and no map is read",
              re.search(rb"no name(: they lie outside|$)", done.stderr) or b"no name" not in done.stderr, done.stderr.decode())
        below_root = json.loads(run(PERFDATA, "info", "--json", "--symbols", "yes", "--symfs", "/", recording).stdout)["names"]["named"]
        check("info, the root: the map counts", below_root >= named - kernel + 4, below_root, named, kernel)
        for title, words, named in (("this host", [], named), ("the root", ["--symfs", "/"], below_root)):
            text = run(PERFDATA, "match", recording, *words).stdout.decode()
            document, rows = match(recording, *words)
            share = f"{100 * named / total:.1f} %"
            check(f"match, {title}: {share}", f"{share} of the samples have a name" in text and
                  abs(document["shares"]["named"] - named / total) < 1e-9, text, document.get("shares"))
            for name, _, _, expected in PROGRAMS:
                check(f"… {name} is {'named' if expected else 'not named'}", rows[name]["named"] == bool(expected), rows[name])
            notes = {name: row["note"] or "" for name, row in rows.items()}
            check("… and the notes are true", f"exported names only; {SHOWN} of {SHOWN + HIDDEN} samples have a name" in notes["exported"] and
                  not any("have a name" in notes[name] for name in ("full", "apart", "bare")), notes)
            if title == "this host":
                codes = [run(PERFDATA, "match", "-q", recording, "--min-named", str(limit)).returncode
                         for limit in (100 * named / total - 0.01, 100 * named / total + 0.01)]
                check("--min-named judges that share", codes == [0, 1], codes)
        check_estimates(folder, recording)
    finally:
        os.unlink(jit)


def check_estimates(folder, recording):
    """No session reads a file of --file, nor a second root: what such files have counts as a whole."""
    path = os.path.join(folder, "exported")
    root = os.path.join(folder, "empty")
    os.mkdir(root)
    with open(os.path.join(root, "other"), "w", encoding="ascii") as file:
        file.write("no program\n")
    for title, words in (("--file", ["--file", path]), ("a second root", ["--symfs", root, "--symfs", "/"])):
        document, rows = match(recording, *words)
        check(f"{title}: exported names count", rows["exported"]["named"] and document["shares"]["named"] > 0, rows["exported"], document)


def main():
    compiler = next(filter(shutil.which, (os.environ.get("CC", "cc").split()[-1], "gcc", "clang")), None)
    if not compiler or not all(map(shutil.which, ("strip", "objcopy", "nm", "readelf"))):
        print("1..0 # SKIP no compiler or binutils")
        return
    with tempfile.TemporaryDirectory() as folder:
        facts = build(folder, compiler)
        if not facts:
            print("1..0 # SKIP the programs cannot be built")
            return
        check_shares(folder, facts)
    empty = run(PERFDATA, "match", "-q", os.path.join(TESTDATA, "stat-73.data"))
    check("without samples no share is shown", empty.returncode == 0 and b"no samples" in empty.stdout and b"%" not in empty.stdout, empty.stdout)
    print(f"1..{len(results)}")
    sys.exit(not all(results))


main()
