"""Recordings whose strings hold what terminals obey, or what hides or turns the text beside it: those of builder_cases.py, each string with such
bytes after it, and one of tracepoints."""
import struct

import builder_cases
from builder import *   # noqa: F403: the names of sample bits
from hostile_recordings import tracing_data

# Each ends in a letter, so that nothing of it joins what follows.
PIECES = [b"\x1b]0;t\x07a", b"\x1b[2Jb", b"\xc2\x9b3Dc", b"\xe2\x80\xaed", b"\xe2\x81\xa6e", b"\xe2\x80\x8bf", b"\xef\xbb\xbfg", b"\xc2\xadh",
          b"\xf3\xa0\x81\x81i", b"\x7fj", b"\x08k", b"\rl", b"\xffm", b"\x9b4mn", b"\xe2\x80p", b"\xe2\x80\xa8q", b"\xd8\x9cr", b"\x1b[31ms"]
HOSTILE = b"".join(PIECES)
# Texts of fixed size in the bodies of records.
FIXED = b"demo_prog", b"perf_version", b"somebody else", b"Lost trace data"
ADDRESS = 0xffffffff81000000


class Hostile(Recording):
    """`plain`: texts that decide how the recording is read, such as the name of the machine."""
    def __init__(self, plain=(), **options):
        super().__init__(**options)
        self.plain = plain

    def plant(self, value):
        value = value.encode() if isinstance(value, str) else value
        return value if value in self.plain else value + HOSTILE

    def string(self, text):
        return super().string(self.plant(text))

    def text(self, value):
        return super().text(self.plant(value))

    def record(self, type, body=b"", *more, **ids):
        for text in FIXED:
            body = body.replace(text + bytes(len(HOSTILE[:48])), text + HOSTILE[:48])
        super().record(type, body, *more, **ids)


def tracepoints(r):
    """Samples of a tracepoint with strings of each kind: an array, one in the data after the fields, numbers that its format names."""
    fields = (("char comm[32];", 8, 32), ("__data_loc char[] msg;", 40, 4), ("int kind;", 44, 4))
    format = b"name: hostile" + b"\nID: 5\nformat:\n" + b"".join(
        b"\tfield:%s\toffset:%d;\tsize:%d;\tsigned:1;\n" % (text.encode(), at, size) for text, at, size in fields)
    # print formats are printable ASCII, else they are refused; escapes are part of it
    format += b'\nprint fmt: "%s %s %s \\033]2;t\\a", REC->comm, __get_str(msg), __print_symbolic(REC->kind, { 1, "\\033[2J" })\n'
    event = r.event("demo:hostile", [11], type=2, config=5, sample_type=IP | TID | TIME | CPU | PERIOD | RAW | IDENTIFIER | CALLCHAIN, sample_id_all=1)
    builder_cases.kernel(r)
    builder_cases.program(r)
    text = HOSTILE + b"\0"
    raw = struct.pack("<HBBi", 5, 0, 0, 100) + HOSTILE[:31].ljust(32, b"\0") + struct.pack("<Ii", len(text) << 16 | 48, 1) + text
    for time in range(100, 120):
        r.sample(event, misc=KERNEL, ip=ADDRESS + 0x100, pid=100, tid=100, time=time, period=1, raw=raw,
                 callchain=[CONTEXT_KERNEL, ADDRESS + 0x100, ADDRESS + 0x200, CONTEXT_USER, 0x400100])
        r.sample(event, ip=0x400100, pid=100, tid=100, time=time, period=1, raw=raw, callchain=[CONTEXT_USER, 0x400100, 0x7f0000000100])
    builder_cases.kernel_records(r)
    for id, text in ((3, "demo"), (4, "6.18.0"), (5, "7.3.4"), (6, "x86_64"), (8, "A CPU"), (9, "GenuineIntel,6,85,4")):
        r.feature(id, r.string(text))
    r.feature(7, r.pack("II", 4, 4))
    r.feature(11, r.pack("I", 2) + r.string("/usr/bin/perf") + r.string("a b"))
    r.feature(13, builder_cases.topology(r))
    r.feature(1, tracing_data([format]))
    r.feature(12, r.event_desc())


def simpleperf(r):
    """What recorders of Android say of the kernel and of themselves."""
    symbols = kallsyms()
    r.record(32769, r.pack("I", len(symbols)) + symbols.ljust(len(symbols) + -len(symbols) % 8, b"\0"))
    r.record(32778, r.pack("Q", 5) + r.text("recorder"))


def recordings():
    """(name, bytes) each. Those whose cases depend on packets of traces, which hold no strings, are left out."""
    for name, (build, options, _) in builder_cases.CASES.items():
        if options.get("big") or name.startswith(("trace-", "registers-", "schedstat")):
            continue
        r = Hostile(plain=(b"x86_64",), **options)
        build(r)
        yield name, r.file()
    for name, plain in (("tracepoints.data", (b"x86_64", b"demo:hostile")), ("machine.data", ())):
        r = Hostile(plain=plain)
        tracepoints(r)
        if name == "machine.data":
            simpleperf(r)
        yield name, r.file()


def kallsyms():
    return b"".join(b"%x t %s%d\n" % (ADDRESS + 0x100 * n, b"fn" + HOSTILE, n) for n in range(1, 4))
