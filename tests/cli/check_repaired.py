#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `repair` writes can be read without damage, whatever was damaged: each record that carries facts beside the samples (attrs, formats of tracepoints,
feature sections, names, build-ids, traces, compressed records), in streams and in files, is damaged, cut, repeated and contradicted. The repaired recording
has the samples that reading the damaged one gives, and the formats that can be read. Prints TAP."""
import json
import os
import random
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import CPU, Event, ID, IP, PERIOD, RAW, TID, TIME, Recording, pad
import hostile_recordings
import program
from program import run

tap = program.Tap()
report = tap.report

ATTR, EVENT_TYPE, TRACING_DATA, BUILD_ID, ID_INDEX, AUXTRACE_INFO, AUXTRACE = 64, 65, 66, 67, 69, 70, 71
THREAD_MAP, CPU_MAP, EVENT_UPDATE, TIME_CONV, FEATURE, COMPRESSED, COMPRESSED2, BPF_METADATA = 73, 74, 78, 79, 80, 81, 83, 84
SIMPLEPERF_TRACING_DATA, SIMPLEPERF_DEBUG = 32777, 32778
FORMAT = "name: %s\nID: %d\nformat:\n\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"%%d\", REC->a\n"
FIRST, SECOND = (FORMAT % (name, number) for name, number in (("first", 5), ("second", 6)))


def traced(**options):
    """Two samples of each of two tracepoints, whose formats are still to come: `add` puts them in front of the samples."""
    def make(add):
        r = Recording(**options)
        kinds = [r.event("sys:" + name, [number + 6], type=2, config=number, sample_type=IP | TID | TIME | ID | RAW, sample_id_all=1)
                 for name, number in (("first", 5), ("second", 6))]
        add(r)
        for i in range(4):
            r.sample(kinds[i % 2], ip=0x1000, pid=7, tid=7, time=10 + i, raw=bytes(8) + r.pack("iI", 3, 0))
        return r
    return make


def formats(*texts):
    return hostile_recordings.tracing_data([text.encode() for text in texts])


def alone(data):
    """The record that tracing data follows."""
    return lambda r: (r.record(TRACING_DATA, r.pack("I", len(data))), r.raw(pad(data)))


def inside(type, data):
    return lambda r: r.record(type, r.pack("I", len(data)) + pad(data + bytes(4))[:-4])


WAYS = {"a TRACING_DATA record of a stream": (alone, {"pipe": True}),
        "a TRACING_DATA record that holds its data": (lambda data: inside(TRACING_DATA, data), {"pipe": True}),
        "a record of simpleperf in a stream": (lambda data: inside(SIMPLEPERF_TRACING_DATA, data), {"pipe": True}),
        "a record of simpleperf in a file": (lambda data: inside(SIMPLEPERF_TRACING_DATA, data), {}),
        "the section of a file": (lambda data: lambda r: r.feature(1, data), {})}


def samples(path, whole=False):
    """Event, time and the field `a` of each sample. whole: without those that repair leaves out, which are damaged or of no event."""
    lines = run("ndjson", "-q", "--symbols", "no", "--type", "sample", path).out.splitlines()
    records = [json.loads(line) for line in lines]
    return [(record.get("event"), record.get("time"), record.get("fields", {}).get("a")) for record in records
            if record["type"] == "sample" and not (whole and ("problem" in record or "event_unknown" in record))]


def faults_of(path, out):
    done = run("repair", "--force", "-o", out, path)
    if done.code not in (0, 4):
        return ["repair: exit %d, %r" % (done.code, done.err)]
    checked = run("check", out)
    faults = ["check: exit %d, %r" % (checked.code, checked.out)] if checked.code else []
    found, there = samples(out), samples(path, whole=True)
    if found != there:
        faults.append("samples %r instead of %r" % (found, there))
    return faults


# --- formats of tracepoints -------------------------------------------------------------------------------------------

WHOLE, OTHER = formats(FIRST, SECOND), formats(FIRST.replace("signed:1", "signed:0"))
AT_SECOND = WHOLE.index(b"name: second")
NO_DATA, GARBAGE = b"", b"\x17\x08\x44tracing" + b"\xff" * 30
# what the tracing data is → in this order; the values of the samples' field `a`
DAMAGES = {"whole": ([WHOLE], [3, 3, 3, 3]),
           "cut inside the second format": ([WHOLE[:AT_SECOND + 40]], [3, None, 3, None]),
           "cut behind the formats": ([WHOLE[:-12]], [3, 3, 3, 3]),
           "a size beyond its end": ([WHOLE[:AT_SECOND - 8] + b"\xff" * 8 + WHOLE[AT_SECOND:]], [3, None, 3, None]),
           "an impossible size of long": ([WHOLE.replace(b"0.6\0\0\x08", b"0.6\0\0\x03")], [3, 3, 3, 3]),
           "a format without a name": ([WHOLE.replace(b"name: second", b"nome: second")], [3, None, 3, None]),
           "two formats of one number": ([formats(FIRST, SECOND, FIRST.replace("first", "again").replace("signed:1", "signed:0"))], [3, 3, 3, 3]),
           "no tracing data": ([GARBAGE], [None] * 4),
           "cut inside its head": ([WHOLE[:13]], [None] * 4),
           "nothing but its head": ([WHOLE[:WHOLE.index(b"header_page")]], [None] * 4),
           "empty": ([NO_DATA], [None] * 4),
           "no tracing data, then whole": ([GARBAGE, WHOLE], [3, 3, 3, 3]),
           "whole, then no tracing data": ([WHOLE, GARBAGE], [3, 3, 3, 3]),
           "whole, then other formats": ([WHOLE, OTHER], [3, 3, 3, 3]),
           "cut, then whole": ([WHOLE[:AT_SECOND + 40], WHOLE], [3, None, 3, None]),
           "cut, then no tracing data": ([WHOLE[:AT_SECOND + 40], GARBAGE], [3, None, 3, None])}


def check_formats(folder, way, how, options):
    path, out = os.path.join(folder, "formats.data"), os.path.join(folder, "repaired.data")
    faults = []
    for title, (parts, values) in DAMAGES.items():
        if way.startswith("the section") and len(parts) > 1:
            continue   # a file has one
        recording = traced(**options)(lambda r, parts=parts: [how(part)(r) for part in parts])
        recording.save(path)
        given = [value for _event, _time, value in samples(path)]
        if given != values:
            faults.append("%s: read as %r" % (title, given))
        faults += ["%s: %s" % (title, fault) for fault in faults_of(path, out)]
    report("formats of tracepoints in %s" % way, faults)


def check_said(folder):
    """What was lost is said, and what was kept."""
    path, out = os.path.join(folder, "said.pipe"), os.path.join(folder, "said.data")
    faults = []
    for data, words in ((WHOLE[:AT_SECOND + 40], [b"the tracing data is damaged: the formats that can be read are kept",
                                                  b"the format of unknown tracepoint id=0x6 is not in the recording: its raw data stay"]),
                        (GARBAGE, [b"this is no tracing data [E501]", b"the format of unknown tracepoint id=0x5 is not in the recording"])):
        traced(pipe=True)(alone(data)).save(path)
        done = run("repair", "--force", "-o", out, path)
        faults += ["%r does not say %r" % (done.err, word) for word in words if done.code != 4 or word not in done.err]
    traced()(inside(SIMPLEPERF_TRACING_DATA, GARBAGE)).save(path)
    done = run("repair", "--force", "-o", out, path)
    if done.code != 4 or b"1 damaged and 0 unknown records were left out" not in done.err:
        faults.append("a record of simpleperf: exit %d, %r" % (done.code, done.err))
    report("repair says which formats are lost", faults)


def check_others(folder):
    """rewrite and merging keep the formats that a later record has, and merging those in front of the damage."""
    path, out = os.path.join(folder, "late.pipe"), os.path.join(folder, "late.data")
    faults = []
    for way, (how, options) in WAYS.items():
        if way.startswith("the section"):
            continue
        traced(**options)(lambda r, how=how: (how(GARBAGE)(r), how(WHOLE)(r))).save(path)
        for words in (["--form", "file"], ["--form", "stream"], [path]):
            done = run("rewrite", "-q", "--force", "-o", out, path, *words)
            values = {value for _event, _time, value in samples(out)}
            if done.code != 4 or values != {3}:
                faults.append("%s, %r: exit %d, %r, %r" % (way, words[:2], done.code, values, done.err))
        traced(**options)(how(WHOLE[:AT_SECOND + 40])).save(path)
        merged = run("rewrite", "-q", "--force", "-o", out, path, path)
        checked = run("check", out)
        values = [value for _event, _time, value in samples(out)]
        if merged.code != 4 or checked.code != 0 or sorted(values, key=str) != [3] * 4 + [None] * 4:
            faults.append("%s, merged: exit %d, %r, check: %r" % (way, merged.code, values, checked.out))
    report("rewrite keeps formats that follow what is no tracing data, merging those that can be read", faults)


def check_attr_records(folder):
    """A file with a table of attrs has no other events, whatever its records say; nor does the stream that is made of it."""
    path, out = os.path.join(folder, "attrs.data"), os.path.join(folder, "attrs.pipe")
    r = Recording()
    event = r.event("cycles", [11], sample_type=IP | TID | TIME | ID, sample_id_all=1)
    other = Event("instructions", [22], {"config": 1, "sample_type": IP | TID | TIME | ID})
    for time, id in ((1, 11), (2, 99)):
        r.sample(event, ip=0x1000, pid=7, tid=7, time=time, id=id)
        r.record(ATTR, r.attr(other) + r.words(other.ids), trailer=b"")
    r.save(path)
    wanted, faults = [("cycles", 1, None), ("cycles", 2, None)], []
    for words in (["rewrite", "--form", "stream"], ["rewrite", "--form", "file"], ["repair"]):
        done = run(*words, "--force", "-o", out, path)
        if done.code != 0 or samples(path) != wanted or samples(out) != wanted:
            faults.append("%r: exit %d, %r" % (words, done.code, samples(out)))
    report("ATTR records in a file that has a table of attrs", faults)


# --- every other record -----------------------------------------------------------------------------------------------

def everything():
    """A stream with a record of each kind that carries facts: a list of (type, record, payload)."""
    r = Recording(pipe=True)
    parts = []

    def taken(payload=b""):
        parts.append((struct.unpack_from("<I", r.data)[0], bytes(r.data), payload))
        r.data = bytearray()

    def put(type, body, payload=b""):
        r.record(type, body, trailer=b"")
        taken(payload)

    events = []
    for config, name in enumerate(("cycles", "instructions")):
        events.append(r.event(name, [11 + 2 * config, 12 + 2 * config], config=config, sample_type=IP | TID | TIME | ID | CPU | PERIOD, sample_id_all=1))
        taken()
    put(EVENT_TYPE, r.pack("Q", 0) + b"cycles".ljust(64, b"\0"))
    for number, body in ((3, r.string("demo")), (6, r.string("x86_64")), (7, r.pack("II", 4, 4)), (12, r.event_desc()),
                         (11, r.pack("I", 2) + r.string("perf") + r.string("record")), (16, r.pack("I", 1) + r.pack("I", 1) + r.string("software")),
                         (17, r.pack("I", 1) + r.string("") + r.pack("II", 0, 2)), (22, r.words([1, 0x8000000, 0])),
                         (27, r.pack("IIIII", 1, 1, 1, 60, 1 << 19)), (29, r.pack("IIQQ", 1, 1, 1000, 2000))):
        r.feature(number, body)
        taken()
    put(TRACING_DATA, r.pack("I", len(pad(WHOLE))), pad(WHOLE))
    put(SIMPLEPERF_TRACING_DATA, r.pack("I", len(WHOLE)) + pad(WHOLE + bytes(4))[:-4])
    put(BUILD_ID, r.pack("i", -1) + bytes(range(20)) + r.pack("I", 0) + r.text("/bin/work"))
    put(ID_INDEX, r.words([2, 11, 0, 0, 7, 13, 1, 0, 7]))
    put(THREAD_MAP, r.words([1, 7]) + b"work".ljust(16, b"\0"))
    put(CPU_MAP, pad(r.pack("HHHH", 0, 2, 0, 1)))
    put(EVENT_UPDATE, r.words([0, 11]) + r.text("MiB"))
    put(EVENT_UPDATE, r.words([1, 11]) + r.pack("d", 0.5))
    put(EVENT_UPDATE, r.words([2, 13]) + r.text("renamed"))
    put(EVENT_UPDATE, r.words([3, 11]) + pad(r.pack("HHHH", 0, 2, 0, 1)))
    put(TIME_CONV, r.words([10, 20, 30]))
    put(BPF_METADATA, b"prog".ljust(512, b"\0") + r.words([1]) + b"key".ljust(64, b"\0") + b"value".ljust(256, b"\0"))
    put(AUXTRACE_INFO, r.pack("II", 4, 0) + r.words([9, 1]))
    put(AUXTRACE, r.words([64, 0, 0]) + r.pack("IIII", 0, 7, 0, 0), b"\x49\0" * 32)
    r.comm(7, 7, "work", time=1, id=11)
    taken()
    for i in range(4):
        r.sample(events[i % 2], ip=0x1000, pid=7, tid=7, time=10 + i, period=1)
    carried, r.data = bytes(r.data), bytearray()
    for type in COMPRESSED, COMPRESSED2:
        packed = hostile_recordings.zstd(carried)
        put(type, packed if type == COMPRESSED else r.words([len(packed)]) + pad(packed))
    for i in range(4):
        r.sample(events[i % 2], ip=0x1000, pid=7, tid=7, time=20 + i, period=1)
        taken()
    return parts


def resized(record):
    return record[:6] + struct.pack("<H", len(record)) + record[8:]


def damaged(record, payload, rng):
    """(title, what is put in place of the record and its payload)"""
    body = record[8:]
    for size in sorted({0, 4, 8, 12, 16, len(body) // 2 & ~7, len(body) - 8, len(body) - 4} & set(range(len(body)))):
        yield "cut to %d bytes" % size, resized(record[:8 + size]) + payload
    yield "larger", resized(record + bytes(8)) + payload
    for title, bytes_ in (("all ones", b"\xff" * len(body)), ("all zeros", bytes(len(body))), ("noise", rng.randbytes(len(body)))):
        yield title, record[:8] + bytes_ + payload
        yield "whole, then %s" % title, record + payload + record[:8] + bytes_ + payload
        yield "%s, then whole" % title, record[:8] + bytes_ + payload + record + payload
    words = range(0, len(body) - 3, 4)
    for at in sorted(rng.sample(words, min(len(words), 10))):
        value = struct.pack("<I", rng.choice((0, 0xffffffff, 0x10000, struct.unpack_from("<I", body, at)[0] + 1 & 0xffffffff)))
        yield "another word at %d" % at, record[:8] + body[:at] + value + body[at + 4:] + payload
    for size in sorted({0, 8, 16, len(payload) // 2, len(payload) - 8} & set(range(len(payload)))):
        yield "%d bytes of payload" % size, record + payload[:size]
    if payload:
        yield "another payload", record + rng.randbytes(len(payload))


def check_record(folder, parts, index):
    path, out = os.path.join(folder, "record.pipe"), os.path.join(folder, "record.data")
    kind, record, payload = parts[index]
    head = b"PERFILE2" + struct.pack("<Q", 16) + b"".join(part[1] + part[2] for part in parts[:index])
    rest = b"".join(part[1] + part[2] for part in parts[index + 1:])
    faults = []
    cases = [(title, head + now + rest) for title, now in damaged(record, payload, random.Random(index))]
    cases.append(("the end of the stream inside it", head + (record + payload)[:(len(record) + len(payload)) // 2]))
    for title, data in cases:
        with open(path, "wb") as file:
            file.write(data)
        faults += ["%s: %s" % (title, fault) for fault in faults_of(path, out)]
    report("record %d, of type %d: damaged in %d ways" % (index, kind, len(cases)), faults)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for way, (how, options) in WAYS.items():
            check_formats(folder, way, how, options)
        check_said(folder)
        check_others(folder)
        check_attr_records(folder)
        parts = everything()
        for index in range(len(parts) - 3):   # of the last samples, one
            check_record(folder, parts, index)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
