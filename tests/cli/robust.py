#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the program over broken recordings: prefixes and seeded mutants of testdata/ and, where PERFDATA_CORPUS names a folder, of that too.
No crash, no hang, no sanitizer report, no more than 256 MiB, well-formed output, an exit code that is one of ours, and no control
characters of the recording on a terminal. Prints TAP.

usage: robust.py [--mutants N] [--seed N] [--prefix-step N] [--commands LIST] [--together N] [--keep DIR]

`make check` runs 40 mutants and one prefix in a thousand; `robust.py --mutants 10000 --prefix-step 100` is the full measure.
PERFDATA_SANITIZED=1: built with sanitizers, which need more memory and time. --keep: where to write what failed."""
import argparse
import concurrent.futures
import csv
import glob
import io
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import PERFDATA, SANITIZED, strict_json

MEMORY = 256 << 20
TIMEOUT = 60 if SANITIZED else 20
MAX_BASE = 100 << 10       # larger recordings make slow mutants, and no other code runs
GOOD_CODES = {0, 1, 3, 4, 6}
REFUSED = 2    # by formats for compilers: the program did not run there, or the recording has no branch stacks
PROBLEMS = (ValueError, KeyError, IndexError, csv.Error, xml.etree.ElementTree.ParseError)
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")

# Values of a word in a file after a fault of a recorder or a disk.
WORDS = (0, 1, 7, 8, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 1 << 62, 1 << 63,
         (1 << 64) - 8, (1 << 64) - 1)


def base_files():
    found = []
    for where, _folders, names in sorted(os.walk(program.TESTDATA)):
        found += [os.path.join(where, name) for name in sorted(names)
                  if name.endswith((".data", ".pipe")) or where.endswith((".dir", "crash")) and not name.endswith("README")]
    found += sorted(os.path.join(program.CORPUS, row["file"]) for row in program.corpus_rows())
    return [path for path in found if os.path.isfile(path) and 16 < os.path.getsize(path) <= MAX_BASE]


# --- mutants ---

def record_starts(data):
    """Offsets of the record headers, as far as they lead."""
    if len(data) < 16 or data[:8] not in (b"PERFILE2", b"2ELIFREP"):
        return []
    order = "<" if data[:8] == b"PERFILE2" else ">"
    at, end = 16, len(data)
    if len(data) >= 104 and struct.unpack_from(order + "Q", data, 8)[0] != 16:
        at, size = struct.unpack_from(order + "QQ", data, 40)
        end = min(end, at + size)
    starts = []
    while at + 8 <= end:
        starts.append(at)
        size = struct.unpack_from(order + "H", data, at + 6)[0]
        if size < 8:
            break
        at += size
    return starts


def flip_bits(data, rng):
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = some_place(data, rng)
        data[at] ^= 1 << rng.randrange(8)


def some_place(data, rng):
    """Every other time in the header, where each bit counts."""
    return rng.randrange(min(len(data), 400)) if rng.random() < 0.4 else rng.randrange(len(data))


def set_word(data, rng):
    width = rng.choice((2, 4, 8))
    at = some_place(data, rng) & ~(width - 1)
    word = (rng.choice(WORDS) if rng.random() < 0.8 else len(data) + rng.randrange(-64, 64)) & ((1 << 8 * width) - 1)
    data[at:at + width] = word.to_bytes(width, rng.choice(("little", "big")))


def change_size(data, rng):
    starts = record_starts(data)
    if not starts:
        return set_word(data, rng)
    at = rng.choice(starts)
    size = rng.choice((0, 1, 7, 8, 12, 16, 0xfff8, 0xffff, rng.randrange(65536), rng.randrange(0, 256, 8)))
    data[at + 6:at + 8] = size.to_bytes(2, "little" if data[:1] == b"P" else "big")
    return None


def change_type(data, rng):
    starts = record_starts(data)
    if not starts:
        return set_word(data, rng)
    at = rng.choice(starts)
    kind = rng.choice((rng.randrange(1, 23), rng.randrange(64, 88), rng.randrange(1 << 32)))
    data[at:at + 4] = kind.to_bytes(4, "little" if data[:1] == b"P" else "big")
    return None


def change_body(data, rng):
    """A word early in a record, where counts and lengths are."""
    starts = record_starts(data)
    if not starts:
        return set_word(data, rng)
    at = rng.choice(starts) + 8 + 4 * rng.randrange(24)
    width = rng.choice((2, 4, 8))
    if at + width <= len(data):
        data[at:at + width] = (rng.choice(WORDS) & ((1 << 8 * width) - 1)).to_bytes(width, "little")
    return None


def cut(data, rng):
    del data[rng.randrange(1, len(data)):]


def insert(data, rng):
    at = some_place(data, rng)
    data[at:at] = rng.randbytes(rng.choice((1, 4, 8, 24, 333)))


def take_out(data, rng):
    at = some_place(data, rng)
    del data[at:at + rng.choice((1, 4, 8, 16, 300))]


def repeat(data, rng):
    at = some_place(data, rng)
    size = rng.choice((8, 64, 1000))
    data[at:at] = data[at:at + size]


def overwrite(data, rng):
    at = some_place(data, rng)
    size = rng.choice((4, 16, 64, 500))
    data[at:at + size] = rng.choice((bytes(size), b"\xff" * size, rng.randbytes(size), b"%n\x1b[2J\xff\"\\" * (size // 8 + 1)))[:size]


def other_order(data, _rng):
    data[:8] = data[:8][::-1]


CHANGES = (flip_bits, flip_bits, flip_bits, set_word, set_word, set_word, change_size, change_size, change_type, change_body, change_body,
           cut, insert, take_out, repeat, overwrite)


def mutant(bases, seed, number):
    """(what it is, bytes): the same for the same seed and number, whatever else runs."""
    rng = random.Random("%d/%d" % (seed, number))
    path = rng.choice(bases)
    with open(path, "rb") as f:
        data = bytearray(f.read())
    done = []
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        change = rng.choice(CHANGES) if rng.random() < 0.99 else other_order
        change(data, rng)
        done.append(change.__name__)
        if len(data) < 2:
            break
    return "mutant %d of %s (%s)" % (number, os.path.basename(path), ", ".join(done)), bytes(data)


def prefixes(step):
    """One length in `step` of the small recordings of testdata/, beginning elsewhere in each."""
    small = [path for path in base_files() if path.startswith(program.TESTDATA) and os.path.getsize(path) < 9000]
    for nth, path in enumerate(small):
        with open(path, "rb") as f:
            data = f.read()
        for size in range(nth * 37 % step, len(data), step):
            yield "the first %d bytes of %s" % (size, os.path.basename(path)), data[:size]


# --- what the output must be ---

def check_json(out, code):
    if out or code not in (3, 6, None):
        strict_json(out)


def check_lines(out, code):
    if not out and code in (3, 6, None):
        return
    lines = out.split(b"\n")
    if lines.pop() != b"":
        raise ValueError("the last line has no newline")
    objects = [strict_json(line) for line in lines]
    if objects[0]["type"] != "meta" or objects[-1]["type"] != "summary":
        raise ValueError("it begins with %s and ends with %s" % (objects[0]["type"], objects[-1]["type"]))
    if code is not None and objects[-1]["complete"] != (code == 0):
        raise ValueError("exit code %d and complete: %s" % (code, objects[-1]["complete"]))


def check_csv(out, code):
    rows = list(csv.reader(io.StringIO(out.decode("utf-8"), newline=""), strict=True))
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("rows of different widths")
    if not rows and code not in (3, 6, None):
        raise ValueError("no header")


def check_text(out, _code):
    found = CONTROL.search(out)
    if found:
        raise ValueError("control character %r in a text for a terminal" % out[max(0, found.start() - 20):found.end()])


def check_xml(out, _code):
    xml.etree.ElementTree.fromstring(out)


def good_codes(words):
    return GOOD_CODES | {REFUSED} if words[0] in program.FOR_COMPILERS else GOOD_CODES


def commands(wanted):
    checks = {"ndjson": check_lines, "json": check_json, "csv": check_csv, "perf-json": check_json}
    every = [(name, [name, "-q", *(program.COMPILERS_WORDS if name in program.FOR_COMPILERS else ["--symbols", "no"])], checks.get(name)) for name in program.formats()]
    every += [("ndjson --order file", ["ndjson", "-q", "--symbols", "no", "--order", "file"], check_lines),
              ("csv of the callchain", ["csv", "-q", "--table", "callchain"], check_csv),
              ("info", ["info", "-v"], check_text), ("info --perf", ["info", "--perf"], None),
              ("info --json", ["info", "--json"], check_json), ("buildids", ["buildids", "--with-hits"], check_text),
              ("buildids --json", ["buildids", "--json"], check_json), ("check", ["check", "-v"], check_text),
              ("check --json", ["check", "--json"], check_json),
              ("check --junit", ["check", "--junit"], check_xml), ("events", ["events", "-v"], check_text)]
    return [entry for entry in every if not wanted or entry[0] in wanted]


# --- running ---

def before_exec():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (4 * MEMORY, 4 * MEMORY))


def run(words, *paths):
    """(exit code, stdout, stderr, most memory in bytes); the code is None after the time limit."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([PERFDATA, *words, *paths], stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=before_exec)
        timer = None
        try:
            timer = threading.Timer(TIMEOUT + len(paths), process.kill)
            timer.start()
            _pid, status, usage = os.wait4(process.pid, 0)
        finally:
            timer.cancel()
        process.returncode = code = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return code if code != -signal.SIGKILL else None, out.read(), err.read(), usage.ru_maxrss * 1024


def problem_of(words, check, path):
    with tempfile.TemporaryDirectory() as folder:
        code, out, err, memory = run(words + (["-o", folder + "/"] if words[0] in program.FOLDER_FORMATS else []), path)
    said = err.decode("utf-8", "replace")
    if code is None:
        return "took more than %d seconds" % TIMEOUT
    if code not in good_codes(words):
        return "exit code %d: %s" % (code, said[-800:] if code < 90 and code >= 0 else said[-3000:])
    if b"Sanitizer" in err or b"runtime error" in err:
        return "sanitizer: " + said[-3000:]
    if not SANITIZED and memory > MEMORY:
        return "%d MiB of memory" % (memory >> 20)
    try:
        check_text(err, code)
        if check and (code != 1 or words[0] == "check"):
            check(out, code)
    except PROBLEMS as problem:
        return "%s: %s (exit code %d)" % (type(problem).__name__, problem, code)
    return None


class Task:
    """What broken recordings do to every command: many of them in one process, and each alone where something is wrong."""

    def __init__(self, every, folder, keep):
        self.every, self.folder, self.keep = every, folder, keep

    def together(self, folder, paths):
        """The commands that have a problem with these recordings as a whole."""
        for name, words, check in self.every:
            out = os.path.join(folder, "out")
            own = words[0] not in ("info", "buildids", "check", "events")
            code, stdout, err, memory = run(words + (["-o", out + "/", "--force"] if own else []), *paths)
            wrong = code not in good_codes(words) or b"Sanitizer" in err or b"runtime error" in err or not SANITIZED and memory > MEMORY
            try:
                check_text(err, code)
                if own:
                    for path in sorted(glob.glob(os.path.join(out, "*"))) if check else ():
                        with open(path, "rb") as f:
                            check(f.read(), None)
                elif check in (check_text, check_xml):
                    check(stdout, code)
                elif check:
                    for line in stdout.splitlines():
                        check(line, code)
            except PROBLEMS:
                wrong = True
            shutil.rmtree(out, ignore_errors=True)
            if wrong:
                yield name, words, check

    def __call__(self, items):
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            paths = []
            for number, (_title, data) in items:
                paths.append(os.path.join(folder, "broken-%d" % number))
                with open(paths[-1], "wb") as f:
                    f.write(data)
            suspects = list(self.together(folder, paths)) if len(items) > 1 else self.every
            results = []
            for path, (_number, (title, data)) in zip(paths, items):
                problems = [(name, problem) for name, words, check in suspects for problem in [problem_of(words, check, path)] if problem]
                results.append((title, problems))
                if problems and self.keep:
                    with open(os.path.join(self.keep, re.sub(r"[^\w.-]+", "-", title)[:100]), "wb") as f:
                        f.write(data)
            if len(items) > 1 and suspects and not any(problems for _title, problems in results):
                results[0] = (results[0][0] + " and those after it, in one process", [(suspects[0][0], "a problem that none has alone")])
            return results


def portions(items, size):
    while portion := list(itertools.islice(items, size)):
        yield portion


def report(number, title, results, names):
    count, wrong = 0, []
    for what, problems in results:
        count += 1
        wrong += [(what, name, problem) for name, problem in problems]
        for name, problem in problems[:3] if len(wrong) < 200 else ():
            print("# %s: %s: %s" % (what, name, problem.strip().replace("\n", "\n# ")), flush=True)
    print("%s %d - %d %s, %d commands each" % ("not ok" if wrong or not count else "ok", number, count, title, names), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutants", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--prefix-step", type=int, default=1000)
    parser.add_argument("--commands")
    parser.add_argument("--keep")
    parser.add_argument("--together", type=int, default=20, help="recordings given to one process")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    os.environ["ASAN_OPTIONS"] = "exitcode=99:detect_leaks=1:allocator_may_return_null=1"
    os.environ["UBSAN_OPTIONS"] = "exitcode=99:print_stacktrace=1"
    every = commands(options.commands.split(",") if options.commands else None)
    bases = base_files()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    print("1..2")
    print("# seed %d, %d recordings, commands: %s" % (options.seed, len(bases), ", ".join(name for name, _words, _check in every)))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        def results(items):
            """In rounds: the pool would take all of them into memory at once."""
            for some in portions(portions(iter(items), options.together), 4 * options.jobs):
                for part in pool.map(Task(every, folder, options.keep), some):
                    yield from part
        if options.prefix_step:
            report(1, "prefixes", results(enumerate(prefixes(options.prefix_step))), len(every))
        else:
            print("ok 1 - prefixes # SKIP not asked for")
        made = ((n, mutant(bases, options.seed, n)) for n in range(options.first, options.first + options.mutants))
        report(2, "mutants with seed %d" % options.seed, results(made), len(every))


if __name__ == "__main__":
    sys.exit(main())
