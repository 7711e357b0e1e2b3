#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings out of recordings, over testdata/ and the corpus that PERFDATA_CORPUS names: what `rewrite` and `repair` write holds what it was made of,
to our own reader and, where PERF names a perf of version 7, to that. TAP.

PERFDATA_CORPUS_KINDS (such as "damaged,fuzz") takes only files of these kinds, as the corpus' MANIFEST.tsv tells them. PERF_FILES_LARGEST: bytes of the
largest file that perf is asked about (perf dumps slowly); default 400000. Cut in parts, and shown by perf's own filters, is a part of the corpus: all of
testdata/ and every fourth file, by its name; PERFDATA_ALL=1 takes all of them."""
import concurrent.futures
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402
from builder import CALLCHAIN, CONTEXT_USER, CONTEXT_USER_DEFERRED, IP, Recording, TID, TIME, USER  # noqa: E402

PERF = os.environ.get("PERF", "perf")
LARGEST = int(os.environ.get("PERF_FILES_LARGEST", "400000"))
# Told in other ways by the other container, or by how records are compressed
CONTAINERS = {"meta", "summary", "compressed", "compressed2", "attr", "event_type", "feature", "tracing_data", "build_id", "finished_round"}
PLACES = ("offset", "inner", "file", "late", "after_gap", "payload_size")
# The same in lines of ndjson, whose keys have an order: all lines are compared as text, and only those that differ are parsed. (Patterns begin with
# literals, for which Python looks quickly.)
HEADS = re.compile(rb'\n\{"type":"(\w+)"(?:,"offset":\d+)?(?:,"inner":\d+)?(,"size":\d+)?(?:,"file":"(?:[^"\\]|\\.)*")?')
CONTAINER_LINES = re.compile(rb'\n\{"type":"(?:(?:%s)"|event_update".*"update_type":"NAME").*' % "|".join(CONTAINERS).encode())
PAYLOAD_SIZES = re.compile(rb',"payload_size":\d+')
EVENT_OF_LINES = re.compile(rb'"misc_raw":(\d+),"event":"(?:[^"\\]|\\.)*"')
REST_OF_LINES = re.compile(rb',"rest":"[0-9a-f]*"')
TIME_OF_LINE = re.compile(rb',"time":(\d+)')
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


def as_lines(text, names=True):
    kept = HEADS.sub(rb'\n{"type":"\1"\2', CONTAINER_LINES.sub(b"", b"\n" + text))
    kept = PAYLOAD_SIZES.sub(b"", kept.replace(b',"late":true', b"").replace(b',"after_gap":true', b""))
    return (kept if names else EVENT_OF_LINES.sub(rb'"misc_raw":\1', kept)).split(b"\n")


def lines(path):
    """(exit code, the recording in ndjson)"""
    done = program.run("ndjson", "-q", "--symbols", "no", "--order", "file", path)
    return done.code, done.out if done.code in (0, 4) else b""


def is_same_record(before, after):
    """Of two lines. perf takes no record any more whose size is not divisible by 8: it is filled up with zeros."""
    records = [json.loads(line) for line in (before, after)]
    for record in records:
        record["size"] += -record["size"] % 8
        if "rest" in record:
            record["rest"] = record["rest"].rstrip("0")
        if not record.get("rest"):
            record.pop("rest", None)
    return records[0] == records[1]


def samples(path, *options):
    """The samples of known events that are whole, in the order of their texts."""
    done = program.run("ndjson", "-q", "--symbols", "no", "--type", "sample", *options, path)
    found = [line for line in as_lines(REST_OF_LINES.sub(b"", done.out))
             if line.startswith(b'{"type":"sample"') and EVENT_OF_LINES.search(line) and b',"problem":"' not in line]
    return sorted(found)


def without_fields(texts):
    """Of tracepoints: without their formats, their fields are unknown."""
    kept = []
    for text in texts:
        if b',"fields":{' in text or b',"raw":"' in text:
            record = json.loads(text)
            for key in ("fields", "raw"):
                record.pop(key, None)
            text = json.dumps(record, sort_keys=True, separators=(",", ":")).encode()
        kept.append(EVENT_OF_LINES.sub(rb'"misc_raw":\1', text))
    return sorted(kept)


def rewritten(folder, *words, command="rewrite"):
    """(what was written or None, the exit code, messages)"""
    out = os.path.join(folder, "out.data")
    if os.path.exists(out):
        os.unlink(out)   # of an earlier call
    done = program.run(command, "-q", *(("--symbols", "no") if command == "rewrite" else ()), *words, "-o", out)
    return (out if os.path.exists(out) else None), done.code, done.err.decode("utf-8", "replace")


# --- by our own reader -----------------------------------------------------------------------------------------------------


def fault_of_form(path, options, before, folder):
    names = "file" not in options   # a stream may name an event before it describes it; only in a file the name is known in time
    out, code, said = rewritten(folder, "--force", *options, path)
    if code == 2 and "byte order of raw data" in said and not out:
        return None   # refused: the format of a tracepoint does not describe all of its raw data
    if code != 0 or not out:
        return "exit code %d: %s" % (code, said[-300:])
    code, text = lines(out)
    os.unlink(out)
    if code != 0:
        return "what was written has exit code %d" % code
    a, b = as_lines(before, names), as_lines(text, names)
    wrong = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y and not is_same_record(x, y)), min(len(a), len(b)))
    if wrong < max(len(a), len(b)):
        return "%d records, %d afterwards; record %d is another one: %s" % (len(a), len(b), wrong, [text[wrong:wrong + 1] for text in (a, b)])
    return None


def faults_of_forms(path):
    """What each of FORMS changes; the recording is read once for all of them."""
    code, before = lines(path)
    if code != 0:
        return [None] * len(FORMS)   # of damaged ones see `is_repaired`
    with tempfile.TemporaryDirectory() as folder:
        return [fault_of_form(path, options, before, folder) for _title, options in FORMS]


def seconds(ns):
    return "%d.%09d" % (ns // 10**9, ns % 10**9)


def is_same_in_parts(path, use_perf, cuts=10):
    """Cut at ten times, each part has the samples of the whole with their names, together they have all of them, and so has what they are merged to."""
    if program.run("check", "-q", path).code != 0:
        return None
    names = ("--names",)
    whole, parts = samples(path, *names), []
    found = [TIME_OF_LINE.search(text) for text in whole]
    times = sorted({int(time[1]) for time in found if time})
    if len(times) < cuts + 1 or not all(found) or b',"read":{' in whole[0]:
        return None
    edges = [times[len(times) * i // cuts] for i in range(cuts)] + [times[-1] + 1]
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
        before = perf(COMMANDS[0], path) if use_perf else None
        if before and before.returncode == 0:
            after = perf(COMMANDS[0], out)
            # of streams in the other byte order perf exchanges the two bits of precise_ip, of files it does not
            before, text = [re.sub(rb" *(:p+)(?=H?: )", b"", done.stdout).split(b"\n") for done in (before, after)]
            if after.returncode != 0 or sorted(before) != sorted(text):
                wrong = set(before) ^ set(text)
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
        before, after = without_fields(samples(path)), without_fields(samples(out))
        if before != after:
            return "%d samples, %d afterwards: %s" % (len(before), len(after), sorted(set(before) ^ set(after))[:2])
        for words in COMMANDS[:1] + COMMANDS[2:4] if use_perf else ():
            done = perf(words, out)
            if done.returncode != 0:
                return "perf %s: exit code %d: %s" % (words[0], done.returncode, done.stderr[-300:])
    return None


# --- by perf ---------------------------------------------------------------------------------------------------------------


def plain(text, path):
    text = OFFSETS.sub(b"OFF", text.replace(path.encode(), b"FILE"))
    return FILE_OF_DIRECTORY.sub(b"OFF", text)


def faults_of_texts(path, out, first):
    """first: what perf said of the original to COMMANDS[0]."""
    for words in COMMANDS:
        if os.path.isdir(path) and words[0] == "report":
            continue   # rounds of several files are none of one
        before, after = first if words == COMMANDS[0] else perf(words, path), perf(words, out)
        a, b = plain(before.stdout, path).split(b"\n"), plain(after.stdout, out).split(b"\n")
        if os.path.isdir(path):
            a, b = [[line for line in text if b"FINISHED_ROUND" not in line] for text in (a, b)]
        if before.returncode != after.returncode or sorted(a) != sorted(b) or (a != b and words[0] != "buildid-list"):
            wrong = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            return "perf %s: exit codes %d and %d; %s" % (" ".join(words), before.returncode, after.returncode, [x[wrong:wrong + 1] for x in (a, b)])
    return None


def fault_of_turned(path, folder, first):
    """Fields of tracepoints are turned with the rest. (Of a stream perf reads them only on machines of its byte order.)"""
    meta = json.loads(program.run("ndjson", "-q", "--symbols", "no", "-n", "1", path).out.split(b"\n")[0])
    other = "little" if meta["byte_order"] == "big" else "big"
    out, code, said = rewritten(folder, "--force", "--form", "file", "--byte-order", other, path)
    if code == 2 and "byte order of raw data" in said and not out:
        return None
    if code != 0 or not out:
        return "%s-endian: exit code %d: %s" % (other, code, said[-300:])
    after = perf(COMMANDS[0], out)
    if after.returncode != first.returncode or first.stdout != after.stdout:
        return "%s-endian: perf script: exit code %d, %d bytes instead of %d" % (other, after.returncode, len(after.stdout), len(first.stdout))
    return None


def perf_says_the_same(path):
    if size_of(path) > LARGEST:
        return None
    first = perf(COMMANDS[0], path)
    if first.returncode != 0:
        return None
    with tempfile.TemporaryDirectory() as folder:
        out, code, said = rewritten(folder, path)
        if code not in (0, 4) or not out:
            return "exit code %d: %s" % (code, said[-300:])
        wrong = faults_of_texts(path, out, first)
        return wrong or (fault_of_turned(path, folder, first) if has_tracepoints(path) else None)


def has_tracepoints(path):
    return b'"type":"TRACEPOINT"' in program.run("ndjson", "-q", "--symbols", "no", "--type", "attr", path).out


LEAF_OF_LINES = re.compile(rb"^ *(.*?) +(\d+)/(\d+) +(?:(\d+\.\d+): +)?[0-9a-f]+ (.*?) \((/[\w./-]+)\)$", re.M)
SYMBOL_OF_LINES = re.compile(rb'"ip_at":\{[^{}]*"symbol":"([\w.]+)"')


def most_frequent(values):
    return max(sorted(set(values)), key=values.count).decode() if values else None


def filters_of(path):
    """(our options, perf's) that let through a part of the recording."""
    fields = re.findall(rb"^\s*(.*?)\s+(\d+)/(\d+) +(?:(\d+\.\d+):)?", perf(("script", "-F", "comm,pid,tid,time"), path).stdout, re.M)
    times = sorted(float(time) for _comm, _pid, _tid, time in fields if time)
    # counters that samples read: perf shows differences, also to samples that it does not show
    reads = re.search(rb"sample_type: [\w|]*\bREAD\b", perf(("evlist", "-v"), path).stdout)
    if len(times) > 4 and not reads:
        middle = "%.9f,%.9f" % (times[len(times) // 4], times[len(times) * 3 // 4])
        yield ["--time", middle], ["--time", middle]
    if fields:
        yield ["--pid", fields[0][1].decode()], ["--pid", fields[0][1].decode()]
        yield ["--tid", fields[-1][2].decode()], ["--tid", fields[-1][2].decode()]
    yield ["--cpu", "0"], ["-C", "0"]
    if fields and re.fullmatch(rb"[\w-]+", fields[0][0]):
        yield ["--comm", fields[0][0].decode()], ["--comms", fields[0][0].decode()]
    if reads:
        return
    leaves = LEAF_OF_LINES.findall(perf(("script", "--no-itrace", "-G", "-F", "comm,pid,tid,time,ip,sym,dso"), path).stdout)
    dso = most_frequent([leaf[5] for leaf in leaves])
    if dso:
        yield ["--dso", dso], ["--dsos", dso]
    # where both know its name everywhere
    symbol = most_frequent([leaf[4] for leaf in leaves if re.fullmatch(rb"[\w.]+", leaf[4])])
    if symbol:
        ours = SYMBOL_OF_LINES.findall(program.run("ndjson", "-q", "--names", "--inlines", "no", "--type", "sample", path).out)
        if ours.count(symbol.encode()) == sum(leaf[4] == symbol.encode() for leaf in leaves):
            yield ["--symbols", "yes", "--symbol", symbol], ["--symbols", symbol]


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
            if code not in (0, 4) or not out:   # 4: a section is damaged, as rec-inj-bpipe-p73 has one of perf inject
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
    """Into maps and the table, where the recording has none; in all forms and both byte orders. Its text stays."""
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
            found_ids = [record.get("build_id") for record in maps if record.get("filename") == "/srv/demo/work"]
            found_ids += [entry["build_id"] for entry in maps[0]["features"].get("build_id", []) if entry["filename"] == "/srv/demo/work"]
            if set(found_ids) != {BUILD_ID.hex()} or len(found_ids) < 2:
                return "%s: build-ids %s" % (options, found_ids)
            if program.run("check", "-q", out).code != 0:
                return "%s: damaged" % options
            if not use_perf:
                continue
            if b"%s /srv/demo/work" % BUILD_ID.hex().encode() not in perf(("buildid-list",), out).stdout:
                return "%s: perf lists %s" % (options, perf(("buildid-list",), out).stdout)
            if perf(COMMANDS[0], out).stdout != perf(COMMANDS[0], path).stdout:
                return "%s: perf's script is another one" % options
    return None


def names_survive(use_perf):
    """Streams name events by records; a file, a stream of it and a file of that have the names, and those records do not add up."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(program.TESTDATA, "group-73.data")
        for n, form in enumerate(("file", "stream", "file", "stream")):
            out, code, said = rewritten(folder, *(("--rename", "cpu-clock=ours") if n == 0 else ()), "--form", form, path)
            if code != 0 or not out:
                return "exit code %d: %s" % (code, said[-300:])
            path = os.path.join(folder, "%d.data" % n)
            os.rename(out, path)
            texts = [json.loads(line) for line in program.run("ndjson", "-q", "--type", "event_update", path).out.decode().splitlines()]
            found = [record["name"] for record in texts if record.get("update_type") == "NAME"]
            names = [event["event"] for event in texts[-1]["events"]]
            if names != ["ours", "page-faults"] or found != (names if form == "stream" else []):
                return "%s: events %s, names %s" % (form, names, found)
            shown = set(re.findall(rb": +\d+ +([\w-]+):", perf(COMMANDS[0], path).stdout)) if use_perf else None
            if use_perf and (not shown or shown - {b"ours", b"page-faults"} or b"ours" not in shown):
                return "%s: perf shows %s" % (form, shown)
    return None


def cut_has_no_empty_rounds(use_perf):
    """Of a long recording of which little stays, the rounds in which nothing stays go too; what stays comes in the same order."""
    r = Recording()
    event = r.event("cycles", [11], period=1, sample_type=IP | TID | TIME, sample_id_all=1)
    r.comm(7, 7, "work", time=1)
    for number in range(3000):
        r.sample(event, ip=0x1000 + number, pid=7, tid=7 + number % 100, time=100 + number * 10)
        if number % 3 == 0:      # older than what an earlier round releases: delivered late
            r.sample(event, ip=0x2000 + number, pid=7, tid=7 + (number + 50) % 100, time=60 + number * 10)
        r.record(68)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rounds.data")
        r.save(path)
        for tid in (7, 9, 57, 106):
            out, code, said = rewritten(folder, "--tid", str(tid), path)
            if code != 0 or not out:
                return "exit code %d: %s" % (code, said[-300:])
            kinds = [json.loads(line)["type"] for line in program.run("ndjson", "-q", "--order", "file", out).out.decode().splitlines()]
            if kinds.count("finished_round") > 2 * (kinds.count("sample") + 2) or kinds.count("finished_round") < 2:
                return "thread %d: %d rounds of %d samples" % (tid, kinds.count("finished_round"), kinds.count("sample"))
            if program.run("script", "-q", "--tid", str(tid), path).out != program.run("script", "-q", out).out:
                return "thread %d: another order" % tid
            if use_perf and perf((*COMMANDS[0], "--tid", str(tid)), path).stdout != perf(COMMANDS[0], out).stdout:
                return "thread %d: perf's order is another one" % tid
    return None


def cut_keeps_what_belongs(_use_perf):
    """A fork before the cut has no time any more, neither in its body; a chain after it stays, since a sample inside waits for it."""
    r = Recording()
    event = r.event("cycles", [11], period=1, sample_type=IP | TID | TIME | CALLCHAIN, sample_id_all=1, defer_callchain=1, defer_output=1)
    r.comm(7, 7, "work", time=1)
    r.task(7, 8, 7, 8, 7, 2)
    for cookie, time in enumerate((10, 20, 30)):
        r.sample(event, ip=0x1000, pid=8, tid=8, time=time, callchain=[CONTEXT_USER_DEFERRED, cookie])
    for cookie, time in enumerate((40, 41, 42)):
        r.record(22, r.words([cookie, 2, CONTEXT_USER, 0x1000 + cookie]), misc=USER, pid=8, tid=8, time=time)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cut.data")
        r.save(path)
        out, code, said = rewritten(folder, "--time", "0.000000015,0.000000025", path)
        if code != 0 or not out:
            return "exit code %d: %s" % (code, said[-300:])
        found = [json.loads(line) for line in program.run("ndjson", "-q", "--symbols", "no", "--order", "file", out).out.decode().splitlines()]
        times = [[record.get("time") for record in found if record["type"] == kind] for kind in ("fork", "sample", "callchain_deferred")]
        return None if times == [[0], [20], [40, 41, 42]] else "times of forks, samples, chains: %s" % times


def is_chosen(path):
    """Of the corpus every fourth file takes part in what costs most."""
    name = os.path.basename(path)
    return path.startswith(program.TESTDATA) or os.environ.get("PERFDATA_ALL") == "1" or zlib.crc32(name.encode()) % 4 == 0


def tell(title, results, nr):
    """results: (path, what is wrong or None)"""
    wrong = [(path, result) for path, result in results if result]
    print("%s - %s: %d recordings" % ("not ok" if wrong else "ok", title, nr))
    for path, problem in wrong:
        print("# %s: %s" % (path, problem.strip().replace("\n", "\n# ")))
    sys.stdout.flush()


def main():
    kinds = os.environ.get("PERFDATA_CORPUS_KINDS")
    files = program.recordings(kinds=kinds and kinds.split(","))
    good = [path for path, kind in files if kind not in ("damaged", "fuzz")]
    bad = [path for path, kind in files if kind in ("damaged", "fuzz") or "killed" in path or "crash" in path]
    chosen = [path for path in good if is_chosen(path)]
    seven = perf_is_seven()
    checks = [("cut in ten parts, merged again", [(is_same_in_parts, path, seven) for path in chosen if 0 < size_of(path) <= LARGEST]),
              ("repaired%s" % (" and opened by perf" if seven else ""), [(is_repaired, path, seven) for path in bad]),
              ("build-ids are added", [(adds_build_ids, seven)]), ("names of events survive", [(names_survive, seven)]),
              ("a cut has no empty rounds", [(cut_has_no_empty_rounds, seven)]),
              ("a cut keeps what its samples need", [(cut_keeps_what_belongs, seven)])]
    if seven:
        checks.append(("perf says the same of the copy", [(perf_says_the_same, path) for path in good]))
        checks.append(("perf's own filters show the same", [(perf_filters_the_same, path) for path in chosen]))
    else:
        print("ok - perf says the same of the copy, and its filters show the same # SKIP PERF names no perf of version 7")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        of_forms = list(pool.map(faults_of_forms, good))
        for i, (title, _options) in enumerate(FORMS):
            tell("all records, %s" % title, [(path, faults[i]) for path, faults in zip(good, of_forms)], len(good))
        for title, tasks in checks:
            tell(title, zip([task[1] for task in tasks], pool.map(lambda task: task[0](*task[1:]), tasks)), len(tasks))
    print("1..%d" % (len(FORMS) + len(checks) + (not seven)))


if __name__ == "__main__":
    main()
