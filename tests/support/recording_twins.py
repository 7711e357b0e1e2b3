"""Builds one recording in both byte orders, as a file container and as a pipe stream.

The bytes are written field by field from the same description, so the two differ in nothing but the order of bytes (and of the
bits in bit fields, which compilers lay out from the other end on big-endian machines)."""
import struct

SAMPLE_TYPES = ("identifier", "ip", "tid", "time", "addr", "id", "stream_id", "cpu", "period", "read", "callchain", "raw",
                "branch_stack", "user_regs", "user_stack", "weight", "data_src", "transaction", "phys_addr", "data_page_size",
                "code_page_size")
BITS = {"ip": 0, "tid": 1, "time": 2, "addr": 3, "read": 4, "callchain": 5, "id": 6, "cpu": 7, "period": 8, "stream_id": 9, "raw": 10,
        "branch_stack": 11, "user_regs": 12, "user_stack": 13, "weight": 14, "data_src": 15, "identifier": 16, "transaction": 17,
        "intr_regs": 18, "phys_addr": 19, "data_page_size": 22, "code_page_size": 23}
TRAILER = ("tid", "time", "id", "stream_id", "cpu", "identifier")
FLAGS = 1 << 0 | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 18 | 1 << 23 | 1 << 24   # disabled … mmap, comm, task, sample_id_all, mmap2, comm_exec
READ_FORMAT = 1 | 2 | 4 | 8      # enabled, running, id, group
REGS_USER = 0x1ff
IDS = (71, 72)
NAMES = ("cycles", "instructions:u")


class Writer:
    def __init__(self, order):
        self.order, self.big, self.data = order, order == ">", bytearray()

    def put(self, form, *values):
        self.data += struct.pack(self.order + form, *values)

    def raw(self, data):
        self.data += data

    def text(self, text, align=8):
        data = text.encode() + b"\0"
        self.data += data + bytes(-len(data) % align)

    def bit_field(self, value):
        if self.big:
            value = int("{:064b}".format(value)[::-1], 2)
        self.put("Q", value)

    def branch_flags(self, bits, cycles, kind):
        """mispred, predicted, in_tx, abort: 1 bit each; cycles: 16; type: 4."""
        if self.big:
            value = sum((bits >> n & 1) << 63 - n for n in range(4)) | cycles << 44 | kind << 40
        else:
            value = bits | cycles << 4 | kind << 20
        self.put("Q", value)

    def record(self, kind, misc, body):
        part = Writer(self.order)
        body(part)
        part.data += bytes(-len(part.data) % 8)
        self.put("IHH", kind, misc, 8 + len(part.data))
        self.data += part.data


def sample_type(names=SAMPLE_TYPES):
    return sum(1 << BITS[name] for name in names)


def put_attr(w, index):
    w.put("IIQQQQ", 0, 136, index, 4000 + index, sample_type(), READ_FORMAT)
    w.bit_field(FLAGS)
    w.put("IIQQ", 1, 0, 0x55, 0xaa)                       # wakeup_events, bp_type, config1, config2
    w.put("QQIiQIHHII", 0x8, REGS_USER, 64, 0, 0, 0, 127, 0, 0, 0)   # branch_sample_type … aux_sample_size
    w.put("QQ", 0x1234, 0)


def put_trailer(w, index, time, tid):
    w.put("II", 7, tid)
    w.put("QQQII", time, IDS[index], IDS[index] + 100, tid % 4, 0)
    w.put("Q", IDS[index])


def put_sample(w, index, time, tid):
    def body(p):
        p.put("QQIIQ", IDS[index], 0x401000 + time, 7, tid, time)
        p.put("QQQIIQ", 0x7f0000000000 + time, IDS[index], IDS[index] + 100, tid % 4, 0, 4000 + time)
        p.put("QQQQQQQ", 2, 5 * time, 4 * time, 11 * time, IDS[0], 13 * time, IDS[1])          # group read
        p.put("QQQQQ", 4, 2**64 - 128, 0xffffffff81000010, 2**64 - 512, 0x401010)              # callchain
        p.put("I", 12)
        p.raw(bytes(range(12)))
        p.put("Q", 2)                                                                          # branch stack
        for n in range(2):
            p.put("QQ", 0x401100 + n, 0x401200 + n)
            p.branch_flags(2 - n, 33 + n, 3)
        p.put("Q", 2)                                                                          # user registers: 64-bit
        p.put("9Q", *range(100, 109))
        p.put("Q", 64)
        p.raw(bytes(range(64)))
        p.put("Q", 48)
        p.put("QQQQQQ", 77, 0x68100142, 0x3, 0x1234000, 4096, 2 << 20)
    w.record(9, 2, body)


def put_records(w):
    def mmap2(p):
        p.put("IIQQQIIQQII", 7, 7, 0x401000, 0x2000, 0x1000, 8, 1, 4711, 12, 5, 2)
        p.text("/usr/bin/work")
        put_trailer(p, 0, 900, 7)

    def mmap2_build_id(p):
        p.put("IIQQQ", 7, 7, 0x7f0000000000, 0x9000, 0)
        p.raw(bytes((20, 0, 0, 0)) + bytes(range(1, 21)))
        p.put("II", 5, 2)
        p.text("/usr/lib/libwork.so")
        put_trailer(p, 0, 901, 7)

    def comm(p):
        p.put("II", 7, 7)
        p.text("work")
        put_trailer(p, 0, 890, 7)

    def fork(p):
        p.put("IIIIQ", 7, 7, 7, 8, 950)
        put_trailer(p, 1, 950, 7)

    def lost(p):
        p.put("QQ", IDS[0], 3)
        put_trailer(p, 0, 1500, 7)

    def aux(p):
        p.put("QQQ", 0, 64, 1)
        put_trailer(p, 0, 1501, 7)

    w.record(3, 1 << 13, comm)
    w.record(10, 2, mmap2)
    w.record(10, 2 | 1 << 14, mmap2_build_id)
    w.record(7, 0, fork)
    for n in range(6):
        put_sample(w, n % 2, 1000 + 100 * n, 7 + n % 2)
    w.record(2, 0, lost)
    w.record(11, 0, aux)
    w.record(68, 0, lambda p: None)
    w.record(4, 0, fork)


def put_string(w, text):
    data = text.encode() + b"\0"
    data += bytes(-len(data) % 64)
    w.put("I", len(data))
    w.raw(data)


def put_event_desc(w):
    w.put("II", 2, 136)
    for n, name in enumerate(NAMES):
        put_attr(w, n)
        w.put("I", 1)
        put_string(w, name)
        w.put("Q", IDS[n])


def put_cpu_topology(w):
    w.put("I", 1)
    put_string(w, "0-3")
    w.put("I", 2)
    put_string(w, "0-1")
    put_string(w, "2-3")


FEATURES = {3: lambda w: put_string(w, "twin"), 6: lambda w: put_string(w, "x86_64"), 7: lambda w: w.put("II", 4, 4),
            10: lambda w: w.put("Q", 1 << 20), 12: put_event_desc, 13: put_cpu_topology, 21: lambda w: w.put("QQ", 900, 1500)}


def file_container(order):
    w = Writer(order)
    ids, attrs, data = 104, 104 + 16, 104 + 16 + 2 * 152
    records = Writer(order)
    put_records(records)
    w.raw(b"PERFILE2" if order == "<" else b"2ELIFREP")
    w.put("QQQQQQQQ", 104, 152, attrs, 2 * 152, data, len(records.data), 0, 0)
    w.put("QQQQ", sum(1 << n for n in FEATURES), 0, 0, 0)
    w.put("QQ", *IDS)
    for n in range(2):
        put_attr(w, n)
        w.put("QQ", ids + 8 * n, 8)
    w.raw(records.data)
    sections = []
    for n in sorted(FEATURES):
        section = Writer(order)
        FEATURES[n](section)
        sections.append(section.data)
    at = len(w.data) + 16 * len(sections)
    for section in sections:
        w.put("QQ", at, len(section))
        at += len(section)
    for section in sections:
        w.raw(section)
    return bytes(w.data)


def pipe_stream(order):
    w = Writer(order)
    w.raw(b"PERFILE2" if order == "<" else b"2ELIFREP")
    w.put("Q", 16)

    def attr(index):
        def body(p):
            put_attr(p, index)
            p.put("Q", IDS[index])
        return body

    def feature(number):
        def body(p):
            p.put("Q", number)
            FEATURES[number](p)
        return body

    for n in range(2):
        w.record(64, 0, attr(n))
    for n in sorted(FEATURES):
        w.record(80, 0, feature(n))
    put_records(w)
    return bytes(w.data)
