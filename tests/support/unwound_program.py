# SPDX-License-Identifier: MIT
"""The program of testdata/unwind/x86_64, and recordings with copies of its stacks."""
import os
import re
import subprocess

from builder import CALLCHAIN, IP, REGS_USER, STACK_USER, TID, TIME
from elf_program import Elf
from program import PERFDATA, TOP

REGISTERS = 0xff0fff
IP_NUMBER, SP_NUMBER, FRAME_NUMBER = 8, 7, 6
STACK = 0x7ffe0000
PATH = "/unwind/program"


def has_elfutils():
    version = subprocess.run([PERFDATA, "--version"], capture_output=True, check=True).stdout
    return re.search(rb"(?m)^built with:.* elfutils\b", version) is not None


def put_program(folder):
    """Writes the program at PATH below `folder`, for --symfs."""
    elf = Elf(os.path.join(TOP, "testdata", "unwind", "x86_64"))
    os.mkdir(folder + os.path.dirname(PATH))
    with open(folder + PATH, "wb") as out:
        out.write(elf.bytes)
    return elf


def add_event(recording, stack_bytes):
    """An event whose samples have copies of user registers and stacks."""
    return recording.event("cpu-clock", ids=[1], type=1, sample_id_all=1, period=1000, regs_user=REGISTERS, stack_user=stack_bytes,
                           exclude_callchain_user=1, sample_type=IP | TID | TIME | CALLCHAIN | REGS_USER | STACK_USER)


def map_program(recording, elf, pid, time):
    recording.mmap2(pid, pid, elf.start, 0x1000, elf.pgoff, PATH, time=time)


def fields_of_sample(registers, **fields):
    """Fields of a sample; registers: values by their number in perf_regs."""
    values = [registers.get(i, 0) for i in range(64) if REGISTERS >> i & 1]
    return {"ip": registers[IP_NUMBER], "callchain": [], "user_abi": 2, "user_regs": values, **fields}
