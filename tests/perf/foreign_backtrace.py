#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""User stacks of other machines against the truth: programs that qemu runs copy their registers and stack memory at places where they print their
own backtrace(). This script makes recordings of these copies, as perf would on such a machine. Each stack that perfdata finds has to be the printed
one. Prints TAP, with the shares of right stacks, also those of perf, which PERF names.

Debian's C library for 32-bit ARM has no .eh_frame and no .debug_frame: only the index of exceptions (.ARM.exidx) leads through qsort() and to main's
callers. Programs with -g have .debug_frame, others the index alone. aarch64 code signs its return addresses; qemu checks the signatures.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.dont_write_bytecode = True
from program import PERFDATA  # noqa: E402
from builder import Recording, IP, TID, TIME, REGS_USER, STACK_USER, CALLCHAIN  # noqa: E402

PERF = os.environ.get("PERF", "perf")
COPIED = 16384

SOURCE = r"""
#include <alloca.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* Stores the registers in perf's order, with the return address as the instruction pointer. */
#ifdef __arm__
# define REGISTERS 16
# define SP 13
__asm__(".text\n.arm\n.globl take_registers\n.type take_registers, %function\ntake_registers:\n"
	"stmia r0, {r0-r12}\nstr sp, [r0, #52]\nstr lr, [r0, #56]\nbic r1, lr, #1\nstr r1, [r0, #60]\nbx lr\n"
	".size take_registers, .-take_registers\n"
#ifdef __thumb__
	".thumb\n"
#endif
);
#else
# define REGISTERS 33
# define SP 31
__asm__(".text\n.globl take_registers\n.type take_registers, %function\ntake_registers:\n"
	"stp x0, x1, [x0]\nstp x2, x3, [x0, #16]\nstp x4, x5, [x0, #32]\nstp x6, x7, [x0, #48]\nstp x8, x9, [x0, #64]\n"
	"stp x10, x11, [x0, #80]\nstp x12, x13, [x0, #96]\nstp x14, x15, [x0, #112]\nstp x16, x17, [x0, #128]\n"
	"stp x18, x19, [x0, #144]\nstp x20, x21, [x0, #160]\nstp x22, x23, [x0, #176]\nstp x24, x25, [x0, #192]\n"
	"stp x26, x27, [x0, #208]\nstp x28, x29, [x0, #224]\nstr x30, [x0, #240]\nmov x1, sp\nstr x1, [x0, #248]\n"
	"str x30, [x0, #256]\nret\n.size take_registers, .-take_registers\n");
#endif
void take_registers(unsigned long *to);

static char *stack_end;   /* of this thread */
static void put(const void *bytes, size_t size) { fwrite(bytes, 1, size, stdout); }
__attribute__((noinline)) int place(int k)
{
	unsigned long registers[REGISTERS];
	void *found[128];
	const int n = backtrace(found, 128);
	take_registers(registers);
	const char *sp = (const char *)registers[SP];
	const size_t size = stack_end - sp < COPIED ? stack_end - sp : COPIED;
	put(&(uint32_t){ n }, 4);
	put(&(uint32_t){ size }, 4);
	put(found, n * sizeof *found);
	put(registers, sizeof registers);
	put(sp, size);
	return n + k;
}
__attribute__((noinline)) int even(int k);
__attribute__((noinline)) int odd(int k)
{
	char *room = alloca(16 + k % 40);
	memset(room, k, 16 + k % 40);
	return (k <= 0 ? place(k) : even(k - 1)) + room[3];
}
__attribute__((noinline)) int even(int k)
{
	double sum = k;
	for (int i = 0; i < k % 5; i++)
		sum = sum * 1.5 + i;
	return (k <= 0 ? place(k) : odd(k - 1)) + (int)sum;
}
static int compare(const void *a, const void *b)
{
	static int calls;
	if (++calls % 5 == 0)
		even(calls % 7);
	return *(const int *)a - *(const int *)b;
}
/* A call that ends the function: the return address is after it. */
__attribute__((noinline, noreturn)) static void leave(int k)
{
	place(k);
	pthread_exit(NULL);
}
__attribute__((noinline)) static int call_last(int k) { if (k > 2) leave(k); return k + 1; }
static void *in_thread(void *unused)
{
	char here;
	(void)unused;
	stack_end = &here + 256;   /* calls that end functions leave their frames */
	return (void *)(long)call_last(odd(5) + 10);
}
int main(void)
{
	char here;
	for (int i = 0; i < 20; i++) {
		int numbers[20];
		stack_end = &here + 1024;
		for (int k = 0; k < 20; k++)
			numbers[k] = (k * 7919 + i) % 31;
		even(i % 30);
		qsort(numbers, 20, sizeof *numbers, compare);
		pthread_t other;
		pthread_create(&other, NULL, in_thread, NULL);
		pthread_join(other, NULL);
	}
	put(&(uint32_t){ 0 }, 4);
	FILE *maps = fopen("/proc/self/maps", "r");
	for (int c; maps && (c = getc(maps)) != EOF;)
		putchar(c);
	return 0;
}
"""

ARM = ("arm-linux-gnueabihf", "arm", "armv7l", 4, 1)
AARCH64 = ("aarch64-linux-gnu", "aarch64", "aarch64", 8, 2)
# name; machine; options of the compiler
PROGRAMS = [
    ("arm, .debug_frame", ARM, ["-marm", "-g", "-funwind-tables"]),
    ("arm, .ARM.exidx", ARM, ["-marm", "-funwind-tables"]),
    ("thumb, .debug_frame", ARM, ["-mthumb", "-g", "-funwind-tables"]),
    ("thumb, .ARM.exidx", ARM, ["-mthumb", "-funwind-tables"]),
    ("thumb, .ARM.exidx, -O0", ARM, ["-mthumb", "-funwind-tables", "-O0"]),
    ("aarch64", AARCH64, []),
    ("aarch64, signed return addresses", AARCH64, ["-mbranch-protection=standard"]),
]


def run(*words, **options):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, **options)


def places_of(copies, word):
    """Each place: what backtrace() said, the registers, the stack; then the maps of the process."""
    places, at, letter = [], 0, "Q" if word == 8 else "I"
    registers = 33 if word == 8 else 16
    while True:
        nr, = struct.unpack_from("<I", copies, at)
        if not nr:
            return places, copies[at + 4:].decode()
        size, = struct.unpack_from("<I", copies, at + 4)
        at += 8
        words = struct.unpack_from(f"<{nr + registers}{letter}", copies, at)
        at += (nr + registers) * word
        places.append((list(words[:nr]), list(words[nr:]), copies[at:at + size]))
        at += size


def record(path, places, maps, arch, abi):
    r = Recording()
    mask = (1 << len(places[0][1])) - 1
    event = r.event("cpu-clock", ids=[1], type=1, sample_id_all=1, period=1000, exclude_callchain_user=1, regs_user=mask, stack_user=COPIED,
                    sample_type=IP | TID | TIME | CALLCHAIN | REGS_USER | STACK_USER)
    r.comm(100, 100, "program", time=1)
    for line in maps.splitlines():
        found = re.fullmatch(r"([0-9a-f]+)-([0-9a-f]+) ..x. ([0-9a-f]+) ([0-9a-f]+):([0-9a-f]+) (\d+)\s+(/.*)", line)
        if found:
            start, end, offset, *device = (int(number, 16) for number in found.groups()[:5])
            r.mmap2(100, 100, start, end - start, offset, found.group(7), device=device, inode=int(found.group(6)), time=2)
    for time, (_, registers, stack) in enumerate(places, 3):
        r.sample(event, ip=registers[-1], pid=100, tid=100, time=time, callchain=[], user_abi=abi, user_regs=registers, stack=stack.ljust(COPIED, b"\0"))
    r.feature(6, r.string(arch))
    r.save(path)


def stacks_of(words):
    text = run(*words).stdout.decode()
    return [[int(line.split()[0], 16) for line in sample.split("\n") if re.match(r"\s+[0-9a-f]+\b", line)]
            for sample in re.split(r"\n\n+", text) if sample.strip()]


def is_right(stack, printed, is_arm):
    """Callers are named by an address inside their call. The lowest bit of ARM's return addresses says that the caller is Thumb code. On ARM,
    backtrace() leaves out the outermost frame, which says that it has no caller."""
    callers = [(was & ~1 if is_arm else was) - 1 for was in printed[1:]]
    return stack[1:len(callers) + 1] == callers and len(stack) - len(callers) in ((1, 2) if is_arm else (1,))


def check(folder, machine, options):
    """The shares of right stacks of perfdata and of perf, or why there are none."""
    prefix, qemu, arch, word, abi = machine
    if not shutil.which(f"{prefix}-gcc") or not shutil.which(f"qemu-{qemu}"):
        return None, f"no {prefix}-gcc or no qemu-{qemu}"
    program, data = os.path.join(folder, "program"), os.path.join(folder, "perf.data")
    with open(program + ".c", "w", encoding="utf-8") as out:
        out.write(SOURCE)
    built = run(f"{prefix}-gcc", "-O2", "-w", f"-DCOPIED={COPIED}", "-pthread", *options, "-o", program, program + ".c")
    if built.returncode:
        return None, f"{prefix}-gcc cannot build it: {built.stderr[-200:]!r}"
    ran = run(f"qemu-{qemu}", "-L", f"/usr/{prefix}", program)
    if ran.returncode:
        return None, f"qemu-{qemu} cannot run it: {ran.stderr[-100:]!r}"
    places, maps = places_of(ran.stdout, word)
    record(data, places, maps, arch, abi)
    if os.environ.get("PERF_TEXT"):
        shutil.copytree(folder, os.environ["PERF_TEXT"], dirs_exist_ok=True)
    shares = []
    for words in ([PERFDATA, "script", "--no-inline", "-q", "--symfs", "/", "-F", "ip", data], [PERF, "script", "--no-inline", "-F", "ip", "-i", data]):
        stacks = stacks_of(words)
        shares.append(sum(is_right(stack, was, word == 4) for stack, (was, _, _) in zip(stacks, places)))
        if words[0] == PERFDATA and shares[0] != len(places):
            for stack, (was, _, _) in zip(stacks, places):
                if not is_right(stack, was, word == 4):
                    print("#", [f"{a:x}" for a in stack], [f"{a:x}" for a in was])
                    break
    return (len(places), *shares), ""


def main():
    bad = 0
    for number, (name, machine, options) in enumerate(PROGRAMS, 1):
        with tempfile.TemporaryDirectory() as folder:
            shares, why = check(folder, machine, options)
        if not shares:
            print(f"ok {number} - {name} # SKIP {why}", flush=True)
            continue
        places, ours, perfs = shares
        bad += ours != places
        print(f"{'' if ours == places else 'not '}ok {number} - {name}: of {places} stacks {ours} are right, {perfs} of perf", flush=True)
    print(f"1..{len(PROGRAMS)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
