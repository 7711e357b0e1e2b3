#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""User stacks against the truth: programs print their own backtrace() at places where perf takes a sample with registers and stack memory, a
system call that nothing else makes. Each stack that perfdata finds has to be the printed one. Prints TAP, with the shares of right stacks, also
those of perf, which PERF names.

A frame that was interrupted by a signal is named by its own address, others by one address less than that returned to; backtrace() does not say
which is which. Without perf or the right to record tracepoints, there is nothing to compare.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program import PERFDATA

PERF = os.environ.get("PERF", "perf")
PLACE = """
int place(int k)
{
	void *found[128];
	int n = backtrace(found, 128);
	for (int i = 0; i < n; i++)
		printf(" %lx", (long)found[i]);
	puts("");
	getppid();
	return n + k;
}
"""

# Recursion with frames of unknown size, a callback of the C library, a signal handler.
IN_C = """
#include <alloca.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((noinline)) PLACE
__attribute__((noinline)) int even(int k);
__attribute__((noinline)) int odd(int k)
{
	char *room = alloca(16 + k % 40);
	memset(room, k, 16 + k % 40);
	return (k <= 0 ? place(k) : even(k - 1)) + room[3];
}
__attribute__((noinline)) int even(int k) { return (k <= 0 ? place(k) : odd(k - 1)) + 1; }
static int compare(const void *a, const void *b)
{
	static int calls;
	if (++calls % 5 == 0)
		even(calls % 7);
	return *(const int *)a - *(const int *)b;
}
static void handle(int number) { odd(number % 4); }
int main(void)
{
	signal(SIGUSR1, handle);
	for (int i = 0; i < 60; i++) {
		int numbers[20];
		for (int k = 0; k < 20; k++)
			numbers[k] = (k * 7919 + i) % 31;
		even(i % 30);
		qsort(numbers, 20, sizeof *numbers, compare);
		if (i % 3 == 0)
			raise(SIGUSR1);
	}
	return 0;
}
"""

# Virtual functions, destructors while an exception passes, templates of the library, another thread.
IN_CXX = """
#include <execinfo.h>
#include <unistd.h>
#include <cstdio>
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>
__attribute__((noinline)) PLACE
struct node { virtual int visit(int depth) = 0; virtual ~node() {} };
struct leaf : node { int visit(int depth) override { return place(depth) + 1; } };
struct inner : node {
	std::vector<std::unique_ptr<node>> children;
	int visit(int depth) override { int sum = 0; for (auto &each : children) sum += each->visit(depth + 1); return sum + 1; }
};
static std::unique_ptr<node> make(int depth)
{
	if (!depth) return std::make_unique<leaf>();
	auto made = std::make_unique<inner>();
	for (int k = 0; k < 2; k++) made->children.push_back(make(depth - 1));
	return made;
}
struct guard { int depth; ~guard() { if (depth % 3 == 0) place(depth); } };
__attribute__((noinline)) int throw_below(int depth)
{
	guard left{depth};
	if (!depth) throw std::string("x");
	return throw_below(depth - 1) + 1;
}
int main()
{
	auto tree = make(6);
	int sum = tree->visit(0);
	for (int i = 0; i < 12; i++) {
		try { sum += throw_below(i); } catch (std::string &) { sum += place(i); }
		std::vector<int> numbers(17);
		for (int k = 0; k < 17; k++) numbers[k] = (k * 31 + i) % 13;
		std::sort(numbers.begin(), numbers.end(), [&](int a, int b) { static int calls; if (++calls % 9 == 0) place(calls); return a < b; });
		std::function<int(int)> call = [&](int n) { return n ? call(n - 1) + 1 : place(n); };
		sum += call(i);
	}
	std::thread other([&] { for (int i = 0; i < 20; i++) sum += tree->visit(i) > 0; });
	other.join();
	return sum == 0;
}
"""

# Calls of traits, closures, a panic that is caught, another thread.
IN_RUST = """
use std::collections::BTreeMap;
extern "C" { fn backtrace(found: *mut *mut u8, most: i32) -> i32; fn getppid() -> i32; }
#[inline(never)] fn place(k: i32) -> i32 {
    let mut found = [std::ptr::null_mut::<u8>(); 128];
    let n = unsafe { backtrace(found.as_mut_ptr(), 128) };
    let mut line = String::new();
    for i in 0..n as usize { line += &format!(" {:x}", found[i] as usize); }
    println!("{}", line);
    unsafe { getppid(); }
    n + k
}
trait Node { fn visit(&self, depth: i32) -> i32; }
struct Leaf;
struct Inner(Vec<Box<dyn Node>>);
impl Node for Leaf { #[inline(never)] fn visit(&self, depth: i32) -> i32 { place(depth) + 1 } }
impl Node for Inner {
    #[inline(never)] fn visit(&self, depth: i32) -> i32 { self.0.iter().map(|each| each.visit(depth + 1)).sum::<i32>() + 1 }
}
fn make(depth: i32) -> Box<dyn Node> {
    if depth == 0 { Box::new(Leaf) } else { Box::new(Inner(vec![make(depth - 1), make(depth - 1)])) }
}
#[inline(never)] fn fill(map: &mut BTreeMap<String, i32>, depth: i32) -> i32 {
    map.insert(format!("{}", depth), depth);
    if depth == 0 { place(depth) } else { fill(map, depth - 1) + map.len() as i32 }
}
fn main() {
    let mut sum = make(7).visit(0);
    for i in 0..100 {
        sum += fill(&mut BTreeMap::new(), i % 40);
        let mut numbers: Vec<i32> = (0..20).map(|k| (k * 7919 + i) % 31).collect();
        let mut calls = 0;
        numbers.sort_by(|a, b| { calls += 1; if calls % 9 == 0 { place(calls); } a.cmp(b) });
    }
    let other = std::thread::spawn(|| std::panic::catch_unwind(|| make(5).visit(1)).unwrap());
    sum += other.join().unwrap();
    eprintln!("{}", sum);
}
"""
PROGRAMS = [("C", ".c", IN_C, ["gcc", "-O2"]), ("C++", ".cc", IN_CXX, ["g++", "-O2", "-std=c++17", "-pthread"]), ("Rust", ".rs", IN_RUST, ["rustc", "-O"])]
FIELDS = "comm,tid,time,event,ip"


def run(*words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)


def stacks_of(words):
    """The user addresses of each sample."""
    text = run(*words).stdout.decode()
    return [[int(line.split()[0], 16) for line in sample.split("\n")[1:] if line.startswith("\t") and not line.strip().startswith("ffffffff8")]
            for sample in re.split(r"\n\n+", text) if sample.strip()]


def is_right(stack, printed):
    """Whether the stack is that system call's wrapper, place() and then what was printed."""
    callers = printed[1:]
    return len(stack) == len(callers) + 2 and all(found in (was - 1, was) for found, was in zip(stack[2:], callers))


def check(folder, language, suffix, source, compiler):
    """The shares of right stacks of perfdata and of perf, or why there are none."""
    if not shutil.which(compiler[0]):
        return None, f"no {compiler[0]}"
    path, program, data = (os.path.join(folder, "program" + end) for end in (suffix, "", ".data"))
    with open(path, "w", encoding="utf-8") as out:
        out.write(source.replace("PLACE", PLACE.strip()))
    built = run(*compiler, "-g", "-o", program, path)
    if built.returncode:
        return None, f"{compiler[0]} cannot build it: {built.stderr[-200:]!r}"
    recorded = run(PERF, "record", "-q", "-m", "16M", "-e", "syscalls:sys_enter_getppid", "--call-graph", "dwarf,16384", "-o", data, "--", program)
    if recorded.returncode:
        return None, f"perf cannot record it: {recorded.stderr[-100:]!r}"
    printed = [[int(word, 16) for word in line.split()] for line in recorded.stdout.decode().splitlines() if line.startswith(" ")]
    shares = []
    for words in ([PERFDATA, "script", "--no-inline", "-q", "-F", FIELDS, data], [PERF, "script", "--no-inline", "-F", FIELDS, "-i", data]):
        stacks = stacks_of(words)
        if len(stacks) != len(printed):
            return None, f"{len(printed)} places, {len(stacks)} samples: some were lost"
        shares.append(sum(map(is_right, stacks, printed)))
    return (len(printed), *shares), ""


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (language, *how) in enumerate(PROGRAMS, 1):
            shares, why = check(folder, language, *how)
            if not shares:
                print(f"ok {number} - {language} # SKIP {why}", flush=True)
                continue
            places, ours, perfs = shares
            bad += ours != places
            print(f"{'' if ours == places else 'not '}ok {number} - {language}: of {places} stacks {ours} are right, {perfs} of perf", flush=True)
        print(f"1..{len(PROGRAMS)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
