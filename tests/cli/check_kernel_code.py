#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`annotate` of code that lies in no file of the host: kernel and modules by the memory that `perf record --kcore` and `perf buildid-cache --kcore` keep, BPF programs by what
the recording holds, with their lines, each with the changes that TEXT_POKE records had made when a sample was taken. No code of another boot. Prints TAP."""
import base64
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from builder import IDENTIFIER, IP, KERNEL, Recording, TID, TIME

TEXT, MODULE, PROGRAM, TRAMPOLINE = 0xffffffff81000000, 0xffffffffc0000000, 0xffffffffc1000000, 0xffffffffc2000000
NOP, JUMP, MOVE, RETURN = bytes.fromhex("0f1f440000"), bytes.fromhex("e900000000"), bytes.fromhex("4889f8"), b"\xc3"
CODE = NOP + MOVE + RETURN                       # of each function here: three instructions
BUILD_ID = bytes(range(1, 21))
tap = program.Tap()
report = tap.report


def core(path, segments):
    """An ELF file of memory: no sections, a segment for each piece."""
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, len(segments), 0, 0, 0)
    at, table, rest = 64 + 56 * len(segments), b"", b""
    for address, data in segments:
        table += struct.pack("<IIQQQQQQ", 1, 7, at + len(rest), address, 0, len(data), len(data), 4096)
        rest += data
    with open(path, "wb") as out:
        out.write(head + table + rest)


def keep_memory(folder, shift=0, module=MODULE):
    os.makedirs(folder)
    text = b"\x90" * 0x1000 + CODE + CODE
    core(os.path.join(folder, "kcore"), [(TEXT + shift, text), (module, CODE)])
    with open(os.path.join(folder, "kallsyms"), "w", encoding="ascii") as out:
        out.write("%x T _text\n%x T steady\n%x T changing\n%x T after\n%x t of_module\t[demo]\n%x t next_of_module\t[demo]\n"
                  % (TEXT + shift, TEXT + shift + 0x1000, TEXT + shift + 0x1009, TEXT + shift + 0x1012, module, module + 9))
    with open(os.path.join(folder, "modules"), "w", encoding="ascii") as out:
        out.write("other 4096 0 - Live 0x%x\ndemo 16384 0 - Live 0x%x\n" % (module + 0x100000, module))


def program_info(r):
    """A BPF program of two parts, with their machine code."""
    info = bytearray(224)
    parts = CODE + MOVE + RETURN
    arrays = struct.pack("<QQII", PROGRAM, PROGRAM + 0x1000, 9, 4) + parts
    for place, layout, value in ((0, "I", 1), (4, "I", 7), (16, "I", len(parts)), (24, "Q", 24), (104, "I", 2), (108, "I", 2), (112, "Q", 0), (120, "Q", 16)):
        struct.pack_into("<" + layout, info, place, value)
    return struct.pack("<IIIQ", 1, len(info), len(arrays), 1 << 3 | 1 << 4 | 1) + bytes(info) + arrays


def btf(strings):
    """Type data without types."""
    return struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, 0, 0, len(strings)) + strings


def check_lines(folder):
    """Lines of a BPF program, with their texts, and the names of what it calls: another part of it, the kernel, nothing that is known."""
    def call(at, to):
        return b"\xe8" + struct.pack("<i", to - at - 5)

    strings = b"\0/src/probe.c\0int first()\0\treturn second();\0"
    file, head, body = (strings.index(word) for word in (b"/src", b"int", b"\treturn"))
    first = call(PROGRAM, PROGRAM + 0x1000) + call(PROGRAM + 5, TEXT + 0x1000) + call(PROGRAM + 10, TEXT + 0x400000) + RETURN
    lines = [(PROGRAM, head, 3), (PROGRAM + 5, body, 4), (PROGRAM + 15, 999, 0)]
    parts = first + MOVE + RETURN
    places = (0, 16, 24, 24 + 20, 24 + 20 + 48)
    arrays = struct.pack("<QQII", PROGRAM, PROGRAM + 0x1000, len(first), 4) + parts
    arrays += b"".join(struct.pack("<IIII", 0, file, text, line << 10 | 2) for _at, text, line in lines) + b"".join(struct.pack("<Q", at) for at, _text, _line in lines)
    info = bytearray(224)
    for place, layout, value in ((0, "I", 1), (4, "I", 7), (16, "I", len(parts)), (24, "Q", places[2]), (104, "I", 2), (108, "I", 2), (112, "Q", 0), (120, "Q", 16), (128, "I", 5),
                                 (148, "I", 3), (152, "Q", places[3]), (160, "Q", places[4]), (168, "I", 3), (172, "I", 16), (176, "I", 8)):
        struct.pack_into("<" + layout, info, place, value)
    r = Recording()
    event = r.event("cycles", ids=[1], type=1, config=0, sample_type=IDENTIFIER | IP | TID | TIME, sample_id_all=1, period=10)
    r.mmap(-1, 0, TEXT, 0x2000, TEXT, "[kernel.kallsyms]_text", misc=KERNEL, time=1)
    for address, size, name in ((PROGRAM, len(first), "bpf_prog_0123456789abcdef_first"), (PROGRAM + 0x1000, 4, "bpf_prog_1123456789abcdef_second")):
        r.record(17, r.pack("QIHH", address, size, 1, 0) + r.text(name), time=2)
    for address in (PROGRAM, PROGRAM + 10, PROGRAM + 0x1003):
        r.sample(event, misc=KERNEL, ip=address, pid=7, tid=7, time=3)
    r.feature(6, r.string("x86_64"))
    r.feature(25, struct.pack("<IIIQ", 1, len(info), len(arrays), 1 | 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7) + bytes(info) + arrays + bytes(-len(arrays) % 8))
    data = btf(strings)
    r.feature(26, struct.pack("<III", 1, 5, len(data)) + data)
    path, names = os.path.join(folder, "lines.data"), os.path.join(folder, "kallsyms")
    r.save(path)
    with open(names, "w", encoding="ascii") as out:
        out.write("%x T _text\n%x T steady\n%x T _etext\n" % (TEXT, TEXT + 0x1000, TEXT + 0x2000))
    found = {f["symbol"]: [(row["offset"], row.get("source"), row.get("line"), row.get("source_text"), row.get("callee")) for row in f["rows"]]
             for f in annotate(path, "--kallsyms", names)}
    wanted = {FIRST: [(0, "/src/probe.c", 3, "int first()", SECOND), (5, "/src/probe.c", 4, "\treturn second();", "steady"), (10, "/src/probe.c", 4, "\treturn second();", None),
                      (15, "/src/probe.c", None, None, None)],
              SECOND: [(0, None, None, None, None), (3, None, None, None, None)]}
    report("lines of BPF programs, and what they call", [] if found == wanted else [found, wanted])
    page = os.path.join(folder, "page.html")
    for words in ([], ["--source", folder]):
        subprocess.run([program.PERFDATA, "flamegraph", "-q", "--force", "-o", page, "--annotate", "2", "--kallsyms", names, *words, path], check=True, timeout=120)
        with open(page, encoding="utf-8") as f:
            packed = re.search(r'<script id="annotations" type="text/plain">([^<]*)</script>', f.read()).group(1)
        report("a page has their texts %s" % ("with --source" if words else "only when asked"),
               [] if ("return second" in zlib.decompress(base64.b64decode(packed), 47).decode()) == bool(words) else ["wrong"])


def record(path, pokes=True, build_id=False, bpf=True):
    r = Recording()
    event = r.event("cycles", ids=[1], type=1, config=0, sample_type=IDENTIFIER | IP | TID | TIME, sample_id_all=1, period=10)
    clock = iter(range(1, 1000))
    r.mmap(-1, 0, TEXT, 0x2000, TEXT, "[kernel.kallsyms]_text", misc=KERNEL, time=next(clock))
    r.mmap(-1, 0, MODULE, 0x1000, 0, "[demo]", misc=KERNEL, time=next(clock))
    for address, size, kind, name in ((PROGRAM, 9, 1, "bpf_prog_0123456789abcdef_first"), (PROGRAM + 0x1000, 4, 1, "bpf_prog_1123456789abcdef_second"),
                                      (TRAMPOLINE, 9, 2, "ftrace_trampoline")):
        r.record(17, r.pack("QIHH", address, size, kind, 0) + r.text(name), time=next(clock))
    r.comm(7, 7, "task", time=next(clock))

    def poke(address, old, new):
        body = r.pack("QHH", address, len(old), len(new)) + old + new
        r.record(20, body + bytes(-len(body) % 8), time=next(clock))

    def samples(*addresses):
        for address in addresses:
            r.sample(event, misc=KERNEL, ip=address, pid=7, tid=7, time=next(clock))

    every = [TEXT + 0x1000, TEXT + 0x100e, MODULE + 5, PROGRAM + 5, PROGRAM + 0x1003]
    if pokes:
        poke(TRAMPOLINE, b"", CODE)
    samples(*every, *([TRAMPOLINE + 8] if pokes else []))
    if pokes:
        poke(TEXT + 0x1009, JUMP, NOP)           # memory was copied after the change
        samples(*every)
        poke(PROGRAM, NOP, JUMP)
        samples(*every)
    r.feature(6, r.string("x86_64"))
    if build_id:
        name = b"[kernel.kallsyms]\0".ljust(64, b"\0")
        body = r.pack("i", -1) + BUILD_ID + bytes([20, 0, 0, 0]) + name
        r.feature(2, r.pack("IHH", 67, 1 << 15 | KERNEL, 8 + len(body)) + body)
    if bpf:
        r.feature(25, program_info(r))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    r.save(path)


def annotate(path, *words, home="/nowhere"):
    done = subprocess.run([program.PERFDATA, "annotate", "-q", "--json", "--top", "0", *words, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                          env=dict(os.environ, HOME=home))
    return json.loads(done.stdout)["functions"] if done.returncode == 0 else [done.stderr.decode()]


def seen(functions):
    """Of each function, in order of name and first instruction: first words of its instructions, or why there are none."""
    return sorted((f["symbol"], " ".join(row["text"].split()[0] for row in f["rows"] if "text" in row) or f.get("no_code", "nothing"), sum(row["sums"][0][0] for row in f["rows"]))
                  for f in functions)


def differing(found, wanted):
    return [] if found == sorted(wanted) else [found, sorted(wanted)]


PLAIN, CHANGED = "nopl movq retq", "jmp movq retq"
FIRST, SECOND = "bpf_prog_0123456789abcdef_first", "bpf_prog_1123456789abcdef_second"


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rec")
        record(os.path.join(path, "data"))
        keep_memory(os.path.join(path, "kcore_dir"))
        functions = annotate(path)
        if not any("decoder" in f for f in functions):
            print("1..0 # SKIP no library decodes instructions here: %s" % functions[0])
            return 0
        wanted = [("steady", PLAIN, 3), ("changing", CHANGED, 1), ("changing", PLAIN, 2), ("of_module", PLAIN, 3), (FIRST, PLAIN, 2), (FIRST, CHANGED, 1), (SECOND, "movq retq", 3),
                  ("ftrace_trampoline", PLAIN, 1)]
        report("memory beside the recording, BPF programs, and changes by time", differing(seen(functions), wanted))
        report("addresses are where the code was", differing(sorted({f["start"] for f in functions}),
                                                             ["0x%x" % at for at in (TEXT + 0x1000, TEXT + 0x1009, MODULE, PROGRAM, PROGRAM + 0x1000, TRAMPOLINE)]))
        check_lines(folder)
        report("the same with more threads", [] if functions == annotate(path, "-j", "4") else ["not"])

        shutil.rmtree(os.path.join(path, "kcore_dir"))
        keep_memory(os.path.join(path, "kcore_dir"), shift=0x200000)
        found = [text for _name, text, _sum in seen(f for f in annotate(path) if f["dso"].startswith("[kernel"))]
        report("no code of another boot", [text for text in found if "movq" in text] or ([] if found else ["nothing"]))
        shutil.rmtree(os.path.join(path, "kcore_dir"))
        keep_memory(os.path.join(path, "kcore_dir"), module=MODULE + 0x10000)
        found = [text for _name, text, _sum in seen(f for f in annotate(path) if f["dso"] == "[demo]")]
        report("no code of a module that was elsewhere", [text for text in found if "movq" in text])

        home = os.path.join(folder, "home")
        path = os.path.join(folder, "alone", "perf.data")
        record(path, pokes=False, build_id=True, bpf=False)
        copies = os.path.join(home, ".debug", "[kernel.kcore]", BUILD_ID.hex())
        keep_memory(os.path.join(copies, "2026010100000000"))
        keep_memory(os.path.join(copies, "2026020200000000"), shift=0x200000)
        names = ["--kallsyms", os.path.join(copies, "2026010100000000", "kallsyms")]
        functions = annotate(path, *names, home=home)
        none = "the recording has no code of the BPF program"
        report("memory of the recorded boot in perf's cache", differing(seen(functions), [("steady", PLAIN, 1), ("changing", PLAIN, 1), ("of_module", PLAIN, 1), (FIRST, none, 1), (SECOND, none, 1)]))
        shutil.move(copies, copies[:-2] + "ff")
        report("not of another build-id", [f for f in annotate(path, *names, home=home) if "decoder" in f])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
