#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""User stacks through code of a JIT compiler: by the rules that its jitdump file has (JIT_CODE_UNWINDING_INFO), by the frame pointer where these are
empty; they end where there are none. The same with a bundle of answers in place of the files, and for any number of threads. Prints TAP."""
import os
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402
import unwound_program  # noqa: E402
from unwound_program import FRAME_NUMBER, IP_NUMBER, SP_NUMBER, STACK  # noqa: E402
from builder import Recording  # noqa: E402
from elf_program import Elf  # noqa: E402

STACK_WORDS = 64
JIT = 0x20000000
RULES, POINTER, UNKNOWN, MOVED, BROKEN = JIT + 0x100, JIT + 0x200, JIT + 0x300, JIT + 0x400, JIT + 0x500
SIZE, LOADED, MOVED_AT = 0x3c, 5, 500
FRAMES_INDEX = bytes(20)
tap = program.Tap()


def entry(content):
    content += bytes(-(len(content) + 4) % 8)
    return struct.pack("<I", len(content)) + content


def frames_of(size):
    """.eh_frame of a code: the caller's frame is 8 bytes above the stack pointer, and 40 from the fourth byte of the code on."""
    cie = entry(struct.pack("<IB", 0, 1) + b"zR\0" + bytes((1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1)))
    begin = -(((size + 7) & ~7) + len(cie) + 8)
    return cie + entry(struct.pack("<IiI", len(cie) + 4, begin, size) + bytes((0, 0x44, 0x0e, 40))) + bytes(4)


def jit_record(kind, body, time=LOADED):
    return struct.pack("<IIQ", kind, 16 + len(body), time) + body


def unwinding(frames):
    content = frames + FRAMES_INDEX
    return jit_record(4, struct.pack("<QQQ", len(content), len(FRAMES_INDEX), len(content)) + content)


def load(name, address, number):
    return jit_record(0, struct.pack("<IIQQQQ", 300, 300, address, address, SIZE, number) + name + b"\0" + bytes(SIZE))


def jitdump():
    head = struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 300, 0, 0)
    move = jit_record(1, struct.pack("<IIQQQQQ", 300, 300, RULES, RULES, MOVED, SIZE, 1), MOVED_AT)
    broken = frames_of(SIZE)[:-20]
    return (head + unwinding(frames_of(SIZE)) + load(b"by_rules", RULES, 1) + unwinding(b"") + load(b"by_pointer", POINTER, 2) +
            load(b"unknown", UNKNOWN, 3) + unwinding(broken) + load(b"broken", BROKEN, 4) + move)


def samples(elf):
    """(what it is, time, ip, words of the stack by their place, where the frame pointer points, functions)"""
    middle, outer, start = elf.returns
    below = {7: STACK + 8 * 17, 8: middle, 16: outer, 18: start}
    callers = ["middle", "outer", "_start"]
    yield "rules, then the frame pointer", 10, RULES + 0x10, {4: POINTER + 8, **below}, 7, ["by_rules", "by_pointer", *callers]
    yield "another row of the rules", 20, RULES + 2, {0: POINTER + 8, **below}, 7, ["by_rules", "by_pointer", *callers]
    yield "called from a program", 30, elf.symbols["leaf"], {0: RULES + 0x10, 5: middle, 13: outer, 15: start}, 14, ["leaf", "by_rules", *callers]
    yield "no rules", 40, UNKNOWN + 8, {0: POINTER + 8, **below}, 7, []
    yield "called from code without rules", 50, RULES + 2, {0: UNKNOWN + 8, **below}, 7, ["by_rules"]
    yield "rules that are cut", 60, BROKEN + 8, {0: POINTER + 8, **below}, 7, []
    yield "moved code", MOVED_AT + 10, MOVED + 0x10, {4: POINTER + 8, **below}, 7, ["by_rules", "by_pointer", *callers]


def make_recording(elf, path):
    r = Recording()
    event = unwound_program.add_event(r, 8 * STACK_WORDS)
    r.comm(300, 300, "compiler", time=1)
    unwound_program.map_program(r, elf, 300, 2)
    r.mmap2(300, 300, 0x30000000, 0x1000, 0, "/tmp/jit-300.dump", time=3, inode=77)
    r.mmap2(300, 300, JIT, 0x1000, 0, "//anon", time=4, inode=0)
    for _what, time, ip, words, pointer, _wanted in samples(elf):
        memory = [words.get(i, 0) for i in range(STACK_WORDS)]
        registers = {IP_NUMBER: ip, SP_NUMBER: STACK, FRAME_NUMBER: STACK + 8 * pointer}
        stack = struct.pack("<%dQ" % STACK_WORDS, *memory)
        r.sample(event, pid=300, tid=300, time=time, **unwound_program.fields_of_sample(registers, stack=stack))
    r.feature(6, r.string("x86_64"))
    r.save(path)


def stacks(*words):
    found = []
    for line in program.run("script", "-q", "-F", "tid,ip,sym", *words).out.decode().splitlines():
        if line.startswith("\t"):
            found[-1].append(line.split()[1])
        elif line.strip():
            found.append([])
    return found


def main():
    elf = Elf(os.path.join(program.TESTDATA, "unwind", "x86_64-indexed"))
    with tempfile.TemporaryDirectory() as folder:
        root, recording, bundle = (os.path.join(folder, name) for name in ("root", "perf.data", "answers.tar"))
        for path, content in (("unwind/program", elf.bytes), ("tmp/jit-300.dump", jitdump())):
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "wb") as out:
                out.write(content)
        make_recording(elf, recording)
        found = stacks("--symfs", root, recording)
        for (what, *_rest, wanted), one in zip(samples(elf), found + [None] * 9):
            tap.report(what, [] if one == wanted else [one, wanted])
        tap.report("any number of threads", [jobs for jobs in "1248" if stacks("--symfs", root, "-j", jobs, recording) != found])
        made = program.run("bundle", "-q", "--level", "answers", "--symfs", root, recording, "-o", bundle)
        answered = stacks("--symbols-from", bundle, recording)
        tap.report("a bundle of answers", [] if made.code == 0 and answered == found else [made.err, answered])
    return tap.end()


sys.exit(main())
