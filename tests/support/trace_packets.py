"""Bytes of traces, as processors write them, and recordings that hold them: Intel PT, Intel BTS, Arm SPE, HiSilicon PTT, powerpc VPA DTL, s390.

    every_packet("pt")              each kind of packet, in each of its sizes
    every_head("pt")                what could be a packet, by its first bytes
    some_packets("spe", seed, n)    n packets by chance, some of them damaged
    recording("pt", [payload…])     a recording (builder.Recording) with these payloads

Layouts: perf-data.5 and the manuals of the processors."""
import random
import struct

import builder

PT, BTS, SPE, S390, PTT, DTL = "pt", "bts", "spe", "s390", "ptt", "dtl"
TYPES = {PT: 1, BTS: 2, SPE: 4, S390: 5, PTT: 6, DTL: 7}
N1, V1 = 0x410fd0c1, 0x411fd401


def little(value, size):
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")


# --- Intel PT ---

PSB = bytes([0x02, 0x82]) * 8
PT_IP_SIZES = {0: 0, 1: 2, 2: 4, 3: 6, 4: 6, 6: 8}
PT_IP_HEADS = (0x0d, 0x11, 0x01, 0x1d)


def tnt(branches):
    """Up to 6 in one byte, up to 47 in eight."""
    bits = 1
    for taken in branches:
        bits = bits << 1 | taken
    return bytes([bits << 1]) if len(branches) <= 6 else b"\x02\xa3" + little(bits, 6)


def ip_packet(head, form, address):
    return bytes([head | form << 5]) + little(address, PT_IP_SIZES[form])


def cyc(cycles):
    out = [(cycles & 31) << 3 | (4 if cycles > 31 else 0) | 3]
    cycles >>= 5
    while cycles:
        out.append((cycles & 127) << 1 | (cycles > 127))
        cycles >>= 7
    return bytes(out)


def pt_every():
    out = [PSB, b"\x02\x23", b"\0", b"\0" * 3, b"\0" * 20]
    out += [bytes([byte]) for byte in range(4, 256, 2)] + [tnt([n % 3 == 0 for n in range(count)]) for count in (7, 20, 46, 47)]
    out += [b"\x02\xa3" + bytes(6)]
    for head in PT_IP_HEADS:
        out += [ip_packet(head, form, 0xffffb960d300d794) for form in PT_IP_SIZES]
        out += [bytes([head | form << 5]) for form in (5, 7)]
    out += [cyc(value) for value in (0, 31, 32, 4095, 4096, 2**40, 2**64 - 1)] + [b"\x07" + b"\xff" * 9, b"\x07" + b"\xff" * 10]
    out += [bytes([0x99, mode]) for mode in range(256)]
    out += [b"\x19" + little(0x1234567890abcd, 7), b"\x19" + bytes(7), b"\x59\x1d", b"\x59\0", b"\x02\x03\x1d\0", b"\x02\x03\xff\xff"]
    for second in (0x12, 0x32, 0x52, 0x72, 0x92, 0xb2, 0xd2, 0xf2):
        out.append(bytes([2, second]) + little(0x1122334455667788, 8))
    out += [bytes([2, 0x13, kind, vector]) for kind in (0, 1, 0x1f, 0x81, 0xff) for vector in (0, 0x82)]
    out += [b"\x02\x22" + little(value, 2) for value in (0, 0x80, 0x5380, 0xffff)]
    out += [bytes([2, second]) for second in (0x33, 0xb3, 0x62, 0xe2, 0x83, 0xf3, 0x23)]
    out += [b"\x02\x43" + little(value, 6) for value in (0, 1, 0x123456789aab)]
    out += [bytes([2, 0x53, kind]) + little(0xfeedface, 8) for kind in (0, 0x3f, 0xff)]
    for size in (0, 0x80):     # blocks, with each item, and what leaves them open or not
        for inside in (b"\0", b"\x59\x11", b"\x02\x03\1\0", b"\x07\x02", b"\x06", b"\x02\x62", b"\x02\xf3", b"\xfe", b"\x99\x01", PSB):
            out.append(bytes([2, 0x63, size | 4]) + b"".join(bytes([id << 3 | 4]) + little(0x0102030405060708, 4 if size else 8)
                                                              for id in range(32)) + inside + b"\x0c" + little(77, 8) + b"\x02\x33")
    out += [b"\x02\x73" + little(0x1234, 2) + b"\xee\x12\x01", b"\x02\x73" + bytes(5), b"\x02\xa2" + little(0xf21, 5)]
    out += [b"\x02\xc2" + little(0x300000012, 8), b"\x02\xc3\x88" + little(99, 8), b"\x02\xc3\x89" + little(99, 8), b"\x02\xc8" + little(0x12345, 5)]
    return out


def pt_heads():
    """Whatever a packet could begin with."""
    return [bytes([2, second, 1, 2, 3, 4, 5, 6, 7, 8, 9]) for second in range(256)] + [bytes([first, 9, 8]) for first in range(256)]


def pt_random(chance, count):
    odd = pt_every() + pt_heads()
    kinds = [lambda: tnt([chance.getrandbits(1) for _ in range(chance.choice((1, 2, 3, 4, 5, 6, 6, 6, 6, 30, 47)))]),
             lambda: ip_packet(chance.choice(PT_IP_HEADS), chance.choice(list(PT_IP_SIZES)), chance.getrandbits(64)),
             lambda: cyc(chance.getrandbits(chance.choice((3, 5, 10, 64)))), lambda: chance.choice(odd),
             lambda: bytes(chance.randrange(12)), lambda: chance.randbytes(chance.randrange(6))]
    return [chance.choice(kinds)() for _ in range(count)]


# --- Intel BTS ---

def branch(source, target, predicted=True, flags=0):
    return struct.pack("<QQQ", source, target, flags | (16 if predicted else 0))


def bts_every():
    return [branch(0x400100, 0x400200), branch(0x400210, 0x400300, False), branch(0, 0x400000), branch(0x400400, 0), branch(0, 0),
            branch(2**64 - 1, 2**64 - 1), branch(0xffffffff81000000, 0x7f0000000000, False, 0xffffffef)]


def bts_random(chance, count):
    return [branch(chance.getrandbits(chance.randrange(65)), chance.getrandbits(chance.randrange(65)), chance.getrandbits(1),
                   chance.getrandbits(64)) for _ in range(count)]


# --- Arm SPE ---

def spe_packet(header, value):
    return bytes([header]) + little(value, 1 << (header >> 4 & 3))


def spe_extended(first, header, value):
    return bytes([first]) + spe_packet(header, value)


def spe_every():
    out = [b"\0", b"\0" * 3, b"\0" * 40, b"\1"]
    out += [spe_packet(0x71, value) for value in (0, 1, 2**63 - 1, 2**63, 2**64 - 1)]
    for header in (0x42, 0x52, 0x62, 0x72):
        bits = 8 << (header >> 4 & 3)
        out += [spe_packet(header, 1 << bit) for bit in range(bits)] + [spe_packet(header, value) for value in (0, 2**bits - 1)]
    for header in (0x43, 0x53, 0x63, 0x73):
        out += [spe_packet(header, value) for value in (0, 13, 0xfe, 2**64 - 1)]
    out += [spe_packet(header, 0x87654321) for header in (0x64, 0x65, 0x66, 0x67)]
    out += [spe_packet(header, value) for header in range(0x48, 0x4c) for value in range(256)]
    out += [spe_packet(header, value) for header in (0x58, 0x59, 0x5a, 0x5b, 0x68, 0x69, 0x6a, 0x6b, 0x78, 0x79, 0x7a, 0x7b)
            for value in (0, 0x1234, 0x125, 0x2ff08)]
    addresses = (0, 0x406138 | 1 << 63, 0xff80000812345678 & ~(3 << 61), 3 << 61 | 0x1234, 0xfffe0000dead0000, 1 << 62 | 0xa << 56 | 0x99)
    out += [spe_packet(header, value) for header in range(0xb0, 0xb8) for value in addresses]
    out += [spe_packet(header, value) for header in range(0x98, 0xa0) for value in (0, 300, 0xffff)]
    out += [spe_extended(first, header, 0x8000000000401234) for first in range(0x20, 0x24) for header in [*range(0xb0, 0xb8), *range(0x98, 0xa0)]]
    for first in range(0x20, 0x24):   # alignment, from each place in a unit
        out += [b"\1" * (n % 3) + bytes([first]) + bytes(40) for n in range(17)]
        out += [b"\1" * (n % 3) + bytes([first, 0]) + b"\1" * 17 for n in range(17)]
    return out


def spe_heads():
    """Whatever a packet could begin with."""
    return ([bytes([header, 2, 0, 0, 0, 0, 0, 0, 0]) for header in range(256)] +
            [bytes([first, second, 1, 2, 3, 4, 5, 6, 7, 8]) for first in range(0x20, 0x24) for second in range(256)])


def spe_record(chance, time):
    """The packets of one operation, as processors write them."""
    kind = chance.choice(("load", "store", "branch", "other"))
    out = spe_packet(0xb0, (0x400000 + chance.randrange(0x10000)) | 1 << 63)
    if chance.random() < 0.8:
        out += spe_packet(0x65 if chance.random() < 0.2 else 0x64, chance.choice((100, 101)))
    out += spe_packet(0x98, chance.randrange(500)) + spe_packet(0x99, chance.randrange(100))
    events = 2
    if kind in ("load", "store"):
        out += spe_packet(0x49, chance.choice((0, 2, 4, 0x10)) | (kind == "store")) + spe_packet(0x9a, chance.randrange(50))
        events |= chance.choice((4, 0xc, 0x14, 0x34, 0x3c, 0x10c, 0x30c, 0x70c))
        out += spe_packet(0xb2, 0x7f0000000000 + chance.randrange(0x100000))
        if chance.random() < 0.3:
            out += spe_packet(0xb3, 0x80000000 + chance.randrange(0x100000) | 1 << 63)
        if kind == "load" and chance.random() < 0.7:
            out += spe_packet(0x43, chance.choice((0, 8, 9, 0xa, 0xb, 0xc, 0xd, 0xe)))
    elif kind == "branch":
        out += spe_packet(0x4a, chance.choice((0, 1, 2, 3, 0x0a, 0x12, 0x1a, 9, 0x11)))
        events |= chance.choice((0, 0x40, 0x80, 0xc0))
        out += spe_packet(0xb1, (0x400000 + chance.randrange(0x10000)) | 1 << 63)
        if chance.random() < 0.2:
            out += spe_packet(0xb4, (0x400000 + chance.randrange(0x10000)) | 1 << 63)
    else:
        out += spe_packet(0x48, chance.choice((0, 1, 2, 8, 0x1c)))
    return out + spe_packet(0x52, events) + (spe_packet(0x71, time) if time is not None else b"\1")


# Processors whose codes of the data source mean different things; the last one's are not known.
SPE_PROCESSORS = ((N1, V1), (0xc00fac41, 0xc00fac41), (0x480fd061, 0x480fd061), (V1, 0x410fd4a0))
SPE_START = 500000001       # ns: when the timer, which `fill` relates to time, was at 0


def spe_operations(seed, nr_payloads=4, count=60):
    """Payloads of operations whose times follow each other; in one half of them any source and any events."""
    chance = random.Random(seed)
    payloads, time = [], 1000000
    for _ in range(nr_payloads):
        out = b""
        for _ in range(count):
            time += 1 + chance.randrange(5)
            record = spe_record(chance, time)
            if chance.random() < 0.5:
                record = spe_packet(0x43, chance.randrange(0x14)) + record[:-12] + spe_packet(0x62, chance.getrandbits(26)) + record[-9:]
            out += record
        payloads.append(out + bytes(-len(out) % 16))
    return payloads


def spe_odd_operations(seed, nr_payloads=4, count=12):
    """The same with operations without a time, some of them empty, and bytes that are no packet: before, between, inside, and after."""
    chance = random.Random(seed)
    payloads, time = [], 1000000
    for _ in range(nr_payloads):
        out = bytes([0xff]) * chance.randrange(3)
        for _ in range(count):
            time += 1 + chance.randrange(5)
            record = spe_record(chance, time if chance.random() < 0.6 else None)
            if chance.random() < 0.3:
                cut = chance.randrange(len(record))
                record = record[:cut] + bytes([0xff]) + record[cut:]
            out += record + (b"\1" if chance.random() < 0.1 else b"") + (b"\xff" if chance.random() < 0.2 else b"")
        payloads.append(out + bytes(-len(out) % 16))
    return payloads


def spe_random(chance, count):
    odd = spe_every() + spe_heads()
    kinds = [lambda: chance.choice(odd), lambda: spe_record(chance, chance.getrandbits(40)), lambda: chance.randbytes(chance.randrange(6)),
             lambda: bytes(chance.randrange(20))]
    return [chance.choice(kinds)() for _ in range(count)]


# --- others ---

def ptt_every():
    return [struct.pack("<4I", word, 0x11223344, 0, 0xffffffff) for word in (0x4a5b6c7d, 0, 0x7fffffff, 0xdeadbeef)]


def ptt_long():
    return [struct.pack("<8I", 0xfffff800 | n, n, 0x11223344, 0, 0xffffffff, 7, 8, 0x99) for n in range(3)]


def ptt_random(chance, count):
    return [chance.randbytes(15) + bytes([chance.randrange(255)]) for _ in range(count)]


def dtl_entry(dispatch, preempt, timebase=5000, times=(1, 2, 3)):
    return struct.pack(">BBHIIIQQQQ", dispatch, preempt, 3, *times, timebase, 0x1000, 0xc000000000001234, 0x8000000000009033)


def dtl_every():
    return [struct.pack("<QQ", 123456789, 512000000) + bytes(32)] + [dtl_entry(n % 11, n % 10, 5000 + n, (n, 2**31 + n, 2**32 - 1)) for n in range(110)]


def dtl_random(chance, count):
    return [dtl_entry(chance.randrange(11), chance.randrange(10), 1 + chance.getrandbits(60), [chance.getrandbits(32) for _ in range(3)])
            for _ in range(count)]


def s390_block(basics, diagnostic=85, trailer_flags=0xa):
    """One block: each of `basics` is (inst, bits 37..32, asn, address, gpp, hpp)."""
    out = b""
    for inst, bits, asn, address, gpp, hpp in basics:
        out += struct.pack(">QQQQ", 1 << 48 | inst << 40 | bits << 32 | 1 << 30 | asn, address, gpp, hpp)
        out += struct.pack(">HHI", 0x8001, inst & 1, 0).ljust(diagnostic, b"\0")
    trailer = struct.pack(">QQ", trailer_flags << 60 | 32 << 16 | diagnostic, 0) + bytes.fromhex("00010203040506070809000000000000")
    trailer += bytes(16) + struct.pack(">QQ", 1 << 63, 0x1111)
    assert len(out) <= 4096 - 64
    return out.ljust(4096 - 64, b"\0") + trailer


def s390_every():
    full = [(n & 15, n & 63, 0xffff if n & 1 else n, 0x400100 + n * (n % 5), n % 3 and 2**60 + n, n % 2 * 0x1234) for n in range(34)]
    return [s390_block(full), s390_block(full[:3]), s390_block([], 85, 0)]


EVERY = {PT: pt_every, BTS: bts_every, SPE: spe_every, PTT: ptt_every, DTL: dtl_every, S390: s390_every}
RANDOM = {PT: pt_random, BTS: bts_random, SPE: spe_random, PTT: ptt_random, DTL: dtl_random}


HEADS = {PT: pt_heads, SPE: spe_heads}


def every_packet(tracer):
    return EVERY[tracer]()


def every_head(tracer):
    """Bytes that begin like packets; only a few are packets."""
    return HEADS[tracer]() if tracer in HEADS else []


def some_packets(tracer, seed, count):
    return RANDOM[tracer](random.Random(seed), count)


# --- recordings ---

def info_words(tracer, midrs=(N1, V1)):
    """`priv` of AUXTRACE_INFO."""
    if tracer == PT:
        return [8, 31, 1000, 0, 1, 0x400, 0x800, 0, 0, 1, 0x200, 0x3c000, 0, 0, 2, 30, 0]
    if tracer == BTS:
        return [6, 31, 1000, 0, 1, 0]
    if tracer == SPE:
        return [2, 4, 8, len(midrs)] + [word for cpu, midr in enumerate(midrs) for word in (0x1010101010101010, cpu, 3, midr, 8, 1024)]
    return [] if tracer == S390 else [9]


def arch_of(tracer):
    return {PT: "x86_64", BTS: "x86_64", SPE: "aarch64", PTT: "aarch64", DTL: "ppc64le", S390: "s390x"}[tracer]


def add_info(r, tracer, words=None):
    r.record(70, r.pack("II", TYPES[tracer], 0) + r.words(info_words(tracer) if words is None else words))


def add_trace(r, payload, offset=0, reference=0, idx=0, tid=-1, cpu=0, stated=None):
    """An AUXTRACE record, and the payload after it."""
    size = len(payload) if stated is None else stated
    r.record(71, r.pack("QQQIIII", size, offset, reference, idx, tid % 2**32, cpu % 2**32, 0))
    r.raw(payload)


def fill(r, tracer, payloads, time=True, words=None, event=None, start=1):
    """One event of the tracer, two threads that begin at `start`, and the payloads, on two CPUs in turn."""
    kind = builder.IDENTIFIER | builder.IP | builder.TID | builder.CPU | (builder.TIME if time else 0)
    r.event(event or f"{tracer}//", ids=[101, 102], type=8, config=0, period=1, sample_type=kind, sample_id_all=1, size=136)
    r.record(79, r.pack("QQQQQBBHI", 8, 2560, 500000000, 0, 0xffffffffffffff, 1, 0, 0, 0))
    add_info(r, tracer, words)
    r.comm(100, 100, "worker", time=start)
    r.comm(100, 101, "worker/1", time=start + 1)
    r.mmap2(100, 100, 0x400000, 0x20000, 0, "/usr/bin/worker")
    offset = 0
    for n, payload in enumerate(payloads):
        add_trace(r, payload, offset=offset, reference=0x1000 + n, idx=n % 2, cpu=n % 2)
        offset += len(payload)
    features = {3: r.string("demo"), 6: r.string(arch_of(tracer)), 7: r.pack("II", 2, 2)}
    if tracer == S390:
        features[9] = r.string("IBM,3906,704,M03,3.6,002f")     # perf asks for the machine's number
    if not r.pipe:
        features[18] = r.words([0])
    for id, payload in features.items():
        r.feature(id, payload)


def recording(tracer, payloads, pipe=False, **how):
    r = builder.Recording(pipe=pipe)
    fill(r, tracer, payloads, **how)
    return r
