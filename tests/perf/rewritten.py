#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings out of recordings, over testdata/ and the corpus that PERFDATA_CORPUS names: what `rewrite` and `repair` write holds what it was made of,
to our own reader and, where PERF names a perf of version 7, to that. TAP.

PERFDATA_CORPUS_KINDS (such as "damaged,fuzz") takes only files of these kinds, as the corpus' MANIFEST.tsv tells them. PERF_FILES_LARGEST: bytes of the
largest file that perf is asked about (perf dumps slowly); default 400000."""
import concurrent.futures
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402

PERF = os.environ.get("PERF", "perf")
LARGEST = int(os.environ.get("PERF_FILES_LARGEST", "400000"))
# Told in other ways by the other container, or by how records are compressed
CONTAINERS = {"meta", "summary", "compressed", "compressed2", "attr", "event_type", "feature", "tracing_data", "build_id", "finished_round"}
PLACES = ("offset", "inner", "file", "late", "after_gap", "payload_size")
OFFSETS = re.compile(rb"\b(?:0x[0-9a-f]+|0)@\S+|(?<= )(?:0x[0-9a-f]+|0)(?= \[0x)|/tmp/perf-vdso\.so-\w+")
FILE_OF_DIRECTORY = re.compile(rb"OFF\S*")
FORMS = [("as it was", []), ("as a stream", ["--form", "stream"]), ("as a file", ["--form", "file"]), ("compressed", ["--compress", "zstd"]),
         ("not compressed", ["--compress", "none"]), ("big-endian", ["--byte-order", "big"]), ("little-endian", ["--byte-order", "little"])]
COMMANDS = [("script", "--no-itrace"), ("script", "-D", "--no-itrace"), ("report", "--stats"), ("evlist", "-v"), ("buildid-list",)]


def perf_is_seven():
    try:
        done = subprocess.run([PERF, "--version"], capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and re.search(rb"version 7\.", done.stdout) is not None


def perf(words, path):
    environment = dict(os.environ, PAGER="cat", DEBUGINFOD_URLS="")
    return subprocess.run([PERF, *words, "-i", path], capture_output=True, timeout=300, env=environment)


def size_of(path):
    return 0 if os.path.isdir(path) else os.path.getsize(path)


def lines(path, names=True):
    """(exit code, a hash of each record without its place) as ndjson tells the recording."""
    done = program.run("ndjson", "-q", "--symbols", "no", "--order", "file", path)
    if done.code not in (0, 4):
        return done.code, []
    kept = []
    for line in done.out.decode("utf-8").splitlines():
        record = json.loads(line)
        if record["type"] in CONTAINERS:
            continue
        for key in PLACES:
            record.pop(key, None)
        if not names:
            record.pop("event", None)
        if record["size"] % 8:   # perf takes no such record any more: it is filled up with zeros
            record["size"] += -record["size"] % 8
            record["rest"] = record.get("rest", "").rstrip("0")
        elif "rest" in record:
            record["rest"] = record["rest"].rstrip("0")
        kept.append(hashlib.sha256(json.dumps(record, sort_keys=True).encode()).digest())
    return done.code, kept


def samples(path, *options):
    """The samples of known events that are whole, in the order of their texts."""
    done = program.run("ndjson", "-q", "--symbols", "no", "--type", "sample", *options, path)
    kept = []
    for line in done.out.decode("utf-8").splitlines():
        record = json.loads(line)
        if record["type"] != "sample" or "problem" in record or "event" not in record:
            continue
        for key in PLACES + ("rest", "event", "fields", "raw"):
            record.pop(key, None)
        kept.append(json.dumps(record, sort_keys=True))
    return sorted(kept)


def rewritten(folder, *words, command="rewrite"):
    """(what was written or None, the exit code, messages)"""
    out = os.path.join(folder, "out.data")
    done = program.run(command, "-q", *(("--symbols", "no") if command == "rewrite" else ()), *words, "-o", out)
    return (out if os.path.exists(out) else None), done.code, done.err.decode("utf-8", "replace")


# --- by our own reader -----------------------------------------------------------------------------------------------------


def has_same_records(path, options):
    with tempfile.TemporaryDirectory() as folder:
        names = "file" not in options   # a stream may name an event before it tells of it; that is known in time only where it is a file's
        code, before = lines(path, names)
        if code != 0:
            return None   # of damaged ones see `repaired`
        out, code, said = rewritten(folder, *options, path)
        if code == 2 and "keep the byte order" in said and "--byte-order" in options and not out:
            return None   # refused: nobody turns the raw data of tracepoints
        if code != 0 or not out:
            return "exit code %d: %s" % (code, said[-300:])
        code, after = lines(out, names)
        if code != 0:
            return "what was written has exit code %d" % code
        if before != after:
            wrong = next((i for i, (a, b) in enumerate(zip(before, after)) if a != b), min(len(before), len(after)))
            return "%d records, %d afterwards; record %d is another one" % (len(before), len(after), wrong)
    return None


def span(path):
    done = program.run("info", "--json", "-q", path)
    try:
        found = re.search(rb'"first_time": ?"?(\d+)"?,? *\n? *"last_time": ?"?(\d+)', done.out)
        return (int(found[1]), int(found[2])) if found else None
    except ValueError:
        return None


def seconds(ns):
    return "%d.%09d" % (ns // 10**9, ns % 10**9)


def is_same_in_parts(path, use_perf, cuts=10):
    """Cut at ten times, each part has the samples of the whole with their names, together they have all of them, and so has what they are merged to."""
    if lines(path)[0] != 0:
        return None
    names = ("--names",)
    times = sorted({json.loads(text)["time"] for text in samples(path) if json.loads(text).get("time")})
    if len(times) < cuts + 1:
        return None
    edges = [times[len(times) * i // cuts] for i in range(cuts)] + [times[-1] + 1]
    whole, parts = samples(path, *names), []
    if any(json.loads(text).get("time") is None or "read" in json.loads(text) for text in whole[:1]):
        return None
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for first, last in zip(edges, edges[1:]):
            out, code, said = rewritten(folder, "--force", "--time", "%s,%s" % (seconds(first), seconds(last - 1)), path)
            if code != 0 or not out:
                return "exit code %d: %s" % (code, said[-300:])
            files.append(os.path.join(folder, "%02d.data" % len(files)))
            os.rename(out, files[-1])
            parts += samples(files[-1], *names)
        out, code, said = rewritten(folder, *files)
        if code != 0 or not out:
            return "merged again: exit code %d: %s" % (code, said[-300:])
        merged = samples(out, *names)
        if use_perf and perf(COMMANDS[0], path).returncode == 0:
            before, after = perf(COMMANDS[0], path), perf(COMMANDS[0], out)
            if after.returncode != 0 or sorted(before.stdout.split(b"\n")) != sorted(after.stdout.split(b"\n")):
                wrong = set(before.stdout.split(b"\n")) ^ set(after.stdout.split(b"\n"))
                return "perf script of what was merged: exit code %d; %s" % (after.returncode, sorted(wrong)[:4])
    for title, found in (("in the parts", sorted(parts)), ("merged again", merged)):
        if found != whole:
            missing, more = set(whole) - set(found), set(found) - set(whole)
            return "%d samples, %d %s; such as %s | %s" % (len(whole), len(found), title, sorted(missing)[:1], sorted(more)[:1])
    return None


def is_repaired(path, use_perf):
    with tempfile.TemporaryDirectory() as folder:
        out, code, said = rewritten(folder, path, command="repair")
        if code == 3:
            return None
        if code not in (0, 4) or not out:
            return "exit code %d: %s" % (code, said[-300:])
        done = program.run("check", "-q", out)
        if done.code != 0:
            return "what was written is damaged: %s" % done.out.decode("utf-8", "replace")[:300]
        if samples(path) != samples(out):
            return "%d samples, %d afterwards" % (len(samples(path)), len(samples(out)))
        for words in COMMANDS[:1] + COMMANDS[2:4] if use_perf else ():
            done = perf(words, out)
            if done.returncode != 0:
                return "perf %s: exit code %d: %s" % (words[0], done.returncode, done.stderr[-300:])
    return None


# --- by perf ---------------------------------------------------------------------------------------------------------------


def plain(text, path):
    text = OFFSETS.sub(b"OFF", text.replace(path.encode(), b"FILE"))
    return FILE_OF_DIRECTORY.sub(b"OFF", text)


def perf_says_the_same(path):
    if size_of(path) > LARGEST or perf(COMMANDS[0], path).returncode != 0:
        return None
    with tempfile.TemporaryDirectory() as folder:
        out, code, said = rewritten(folder, path)
        if code not in (0, 4) or not out:
            return "exit code %d: %s" % (code, said[-300:])
        for words in COMMANDS:
            if os.path.isdir(path) and words[0] == "report":
                continue   # rounds of several files are none of one
            before, after = perf(words, path), perf(words, out)
            a, b = plain(before.stdout, path).split(b"\n"), plain(after.stdout, out).split(b"\n")
            if os.path.isdir(path):
                a, b = [[line for line in text if b"FINISHED_ROUND" not in line] for text in (a, b)]
            if before.returncode != after.returncode or sorted(a) != sorted(b) or (a != b and words[0] != "buildid-list"):
                wrong = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
                return "perf %s: exit codes %d and %d; %s" % (" ".join(words), before.returncode, after.returncode, [x[wrong:wrong + 1] for x in (a, b)])
    return None


def filters_of(path):
    """(our options, perf's) that let through a part of the recording."""
    times = sorted(float(word[:-1]) for word in perf(("script", "-F", "time"), path).stdout.decode().split() if re.fullmatch(r"\d+\.\d+:", word))
    # counters that samples read: perf shows differences, and the first one behind a cut has nothing before it
    if len(times) > 4 and not re.search(rb"sample_type: [\w|]*\bREAD\b", perf(("evlist", "-v"), path).stdout):
        middle = "%.9f,%.9f" % (times[len(times) // 4], times[len(times) * 3 // 4])
        yield ["--time", middle], ["--time", middle]
    pids = re.findall(rb"^\s*(\d+)/", perf(("script", "-F", "pid,tid"), path).stdout, re.M)
    if pids:
        yield ["--pid", pids[0].decode()], ["--pid", pids[0].decode()]
    yield ["--cpu", "0"], ["-C", "0"]
    comm = perf(("script", "-F", "comm"), path).stdout.split(b"\n")[0].strip()
    if re.fullmatch(rb"[\w-]+", comm):
        yield ["--comm", comm.decode()], ["--comms", comm.decode()]


def perf_filters_the_same(path):
    """What is cut by ours shows what perf's own filter shows of the whole."""
    if size_of(path) > LARGEST or perf(COMMANDS[0], path).returncode != 0:
        return None
    for ours, theirs in filters_of(path):
        with tempfile.TemporaryDirectory() as folder:
            wanted = perf(("script", "--no-itrace", *theirs), path)
            if wanted.returncode != 0:
                continue   # perf has no such filter for this recording
            out, code, said = rewritten(folder, *ours, path)
            if code != 0 or not out:
                return "%s: exit code %d: %s" % (ours, code, said[-300:])
            found = perf(("script", "--no-itrace"), out)
            if wanted.stdout != found.stdout:
                return "%s: %d lines, %d afterwards" % (ours, wanted.stdout.count(b"\n"), found.stdout.count(b"\n"))
    return None


# --- build-ids that are found ----------------------------------------------------------------------------------------------

BUILD_ID = bytes(range(20))


def tiny_elf():
    """A header, one program header, and the note that it points to."""
    note = struct.pack("<III4s", 4, len(BUILD_ID), 3, b"GNU\0") + BUILD_ID
    header = struct.pack("<4s5B7xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 0, 3, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return header + struct.pack("<IIQQQQQQ", 4, 4, 120, 120, 120, len(note), len(note), 4) + note


def adds_build_ids(use_perf):
    """Into maps and the table, where the recording told none; in all forms and both byte orders. Its text stays."""
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "root")
        os.makedirs(os.path.join(root, "srv/demo"))
        with open(os.path.join(root, "srv/demo/work"), "wb") as f:
            f.write(tiny_elf())
        path = os.path.join(program.TESTDATA, "stream-61.pipe")
        for options in ([], ["--form", "file"], ["--form", "file", "--compress", "zstd"], ["--form", "file", "--byte-order", "big"]):
            out, code, said = rewritten(folder, "--force", "--build-ids", "--symfs", root, *options, path)
            if code != 0 or not out:
                return "exit code %d: %s" % (code, said[-300:])
            maps = [json.loads(line) for line in program.run("ndjson", "-q", "--type", "mmap2,build_id", out).out.decode().splitlines()]
            told = [record.get("build_id") for record in maps if record.get("filename") == "/srv/demo/work"]
            told += [entry["build_id"] for entry in maps[0]["features"].get("build_id", []) if entry["filename"] == "/srv/demo/work"]
            if set(told) != {BUILD_ID.hex()} or len(told) < 2:
                return "%s: build-ids %s" % (options, told)
            if program.run("check", "-q", out).code != 0:
                return "%s: damaged" % options
            if not use_perf:
                continue
            if b"%s /srv/demo/work" % BUILD_ID.hex().encode() not in perf(("buildid-list",), out).stdout:
                return "%s: perf lists %s" % (options, perf(("buildid-list",), out).stdout)
            if perf(COMMANDS[0], out).stdout != perf(COMMANDS[0], path).stdout:
                return "%s: perf's script is another one" % options
    return None


def main():
    kinds = os.environ.get("PERFDATA_CORPUS_KINDS")
    files = program.recordings(kinds=kinds and kinds.split(","))
    good = [path for path, kind in files if kind not in ("damaged", "fuzz")]
    bad = [path for path, kind in files if kind in ("damaged", "fuzz") or "killed" in path or "crash" in path]
    seven = perf_is_seven()
    checks = [("all records, %s" % title, [(has_same_records, path, options) for path in good]) for title, options in FORMS]
    checks.append(("cut in ten parts, merged again", [(is_same_in_parts, path, seven) for path in good if 0 < size_of(path) <= LARGEST]))
    checks.append(("repaired%s" % (" and opened by perf" if seven else ""), [(is_repaired, path, seven) for path in bad]))
    checks.append(("build-ids are added", [(adds_build_ids, seven)]))
    if seven:
        checks.append(("perf says the same of the copy", [(perf_says_the_same, path) for path in good]))
        checks.append(("perf's own filters show the same", [(perf_filters_the_same, path) for path in good]))
    else:
        print("ok - perf says the same of the copy, and its filters show the same # SKIP PERF names no perf of version 7")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for title, tasks in checks:
            results = list(pool.map(lambda task: task[0](*task[1:]), tasks))
            wrong = [(task[1], result) for task, result in zip(tasks, results) if result]
            print("%s - %s: %d recordings" % ("not ok" if wrong else "ok", title, len(tasks)))
            for path, problem in wrong:
                print("# %s: %s" % (path, problem.strip().replace("\n", "\n# ")))
            sys.stdout.flush()
    print("1..%d" % (len(checks) + (not seven)))


if __name__ == "__main__":
    main()
