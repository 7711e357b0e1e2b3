#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records a program here in several ways and compares what perfdata prints of it with what perf prints, names of this host included.

Also folds perf's text of stacks and compares with our folded ones. Prints TAP. PERF names the perf to record and to compare with; it has to be one of version 7, whose text is the one we print.

Where perf is not to be followed: it turns the inlined calls of C++ and Rust around (lines that differ have to be what addr2line says, and are counted); it shows a function as inlined where the debug information of its file names none and addr2line prefers
another name of the same code; it loses the stacks of a program whose code has another address than in its file, as lld links; and it names tracepoints of a stream's attributes as this host does.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from check_folded import fold
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program import PERFDATA

PERF = os.environ.get("PERF", "perf")

PROGRAM = """
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void innermost(unsigned long i) { sink += i * i; }
static inline __attribute__((always_inline)) void inlined(unsigned long i) { innermost(i); sink ^= i; }
__attribute__((noinline)) void leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) inlined(i); }
__attribute__((noinline)) void middle(unsigned long n) { leaf(n); for (int i = 0; i < 40; i++) syscall(SYS_getppid); sink++; }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	static int numbers[2000];
	struct timespec now;
	for (int round = 0; round < 300; round++) {
		for (int i = 0; i < 2000; i++)
			numbers[i] = rand();
		qsort(numbers, 2000, sizeof *numbers, compare);
		middle(20000);
		for (int i = 0; i < 3000; i++)
			clock_gettime(CLOCK_MONOTONIC, &now);
	}
	for (int i = 0; i < 6; i++) {
		pid_t child = fork();
		if (!child && i % 2)
			execlp("true", "true", NULL);
		if (!child) {
			char *memory = malloc(3 << 20);
			memset(memory, i, 3 << 20);
			middle(400000);
			_exit(memory[100] != i);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}
"""
CLOCK = ["-e", "cpu-clock", "-F", "999"]
TRACE = ["-e", "sched:sched_switch,sched:sched_process_exec,sched:sched_process_fork,syscalls:sys_enter_execve"]
# name, options of perf record; "-o -" is a stream
RECORDINGS = [
    ("frame pointers", [*CLOCK, "-g"]),
    ("stacks to unwind", ["-e", "cpu-clock", "-F", "299", "--call-graph", "dwarf"]),
    ("tracepoints", [*TRACE, "-g"]),
    ("system-wide", ["-a", "-e", "cpu-clock", "-F", "199", "-g"]),
    ("compressed", [*CLOCK, "-g", "-z"]),
    ("stream", [*CLOCK, "-g", "-o", "-"]),
    ("stream of tracepoints", [*TRACE, "-g", "-o", "-"]),
    ("many fields", [*CLOCK, "-d", "--data-page-size", "--code-page-size", "--namespaces", "--all-cgroups", "--switch-events", "-s", "-T", "-P"]),
    ("registers", [*CLOCK, "--user-regs=ip,sp,ax,bx,r8" if os.uname().machine == "x86_64" else "-d", "--intr-regs"]),
    ("groups", ["-e", "{cpu-clock,page-faults,task-clock}:S", "-F", "499"]),
    ("threads", [*CLOCK, "-a", "-g", "--threads"]),
]
SHOW = [f"--show-{what}-events" for what in "task mmap switch namespace cgroup lost bpf".split()]
# what is compared: perf's words, ours
TEXTS = {
    "script": (["script", "--no-itrace"], ["script"]),
    "script --no-inline": (["script", "--no-itrace", "--no-inline"], ["script", "--no-inline"]),
    "script -F": (["script", "--no-itrace", "-F", "+sym,+dso,+symoff,+dsoff"], ["script", "-F", "+sym,+dso,+symoff,+dsoff"]),
    "script --show-…": (["script", "--no-itrace", *SHOW], ["script", *SHOW]),
    "dump": (["script", "-D", "--no-itrace"], ["dump"]),
    "dump --no-samples-line": (["report", "-D", "--stdio", "--no-itrace"], ["dump", "--no-samples-line"]),
}


def run(*words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)


def lines_of(text):
    text = re.sub(rb"/tmp/perf-vdso\.so-\w{6}", b"[vdso]", text)
    text = re.sub(rb"\A# To display the perf.data header info, .*\n#\n", b"", text)
    text = re.sub(rb"(?m)(?<=config = )(0x\w+) \(\w+:\w+\)", rb"\1", text)
    return text.split(b"\n")


def is_explained(theirs, ours):
    """Another name of the same place, which perf takes for an inlined function."""
    one, other = re.match(rb"\s+(\w+) .*(\+0x\w+) \(inlined\)$", theirs), re.match(rb"\s+(\w+) .*(\+0x\w+) \(", ours)
    return one and other and one.groups() == other.groups()


def difference(theirs, ours):
    explained = 0
    for number, (a, b) in enumerate(zip(theirs, ours), 1):
        if a == b:
            continue
        if not is_explained(a, b):
            return f"line {number}: perf {a[:160]!r}, ours {b[:160]!r}", explained
        explained += 1
    return (f"perf has {len(theirs)} lines, we have {len(ours)}" if len(theirs) != len(ours) else ""), explained


def folded_difference(perfs_text, ours):
    """Every stack and its weight; names that perf takes from addr2line aside, which only --no-inline leaves out."""
    want = fold(perfs_text, False)
    several = len({event for event, _ in want}) > 1
    want = {(event + b";" if several else b"") + stack: number for (event, stack), number in want.items()}
    got = {line.rsplit(b" ", 1)[0]: int(line.rsplit(b" ", 1)[1]) for line in ours.splitlines()}
    odd = sorted(set(got.items()) ^ set(want.items()))
    return f"{len(got)} stacks, wanted {len(want)}; {odd[:2]!r}" if odd else ""


def record(folder, name, options, program):
    path = os.path.join(folder, name.replace(" ", "-"))
    words = [PERF, "record", "-q", *options]
    if options[-2:] == ["-o", "-"]:
        with open(path, "wb") as out:
            done = subprocess.run([*words, program], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, timeout=300)
    else:
        done = run(*words, "-o", path, "--", program)
    return (path, "") if done.returncode == 0 and os.path.exists(path) else (None, done.stderr.decode("utf-8", "replace").strip()[:100])


def build(folder, name="work", *more):
    source, program = os.path.join(folder, "work.c"), os.path.join(folder, name)
    with open(source, "w", encoding="ascii") as out:
        out.write(PROGRAM)
    compiler = next(filter(shutil.which, (os.environ.get("CC", "cc").split()[0], "gcc", "clang")), None)
    return program if compiler and run(compiler, "-O2", "-g", "-fno-omit-frame-pointer", *more, "-o", program, source).returncode == 0 else None


# --- C++ and Rust: what is inlined ------------------------------------------------------------------------------------

CXX_PROGRAM = """
#include <algorithm>
#include <map>
#include <string>
#include <vector>
namespace shop {
template<class T> struct box { T v; T get() const { return v; } template<class U> U as() const { return U(v) + 1; } };
static inline __attribute__((always_inline)) unsigned square(unsigned x) { return x * x; }
struct order { unsigned key; unsigned price() const { return box<unsigned>{square(key)}.get(); } };
__attribute__((noinline)) unsigned total(const std::vector<order> &orders)
{
	unsigned sum = 0;
	for (const order &o : orders)
		sum += o.price() ^ box<unsigned>{sum}.as<unsigned>();
	return sum;
}
}
int main()
{
	std::vector<shop::order> orders;
	std::map<std::string, unsigned> names;
	unsigned sum = 0;
	for (unsigned round = 0; round < 400; round++) {
		orders.clear();
		for (unsigned i = 0; i < 3000; i++)
			orders.push_back({i * 2654435761u % 1009});
		std::sort(orders.begin(), orders.end(), [](const shop::order &a, const shop::order &b) { return a.price() < b.price(); });
		sum += shop::total(orders);
		names[std::to_string(sum % 512)] += sum;
	}
	return names.size() == 1;
}
"""

RUST_PROGRAM = """
use std::collections::HashMap;
#[inline(always)]
fn square(x: u64) -> u64 { x.wrapping_mul(x) }
struct Orders<T> { items: Vec<T> }
impl<T: Copy + Into<u64>> Orders<T> {
    #[inline]
    fn total(&self) -> u64 { self.items.iter().map(|&x| square(x.into())).fold(0, |a, b| a.wrapping_add(b)) }
}
#[inline(never)]
fn work(n: u64) -> u64 {
    let orders = Orders { items: (0..n as u32).collect() };
    let mut sums = HashMap::new();
    for i in 0..n { *sums.entry(i % 17).or_insert(0u64) ^= orders.total(); }
    let mut sorted: Vec<_> = sums.into_iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1));
    sorted[0].1
}
fn main() { std::process::exit((work(20000) == 1) as i32); }
"""

# name, suffix, compiler and its words
LANGUAGES = [
    ("C++", "cc", CXX_PROGRAM, lambda: os.environ.get("CXX", "c++").split()[0], ["-O2", "-g", "-fno-omit-frame-pointer"]),
    ("Rust", "rs", RUST_PROGRAM, lambda: "rustc",
     ["-O", "-g", "-C", "force-frame-pointers=yes"]),
]


def groups_of(lines):
    """Lines of one address after another, as (address, lines); other lines alone, with no address."""
    found = []
    for line in lines:
        match = re.match(rb"\s+([0-9a-f]+) ", line)
        address = match.group(1) if match and not re.match(rb"\S", line) else None
        if address and found and found[-1][0] == address:
            found[-1][1].append(line)
        else:
            found.append((address, [line]))
    return found


def plain_name(text):
    """Without parameters, spaces, hashes, and how a demangler spells types."""
    text = re.sub(rb"::h[0-9a-f]{16}$", b"", text.strip())
    return re.sub(rb"\s+", b"", text.replace(b"long int", b"long"))


def file_addresses(program, path):
    """A function that turns a recorded address into one of the file, as text; None where it is not in the program."""
    maps = re.findall(rb"MMAP2? -?\d+/\d+: \[0x(\w+)\(0x(\w+)\) @ (?:0x)?(\w+)[^\]]*\]: r-xp " + re.escape(program.encode()) + rb"\n",
                      run(PERFDATA, "dump", "-q", path).stdout)
    loads = re.findall(rb"LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)", run("readelf", "-lW", program).stdout)

    def convert(address):
        for start, size, offset in maps:
            at = int(address, 16) - int(start, 16)
            if not 0 <= at < int(size, 16):
                continue
            at += int(offset, 16)
            for file_offset, virtual, file_size in loads:
                if 0 <= at - int(file_offset, 16) < int(file_size, 16):
                    return b"%x" % (at - int(file_offset, 16) + int(virtual, 16))
        return None
    return convert


def inlined_at(program, addresses):
    """What addr2line says is inlined at each address, innermost first, without the function that holds the code."""
    words = ["addr2line", "-a", "-f", "-i", "-C", "-e", program]
    text = subprocess.run(words, input=b"\n".join(sorted(addresses)) + b"\n", stdout=subprocess.PIPE, timeout=300).stdout
    found = {}
    for block in re.split(rb"(?m)^0x", text)[1:]:
        lines = block.rstrip(b"\n").split(b"\n")
        found[lines[0].lstrip(b"0")] = [plain_name(name) for name in lines[1:-2:2]]
    return found


def inlined_difference(program, convert, theirs, ours):
    """Where perf differs, ours have to be what addr2line says. perf turns the calls of an address around, or shows the function that holds the
    code as what is inlined innermost; those lines are counted."""
    pairs = list(zip(groups_of(theirs), groups_of(ours)))
    odd = [(a, b) for a, b in pairs if a != b]
    if len(theirs) != len(ours):
        return f"perf has {len(theirs)} lines, we have {len(ours)}", 0, 0
    for (address, _), (other, _) in odd:
        if not address or address != other:
            return f"perf {address!r}, ours {other!r}", 0, 0
    places = {address: convert(address) or b"0" for _, (address, _) in odd}
    said = inlined_at(program, set(places.values()))
    for _, (address, lines) in odd:
        names = [plain_name(re.sub(rb"\+0x[0-9a-f]+ \((?:inlined|/.*)\)$", b"", line.strip().split(b" ", 1)[1])) for line in lines]
        want = said.get(places[address].lstrip(b"0"), [])
        # a recursive function may have called itself from the same place
        times, rest = divmod(len(names), len(want) + 1)
        calls = [names[i * (len(want) + 1):][:len(want) + 1] for i in range(times)]
        # addr2line may take the innermost name from the symbol table, where it is that of the function that holds the code
        if rest or any(call[1:-1] != want[1:] or (want and want[0] not in (call[0], call[-1])) for call in calls):
            return f"{address!r}: ours {names!r}, addr2line {want!r}", 0, 0
    return "", sum(len(lines) for _, (_, lines) in odd), len(odd)


def check_language(folder, language):
    """(what was seen, or why it was left out; whether it is wrong)"""
    name, suffix, text, compiler, words = language
    source, program = os.path.join(folder, "inlined." + suffix), os.path.join(folder, "inlined-" + suffix)
    with open(source, "w", encoding="ascii") as out:
        out.write(text)
    if not shutil.which(compiler()) or run(compiler(), *words, "-o", program, source).returncode or not shutil.which("addr2line"):
        return "# SKIP no compiler, or no addr2line", ""
    path, why = record(folder, name, ["-e", "cpu-clock", "-F", "2000", "-g"], program)
    if not path:
        return f"# SKIP perf cannot record it: {why}", ""
    theirs, ours = lines_of(run(PERF, "script", "--no-itrace", "-f", "-i", path).stdout), lines_of(run(PERFDATA, "script", "-q", path).stdout)
    found, lines, places = inlined_difference(program, file_addresses(program, path), theirs, ours)
    inlined = sum(b"(inlined)" in line for line in ours)
    if not inlined:
        found = found or "nothing is inlined"
    return f"{len(theirs)} lines, {inlined} of inlined calls; {lines} lines of {places} frames are as addr2line says, and not as perf says", found


def reaching_main(text):
    """How many stacks have functions that main calls, and how many of these reach main."""
    stacks = [stack for stack in text.split(b"\n\n") if re.search(rb" (leaf|middle|compare)\+", stack)]
    return len(stacks), sum(b" main+" in stack for stack in stacks)


def check_placement(folder):
    """(what was seen, or why it was left out; whether it is wrong)"""
    program = build(folder, "placed", "-no-pie", "-Wl,-Ttext=0x512340")
    path, why = record(folder, "placed.data", ["-e", "cpu-clock", "-F", "2000", "--call-graph", "dwarf"], program) if program else (None, "cannot be linked")
    if not path:
        return f"# SKIP {why}", ""
    (theirs, theirs_whole), (ours, ours_whole) = (reaching_main(run(*words, "--no-inline", *flags, path).stdout)
                                                  for words, flags in (((PERF, "script"), ("-f", "-i")), ((PERFDATA, "script"), ("-q",))))
    found = "" if ours >= 20 and ours_whole > 0.9 * ours else f"{ours_whole} of {ours} reach main"
    return f"{ours_whole} of {ours} stacks reach main, of perf's {theirs_whole} of {theirs}", found


def main():
    version = run(PERF, "--version").stdout.decode("utf-8", "replace") if shutil.which(PERF) else ""
    if not re.match(r"perf version 7\.", version):
        print(f"1..0 # SKIP no perf 7 here ({version.strip() or 'no perf'}); PERF names one")
        return 0
    number = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        for name, options in RECORDINGS if program else []:
            path, why = record(folder, name, options, program)
            for text, (perf, ours) in TEXTS.items():
                number += 1
                if not path:
                    print(f"ok {number} - {name}: {text} # SKIP perf cannot record it: {why}")
                    continue
                want, got = run(PERF, *perf, "-f", "-i", path), run(PERFDATA, *ours, "-q", path)
                theirs = lines_of(want.stdout)
                found, explained = difference(theirs, lines_of(got.stdout))
                if want.returncode or len(theirs) < 2:
                    found = f"perf fails: {want.stderr[-200:]!r}"
                bad += bool(found)
                print(f"{'not ' if found else ''}ok {number} - {name}: {text}, {len(theirs)} lines, {explained} explained", flush=True)
                if found:
                    print(f"# {found}")
            if path and "sched" not in " ".join(options):
                number += 1
                text = run(PERF, "script", "--no-itrace", "--no-inline", "-f", "-i", path).stdout
                found = folded_difference(text, run(PERFDATA, "folded", "--no-inline", "-q", path).stdout)
                bad += bool(found)
                print(f"{'not ' if found else ''}ok {number} - {name}: folded, {len(text.splitlines())} lines of perf", flush=True)
                if found:
                    print(f"# {found}")
        if program:
            number += 1
            seen, found = check_placement(folder)
            bad += bool(found)
            print(f"{'not ' if found else ''}ok {number} - code at another address than in the file: {seen}", flush=True)
            if found:
                print(f"# {found}")
        for language in LANGUAGES if program else []:
            number += 1
            seen, found = check_language(folder, language)
            bad += bool(found)
            print(f"{'not ' if found else ''}ok {number} - {language[0]}, inlined: {seen}", flush=True)
            if found:
                print(f"# {found}")
        print(f"1..{number}" if program else "1..0 # SKIP no compiler")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
