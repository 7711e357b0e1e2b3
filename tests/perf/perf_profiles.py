#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Profiles for compilers against the tools that read them: what perf2bolt, llvm-profgen and AutoFDO's sample_merger make of a recording through perf
(7.3, where PERF names it, and our program under that name) equals what they make of our formats; programs optimised with that, also
by gcc -fauto-profile, run and give the same results.

TAP. Recordings are of programs that are compiled and run step by step here: C++ with templates, an interpreter. What is missing is skipped."""
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402

PERF = os.environ.get("PERF", "perf")
VERSIONS = ("16", "19", "22")
RECORDER = os.path.join(os.path.abspath(os.environ.get("top_builddir") or os.path.join(program.TOP, "build")), "tests", "support", "step_recorder")
CXX = r"""
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>
struct shape { virtual ~shape() = default; virtual long area() const = 0; };
template <int N> struct polygon : shape {
	long side;
	explicit polygon(long s) : side(s) {}
	long area() const override { long sum = 0; for (int i = 0; i < N; i++) sum += side * i % (N + 1); return sum; }
};
template <typename T> static T clamp(T value, T low, T high) { return value < low ? low : value > high ? high : value; }
int main() {
	std::vector<std::unique_ptr<shape>> shapes;
	for (int i = 0; i < 30; i++)
		if (i % 3 == 0) shapes.push_back(std::make_unique<polygon<3>>(i));
		else shapes.push_back(std::make_unique<polygon<7>>(i));
	unsigned seed = 1;
	long sum = 0;
	for (int r = 0; r < 20; r++) {
		std::vector<int> values;
		for (int i = 0; i < 40; i++) values.push_back((int)((seed = seed * 1103515245 + 12345) >> 16 & 1023));
		std::sort(values.begin(), values.end());
		for (int v : values) sum += clamp(v, 100, 900);
		for (auto &s : shapes) sum += s->area();
	}
	printf("%ld\n", sum);
}
"""
INTERPRETER = r"""
#include <stdio.h>
enum { PUSH, ADD, MUL, DUP, LESS, JUMP_IF, POP, LOAD, STORE, HALT };
static const long code[] = { PUSH, 0, STORE, 0, PUSH, 1, STORE, 1, LOAD, 0, LOAD, 1, MUL, PUSH, 7, ADD, STORE, 0, LOAD, 1, PUSH, 1, ADD, DUP, STORE, 1,
			     PUSH, 900, LESS, JUMP_IF, 8, HALT };
static long run(const long *p)
{
	unsigned long stack[16], slots[4] = { 0 };
	int top = 0;
	for (long at = 0;;)
		switch (p[at++]) {
		case PUSH: stack[top++] = (unsigned long)p[at++]; break;
		case ADD: top--; stack[top - 1] += stack[top]; break;
		case MUL: top--; stack[top - 1] *= stack[top]; break;
		case DUP: stack[top] = stack[top - 1]; top++; break;
		case LESS: top--; stack[top - 1] = stack[top - 1] < stack[top]; break;
		case JUMP_IF: if (stack[--top]) at = p[at]; else at++; break;
		case POP: top--; break;
		case LOAD: stack[top++] = slots[p[at++]]; break;
		case STORE: slots[p[at++]] = stack[--top]; break;
		default: return (long)slots[0];
		}
}
/* gcc inlines the test and makes the rest a function of its own, check.part.0, in which the debug information sees the same function */
long check(const long *p)
{
	unsigned long sum = 0;
	if (!p)
		return -1;
	for (int i = 0; i < 30; i++)
		for (const long *at = p; *at != HALT; at++)
			sum = sum * 31 ^ (unsigned long)(*at * (i | 1)) >> (i & 3);
	return (long)(sum % 1000);
}
int main(int argc, char **argv)
{
	long (*volatile late)(const long *) = check;
	(void)argv;
	printf("%ld %ld\n", run(code), check(argc > 5 ? NULL : code + (argc > 3)) + check(argc > 6 ? NULL : code + 2) + late(code));
	return 0;
}
"""


cases = program.Tap()


def run(*words, **more):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, **more)


def llvm(version, tool):
    path = "/usr/lib/llvm-%s/bin/%s" % (version, tool)
    return path if os.path.exists(path) else None


def perfs(folder):
    """{what it is: environment with that perf in front}."""
    found = {}
    for name, target in (("perf 7.3", shutil.which(PERF)), ("our perf", program.PERFDATA)):
        if not target or (name == "perf 7.3" and not re.match(rb"perf version 7\.", run(target, "--version").stdout)):
            continue
        place = os.path.join(folder, name.replace(" ", "-"))
        os.mkdir(place)
        os.symlink(os.path.abspath(target), os.path.join(place, "perf"))
        found[name] = dict(os.environ, PATH=place + ":" + os.environ["PATH"])
    return found


def ours(out, name, path, binary, *options):
    done = program.run(name, "-q", "--force", "--symfs", "/", "--program", binary, *options, "-o", out, path)
    return ["perfdata %s: exit code %d: %s" % (name, done.code, done.err.decode())] if done.code else []


def lines_of(path):
    if not os.path.exists(path):
        return ["nothing was written"]
    with open(path, "rb") as file:
        return sorted(file.read().splitlines())


def differences(title, wanted, got):
    if wanted == got:
        return [] if wanted else [title + ": both are empty"]
    return ["%s: %d lines, %d ours" % (title, len(wanted), len(got)), *["wanted %r" % w for w in wanted if w not in got][:3],
            *["got %r" % g for g in got if g not in wanted][:3]]


def check_bolt(folder, name, path, binary, version, environments):
    tool = llvm(version, "perf2bolt")
    title = "perf2bolt %s: %s" % (version, name)
    if not tool:
        return cases.skip(title, "no bolt-%s" % version)
    text, fdata = os.path.join(folder, "preagg"), os.path.join(folder, "fdata")
    faults = ours(text, "bolt", path, binary)
    run(tool, "-pa", "-p", text, "-o", fdata + ".ours", binary)
    for perf, environment in environments.items():
        run(tool, "-p", path, "-o", fdata, binary, env=environment)
        faults += differences(perf, lines_of(fdata), lines_of(fdata + ".ours"))
        os.path.exists(fdata) and os.unlink(fdata)
    return cases.report(title, faults)


def check_addresses(folder, name, path, binary, version, environments):
    """Without branches: fdata as perf2bolt -nl writes it, and from 22 on what it makes of addresses."""
    tool = llvm(version, "perf2bolt")
    title = "perf2bolt -nl %s: %s" % (version, name)
    if not tool:
        return cases.skip(title, "no bolt-%s" % version)
    fdata = os.path.join(folder, "addresses")
    faults = ours(fdata + ".ours", "bolt", path, binary, "--no-lbr", "fdata")
    mine = [fdata + ".ours"]
    if version == "22":
        faults += ours(fdata + ".preagg", "bolt", path, binary, "--no-lbr", "preagg")
        run(tool, "-pa", "-ba", "-p", fdata + ".preagg", "-o", fdata + ".made", binary)
        mine.append(fdata + ".made")
    for perf, environment in environments.items():
        run(tool, "-nl", "-p", path, "-o", fdata, binary, env=environment)
        for found in mine:
            faults += differences(perf, lines_of(fdata), lines_of(found))
        os.path.exists(fdata) and os.unlink(fdata)
    return cases.report(title, faults)


def check_profgen(folder, name, path, binary, version, environments):
    tool = llvm(version, "llvm-profgen")
    title = "llvm-profgen %s: %s" % (version, name)
    if not tool:
        return cases.skip(title, "no llvm-%s" % version)
    out = os.path.join(folder, "raw")
    faults = ours(out + ".ours", "profgen", path, binary)
    read = run(tool, "--format=text", "--unsymbolized-profile=" + out + ".ours", "--binary=" + binary, "--output=" + out + ".read")
    for perf, environment in environments.items():
        for more, mine in ((["--skip-symbolization"], out + ".ours"), ([], out + ".read")):
            run(tool, "--format=text", "--perfdata=" + path, "--binary=" + binary, "--output=" + out, *more, env=environment)
            faults += differences(perf + " ".join(more), lines_of(out), lines_of(mine))
            os.path.exists(out) and os.unlink(out)
    return cases.report(title, faults + ([read.stderr] if read.returncode else []))


def check_sample(folder, name, path, binary, version, environments):
    """The profile of lines, which llvm-profdata and clang take."""
    tool = llvm(version, "llvm-profgen")
    title = "sampleprof as llvm-profgen %s: %s" % (version, name)
    if not tool:
        return cases.skip(title, "no llvm-%s" % version)
    out = os.path.join(folder, "sample")
    faults = ours(out + ".ours", "sampleprof", path, binary)
    for perf, environment in environments.items():
        run(tool, "--format=text", "--perfdata=" + path, "--binary=" + binary, "--output=" + out, env=environment)
        faults += differences(perf, lines_of(out), lines_of(out + ".ours"))
        with open(out, "rb") as wanted, open(out + ".ours", "rb") as got:
            faults += [] if wanted.read() == got.read() else ["the order differs"]
        os.unlink(out)
    profdata = llvm(version, "llvm-profdata")
    if profdata:
        for step in ("--extbinary", out + ".ours", "-o", out + ".binary"), ("--text", out + ".binary", "-o", out + ".text"):
            done = run(profdata, "merge", "--sample", *step)
            faults += [done.stderr.decode()] if done.returncode or done.stderr else []
        faults += differences("llvm-profdata", lines_of(out + ".ours"), lines_of(out + ".text"))
    return cases.report(title, faults)


def check_compiled(folder, name, path, binary, source):
    """A program that clang compiles with our profile gives the same result; clang has nothing to say about the profile."""
    title = "compiled with the profile: " + name
    compiler = shutil.which("clang++" if source.endswith(".cc") else "clang")
    if not compiler:
        return cases.skip(title, "no clang")
    profile, new = os.path.join(folder, "profile"), os.path.join(folder, "compiled")
    faults = ours(profile, "sampleprof", path, binary)
    done = run(compiler, "-O2", "-Wall", "-fprofile-sample-use=" + profile, "-o", new, source)
    if done.returncode or done.stderr:
        return cases.report(title, faults + [done.stderr.decode()])
    before, after = run(binary), run(new)
    return cases.report(title, faults + ([] if before.stdout == after.stdout and before.stdout else ["%r, was %r" % (after.stdout, before.stdout)]))


def read_text(path):
    with open(path) as file:
        return file.read()


class Gcov:
    """A reader of AutoFDO's gcov file of version 2; .lines: {name of a function: {line: count}}, inlined ones under the name of the function around them, too."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.at = 0
        self.lines = {}
        self.targets = set()
        self.inlined = 0
        self.expect(0x67636461, 2, 0, 0xaa000000)
        self.word()
        self.names = [self.string() for _ in range(self.word())]
        assert self.names[0] == "" and self.names == sorted(set(self.names)), "names are not sorted"
        self.expect(0xac000000)
        end = self.word() * 4
        end += self.at
        for _ in range(self.word()):
            self.counter()
            self.body(())
        assert self.at == end, "the functions end at %d, not at %d" % (self.at, end)
        self.expect(0xae000000, 0, 0, 0xaf000000, 384)
        sets = [(self.word(), self.counter()) for _ in range(128)]
        assert sets == sorted(sets, key=lambda s: (s[0], -s[1])), "the working set does not grow"
        assert self.at == len(self.data), "%d bytes are left" % (len(self.data) - self.at)

    def word(self):
        self.at += 4
        return struct.unpack_from("<I", self.data, self.at - 4)[0]

    def counter(self):
        return self.word() | self.word() << 32

    def string(self):
        size = self.word()
        self.at += size
        assert self.data[self.at - 1] == 0
        return self.data[self.at - size:self.at - 1].decode()

    def expect(self, *words):
        for word in words:
            got = self.word()
            assert got == word, "%#x at %d, not %#x" % (got, self.at - 4, word)

    def body(self, around):
        around = (*around, self.names[self.word()])
        positions, calls = self.word(), self.word()
        for _ in range(positions):
            offset, targets, count = self.word(), self.word(), self.counter()
            assert not offset & 0xffff, "a discriminator, which gcc does not look up"
            for name in set(around):
                self.lines.setdefault(name, {})[offset >> 16] = count
            for _ in range(targets):
                self.expect(7)
                self.targets.add(self.names[self.counter()])
                self.counter()
        for _ in range(calls):
            assert not self.word() & 0xffff, "a discriminator, which gcc does not look up"
            self.inlined += 1
            self.body(around)


def most_in_proportion(used, counts):
    """How many counts gcc used, multiplied by one factor: it divides the counts of a function among its copies."""
    large = [count for count in counts if count >= 100]
    factors = {one / count for one in used for count in large if count / 4 <= one <= count}
    return max((sum(any(round(count * factor) + more in used for more in (-1, 0, 1)) for count in large) for factor in factors), default=0)


def check_gcc(folder, name, path, binary, source):
    """A program that gcc compiles with our profile: gcc has nothing to say, its blocks have our counts, and the program gives the same result."""
    title = "compiled by gcc with the profile: " + name
    compiler = "g++" if source.endswith(".cc") else "gcc"
    profile, new = os.path.join(folder, "gcov"), os.path.join(folder, "by-gcc")
    faults = ours(profile, "gcov", path, binary)
    if faults:
        return cases.report(title, faults)
    try:
        counts = {count for lines in Gcov(profile).lines.values() for count in lines.values()}
    except (AssertionError, IndexError, struct.error) as error:
        return cases.report(title, ["%s: %s" % (type(error).__name__, error)])
    done = run(compiler, "-O2", "-Wall", "-fauto-profile=" + profile, "-fdump-tree-optimized-blocks-details", "-fdump-ipa-afdo-optimized", "-o", new, source)
    if done.returncode and re.search(rb"AutoFDO profile version 2 does not match|unrecognized command-line option", done.stderr):
        return cases.skip(title, "this %s reads no gcov file of version 2" % compiler)
    if done.returncode or done.stderr:
        return cases.report(title, [done.stderr.decode()])
    used = set()
    dumps = new + "-" + os.path.basename(source)   # another program's are beside them
    for dump in glob.glob(dumps + ".*optimized"):
        used |= {int(count) for count in re.findall(r"^;; +basic block .*count (\d+) \(auto FDO\)", read_text(dump), re.M)}
    used.discard(0)
    if most_in_proportion(used, counts) < 5:
        faults.append("gcc used the counts %s, and the profile has %s" % (sorted(used), sorted(counts)))
    if source.endswith(".cc"):
        notes = "".join(read_text(dump) for dump in glob.glob(dumps + ".*afdo"))
        faults += [] if "Indirect call -> direct call" in notes else ["gcc used no target of a virtual call"]
    before, after = run(binary), run(new)
    return cases.report(title, faults + ([] if before.stdout == after.stdout and before.stdout else ["%r, was %r" % (after.stdout, before.stdout)]))


def blocks_of(path):
    """The three blocks of AutoFDO's text, each a sorted list."""
    with open(path) as file:
        lines = file.read().splitlines()
    found = []
    while lines:
        count = int(lines[0])
        found.append(sorted(lines[1:1 + count]))
        lines = lines[1 + count:]
    return found


def check_autofdo(folder, name, path, binary):
    title = "sample_merger: " + name
    if not shutil.which("sample_merger"):
        return cases.skip(title, "no autofdo")
    out = os.path.join(folder, name.split()[-1] + ".fdo")   # it adds to a file that is there
    faults = ours(out + ".ours", "autofdo", path, binary)
    run("sample_merger", "--profiler=perf", "--profile=" + path, "--binary=" + binary, "--output_file=" + out)
    if not faults:
        faults = [f for wanted, got in zip(blocks_of(out), blocks_of(out + ".ours")) for f in differences("block", wanted, got)]
    return cases.report(title, faults)


def check_optimized(folder, name, path, binary):
    """A program that llvm-bolt made with our profile gives the same result."""
    version = next((v for v in reversed(VERSIONS) if llvm(v, "llvm-bolt")), None)
    title = "optimised by llvm-bolt: " + name
    if not version:
        return cases.skip(title, "no bolt")
    text, fdata, new = (os.path.join(folder, n) for n in ("preagg", "fdata", "optimised"))
    faults = ours(text, "bolt", path, binary)
    run(llvm(version, "perf2bolt"), "-pa", "-p", text, "-o", fdata, binary)
    done = run(llvm(version, "llvm-bolt"), binary, "-data", fdata, "-reorder-blocks=ext-tsp", "-reorder-functions=hfsort", "-split-functions", "-o", new)
    if done.returncode:
        return cases.report(title, faults + [done.stderr.decode()])
    before, after = run(binary), run(new)
    return cases.report(title, faults + ([] if before.stdout == after.stdout and before.stdout else ["%r, was %r" % (after.stdout, before.stdout)]))


def recorded(folder):
    """(name, recording, binary, source) of programs that are made here."""
    for name, source, compiler in (("C++ with templates", CXX, "g++"), ("an interpreter", INTERPRETER, "gcc")):
        place = os.path.join(folder, name.split()[-1])
        if not shutil.which(compiler):
            cases.skip(name, "no " + compiler)
            continue
        file_of_source = place + (".cc" if source is CXX else ".c")
        with open(file_of_source, "w") as file:
            file.write(source)
        done = run(compiler, "-O2", "-g", "-static", "-Wl,-q", "-o", place, file_of_source)
        if done.returncode:
            cases.skip(name, "it cannot be linked statically")
            continue
        # AutoFDO takes none of a sample's entries behind one of a kernel that no record describes
        kernel = ["-k"] if source is CXX else []
        # gcc ignores a function's counts where a line that is seldom taken has no sample, which depends on where the first sample falls
        period = "499" if source is CXX else "199"
        done = run(RECORDER, *kernel, "-c", period, "-m", "400000", "-o", place + ".data", place)
        if done.returncode:
            cases.skip(name, done.stderr.decode().strip() or "it cannot be recorded")
            continue
        yield name, place + ".data", place, file_of_source


def main():
    with tempfile.TemporaryDirectory() as folder:
        environments = perfs(folder)
        for name, path, binary, source in recorded(folder):
            for version in VERSIONS:
                check_bolt(folder, name, path, binary, version, environments)
                check_addresses(folder, name, path, binary, version, environments)
                check_profgen(folder, name, path, binary, version, environments)
                check_sample(folder, name, path, binary, version, environments)
            if name != "C++ with templates":
                check_autofdo(folder, name, path, binary)
            check_optimized(folder, name, path, binary)
            check_compiled(folder, name, path, binary, source)
            check_gcc(folder, name, path, binary, source)
    return cases.end()


if __name__ == "__main__":
    sys.exit(main())
