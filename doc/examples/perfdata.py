# SPDX-License-Identifier: MIT
"""Tables of perf recordings in Python, by libperfdata and nothing else:

    import perfdata
    for batch in perfdata.open("perf.data").table("samples", columns=["time", "comm", "ip"]):
        for time, comm, ip in batch.rows("time", "comm", "ip"):
            ...

Tables and columns are those of `perfdata schema --columns --table NAME`. A batch holds some ten thousand rows; batch["time"] is a column: a sequence of
numbers, strings, bytes, lists or None. batch["time"].memory() is the same without a copy, for numpy.asarray and what else takes buffers. A table can
be handed to whatever takes Arrow streams: pyarrow.table(recording.table("samples")), polars.from_arrow(…), duckdb.

A recording is a path, bytes in memory, or a file object: one that can seek is read where its parts are, another one once from its beginning.

Needs the shared library where the loader finds it, or its path in PERFDATA_LIBRARY. A thin layer: copy it, change it."""
import collections
import ctypes
import ctypes.util
import errno
import os

STATUS_EUSAGE, STATUS_EREAD, STATUS_ENOMEM = -4, -2, -1
ORDERS = {"file": 1, "time": 2}
Finding = collections.namedtuple("Finding", "severity code file offset record message")


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("os_error", ctypes.c_int), ("offset", ctypes.c_uint64), ("spare", ctypes.c_uint64 * 6),
                ("message", ctypes.c_char * 240)]


class _Finding(ctypes.Structure):
    _fields_ = [("severity", ctypes.c_int), ("code", ctypes.c_int), ("file", ctypes.c_char_p), ("offset", ctypes.c_uint64),
                ("record", ctypes.c_uint64), ("message", ctypes.c_char_p), ("spare", ctypes.c_uint64 * 4)]


class _ReaderOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("order", ctypes.c_int), ("tmpdir", ctypes.c_char_p), ("max_memory", ctypes.c_uint64),
                ("max_spool", ctypes.c_uint64), ("max_ratio", ctypes.c_uint32), ("read_ahead", ctypes.c_uint32), ("max_findings", ctypes.c_uint32),
                ("on_finding", ctypes.c_void_p), ("user", ctypes.c_void_p), ("cancel", ctypes.c_void_p), ("on_progress", ctypes.c_void_p),
                ("progress_user", ctypes.c_void_p)]


class _TableOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("columns", ctypes.c_char_p), ("recording", ctypes.c_char_p), ("filter", ctypes.c_void_p),
                ("symbols", ctypes.c_void_p), ("no_host", ctypes.c_bool), ("lines", ctypes.c_bool), ("close_reader", ctypes.c_bool),
                ("batch_rows", ctypes.c_uint32), ("findings", ctypes.c_void_p), ("on_finding", ctypes.c_void_p), ("user", ctypes.c_void_p)]


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
                    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(_Schema))), ("dictionary", ctypes.c_void_p),
                    ("release", _Release), ("private_data", ctypes.c_void_p)]
_Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                   ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
                   ("dictionary", ctypes.c_void_p), ("release", _Release), ("private_data", ctypes.c_void_p)]
_Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))),
                    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
                    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
                    ("release", _Release), ("private_data", ctypes.c_void_p)]

_READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t))
_READ_AT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t))
_LENGTH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint64))


class _InputCallbacks(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("read", _READ), ("read_at", _READ_AT), ("length", _LENGTH), ("close", ctypes.c_void_p)]


_lib = ctypes.CDLL(os.environ.get("PERFDATA_LIBRARY") or ctypes.util.find_library("perfdata") or "libperfdata.so.0")
_lib.perfdata_finding_list_new.restype = ctypes.c_void_p
_lib.perfdata_finding_list_get.restype = ctypes.POINTER(_Finding)
_lib.perfdata_reader_complete.restype = ctypes.c_bool
for _name in ("path", "memory", "callbacks"):
    getattr(_lib, "perfdata_input_" + _name).restype = ctypes.c_void_p
# as a perfdata_finding_fn: what it returns is of no account
_ADD_FINDING = ctypes.cast(_lib.perfdata_finding_list_add, ctypes.c_void_p)


class Error(OSError):
    """What the library says; `status` is one of enum perfdata_status, or an errno value of a stream."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def _check(status, error):
    if status < 0 or status > 1:
        raise Error(status, error.message.decode("utf-8", "replace") or "perfdata: status %d" % status)


class Column:
    """A sequence of the values of one column of a batch."""

    CODES = {"i": "i", "l": "q", "L": "Q", "g": "d"}

    def __init__(self, batch, schema, array):
        self.batch, self.name, self.format = batch, schema.name.decode(), schema.format.decode()
        self._array = array
        self._element = Column(batch, schema.children[0].contents, array.children[0].contents) if self.format == "+l" else None
        self._values = None

    def __len__(self):
        return self._array.length

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index):
        return self.tolist()[index]

    def _view(self, number, code, length):
        """A view of the numbers in a buffer, without a copy; the view keeps the batch."""
        kind = {"B": ctypes.c_uint8, "i": ctypes.c_int32, "q": ctypes.c_int64, "Q": ctypes.c_uint64, "d": ctypes.c_double}[code]
        place = (kind * length).from_address(self._array.buffers[number])
        place.batch = self.batch
        return memoryview(place).cast("B").cast(code)

    def memory(self):
        """The numbers as a buffer, without a copy; 0 where `valid` says that there is none."""
        if self.format not in self.CODES:
            raise TypeError("%s holds no numbers" % self.name)
        return self._view(1, self.CODES[self.format], len(self))

    def valid(self):
        """Whether each row has a value; None: all have."""
        if not self._array.null_count:
            return None
        bits = self._view(0, "B", (len(self) + 7) // 8)
        return [bool(bits[i >> 3] >> (i & 7) & 1) for i in range(len(self))]

    def tolist(self):
        if self._values is None:
            values, valid = self._all(), self.valid()
            self._values = values if valid is None else [value if there else None for value, there in zip(values, valid)]
        return self._values

    def _all(self):
        if self.format == "b":
            bits = self._view(1, "B", (len(self) + 7) // 8)
            return [bool(bits[i >> 3] >> (i & 7) & 1) for i in range(len(self))]
        if self.format in self.CODES:
            return self.memory().tolist()
        ends = self._view(1, "i", len(self) + 1)
        if self._element is not None:
            elements = self._element.tolist()
            return [elements[ends[i]:ends[i + 1]] for i in range(len(self))]
        whole = ctypes.string_at(self._array.buffers[2], ends[len(self)])
        parts = (whole[ends[i]:ends[i + 1]] for i in range(len(self)))
        return [part.decode() for part in parts] if self.format == "u" else list(parts)


class Batch:
    """Some rows of a table. Its memory goes with it and with what was taken from it."""

    def __init__(self, schema, array):
        self._schema, self._array = schema, array
        self._columns = {}
        self.names = [schema.contents.children[i].contents.name.decode() for i in range(schema.contents.n_children)]

    def __del__(self):
        if self._array.release:
            self._array.release(ctypes.addressof(self._array))

    def __len__(self):
        return self._array.length

    def __getitem__(self, name):
        number = self.names.index(name)
        return Column(self, self._schema.contents.children[number].contents, self._array.children[number].contents)

    def rows(self, *names):
        """Tuples of the values of these columns, or of all."""
        return zip(*(self[name].tolist() for name in names or self.names))


class _Source:
    """Where the bytes of a recording are, as an input of the library."""

    def __init__(self, source):
        self._file, self._bytes = source, None
        if isinstance(source, (str, os.PathLike)):
            pointer = _lib.perfdata_input_path(os.fsencode(source))
        elif isinstance(source, bytes):
            pointer = _lib.perfdata_input_memory(ctypes.c_char_p(source), ctypes.c_size_t(len(source)), None)
        elif isinstance(source, (bytearray, memoryview)):
            self._bytes = bytes(source)
            pointer = _lib.perfdata_input_memory(ctypes.c_char_p(self._bytes), ctypes.c_size_t(len(self._bytes)), None)
        else:
            seeks = source.seekable()
            self._calls = _InputCallbacks(ctypes.sizeof(_InputCallbacks), _READ(self._read), _READ_AT(self._read_at if seeks else 0),
                                          _LENGTH(self._length if seeks else 0))
            name = getattr(source, "name", None)
            pointer = _lib.perfdata_input_callbacks(ctypes.byref(self._calls), None, os.fsencode(name) if isinstance(name, str) else None)
            if seeks:
                source.seek(0)
        self.pointer = ctypes.c_void_p(pointer)
        if not pointer:
            raise MemoryError

    def __del__(self):
        if getattr(self, "pointer", None):
            _lib.perfdata_input_free(self.pointer)

    @staticmethod
    def _answer(call):
        """What a callback returns: 0 or an errno value, for no exception passes through the library."""
        try:
            call()
            return 0
        except OSError as error:
            return error.errno or errno.EIO
        except Exception:
            return errno.EIO

    def _put(self, buffer, room, ret_got):
        some = self._file.read(room) or b""
        ctypes.memmove(buffer, some, len(some))
        ret_got[0] = len(some)

    def _read(self, _user, buffer, room, ret_got):
        return self._answer(lambda: self._put(buffer, room, ret_got))

    def _read_at(self, _user, offset, buffer, room, ret_got):
        return self._answer(lambda: (self._file.seek(offset), self._put(buffer, room, ret_got)))

    def _length(self, _user, ret_bytes):
        def ask():
            ret_bytes[0] = self._file.seek(0, os.SEEK_END)
        return self._answer(ask)


class _Owned:
    """What a stream needs as long as it is there."""

    def __init__(self, findings, source):
        self.findings, self.source, self.symbols = findings, source, ctypes.c_void_p()

    def __del__(self):
        _lib.perfdata_symbols_free(self.symbols)
        _lib.perfdata_finding_list_free(self.findings)


_exported = {}    # streams that others have: how they are released, and what they need until then


@_Release
def _release_exported(address):
    stream = _Stream.from_address(address)
    release, _owned = _exported.pop(stream.private_data)
    release(address)
    stream.release = _Release()


@_Release
def _free_capsule(capsule):
    address = ctypes.pythonapi.PyCapsule_GetPointer(ctypes.c_void_p(capsule), b"arrow_array_stream")
    stream = _Stream.from_address(address)
    if stream.release:
        stream.release(address)
    ctypes.pythonapi.PyMem_Free(ctypes.c_void_p(address))


ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p
ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
ctypes.pythonapi.PyMem_Malloc.restype = ctypes.c_void_p


class Table:
    """One pass over a table: batches, or an Arrow stream for others."""

    def __init__(self, recording, name, columns, symbols, lines, batch_rows):
        self.recording, self._asked = recording, (name, columns, symbols, lines, batch_rows)

    def _open(self):
        """(stream, reader, what they need)"""
        name, columns, symbols, lines, batch_rows = self._asked
        reader, owned = self.recording._take_reader()
        error = _Error()
        options = _TableOptions(ctypes.sizeof(_TableOptions), ",".join(columns).encode() if columns else None, lines=lines, close_reader=True,
                                batch_rows=batch_rows, findings=owned.findings, on_finding=_ADD_FINDING, user=owned.findings)
        if symbols:
            _check(_lib.perfdata_symbols_new(None, ctypes.byref(owned.symbols)), error)
            options.symbols = owned.symbols
        stream = _Stream()
        status = _lib.perfdata_table_stream(reader, name.encode(), ctypes.byref(options), ctypes.byref(stream), ctypes.byref(error))
        if status:
            _lib.perfdata_reader_close(reader)
            raise Error(status, error.message.decode("utf-8", "replace"))
        return stream, reader, owned

    def __iter__(self):
        stream, reader, owned = self._open()
        try:
            schema = _Schema()
            self._call(stream, stream.get_schema, schema)
            keeper = _SchemaKeeper(schema)
            while True:
                array = _Array()
                self._call(stream, stream.get_next, array)
                if not array.release:
                    break
                yield Batch(keeper, array)
        finally:
            self.recording._learn(reader, owned)
            stream.release(ctypes.addressof(stream))

    @staticmethod
    def _call(stream, function, out):
        code = function(ctypes.byref(stream), ctypes.byref(out))
        if code:
            raise Error(code, (stream.get_last_error(ctypes.byref(stream)) or b"").decode("utf-8", "replace"))

    def __arrow_c_stream__(self, requested_schema=None):
        stream, _reader, owned = self._open()
        release = _Release(ctypes.cast(stream.release, ctypes.c_void_p).value)   # a copy: the struct's own member changes below
        _exported[stream.private_data] = release, owned
        stream.release = _release_exported
        place = ctypes.pythonapi.PyMem_Malloc(ctypes.c_size_t(ctypes.sizeof(_Stream)))
        ctypes.memmove(place, ctypes.byref(stream), ctypes.sizeof(_Stream))
        return ctypes.pythonapi.PyCapsule_New(ctypes.c_void_p(place), b"arrow_array_stream", _free_capsule)


class _SchemaKeeper:
    def __init__(self, schema):
        self.contents = schema

    def __del__(self):
        self.contents.release(ctypes.addressof(self.contents))


class Recording:
    """A recording that was opened. `complete` and `findings` are those of the table that was read last."""

    def __init__(self, source, order):
        self.source, self._order = source, ORDERS[order]
        self.complete, self.findings = None, []
        self._ready = self._open_reader()

    def __del__(self):
        if getattr(self, "_ready", None):
            _lib.perfdata_reader_close(self._ready[0])

    def _open_reader(self):
        owned = _Owned(ctypes.c_void_p(_lib.perfdata_finding_list_new()), _Source(self.source))
        options = _ReaderOptions(ctypes.sizeof(_ReaderOptions), self._order, on_finding=_ADD_FINDING, user=owned.findings)
        reader, error = ctypes.c_void_p(), _Error()
        _check(_lib.perfdata_reader_open(owned.source.pointer, ctypes.byref(options), ctypes.byref(reader), ctypes.byref(error)), error)
        return reader, owned

    def _take_reader(self):
        """A reader is read once; the first table has the one that was opened."""
        ready, self._ready = self._ready or self._open_reader(), None
        return ready

    def _learn(self, reader, owned):
        nr, total = ctypes.c_size_t(), ctypes.c_uint64()
        found = _lib.perfdata_finding_list_get(owned.findings, ctypes.byref(nr), ctypes.byref(total))
        self.findings = [Finding(f.severity, f.code, f.file.decode("utf-8", "replace"), f.offset, f.record, f.message.decode("utf-8", "replace"))
                         for f in found[:nr.value]]
        self.complete = _lib.perfdata_reader_complete(reader)

    def table(self, name, columns=None, symbols=False, lines=False, batch_rows=0):
        """The table of this name, read anew each time. symbols: frames have names, lines: source lines too."""
        return Table(self, name, columns, symbols or lines, lines, batch_rows)


def open(source, order="time"):
    """source: a path, bytes, or a file object. order: "time", or "file": the order of the file."""
    return Recording(source, order)
