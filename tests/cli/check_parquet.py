#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Datasets of Parquet files: which files there are, the same bytes for any number of threads, replaced or not at all, columns that are chosen. Prints TAP."""
import glob
import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import parquet
import program
from builder import ADDR, CALLCHAIN, CPU, IDENTIFIER, IP, Recording, TID, TIME

TABLES = ["build_ids", "cpu", "events", "features", "findings", "frames", "lost", "mappings", "recordings", "samples", "stacks", "threads"]
tap = program.Tap()


def convert(output, *words):
    return program.run("parquet", "-q", "--symbols", "no", *words, "-o", output)


def files_of(folder):
    return {os.path.relpath(path, folder): open(path, "rb").read() for path in glob.glob(folder + "/**", recursive=True) if os.path.isfile(path)}


def is_whole(data):
    return data[:4] == b"PAR1" and data[-4:] == b"PAR1" and int.from_bytes(data[-8:-4], "little") <= len(data) - 12


def check_levels(folder):
    """Chains that are absent, empty, of one address and of more, without a pattern: the levels of the column say which."""
    r = Recording()
    fields = IP | TID | TIME | IDENTIFIER
    events = [r.event(name, ids=[n + 1], type=0, config=n, sample_type=fields | more, sample_id_all=1, period=5)
              for n, (name, more) in enumerate((("cycles", CALLCHAIN), ("instructions", 0)))]
    chance, wanted = random.Random(5), []
    for time in range(3000):
        nr = chance.choice((None, 0, 1) if time < 2000 else (None, 0, 1, 3) if time < 2500 else (1, ))
        r.sample(events[nr is None], ip=0x1000, pid=100, tid=100, time=10 + time, callchain=[0x1000 + n for n in range(nr or 0)])
        wanted += [(0, 0)] if nr is None else [(n > 0, 2) for n in range(nr)] or [(0, 1)]
    r.save(os.path.join(folder, "levels.data"))
    result = convert(os.path.join(folder, "levels") + "/", "--table", "callchain", "--pages", "plain", os.path.join(folder, "levels.data"))
    try:
        found, nulls = parquet.levels(files_of(os.path.join(folder, "levels"))["callchain/levels.data.parquet"], b"callchain")
    except (LookupError, ValueError) as error:
        tap.report("levels can be read", [result.err, repr(error)])
        return
    wrong = [pair for pair in enumerate(zip(found, wanted)) if pair[1][0] != pair[1][1]]
    tap.report("levels say which lists are absent and which are empty", result.code and result.err or wrong[:3] or len(found) != len(wanted) and len(found))
    tap.report("… and statistics count what is no element", nulls != sum(level < 2 for _repeats, level in wanted) and nulls)


def check_values(folder):
    """Numbers that rise, repeat, alternate, are constant, or have no pattern: each encoding says them again."""
    r = Recording()
    event = r.event("cycles", ids=[1], type=0, config=0, sample_type=IP | TID | TIME | ADDR | CPU | IDENTIFIER, sample_id_all=1, period=5)
    chance, wanted, time, run = random.Random(7), [], 10, [0, 0]
    for n in range(5000):
        time += chance.choice((0, 1, 300, 1 << chance.randrange(40)) if n > 200 else (1, ))
        run = run if run[1] else [chance.randrange(300), chance.choice((1, 2, 7, 8, 9, 30))]
        run[1] -= 1
        values = dict(ip=chance.getrandbits(64), pid=chance.choice((7, -1, *[chance.getrandbits(31)] * 4)), tid=run[0], time=time,
                      addr=chance.choice((0, 1 << 63, 1 << 40)) + chance.randrange(700) * (n % 2), cpu=chance.randrange(2))
        wanted.append(values)
        r.sample(event, **values)
    r.save(os.path.join(folder, "values.data"))
    columns = ("offset", *wanted[0])
    for pages in "plain", "zstd":
        result = convert(os.path.join(folder, pages) + "/", "--table", "samples", "--pages", pages, os.path.join(folder, "values.data"))
        tap.report("numbers of many patterns, pages " + pages, result.code and result.err)
    stored = files_of(os.path.join(folder, "plain"))["samples/values.data.parquet"]
    found = {name: parquet.values(stored, name.encode()) for name in columns}
    wrong = [(row, name, found[name][row], values[name]) for row, values in enumerate(wanted) for name in values
             if found[name][row] is not None and (found[name][row] - values[name]) % (1 << 32 if name in ("pid", "tid", "cpu") else 1 << 64)]
    tap.report("columns have the numbers of the samples", wrong[:3])
    tap.report("… no number is missing", [name for name, numbers in found.items() if len(numbers) != 5000 or name != "pid" and None in numbers])
    tap.report("… and offsets rise", sorted(found["offset"]) != found["offset"] and found["offset"][:3])
    codecs = {name: {chunk[4] for chunk in parquet.chunks(parquet.footer(files_of(os.path.join(folder, "zstd"))["samples/values.data.parquet"]), name.encode())}
              for name in ("time", "ip", "event", "recording", "stack_id")}
    tap.report("columns of one value or of none are not compressed",
               (codecs["time"] != codecs["ip"] or any(codecs[name] != {0} for name in ("event", "recording", "stack_id"))) and codecs)


def main():
    data = os.path.join(program.TOP, "testdata")
    profile, trace = os.path.join(data, "callgraph-73.data"), os.path.join(data, "trace-73.data")
    with tempfile.TemporaryDirectory() as folder:
        one, four = os.path.join(folder, "one"), os.path.join(folder, "four")
        result = convert(one + "/", "-j", "1", profile, trace)
        tap.report("two recordings", result.code and result.err)
        files = files_of(one)
        wanted = {"%s/%s.parquet" % (table, name) for table in TABLES for name in ("callgraph-73.data", "trace-73.data")}
        tap.report("a folder for each table, a file in it for each recording", wanted - set(files) or
                   [name for name in set(files) - wanted if not name.startswith("event.") or "/trace-73.data.parquet" not in name])
        tap.report("each file is whole", [name for name, content in files.items() if not is_whole(content)])
        convert(four + "/", "-j", "4", profile, trace)
        tap.report("four threads write the same bytes", files_of(four) != files and "they differ")

        narrow = os.path.join(folder, "narrow")
        result = convert(narrow + "/", "--max-memory", "1", profile, trace)
        tap.report("… and so does a run with hardly any memory", result.code and result.err or files_of(narrow) != files and "they differ")

        result = convert(os.path.join(folder, "nowhere") + "/", "--max-memory", "1", "--tmpdir", "/proc", profile)   # where nobody makes files
        tap.report("a temporary file that cannot be made is what the message says", result.code != 5 and result.code or
                   b"error: a temporary file cannot be made" not in result.err and result.err)

        shards = os.path.join(folder, "shards")
        results = [convert(shards + "/", "--shard", "%d/2" % shard, profile, trace) for shard in (1, 0)]
        tap.report("two shards make the same dataset", [result.err for result in results if result.code] or files_of(shards) != files and "they differ")

        again = convert(one + "/", profile)
        tap.report("what is there is not replaced", again.code != 2 and again.code)
        tap.report("… and stays as it is", files_of(one) != files and "they differ")
        forced = convert(one + "/", "--force", "--table", "samples", "--columns", "time,ip", profile)
        after = files_of(one)
        tap.report("--force replaces", forced.code and forced.err or after["samples/callgraph-73.data.parquet"] == files["samples/callgraph-73.data.parquet"])
        tap.report("… what was asked for", {name for name in files if after[name] != files[name]} ^ {"samples/callgraph-73.data.parquet"})
        tap.report("nothing else is left in the folders", set(after) ^ set(files))

        dropped = os.path.join(folder, "dropped")
        convert(dropped + "/", "--drop-empty", profile)
        small = files_of(dropped)["samples/callgraph-73.data.parquet"]
        tap.report("--drop-empty leaves out columns", b"transaction" in small or b"transaction" not in files["samples/callgraph-73.data.parquet"])

        chains = os.path.join(folder, "chains")
        convert(chains + "/", "--table", "callchain", profile)
        tap.report("callchain has the call chain", b"\x04list\x15" not in files_of(chains)["callchain/callgraph-73.data.parquet"] and "no list")

        check_levels(folder)
        check_values(folder)
        result = program.run("parquet", "--symbols", "no", "--summary", "-", "-o", os.path.join(folder, "counted") + "/", profile)
        rows = {table: len(program.run("csv", "-q", "--symbols", "no", "--table", table, profile).out.splitlines()) - 1 for table in TABLES}
        stated = json.loads(result.out.splitlines()[0])["records_out"]
        tap.report("the summary counts rows", stated != sum(rows.values()) and (stated, rows))
        tap.report("… and so does the message", ("%d rows written" % stated).encode() not in result.err and result.err)

        for words, stated in ((["--table", "nothing"], "there is no table"), (["--table", "samples", "--columns", "nothing"], "has no column"),
                            (["--pages", "xz"], "zstd|gzip|plain")):
            result = convert(os.path.join(folder, "wrong") + "/", *words, profile)
            tap.report("%s is refused" % " ".join(words), result.code != 2 or stated not in str(result.err) and result.err)
        result = program.run("parquet", profile)
        tap.report("without a folder it says what it needs", result.code != 2 and result.code)
        pages = {}
        for kind in ("plain", "gzip", "zstd"):
            convert(os.path.join(folder, kind) + "/", "--pages", kind, profile)
            pages[kind] = files_of(os.path.join(folder, kind)).get("samples/callgraph-73.data.parquet", b"")
        tap.report("pages are packed as asked", not all(is_whole(content) for content in pages.values()) or len(set(pages.values())) != 3)
        cut = os.path.join(folder, "cut.data")
        with open(profile, "rb") as whole, open(cut, "wb") as part:
            part.write(whole.read()[:4000])
        result = convert(os.path.join(folder, "damaged") + "/", cut)
        made = files_of(os.path.join(folder, "damaged"))
        tap.report("a damaged recording gives whole files, and exit code 4", result.code != 4 and (result.code, result.err) or
                   [name for name, content in made.items() if not is_whole(content)] or len(made) < len(TABLES))
        tap.report("… which say so", b"perfdata.complete\x18\x05false" not in made["samples/cut.data.parquet"] and made["samples/cut.data.parquet"][-400:])
    return tap.end()


sys.exit(main())
