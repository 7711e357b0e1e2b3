"""Traces of CoreSight as processors write them: packets of ETMv4 and ETE, the frames that carry them, recordings.

    every_packet(ete)                   each kind of packet, in each of its sizes
    some_packets(chance, n, ete)        n packets by chance, some of them damaged
    frames([(id, bytes)…])              bytes of several sources in frames of 16 bytes
    recording([Payload…], [Cpu…])       a recording (builder.Recording) with these payloads
    every_recording()                   what such recordings are made of, each with a name

Layouts: Arm ARM ("Embedded Trace Macrocell", ETMv4 and ETE), CoreSight architecture ("Formatter")."""
import random

import builder

ETMV3, ETMV4, ETE = 0x3030303030303030, 0x4040404040404040, 0x5050505050505050
A_SYNC = bytes(11) + b"\x80"
RAW, OVERWRITE = 0x100, 2
# Context ids and VMIDs of 4 bytes, cycle counts of 12 bits, any commits.
IDR0, IDR2, CONFIG = 0x28000ea1, 0x488, 0xc1


def little(value, size):
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")


def sevens(value, most=9):
    """Seven bits a byte, the lowest first; the top bit says that more follow."""
    out = []
    while True:
        more = value >> 7 and len(out) < most - 1
        out.append(value & 0x7f | (0x80 if more else 0))
        value >>= 7
        if not more:
            return bytes(out)


def long_address(address, size, isa):
    low = address >> (1 if isa else 2)
    head = [low & 0x7f, address >> 8 & 0xff if isa else low >> 7 & 0x7f]
    return bytes(head) + little(address >> 16, size - 2)


def context(info, config=4):
    out = bytes([info])
    out += little(0x1234abcd, config) if info & 0x40 else b""
    return out + (little(0x000dcba9, config) if info & 0x80 else b"")


ADDRESSES = (0xffff800010081234, 0x400100, 0xfedcba9876543212)


def every_packet(ete=False):
    out = [A_SYNC, b"\1\1\0", b"\0\3", b"\0\5", b"\0\7", A_SYNC]
    out += [b"\1" + bytes([control]) + b"".join(sevens(value) for bit, value in enumerate((1, 0x55, 7, 0x123, 3)) if control >> bit & 1)
            for control in range(32)]
    out += [b"\1\x81\0\1", b"\1\x89\x80\0\1\x22", b"\1\1\0"]
    for head in (2, 3):
        for value in (0, 0x7f, 0x80, 0x123456, 0xfedcba9876543210, 2**63 + 1, 5):
            out.append(bytes([head]) + (sevens(value, 9) if value < 2**56 else
                                        bytes((value >> 7 * n & 0x7f) | 0x80 for n in range(8)) + bytes([value >> 56])) +
                       (sevens(0x1ff, 3) if head == 3 else b""))
    out.append(b"\1\1\0")
    out += [b"\2" + sevens(77), b"\4", b"\7"]
    for kind in range(64):
        out += [bytes([6, kind << 1 & 0x3e | form & 1 | (form & 2) << 5]) + (b"\0" if ete and kind in (0, 24) else b"") for form in range(4)]
    out += [bytes([6, 0x80 | kind << 1, more]) for kind in (0, 1, 0xe) for more in (0, 1, 0x2f)]
    out += [b"\x0a", b"\x0b"] + ([b"\x09\1" + little(0x1122334455667788, 8)] if ete else [])
    out += [b"\1\x09\1\x20"] + [bytes([head, value]) for head in (0xc, 0xd) for value in (0, 0x13, 0xff)]
    out += [bytes([0xe]) + sevens(commit) + sevens(count, 3) for commit in (0, 5, 300) for count in (0, 0x7f, 0x3fff, 0xfffff)]
    out += [bytes([0xf]) + sevens(commit) for commit in (0, 5, 300)]
    out += [bytes([head]) for head in range(0x10, 0x20)]
    out += [bytes([head]) + sevens(value) for head in (0x2d, 0x2e, 0x2f) for value in (0, 1, 0x7f, 0x80, 0xfffff)]
    out += [bytes([head]) for head in range(0x30, 0x40)] + [bytes([head]) for head in range(0x71, 0x80)]
    out += [b"\x80"] + [b"\x81" + context(info) for info in (0, 1, 2, 3, 0x10, 0x20, 0x31, 0x32, 0x41, 0x82, 0xf1, 0x38, 0x08)]
    for head, size, isa in ((0x82, 4, 0), (0x83, 4, 1), (0x85, 8, 0), (0x86, 8, 1)):
        out += [bytes([head]) + long_address(address, size, isa) + context(info) for address in ADDRESSES for info in (0x11, 0x32, 0x40, 0xd1)]
    heads = [(0x9a, 4, 0), (0x9b, 4, 1), (0x9d, 8, 0), (0x9e, 8, 1)]
    short = [(0x95, 0), (0x96, 1)]
    match = [0x90, 0x91, 0x92]
    if ete:
        heads += [(0xb6, 4, 0), (0xb7, 4, 1), (0xb8, 8, 0), (0xb9, 8, 1)]
        short += [(0xb4, 0), (0xb5, 1)]
        match += [0xb0, 0xb1, 0xb2]
    for round_ in range(2):
        for head, size, isa in heads:
            out += [bytes([head]) + long_address(address, size, isa) for address in ADDRESSES]
        for head, isa in short:
            out += [bytes([head, 5]), bytes([head, 0x85, 0xc3])]
        out += [bytes([head]) for head in match]
        if not round_:
            out.append(b"\1\1\0")      # forgets all addresses
            out += [bytes([head]) for head in match] + [bytes([short[0][0], 5])]
    return out + [b"\x88"] + [bytes([head]) for head in range(0xc0, 0x100)]


def every_head():
    """All bytes with which a packet could begin, then bytes at which every packet ends."""
    return [bytes([head]) + bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 4, 4, 4, 4, 4, 4, 4, 4, 4]) for head in range(256)]


def some_packets(chance, count, ete=False):
    odd = every_packet(ete) + every_head()
    kinds = [lambda: chance.choice(odd), lambda: bytes([0xc0 + chance.randrange(64)]), lambda: bytes([0x95, chance.randrange(128)]),
             lambda: chance.randbytes(chance.randrange(4)), lambda: A_SYNC if chance.random() < 0.1 else b"\x04",
             lambda: b"\x9d" + long_address(chance.getrandbits(64), 8, 0), lambda: b"\x02" + sevens(chance.getrandbits(chance.choice((5, 20, 50))))]
    return [A_SYNC, b"\1\1\0"] + [chance.choice(kinds)() for _ in range(count)]


# --- frames ---

def frames(parts, again=lambda: False):
    """Bytes of the sources, (id, bytes) one after the other. `again`: whether an id is written again."""
    todo = [(source, byte) for source, part in parts for byte in part]
    out, now = bytearray(), None
    todo.reverse()
    while todo:
        frame = bytearray(16)
        for place in range(0, 16, 2):
            source, byte = todo.pop() if todo else (0, 0)
            following = todo[-1][0] if todo else 0
            if place == 14:
                if source == now:
                    frame[14] = byte & 0xfe
                    frame[15] |= (byte & 1) << 7
                else:
                    todo.append((source, byte))
                    frame[14], now = source << 1 | 1, source
            elif source != now or again():
                frame[place], frame[place + 1], now = source << 1 | 1, byte, source
            elif following != now:         # the id takes effect after the byte
                frame[place], frame[place + 1], now = following << 1 | 1, byte, following
                frame[15] |= 1 << place // 2
            else:
                frame[place], frame[place + 1] = byte & 0xfe, todo.pop()[1] if todo else 0
                frame[15] |= (byte & 1) << place // 2
        out += frame
    return bytes(out)


# --- recordings ---

class Cpu:
    """What AUXTRACE_INFO says of a processor's tracer."""

    def __init__(self, cpu, source, magic=ETMV4, config=CONFIG, idr0=IDR0, idr1=0x4100f423, idr2=IDR2, idr8=0, devarch=0x47705a13):
        self.cpu, self.source = cpu, source
        if magic == ETMV3:
            self.words = [magic, cpu, 4, config, source, 0x8d294224, 0x4100f250]
        else:
            params = [config, source, idr0, idr1, idr2, idr8, 0xcc] + ([devarch] if magic == ETE else []) + [-1]
            self.words = [magic, cpu, len(params), *params]


def info_words(cpus):
    return [1, 8 << 32 | len(cpus), 0] + [word for cpu in cpus for word in cpu.words]


class Payload:
    """The payload after one AUXTRACE record, of one CPU or thread, and its AUX records: (offset in the payload, size, flags)."""

    def __init__(self, data, cpu=0, tid=-1, aux=None, flags=0):
        self.data, self.cpu, self.tid = data, cpu, tid
        self.aux = [(0, len(data), flags)] if aux is None else aux


def fill(r, payloads, cpus, ids=()):
    """`ids`: (CPU, source) of the AUX_OUTPUT_HW_ID records."""
    kind = builder.IDENTIFIER | builder.IP | builder.TID | builder.TIME | builder.CPU
    event = r.event("cs_etm//", ids=[101, 102], type=8, config=0, period=1, sample_type=kind, sample_id_all=1, size=136)
    r.record(70, r.pack("II", 3, 0) + r.words(info_words(cpus)))
    r.comm(100, 100, "worker", time=1)
    r.mmap2(100, 100, 0x400000, 0x20000, 0, "/usr/bin/worker", time=1)
    for cpu, source in ids:
        r.record(21, r.pack("Q", source), pid=100, tid=100, time=2, cpu=cpu, id=101)
    start = 104 + sum(8 * len(event.ids) + len(r.attr(event)) + 16 for event in r.events)
    offsets, index = {}, []
    for n, payload in enumerate(payloads):
        key = payload.cpu if payload.cpu >= 0 else payload.tid
        offset = offsets.get(key, 0x1000)
        for at, size, flags in payload.aux:
            first = offset + at + (size if flags & OVERWRITE else 0)
            r.record(11, r.pack("QQQ", first, size, flags), pid=100, tid=payload.tid if payload.tid >= 0 else 100, time=10 + n,
                     cpu=max(payload.cpu, 0), id=101)
        index += [start + len(r.data), 48]
        r.record(71, r.pack("QQQIIII", len(payload.data), offset, 0x1000 + n, max(payload.cpu, 0), payload.tid % 2**32, payload.cpu % 2**32, 0))
        r.raw(payload.data)
        offsets[key] = offset + len(payload.data)
    for id, payload in {3: r.string("demo"), 6: r.string("aarch64"), 7: r.pack("II", 4, 4)}.items():
        r.feature(id, payload)
    if not r.pipe:
        r.feature(18, r.words([len(index) // 2, *index]))


def recording(payloads, cpus, ids=(), pipe=False):
    r = builder.Recording(pipe=pipe)
    fill(r, payloads, cpus, ids)
    return r


def mixed(chance, sources, packets=600, ete=False):
    """Frames of several sources with alternating packets, and of unknown sources."""
    left = {source: b"".join(some_packets(chance, packets, ete)) for source in sources}
    parts = []
    while any(left.values()):
        source = chance.choice([source for source in sources if left[source]])
        size = chance.choice((1, 2, 3, 7, 16, 40))
        parts.append((source, left[source][:size]))
        left[source] = left[source][size:]
        if chance.random() < 0.02:
            parts.append((chance.choice((0, 0x7f, 0x6f)), chance.randbytes(chance.randrange(5))))
    return frames(parts, lambda: chance.random() < 0.05)


# ETMv4.2, ETMv4.6 with all that may be missing, ETE 1.0 and 1.3
PROCESSORS = ({}, {"idr0": IDR0 & ~(1 << 29) | 1 << 15 | 0x58, "config": 0x30706, "idr1": 0x4100f463, "idr2": 4 << 10 | 4 << 5},
              {"magic": ETE}, {"magic": ETE, "devarch": 0x47735a13})


def random_recording(seed):
    """One to three sources; AUX records cut the first payload, which may be longer than a piece."""
    chance = random.Random(seed)
    sources = chance.sample(range(1, 0x6f), 1 + seed % 3)
    how = PROCESSORS[seed // 3 % len(PROCESSORS)]
    data = mixed(chance, sources, ete="magic" in how)
    large = data * (1 + 70000 // len(data)) if seed % 4 == 0 else data
    cut = chance.randrange(1, len(data) // 16) * 16
    cpus = [Cpu(n, source, **how) for n, source in enumerate(sources)] + [Cpu(len(sources), 0x6f)]
    # of two payloads, on two processors: OpenCSD keeps addresses from one payload of a processor to the next
    return recording([Payload(large, aux=[(0, cut, 0), (cut, len(large) - cut, 0)]), Payload(data, cpu=len(sources))], cpus)


def every_recording():
    """(name, what it is, payloads, cpus, ids): all packets, and all that recorders do."""
    one, two = Cpu(0, 0x10), Cpu(1, 0x12)
    small = A_SYNC + b"\1\1\0\4"
    mark = b"\xff\xff\xff\x7f"
    framed = frames([(0x10, small)])
    packets, heads = b"".join(every_packet()), A_SYNC + b"\1\1\0" + b"".join(every_head())
    for name, how in zip(("v4.2", "v4.6", "ete", "ete1.3"), PROCESSORS):
        all_of = b"".join(every_packet("magic" in how))
        yield f"packets-{name}", f"every packet of {name}", [Payload(frames([(0x10, all_of)]))], [Cpu(0, 0x10, **how)], ()
        yield f"heads-{name}", f"bytes that may begin a packet of {name}", [Payload(heads, flags=RAW)], [Cpu(0, 0x10, **how)], ()
    yield "raw", "a source without frames, on two processors", [Payload(packets, flags=RAW), Payload(small, cpu=1, flags=RAW)], [one, two], ()
    yield ("cuts", "parts that AUX records name, in a payload of which they leave some out",
           [Payload(framed * 6, aux=[(0, 32, 0), (64, 32, 0), (96, 64, 0), (160, 32, 0)]), Payload(framed * 3, aux=[(0, 96, OVERWRITE)], cpu=1)],
           [one, two], ())
    yield ("sync", "bytes in front of the first synchronization, and marks between frames",
           [Payload(frames([(0x10, b"\4" * 11 + bytes(3) + small)]) + mark * 12 + framed + mark * 4), Payload(framed + mark * 5 + bytes(12) + framed, cpu=1)],
           [one, two], ())
    yield "size", "frames that are not whole", [Payload(framed + b"\x55")], [one], ()
    yield "thread", "a buffer of a thread", [Payload(framed, cpu=-1, tid=100)], [one], ()
    yield ("ids", "ids in AUX_OUTPUT_HW_ID records, of two sinks",
           [Payload(frames([(0x21, small), (0x22, small)]), cpu=cpu) for cpu in range(4)], [Cpu(cpu, 0x10 + cpu, ETE if cpu == 3 else ETMV4) for cpu in range(4)],
           [(0, 1 << 56 | 7 << 8 | 0x21), (1, 1 << 56 | 7 << 8 | 0x22), (2, 1 << 56 | 8 << 8 | 0x22), (3, 1 << 56 | 8 << 8 | 0x21)])
    yield ("no-info", "packets after a synchronization without trace information",
           [Payload(A_SYNC + b"\x95\5\x96\x85\xc3\x90\x91\x9a\1\2\3\4\x95\5\2" + sevens(5) + b"\2" + sevens(500) + b"\x9d" + bytes(range(1, 9)) +
                    b"\x9a\1\2\3\4\x90\x91\x92\x81\x11\x9a\1\2\3\5\x95\5\x0c\x11\x10\x95\7", flags=RAW)], [one], ())
