#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unwinds user stacks of other machines: recordings with registers and stack memory, made for the programs of testdata/unwind.

Prints TAP. With PERF_TEXT=FOLDER the recordings stay there, to be shown to perf.
"""
import gzip
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.dont_write_bytecode = True
from program import PERFDATA, TOP  # noqa: E402
import unwound_program  # noqa: E402
from elf_program import Elf  # noqa: E402
from builder import Recording, IP, TID, TIME, REGS_USER, STACK_USER, CALLCHAIN, CONTEXT_USER  # noqa: E402

from views import Page  # noqa: E402

PROGRAMS = os.path.join(TOP, "testdata", "unwind")
STACK = 0x7ffe0000
WORDS_OF_OUTER, WORDS_OF_MIDDLE = 4, 8


# For each machine: ARCH, the ABI of its registers, their mask, and the place of each value when leaf begins.
# memory: {words above the stack pointer: which return address, or "frame"}; caller: the register that has middle's address.

class Machine:
    def __init__(self, arch, abi, mask, ip, sp, frame, caller, memory, is_thumb=False):
        self.arch, self.abi, self.mask, self.ip, self.sp, self.frame, self.caller, self.memory = arch, abi, mask, ip, sp, frame, caller, memory
        # in a return address, the lowest bit says that it leads to Thumb code
        self.mark = 1 if is_thumb else 0


MACHINES = {
    # the first word is middle's, unless a register has it
    "x86_64": Machine("x86_64", 2, 0xff0fff, ip=8, sp=7, frame=6, caller=None, memory={0: 0, 8: 1, 9: "frame", 10: 2}),
    "i386": Machine("i686", 1, 0xfff, ip=8, sp=7, frame=6, caller=None, memory={0: 0, 8: 1, 9: "frame", 10: 2}),
    "aarch64": Machine("aarch64", 2, 0x1ffffffff, ip=32, sp=31, frame=29, caller=30, memory={7: 1, 8: "frame", 9: 2}),
    "arm": Machine("armv7l", 1, 0xffff, ip=15, sp=13, frame=11, caller=14, memory={5: 1, 6: "frame", 7: 2}),
    "arm-exidx": Machine("armv7l", 1, 0xffff, ip=15, sp=13, frame=11, caller=14, memory={5: 1, 6: "frame", 7: 2}),
    "thumb-exidx": Machine("armv7l", 1, 0xffff, ip=15, sp=13, frame=7, caller=14, memory={5: 1, 6: "frame", 7: 2}, is_thumb=True),
}
# the same programs recorded by a kernel of 64 bits
COMPAT = {"i386 on x86_64": ("i386", "x86_64", 0xff0fff), "arm on aarch64": ("arm", "aarch64", 0x1ffffffff)}


def save(elf, arch, path, sample, **attr):
    r = Recording()
    event = r.event("cpu-clock", ids=[1], type=1, sample_id_all=1, period=1000, **attr)
    r.comm(100, 100, "frames", time=1)
    r.mmap2(100, 100, elf.start, 0x1000, elf.pgoff, "/unwind/program", time=2)
    r.sample(event, ip=elf.symbols["leaf"], pid=100, tid=100, time=3, **sample)
    r.feature(6, r.string(arch))
    r.save(path)


def make_recording(elf, machine, arch, mask, path, copied=256):
    size = 8 if elf.wide else 4
    frame_at = next(at for at, what in machine.memory.items() if what == "frame")
    # frame pointers: outer's own one, which is where the caller's was kept
    registers = {machine.ip: elf.symbols["leaf"], machine.sp: STACK, machine.frame: STACK + size * frame_at}
    if machine.caller is not None:
        registers[machine.caller] = elf.returns[0] | machine.mark
    memory = [0] * 32
    for at, what in machine.memory.items():
        memory[at] = 0 if what == "frame" else elf.returns[what] | machine.mark
    values = [registers.get(i, 0) for i in range(64) if mask >> i & 1]
    stack = struct.pack(f"<32{'Q' if elf.wide else 'I'}", *memory).ljust(256, b"\0")[:copied]
    save(elf, arch, path, {"callchain": [], "user_abi": machine.abi, "user_regs": values, "stack": stack},
         sample_type=IP | TID | TIME | CALLCHAIN | REGS_USER | STACK_USER, regs_user=mask, stack_user=copied, exclude_callchain_user=1)


# A chain of frame pointers lacks middle, which called leaf and made no frame record; the link register knows of it.
def make_leaf_recording(elf, path, register):
    leaf, (_, _, last) = elf.symbols["leaf"], elf.returns
    save(elf, "aarch64", path, {"callchain": [CONTEXT_USER, leaf, last], "user_regs": [register]},
         sample_type=IP | TID | TIME | CALLCHAIN | REGS_USER, regs_user=1 << 30)


def steps_of(recording, symfs):
    done = subprocess.run([PERFDATA, "script", "--symfs", symfs, "-F", "ip,sym", recording], capture_output=True, check=True,
                          env=dict(os.environ, HOME="/nonexistent"))
    found = re.findall(rb"^\s*([0-9a-f]+) (\S+)$", done.stdout, re.M)
    return [(int(ip, 16), name.decode()) for ip, name in found], done.stderr.decode()


def check(number, title, recording, folder, want):
    steps, said = steps_of(recording, folder)
    print(f"{'ok' if steps == want else 'not ok'} {number} - {title}: {', '.join(name for _, name in want)}")
    if steps != want:
        print(f"# {steps}, wanted {want}; {said[:300]!r}")
    return steps == want


def chain_of(recording):
    """The addresses of the only sample's call chain, and whether its line has memory or registers."""
    done = subprocess.run([PERFDATA, "ndjson", "-q", "--symbols", "no", "--type", "sample", recording], capture_output=True, check=True)
    sample = json.loads(done.stdout.splitlines()[1])
    return sample["callchain"], "user_stack" in sample or "user_regs" in sample


def check_anonymous(number, title, recording, folder, want):
    """Made anonymous, the chain has what was unwound, all moved alike, and what it was unwound from is gone."""
    out = os.path.join(folder, "anonymous.data")
    subprocess.run([PERFDATA, "anonymize", "-q", "--symfs", folder, recording, "-o", out, "--force"], check=True)
    chain, has_memory = chain_of(out)
    found = [int(word, 16) for word in chain[1:]]
    good = not has_memory and chain[0] == "PERF_CONTEXT_USER" and len(found) == len(want) and len({a - b for a, (b, _) in zip(found, want)}) == 1
    print(f"{'ok' if good else 'not ok'} {number} - {title}, made anonymous")
    if not good:
        print(f"# {chain}, wanted {want}")
    return good


def check_cut(number, title, recording, folder, want):
    """A stack that goes on above its copy says so; want: the names from the root on."""
    def said(command, *options):
        return subprocess.run([PERFDATA, command, "--symfs", folder, *options, recording], capture_output=True, check=True).stdout.decode()

    names = ";".join(want)
    lines = said("folded"), said("folded", "--truncated"), said("folded", "--truncated", "--root", want[0])
    tree = ("--tree", "--min-percent", "0", "--truncated")
    shown = said("report"), said("report", *tree), said("report", *tree, "--root", want[0])
    counted = json.loads(said("report", "--json"))["events"][0].get("cut_stacks")
    packed = [gzip.decompress(subprocess.run([PERFDATA, "pprof", "-q", "--symfs", folder, *more, recording], capture_output=True, check=True).stdout)
              for more in ((), ("--truncated",), ("--truncated", "--root", want[0]))]
    page = Page(said("flamegraph", "--truncated").encode())
    good = (lines == (f"frames;{names} 1\n", f"frames;[truncated stack];{names} 1\n", f"frames;{names} 1\n")
            and "1 of 1 stacks (100.00 %) were cut" in shown[0] and "dwarf,65528" in shown[0] and "[truncated stack]" not in shown[0]
            and "[truncated stack]" in shown[1] and "[truncated stack]" not in shown[2] and want[0] in shown[2] and counted == 1
            and any("1 of 1 stacks (100.00 %) were cut" in line for line in page.meta["warnings"]) and b"[truncated stack]" in page.names
            and [profile.count(b"[truncated stack]") for profile in packed] == [0, 1, 0])
    print(f"{'ok' if good else 'not ok'} {number} - {title}, cut")
    if not good:
        print(f"# {lines}, {shown}, {counted}")
    return good


def is_said_to_be_cut(recording, folder):
    done = subprocess.run([PERFDATA, "report", "--symfs", folder, recording], capture_output=True, check=True)
    return b"were cut" in done.stdout


def main():
    if not unwound_program.has_elfutils():
        print("1..0 # SKIP built without elfutils")
        return 0
    cases = {name: (name, machine.arch, machine.mask) for name, machine in MACHINES.items()}
    cases.update(COMPAT)
    print(f"1..{4 * len(cases) + 2}")
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        number = 0
        for title, (name, arch, mask) in cases.items():
            number += 1
            folder = os.path.join(os.environ.get("PERF_TEXT") or scratch, title.replace(" ", "-"))
            os.makedirs(os.path.join(folder, "unwind"), exist_ok=True)
            elf = Elf(os.path.join(PROGRAMS, name))
            elf.symbols["leaf"] &= ~MACHINES[name].mark
            with open(os.path.join(folder, "unwind", "program"), "wb") as out:
                out.write(elf.bytes)
            recording = os.path.join(folder, "perf.data")
            make_recording(elf, MACHINES[name], arch, mask, recording)
            leaf, middle, outer, last = elf.symbols["leaf"], *elf.returns
            want = [(leaf, "leaf"), (middle - 1, "middle"), (outer - 1, "outer"), (last - 1, "_start")]
            good &= check(number, title, recording, folder, want)
            number += 1
            good &= check_anonymous(number, title, recording, folder, want)
            number += 1
            whole = not is_said_to_be_cut(recording, folder)
            print(f"{'ok' if whole else 'not ok'} {number} - {title}, not cut")
            good &= whole
            # without the word that has the address of the outermost caller, and what alignment leaves of the words before it
            number += 1
            copied = (max(MACHINES[name].memory) - 1) * (8 if elf.wide else 4) + 7 & ~7
            recording = os.path.join(folder, "cut.data")
            make_recording(elf, MACHINES[name], arch, mask, recording, copied)
            good &= check_cut(number, title, recording, folder, ["outer", "middle", "leaf"])
            if title != "aarch64":
                continue
            recording = os.path.join(folder, "leaf.data")
            make_leaf_recording(elf, recording, middle)
            good &= check(number + 1, "aarch64, frame pointers and link register", recording, folder, [want[0], want[1], (last, "_start")])
            make_leaf_recording(elf, recording, last + 1)
            good &= check(number + 2, "aarch64, what is there already", recording, folder, [want[0], (last, "_start")])
            number += 2
    return 0 if good else 1


sys.exit(main())
