#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Properties that hold for every recording: those of testdata/ and, where PERFDATA_CORPUS names a folder, those too. Prints TAP.

    lines     every line of NDJSON is one object: strict UTF-8, no key twice, no NaN; the first is meta, the last the summary
    document  the json document holds the same objects as the lines
    forms     a file, the same bytes on standard input, packed with gzip and packed with zstd give the same lines
    jobs      one thread and four write the same bytes
    memory    what has to go to temporary files comes out the same
    twins     a recording and its byte-swapped twin give the same JSON
    types     a key has one type in all lines of all recordings
    csv       each row has the header's columns, and there are as many rows as the counts say
    exit      0 for what was read whole, 3 or 4 for what was not, and then the output says "complete":false

Of jobs and memory each recording sees a third of the emitters, one of the corpus a twelfth, and a third of its tables of CSV; with PERFDATA_ALL=1 all.

usage: properties.py [NAME…]     only recordings whose name holds one of these texts"""
import concurrent.futures
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
import recording_twins
from program import strict_json


# Damaged recordings of the corpus: the exit code that is honest, and why. Whoever is not named: 4, for something of each is lost.
DAMAGED = {
    "bad-callchain-nr-0.data": (0, "the damaged word is an address of a chain, not its count"),
    "bad-callchain-nr-huge.data": (0, "the damaged word is an address of a chain, not its count"),
    "bad-concat.data": (4, "the second recording is not read"),
    "bad-feat-unknown-40.data": (0, "the unknown section is empty"),
    "bad-hdr-size-96.data": (0, "everything the header says is inside 96 bytes, but for the last words of the bitmap, which are 0"),
    "bad-magic-v1.data": (0, "the version 1 magic: what the header says of the rest is right"),
    "bad-pipe-header-only.pipe": (0, "a stream without records"),
    "bad-pipe-trunc-at.pipe": (0, "a stream does not say where it ends"),
    "bad-rec-type-200.data": (0, "a record of unknown type is delivered with its bytes"),
    "bad-time-max.data": (0, "a time of all ones is a time"),
    "bad-tracing-bad-format.data": (0, "the samples keep their raw bytes"),
    "bad-tracing-size-0.data": (0, "an empty section; the samples keep their raw bytes"),
    "bad-trunc-7.data": (3, "less than a magic: no recording"),
    "bad-zstd-flip-zstd-61.data": (0, "the frame has no checksum and unpacks to well-formed records"),
    "bad-zstd-flip-zstd-mmapflush-73.data": (0, "the frame has no checksum and unpacks to well-formed records"),
}
# Recordings of other kinds that are not whole.
UNFINISHED = {
    "rec-inj-bpipe-p61.data": (4, "perf inject wrote a header that does not fit its file"),
    "rec-inj-bpipe-p73.data": (4, "perf inject wrote a build-id table with an impossible entry"),
    "rec-killedpp-p61.pipe": (0, "a stream does not say where it ends"),
    "rec-killedpp-p73.pipe": (0, "a stream does not say where it ends"),
    "bad-stream-text.pipe": (0, "text after a stream is no part of it"),
}


NAMES = program.formats()


class Problem(Exception):
    pass


def perfdata(*words, stdin=None):
    """Runs the program; `stdin` is a path or None."""
    done = program.run(*words, stdin=stdin)
    if done.code < 0 or done.code > 90 and done.code != 130:
        raise Problem("perfdata %s: exit %d: %s" % (" ".join(words), done.code, done.err.decode("utf-8", "replace")[-1500:]))
    return done


def lines_of(data):
    lines = data.split(b"\n")
    if lines.pop() != b"":
        raise Problem("the last line has no newline")
    objects = [strict_json(line) for line in lines]
    if not all(isinstance(entry, dict) and next(iter(entry), None) == "type" for entry in objects):
        raise Problem("a line is not an object that begins with its type")
    return objects


def check_lines(result):
    if result.code == 3 and not result.out:
        return []
    objects = lines_of(result.out)
    kinds = [entry["type"] for entry in objects]
    if kinds[0] != "meta" or kinds[-1] != "summary" or {"meta", "summary"} & set(kinds[1:-1]):
        raise Problem("the lines do not begin with one meta and end with one summary")
    summary = objects[-1]
    if summary["records_out"] != len(objects) - 2:
        raise Problem("the summary counts %s records written, there are %d" % (summary["records_out"], len(objects) - 2))
    counts = {}
    for kind in kinds[1:-1]:
        counts[kind] = counts.get(kind, 0) + 1
    for entry in objects:
        if entry["type"] == "unknown":
            name = "unknown_%d" % entry["type_raw"]
            counts[name] = counts.get(name, 0) + 1
    counts.pop("unknown", None)
    if counts != summary["types"]:
        raise Problem("the summary counts %s, there are %s" % (summary["types"], counts))
    return objects


def check_document(path, lines):
    """The document is the lines with brackets around them; then it parses to the same objects."""
    if not lines:
        return
    document = perfdata("json", "-q", "--symbols", "no", path).out
    if document != b'{"meta":%s,\n"records":[\n%s\n],\n"summary":%s}\n' % (lines[0], b",\n".join(lines[1:-1]), lines[-1]):
        raise Problem("the json document differs from the lines")
    json.loads(document)


def without_form(lines):
    """Without facts of the container: names and packing, and sizes that a stream does not know. Only the first and the last line have them."""
    if not lines:
        return lines
    meta, summary = strict_json(lines[0]), strict_json(lines[-1])
    for key in ("file", "packing"):
        meta.pop(key, None)
    meta["header"] = {key: value for key, value in meta["header"].items() if key not in ("file_size", "mtime")}
    summary["findings"] = [{key: value for key, value in finding.items() if key != "file"} for finding in summary["findings"]]
    return [meta, *lines[1:-1], summary]


def first_difference(one, other, path="", depth=0):
    if type(one) is not type(other):
        return "%s: %.120r and %.120r" % (path, one, other)
    if isinstance(one, dict):
        if one.keys() != other.keys():
            return "%s: keys %s" % (path, sorted(one.keys() ^ other.keys()))
        pairs = ((path + "." + key, one[key], other[key]) for key in one)
    elif isinstance(one, list):
        if len(one) != len(other):
            return "%s: %d and %d entries" % (path, len(one), len(other))
        pairs = (("%s[%d]" % (path, n), a, b) for n, (a, b) in enumerate(zip(one, other)))
    else:
        return None if one == other else "%s: %.120r and %.120r" % (path, one, other)
    return next((found for found in (first_difference(a, b, name) for name, a, b in pairs) if found), None)


def check_forms(path, lines, code, folder):
    if os.path.isdir(path):
        return
    with open(path, "rb") as f:
        data = f.read()
    packed = os.path.join(folder, "packed.gz"), os.path.join(folder, "packed.zst")
    with gzip.open(packed[0], "wb", 1) as f:
        f.write(data)
    subprocess.run(["zstd", "-q", "-f", "-1", path, "-o", packed[1]], check=True)
    forms = [("standard input", ("-",), path), ("gzip", (packed[0],), None), ("zstd", (packed[1],), None),
             ("gzip on standard input", ("-",), packed[0])]
    wanted = without_form(lines)
    for title, words, stdin in forms:
        result = perfdata("ndjson", "-q", "--symbols", "no", *words, stdin=stdin)
        if result.code != code:
            raise Problem("as %s the exit code is %d, as a file %d" % (title, result.code, code))
        difference = first_difference(wanted, without_form(result.out.split(b"\n")[:-1]))
        if difference:
            raise Problem("as %s differs: %s" % (title, difference))


def check_jobs(path, names):
    for name in names:
        one = perfdata(name, "-q", "--symbols", "no", "-j", "1", path)
        four = perfdata(name, "-q", "--symbols", "no", "-j", "4", path)
        if (one.code, one.out, one.err) != (four.code, four.out, four.err):
            raise Problem("%s: one thread and four write different bytes" % name)


SPILLING = (("folded",), ("ndjson", "--stacks", "ref"), ("csv", "--table", "stacks"), ("firefox",), ("firefox", "--order", "file"),
            ("perfetto",), ("speedscope",), ("report",))


def check_memory(path, commands):
    for words in commands:
        wide = perfdata(*words, "-q", "--symbols", "no", path)
        narrow = perfdata(*words, "-q", "--symbols", "no", "--max-memory", "1", path)
        if (wide.code, wide.out, wide.err) != (narrow.code, narrow.out, narrow.err):
            raise Problem("%s: other bytes where memory is short" % " ".join(words))


def type_of(value):
    if value is None:
        return None
    if isinstance(value, bool):
        return "boolean"
    return {dict: "object", list: "array", str: "string", int: "number", float: "number"}[type(value)]


def key_types(objects):
    """{path: type}. The fields of a tracepoint are keys of their event; registers, counts and the like are their names' ."""
    types = {}

    def walk(value, path):
        kind = type_of(value)
        if kind is None:
            return
        if types.setdefault(path, kind) != kind:
            raise Problem("%s is %s and %s" % (path, types[path], kind))
        if kind == "object":
            for key, part in value.items():
                walk(part, path + "." + key)
        elif kind == "array":
            for part in value:
                walk(part, path + "[]")

    for entry in objects:
        outer = "" if entry["type"] != "meta" else "meta"
        for key, value in entry.items():
            if key == "fields":
                walk(value, "fields of " + str(entry.get("event")))
            else:
                walk(value, outer + "." + key)
    return types


def csv_rows(path, table, code):
    result = perfdata("csv", "-q", "--symbols", "no", "--table", table, path)
    # Damage inside a record is met by who spells that record.
    if result.code not in (0, code):
        raise Problem("csv of %s: exit code %d, ndjson %d" % (table, result.code, code))
    rows = list(csv.reader(result.out.decode("utf-8").splitlines(keepends=True), strict=True))
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise Problem("csv of %s: rows of different widths" % table)
    return len(rows) - 1


def check_csv(path, objects, code, turn):
    """turn: which of the tables, by their names."""
    if not objects:
        return
    counts = strict_json(perfdata("info", "--json", path).out)["summary"]["types"]
    if counts != objects[-1]["types"]:
        raise Problem("info counts %s, ndjson %s" % (counts, objects[-1]["types"]))
    tables = {name: count for name, count in counts.items() if not name.startswith("unknown_")}
    if "lost" in tables:
        # the table of that name is not that of LOST records alone
        tables["lost"] = sum(counts.get(name, 0) for name in ("lost", "lost_samples", "throttle", "unthrottle"))
    tables["samples"] = counts.get("sample", 0)
    tables["unknown"] = sum(count for name, count in counts.items() if name.startswith("unknown_"))
    for table, count in sorted(tables.items())[turn]:
        rows = csv_rows(path, table, code)
        if rows != count:
            raise Problem("csv of %s has %d rows, there are %d records" % (table, rows, count))


def expected_codes(path, kind):
    name = os.path.basename(path)
    if kind == "fuzz":
        return (3, 4)
    known = UNFINISHED.get(name) or DAMAGED.get(name)
    if known:
        return (known[0],)
    return (4,) if kind == "damaged" or "killed" in name or "-crash-" in name or name.startswith("bad-") else (0,)


def check_exit(path, kind, objects, code):
    if code not in expected_codes(path, kind):
        raise Problem("exit code %d, expected %s" % (code, expected_codes(path, kind)))
    if objects and objects[-1]["complete"] != (code == 0):
        raise Problem("exit code %d and complete: %s" % (code, objects[-1]["complete"]))
    if objects and code == 0 and any(finding["severity"] == "error" for finding in objects[-1]["findings"]):
        raise Problem("exit code 0 with a finding that is an error")
    if code == 4 and not any(finding["severity"] == "error" for finding in objects[-1]["findings"]):
        raise Problem("exit code 4 without a finding that says why")
    if code == 3 and objects:
        raise Problem("exit code 3 with output")


CHECKS = ("lines", "document", "forms", "jobs", "memory", "csv", "exit")


def check_recording(path, kind, number):
    """({check: problem}, {path: type}). What is the same for all emitters is seen in turns, some of them for each recording."""
    turns = 3 if program.in_testdata(path) else 12
    turn = slice(None) if program.ALL else slice(number % turns, None, turns)
    problems, objects, types = {}, [], {}

    def attempt(name, function, *words):
        try:
            return function(*words)
        except Problem as problem:
            problems[name] = str(problem)
        except (ValueError, KeyError, IndexError, csv.Error, subprocess.TimeoutExpired) as problem:
            problems[name] = "%s: %s" % (type(problem).__name__, problem)
        return None

    result = attempt("lines", perfdata, "ndjson", "-q", "--symbols", "no", path)
    if result is None:
        return problems, types
    objects = attempt("lines", check_lines, result)
    if objects is None:
        return problems, types
    types = attempt("types", key_types, objects) or {}
    lines = result.out.split(b"\n")[:-1]
    attempt("document", check_document, path, lines)
    with tempfile.TemporaryDirectory() as folder:
        attempt("forms", check_forms, path, lines, result.code, folder)
    attempt("jobs", check_jobs, path, NAMES[turn])
    attempt("memory", check_memory, path, SPILLING[turn])
    attempt("csv", check_csv, path, objects, result.code, slice(None) if program.ALL or program.in_testdata(path) else slice(number % 3, None, 3))
    attempt("exit", check_exit, path, kind, objects, result.code)
    return problems, types


# Offsets, sizes and raw bytes, and what names the file itself.
OF_THE_BYTES = {"offset", "size", "inner", "byte_order", "file", "raw", "rest", "file_size", "raw_bytes", "pad"}


def without_bytes(value):
    if isinstance(value, dict):
        return {key: without_bytes(part) for key, part in value.items() if key not in OF_THE_BYTES}
    return [without_bytes(part) for part in value] if isinstance(value, list) else value


# Where a twin of the corpus is not one. Its maker turned the flags of an attr bit by bit, which exchanges the values 1 and 2 of the two bits
# of precise_ip (a compiler does not), and turned the bytes of a text.
NOT_TWINS = {
    "be-quipper-perf.data.piped.lost_samples-4.4": "precise_ip",
    "be-rec-pipe-p61.pipe": "dies",
    "be-rec-pipe-p73.pipe": "dies",
}


def without_fault(value, fault):
    if isinstance(value, dict):
        return {key: without_fault(part, fault) for key, part in value.items() if key != fault and (fault, key) != ("precise_ip", "attr_flags")}
    if isinstance(value, list):
        return [without_fault(part, fault) for part in value]
    # The name of an event that has none is made from its attr.
    return value.replace(":pp", ":p") if fault == "precise_ip" and isinstance(value, str) else value


def check_twins(one, other):
    objects = [lines_of(perfdata("ndjson", "-q", "--symbols", "no", path).out) for path in (one, other)]
    fault = NOT_TWINS.get(os.path.basename(other))
    if fault:
        objects = [without_fault(lines, fault) for lines in objects]
    difference = first_difference(*(without_bytes(lines) for lines in objects))
    if difference:
        raise Problem(difference)


def twins(found, folder):
    """(path, path) of twins: those that are made here, and those of the corpus (be-NAME beside NAME)."""
    for name, make in (("made.data", recording_twins.file_container), ("made.pipe", recording_twins.pipe_stream)):
        pair = []
        for order, side in (("<", "little"), (">", "big")):
            pair.append(os.path.join(folder, side + "-" + name))
            with open(pair[-1], "wb") as f:
                f.write(make(order))
        yield tuple(pair)
    paths = {path for path, _kind in found}
    for path, kind in found:
        if kind == "byte-swapped":
            twin = os.path.join(os.path.dirname(path), os.path.basename(path)[len("be-"):])
            if twin in paths:
                yield twin, path


def report(number, title, wrong):
    print("%s %d - %s" % ("not ok" if wrong else "ok", number, title))
    for path, problem in wrong:
        print("# %s: %s" % (path, problem.strip().replace("\n", "\n# ")))


def main():
    wanted = sys.argv[1:]
    found = [(path, kind) for path, kind in program.recordings() if not wanted or any(word in path for word in wanted)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool, tempfile.TemporaryDirectory() as folder:
        pairs = list(twins(found, folder))
        made = [(path, "real") for pair in pairs[:2] for path in pair]
        results = list(pool.map(lambda item, number: check_recording(*item, number), found + made, range(len(found) + len(made))))
        for number, name in enumerate(CHECKS, 1):
            report(number, "%s, over %d recordings" % (name, len(found)),
                   [(path, problems[name]) for (path, _kind), (problems, _types) in zip(found + made, results) if name in problems])
        types, wrong = {}, [(path, problems["types"]) for (path, _kind), (problems, _types) in zip(found, results) if "types" in problems]
        for (path, _kind), (_problems, some) in zip(found, results):
            for key, kind in some.items():
                first, home = types.setdefault(key, (kind, path))
                if first != kind:
                    wrong.append((path, "%s is %s here and %s in %s" % (key, kind, first, home)))
        report(len(CHECKS) + 1, "types, of %d keys" % len(types), wrong)
        wrong = []
        for one, other in pairs:
            try:
                check_twins(one, other)
            except (Problem, ValueError) as problem:
                wrong.append((other, str(problem)))
        report(len(CHECKS) + 2, "twins, %d pairs" % len(pairs), wrong)
    print("1..%d" % (len(CHECKS) + 2))


if __name__ == "__main__":
    main()
