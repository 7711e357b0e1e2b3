#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""DuckDB reads tables as Arrow C streams, by its C interface and without files: what SQL says of them is what NDJSON says. Prints TAP.

Needs libduckdb.so, which comes with the npm package @duckdb/node-api below $DUCKDB_MODULES (default: the build folder); it is skipped without:
    tests/setup --validators"""
import ctypes
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program

LIBRARY = os.path.join(program.BUILD, ".libs", "libperfdata.so")
MODULES = os.environ.get("DUCKDB_MODULES") or os.path.join(os.environ.get("top_builddir", os.path.join(program.TOP, "build")), "validators")
DUCKDB = glob.glob(os.path.join(MODULES, "node_modules", "@duckdb", "node-bindings-*", "libduckdb.so"))
FILES = ("callgraph-73.data", "trace-73.data", "registers-73.data", "group-61.data", "stream-trace-73.pipe", "dwarf-73.data")
NUMBERS = ("offset", "time", "pid", "tid", "cpu", "period")
TAKEN = ("offset", "inner", "file", "time", "pid", "tid", "cpu", "comm", "stack_id", "late", "after_gap", "problem")    # names of samples
if not os.path.exists(LIBRARY) or program.SANITIZED or program.VALGRIND:
    print("1..0 # SKIP no shared library that Python could load")
    sys.exit(0)
if not DUCKDB:
    print("1..0 # SKIP no libduckdb.so below %s: npm install --prefix %s @duckdb/node-api" % (MODULES, MODULES))
    sys.exit(0)
os.environ["PERFDATA_LIBRARY"] = LIBRARY
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(program.TOP, "doc", "examples"))
import perfdata

duckdb, python = ctypes.CDLL(DUCKDB[0]), ctypes.PyDLL(None)
duckdb.duckdb_result_error.restype = ctypes.c_char_p
duckdb.duckdb_row_count.restype = duckdb.duckdb_column_count.restype = ctypes.c_uint64
duckdb.duckdb_value_varchar.restype = ctypes.c_void_p
duckdb.duckdb_value_varchar.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Database:
    """One in memory."""

    def __init__(self):
        self.database, self.connection, self.streams = ctypes.c_void_p(), ctypes.c_void_p(), []
        if duckdb.duckdb_open(None, ctypes.byref(self.database)) or duckdb.duckdb_connect(self.database, ctypes.byref(self.connection)):
            raise OSError("DuckDB does not open a database")

    def close(self):
        duckdb.duckdb_disconnect(ctypes.byref(self.connection))
        duckdb.duckdb_close(ctypes.byref(self.database))
        self.streams = []

    def load(self, name, table):
        """The rows of a stream as a table of the database: a view of a stream can be read once."""
        capsule = table.__arrow_c_stream__()
        self.streams.append(capsule)
        place = ctypes.c_void_p(python.PyCapsule_GetPointer(capsule, b"arrow_array_stream"))
        if duckdb.duckdb_arrow_scan(self.connection, ("stream of " + name).encode(), place):
            raise OSError("DuckDB does not take the stream of %s" % name)
        self.ask('CREATE TABLE "%s" AS FROM "stream of %s"' % (name, name))

    def ask(self, sql):
        """Rows of texts and None."""
        result = (ctypes.c_uint64 * 8)()    # a duckdb_result
        try:
            if duckdb.duckdb_query(self.connection, sql.encode(), ctypes.byref(result)):
                raise OSError("%s: %s" % (sql, duckdb.duckdb_result_error(ctypes.byref(result)).decode()))
            width = duckdb.duckdb_column_count(ctypes.byref(result))
            return [[self._text(result, column, row) for column in range(width)] for row in range(duckdb.duckdb_row_count(ctypes.byref(result)))]
        finally:
            duckdb.duckdb_destroy_result(ctypes.byref(result))

    @staticmethod
    def _text(result, column, row):
        place = duckdb.duckdb_value_varchar(ctypes.byref(result), column, row)
        text = ctypes.string_at(place).decode() if place else None
        duckdb.duckdb_free(ctypes.c_void_p(place))
        return text


def cell(value):
    return value if value is None or isinstance(value, str) else str(value)


def from_json(path):
    lines = program.run("ndjson", "-q", "--symbols", "no", "--names", "--stacks", "ref", path).out.decode().splitlines()
    return [json.loads(line) for line in lines]


def check(path):
    """What differs between SQL and NDJSON."""
    lines = from_json(path)
    samples = [line for line in lines if line["type"] == "sample"]
    recording, database = perfdata.open(path), Database()
    try:
        database.load("samples", recording.table("samples", batch_rows=7))
        for name in ("stacks", "frames", "mappings", "events", "recordings"):
            database.load(name, recording.table(name))
        wanted = [[cell(line.get(name)) for name in NUMBERS] + [line.get("event"), line.get("comm"), cell(line.get("stack_id")),
                                                               cell(int(line["ip"], 16) if "ip" in line else None)] for line in samples]
        found = database.ask("SELECT %s, event, comm, stack_id, ip FROM samples" % ", ".join('"%s"' % name for name in NUMBERS))
        yield from ("samples: %s, in ndjson %s" % pair for pair in zip(found, wanted) if pair[0] != pair[1])
        if len(found) != len(wanted):
            yield "%d samples, in ndjson %d" % (len(found), len(wanted))
        steps = [[str(line["stack_id"]), str(depth), step.get("dso"), cell(int(step["address"], 16) if "address" in step else None)]
                 for line in lines if line["type"] == "stack" for depth, step in enumerate(line["frames"])]
        joined = database.ask("SELECT stack_id, depth, dso, address FROM stacks LEFT JOIN frames USING (recording, frame_id) ORDER BY stack_id, depth")
        if joined != steps:
            yield "stacks: %s, in ndjson %s" % next((pair for pair in zip(joined, steps) if pair[0] != pair[1]), (len(joined), len(steps)))
        maps = sum(line["type"] in ("mmap", "mmap2") for line in lines)
        if database.ask("SELECT count(*) FROM mappings") != [[str(maps)]] or \
           database.ask("SELECT samples, complete FROM recordings") != [[str(len(samples)), "true"]]:
            yield "mappings or recordings: %s" % database.ask("SELECT (SELECT count(*) FROM mappings), samples, complete FROM recordings")
        # a recording from a pipe names its tracepoints only after the stream has announced its columns
        for event in sorted({line["event"] for line in samples if "fields" in line and not path.endswith(".pipe")}):
            yield from check_event(database, recording, event, [line for line in samples if line.get("event") == event])
    finally:
        database.close()


def check_event(database, recording, event, samples):
    """Fields of a tracepoint that are numbers or texts."""
    columns = {name: spelled for name, spelled in ((name, '"%s%s"' % ("fields." if name in TAKEN else "", name))
                                                   for name, value in samples[0]["fields"].items()
                                                   if not name.startswith("common_") and isinstance(value, (int, str)) and not isinstance(value, bool))
               if not str(samples[0]["fields"][name]).startswith("0x")}
    database.load(event, recording.table("event:" + event))
    if columns:
        found = database.ask('SELECT %s FROM "%s"' % (", ".join(columns.values()), event))
        wanted = [[cell(line["fields"].get(name)) for name in columns] for line in samples]
        if found != wanted:
            yield "%s: %s, in ndjson %s" % (event, found[:2], wanted[:2])


tap = program.Tap()
for name in FILES:
    if os.path.exists(os.path.join(program.TESTDATA, name)):
        try:
            tap.report(name, list(check(os.path.join(program.TESTDATA, name)))[:3])
        except OSError as error:
            tap.report(name, [str(error)])
sys.exit(tap.end())
