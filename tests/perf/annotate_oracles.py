#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`annotate` beside what others say of the same code: starts, mnemonics and lines of instructions of arm64, i386 and x86-64 are objdump's, in recordings that are of
such machines; shares of addresses are those of `perf annotate --stdio`, for a C++ program with inlined functions, the C library, and node's jitdump. PERF names the perf.
Prints TAP; parts for which a compiler, perf or node is missing say so."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from builder import IDENTIFIER, IP, Recording, TID, TIME

PERF = os.environ.get("PERF", "perf")
START = {"aarch64": 0x400000, "i686": 0x8048000, "x86_64": 0x400000}
FOREIGN = r"""
typedef unsigned long word;
static inline word mix(word a, word b) { return (a ^ b) * 2654435761u + (a >> 3); }
word table[64];
double halves(double of, int n) { while (n-- > 0) of = of / 2 + n; return of; }
word work(word n)
{
	word sum = 1;
	for (word i = 0; i < n; i++) {
		if (i % 3)
			sum = mix(sum, i);
		else
			table[i & 63] += sum;
	}
	return sum;
}
int select(int which, word *out)
{
	switch (which) {
	case 0: *out = work(1); return 3;
	case 1: *out = work(2); return 4;
	case 2: *out = table[3]; return 5;
	case 3: *out = 0; return 9;
	case 4: __atomic_fetch_add((int *)out, 3, __ATOMIC_SEQ_CST); return 1;
	}
	return -1;
}
void _start(void) { table[1] = (word)select(2, table) + work(table[2]) + (word)halves(3, 4); for (;;) ; }
"""
HOT = r"""
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>
struct Sum { unsigned long of = 1; void add(unsigned long more) { of = of * 31 + more; } };
volatile int rounds = 40000;
unsigned long __attribute__((noinline)) work(int n) { Sum s; for (int i = 0; i < n; i++) { s.add(i); if (i % 3) s.add(s.of >> 7); } return s.of; }
unsigned long __attribute__((noinline)) other(int n) { Sum s; for (int i = 0; i < n; i++) s.add(i ^ s.of); return s.of; }
int main()
{
	unsigned long sum = 0;
	for (int i = 0; i < 3000; i++)
		sum += work(rounds) + other(rounds);
	std::vector<char> from(1 << 16, 1), to(1 << 16);
	for (int i = 0; i < 60000; i++) {
		from[i] = (char)i;
		memcpy(to.data(), from.data(), from.size());
		sum += to[i];
	}
	printf("%lu\n", sum);
}
"""
SCRIPT = "function work(n) { let s = 1; for (let i = 0; i < n; i++) s = (s * 31 + (i ^ s)) | 0; return s; }\nlet t = 0; for (let i = 0; i < 400; i++) t += work(1000000); console.log(t);"
tap = program.Tap()
report = tap.report


def call(*words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, **more)
    return done.stdout.decode("utf-8", "replace")


def functions_of(path, *words):
    return json.loads(call(program.PERFDATA, "annotate", "-q", "--json", *words, path))["functions"]


def is_same(ours, theirs, machine):
    """x86: binutils leave the letter of the operand's size out where an operand says it."""
    return ours == theirs or (machine != "aarch64" and ours[-1] in "bwlq" and ours[:-1] == theirs)


def listing_of(objdump, binary):
    """{function: [(address, mnemonic)]}"""
    found = {}
    for part in re.split(r"\n\n", call(objdump, "-d", "--no-show-raw-insn", binary)):
        head = re.search(r"^[0-9a-f]+ <(\w+)>:$", part, re.M)
        if head:
            # two spellings of the same two bytes
            found[head.group(1)] = [(int(at, 16), "nop" if re.match(r"xchg\s+%ax,%ax", text) else text.split()[0]) for at, text in re.findall(r"^\s*([0-9a-f]+):\t(\S.*)", part, re.M)]
    return found


def check_foreign(folder, machine, compiler, objdump, addr2line):
    if not all(shutil.which(word) for word in (compiler, objdump, addr2line)):
        tap.skip("code of " + machine, "no %s (tests/setup --validators)" % compiler)
        return
    source, binary, path = (os.path.join(folder, machine + suffix) for suffix in (".c", ".bin", ".data"))
    with open(source, "w", encoding="ascii") as f:
        f.write(FOREIGN)
    subprocess.run([compiler, "-O2", "-g", "-fcf-protection=none" if machine != "aarch64" else "-g", "-nostdlib", "-static", "-no-pie", "-fno-pic", "-ffreestanding", *(["-mno-outline-atomics"] if machine == "aarch64" else []),
                    "-Wl,--build-id", "-Wl,-Ttext-segment=0x%x" % START[machine], "-o", binary, source], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    build_id = re.search(r"Build ID: ([0-9a-f]+)", call("readelf", "-n", binary)).group(1)
    listing = listing_of(objdump, binary)
    recording = Recording()
    event = recording.event("cycles", ids=[1], type=0, config=0, sample_type=IDENTIFIER | IP | TID | TIME, sample_id_all=1, period=10)
    recording.comm(100, 100, "program", time=1)
    recording.mmap2(100, 100, START[machine], (os.path.getsize(binary) + 4095) & ~4095, 0, binary, build_id=bytes.fromhex(build_id), time=2)
    symbols = {}
    for value, size, name in re.findall(r"^\s*\d+: ([0-9a-f]+)\s+(\d+) FUNC .* (\w+)$", call("readelf", "-sW", binary), re.M):
        symbols[name] = int(value, 16) + int(size)
    for name, code in listing.items():
        for at in [at for at, _mnemonic in code if at < symbols[name]]:
            recording.sample(event, ip=at, pid=100, tid=100, time=3 + at)
    recording.save(path)
    starts, names, lines, nr = [], [], [], 0
    for function in functions_of(path, "--top", "0"):
        code = {at: mnemonic for at, mnemonic in listing[function["symbol"]] if at < symbols[function["symbol"]]}   # padding follows
        if "decoder" not in function:
            report("%s: %s has instructions" % (machine, function["symbol"]), [function["no_code"]])
            continue
        rows = {int(row["address"], 16): row for row in function["rows"]}
        starts += [hex(at) for at in rows.keys() ^ code.keys()]
        names += [(hex(at), rows[at]["text"], code[at]) for at in rows.keys() & code.keys()
                  if not is_same(rows[at]["text"].split()[0], code[at], machine)]
        wanted = call(addr2line, "-e", binary, *map(hex, sorted(code))).split("\n")
        lines += [(hex(at), rows[at].get("line"), line) for at, line in zip(sorted(code), wanted)
                  if at in rows and str(rows[at].get("line")) != re.sub(r" .*", "", line.rsplit(":", 1)[-1]).replace("?", "None")]
        nr += len(code)
    report("%s: starts of %d instructions are objdump's" % (machine, nr), starts or ([] if nr > 50 else [nr]))
    report("%s: mnemonics are objdump's" % machine, names)
    report("%s: lines are addr2line's" % machine, lines)


def check_shares(path, label, least):
    """The share of each address in its function, as perf prints it."""
    wrong, compared, rows = [], 0, 0
    for function in functions_of(path, "--top", "8"):
        name = re.sub(r"\(.*", "", function["symbol"])
        text = call(PERF, "annotate", "--stdio", "-f", "-i", path, "-s", name)
        theirs = {int(at, 16): float(share) for share, at in re.findall(r"^\s*([0-9.]+) :\s+([0-9a-f]+):\s+\S", text, re.M)}
        if not theirs:
            continue
        compared += 1
        weight = function["sums"][0][1]
        ours = {int(row["address"], 16): 100 * row["sums"][0][1] / weight for row in function["rows"]}
        rows += len(theirs)
        wrong += [(name, hex(at), theirs[at], ours.get(at)) for at in theirs if abs(theirs[at] - ours.get(at, 0)) > 0.0051]
        wrong += [(name, hex(at), "perf has no such row", share) for at, share in ours.items() if share and at not in theirs]
    report("%s: shares of %d addresses in %d functions are perf's" % (label, rows, compared), wrong or ([] if compared >= least else ["too few functions"]))


def check_perf(folder):
    path = os.path.join(folder, "perf.data")
    program_path = os.path.join(folder, "hot")
    with open(program_path + ".cc", "w", encoding="ascii") as f:
        f.write(HOT)
    done = subprocess.run(["c++", "-O2", "-g", "-Wl,--build-id", "-o", program_path, program_path + ".cc"], stderr=subprocess.DEVNULL, check=False)
    if done.returncode or not shutil.which(PERF):
        tap.skip("shares beside perf's", "no perf, or no C++ compiler")
        return
    environment = dict(os.environ, HOME=folder)   # perf keeps what it recorded there
    done = subprocess.run([PERF, "record", "-q", "-F", "2000", "-e", "cpu-clock:u", "-o", path, program_path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, check=False)
    if done.returncode:
        tap.skip("shares beside perf's", "perf cannot record here: %r" % done.stderr[:200])
        return
    os.environ["HOME"] = folder
    check_shares(path, "C++ and libc", 2)
    if not shutil.which("node"):
        tap.skip("code of jitdump files", "no node")
        return
    raw = os.path.join(folder, "node.raw")
    subprocess.run([PERF, "record", "-q", "-k", "mono", "-F", "2000", "-e", "cpu-clock:u", "-o", raw, "node", "--perf-prof", "-e", SCRIPT], cwd=folder, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    subprocess.run([PERF, "inject", "-f", "-j", "-i", raw, "-o", path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    ours = [f for f in functions_of(raw, "--symbol", "*work*") if "decoder" in f]
    injected = [f for f in functions_of(path, "--symbol", "*work*") if "decoder" in f]

    def texts(functions):
        return sorted((f["symbol"], f["sums"], [(row["offset"], row["size"], row["sums"]) for row in f["rows"]]) for f in functions)
    report("node: code out of the jitdump file is that which perf inject -j writes as files", [] if ours and texts(ours) == texts(injected) else [texts(ours)[:1], texts(injected)[:1]])


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_foreign(folder, "aarch64", "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump", "aarch64-linux-gnu-addr2line")
        check_foreign(folder, "i686", "i686-linux-gnu-gcc", "i686-linux-gnu-objdump", "i686-linux-gnu-addr2line")
        check_foreign(folder, "x86_64", "gcc", "objdump", "addr2line")
        check_perf(folder)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
