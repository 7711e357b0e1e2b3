#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""doc/examples/perfdata.py over the shared library: its tables have the values of NDJSON; wrong names and damage are errors. Prints TAP."""
import ctypes
import errno
import importlib.util
import io
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program

LIBRARY = os.path.join(program.BUILD, ".libs", "libperfdata.so")
COLUMNS = ["offset", "event", "time", "pid", "tid", "cpu", "ip", "period", "callchain", "comm"]
if not os.path.exists(LIBRARY) or program.SANITIZED or program.VALGRIND:
    print("1..0 # SKIP no shared library that Python could load")
    sys.exit(0)
os.environ["PERFDATA_LIBRARY"] = LIBRARY
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(program.TOP, "doc", "examples"))
import perfdata

tap = program.Tap()


def report(title, wrong):
    tap.report(title, [wrong] if wrong else [])


def chain(words):
    """The numbers of a chain as NDJSON spells it."""
    names = {"HV": 32, "KERNEL": 128, "USER": 512, "USER_DEFERRED": 640, "GUEST": 2048, "GUEST_KERNEL": 2176, "GUEST_USER": 2560}
    return [int(word, 16) if word.startswith("0x") else (1 << 64) - names[word[len("PERF_CONTEXT_"):]] for word in words]


def from_json(path):
    lines = program.run("ndjson", "-q", "--names", "--symbols", "no", "--type", "sample", path).out.decode().splitlines()
    for line in map(json.loads, lines):
        if line["type"] != "sample":
            continue
        row = [line.get(name) for name in COLUMNS]
        # times are signed, so that they can be subtracted
        time = line.get("time")
        row[COLUMNS.index("time")] = time - (1 << 64) if time is not None and time >= 1 << 63 else time
        row[COLUMNS.index("ip")] = int(line["ip"], 16) if line.get("ip") else None
        row[COLUMNS.index("callchain")] = chain(line["callchain"]) if "callchain" in line else None
        yield row


def check_samples(path):
    recording = perfdata.open(path)
    rows = [list(row) for batch in recording.table("samples", COLUMNS, batch_rows=5) for row in batch.rows(*COLUMNS)]
    wanted = list(from_json(path))
    wrong = next(((a, b) for a, b in zip(rows, wanted) if a != b), len(rows) != len(wanted) and (len(rows), len(wanted)))
    expected = json.loads(program.run("info", "--json", path).out)["summary"]["complete"]
    return wrong or (recording.complete != expected and "complete: %s" % recording.complete)


def check_types():
    recording = perfdata.open(os.path.join(program.TESTDATA, "callgraph-73.data"))
    batch, = recording.table("samples")
    whole, = recording.table("recordings")
    stacks = sum(len(part) for part in recording.table("stacks"))
    memory = batch["time"].memory()
    times = batch["time"].tolist()
    names = batch.names
    del batch
    if (names[0], len(memory), memory.format, memory.tolist() == times) != ("recording", 37, "q", True):
        return names
    if whole["complete"][0] is not True or whole["samples"][0] != 37 or len(whole["cmdline"][0]) != 1:
        return list(whole.rows())
    return stacks <= 0 and "no stacks"


def check_numpy():
    """numpy reads the same numbers from the memory of a column; the memory stays when the batch is freed."""
    import numpy
    batch, = perfdata.open(os.path.join(program.TESTDATA, "callgraph-73.data")).table("samples")
    for name, kind in (("time", numpy.int64), ("pid", numpy.int32), ("ip", numpy.uint64)):
        memory, expected = numpy.asarray(batch[name].memory()), batch[name].tolist()
        if memory.dtype != kind or memory.tolist() != expected:
            return "%s: %s %s, not %s" % (name, memory.dtype, memory[:5], expected[:5])
    times, expected = numpy.asarray(batch["time"].memory()), batch["time"].tolist()
    del batch
    return times.tolist() != expected and "the column went with its batch"


class Unseekable(io.BytesIO):
    def seekable(self):
        return False

    def seek(self, *_arguments):
        raise io.UnsupportedOperation("seek")


class Failing(io.BytesIO):
    """Reads nothing after its first half."""

    def read(self, size=-1):
        if self.tell() > len(self.getbuffer()) // 2:
            raise OSError(errno.ENXIO, "no more")
        return super().read(min(size, 512))


def rows_of(source):
    """Twice, where the source can be read twice."""
    recording = perfdata.open(source)
    tables = [[row for batch in recording.table("samples") for row in batch.rows("offset", "ip", "comm")]
              for _time in range(1 if isinstance(source, Unseekable) else 2)]
    return recording.complete and all(table == tables[0] for table in tables) and tables[0]


def check_sources():
    """Bytes in memory and file objects have the rows of the file."""
    for name in ("callgraph-73.data", "stream-trace-73.pipe"):
        path = os.path.join(program.TESTDATA, name)
        with open(path, "rb") as file:
            content, wanted = file.read(), rows_of(path)
            for source in (content, bytearray(content), memoryview(content), io.BytesIO(content), Unseekable(content), file):
                if not wanted or rows_of(source) != wanted:
                    return "%s as %s" % (name, type(source))
    try:
        list(perfdata.open(Failing(content)).table("samples"))
    except perfdata.Error as error:
        return (error.status != errno.EIO or "read" not in str(error)) and "%d: %s" % (error.status, error)
    return "a read that fails: no error"


def check_errors():
    for path, table, columns, status in (("no-such.data", "samples", None, perfdata.STATUS_EREAD), ("trace-73.data", "smaples", None, perfdata.STATUS_EUSAGE),
                                         ("trace-73.data", "samples", ["tiem"], perfdata.STATUS_EUSAGE)):
        try:
            list(perfdata.open(os.path.join(program.TESTDATA, path)).table(table, columns))
            return "%s of %s: no error" % (table, path)
        except perfdata.Error as error:
            if error.status != status or not str(error):
                return "%s of %s: %d %s" % (table, path, error.status, error)
    damaged = perfdata.open(os.path.join(program.TESTDATA, "bad-cut.data"))
    rows = sum(len(batch) for batch in damaged.table("findings"))
    return (damaged.complete or not damaged.findings or rows != len(damaged.findings)) and (damaged.complete, rows, damaged.findings)


def check_capsule():
    """What others take: a stream that is left alone, and one that is used and released by them."""
    recording = perfdata.open(os.path.join(program.TESTDATA, "callgraph-73.data"))
    recording.table("samples").__arrow_c_stream__()
    capsule = recording.table("samples").__arrow_c_stream__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.argtypes, get.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
    stream, array = perfdata._Stream.from_address(get(capsule, b"arrow_array_stream")), perfdata._Array()
    code = stream.get_next(ctypes.byref(stream), ctypes.byref(array))
    rows = array.length
    stream.release(ctypes.addressof(stream))
    array.release(ctypes.addressof(array))
    get.argtypes = None
    del capsule
    return (code, rows, len(perfdata._exported)) != (0, 37, 0) and (code, rows, perfdata._exported)


for recording, _kind in program.recordings(largest=1 << 20):
    if program.run("info", "-q", recording).code in (0, 4):
        report("samples of %s" % os.path.basename(recording), check_samples(recording))
report("columns, other tables, memory without a copy", check_types())
report("bytes and file objects", check_sources())
report("errors, damage", check_errors())
if importlib.util.find_spec("numpy"):
    report("columns as arrays of numpy", check_numpy())
else:
    print("# no numpy (python3-numpy): its reading of columns is not tested")
report("a stream for others", check_capsule())
sys.exit(tap.end())
