#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""User stacks against the truth: programs print their own backtrace() at places where perf takes a sample with registers and stack memory, a
system call that nothing else makes. Each stack that perfdata finds has to be the printed one. Prints TAP, with the shares of right stacks, also
those of perf, which PERF names.

A frame that was interrupted by a signal is named by its own address, others by one address less than that returned to; backtrace() does not say
which is which. Go runs C, and calls from C back into Go, on different stacks, and no table describes the change: there, stacks are compared up
to it. Without perf or the right to record tracepoints, there is nothing to compare.
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
	fflush(stdout);
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

# Methods of interfaces, deferred calls, callbacks of the library, goroutines; C that recurses and calls back into Go.
IN_GO = """
package main

// int even(int k, int left);
import "C"
import (
	"fmt"
	"runtime"
	"sort"
	"strings"
	"sync"
	"syscall"
)

//go:noinline
func place(k int) int {
	found := make([]uintptr, 128)
	n := runtime.Callers(1, found)
	for _, pc := range found[:n] {
		if strings.HasPrefix(runtime.FuncForPC(pc-1).Name(), "_cgoexp_") {
			break
		}
		fmt.Printf(" %x", pc)
	}
	fmt.Println()
	syscall.RawSyscall(syscall.SYS_GETPPID, 0, 0, 0)
	return n + k
}

type node interface{ visit(depth int) int }
type leaf struct{}
type inner struct{ children []node }

func (leaf) visit(depth int) int { return place(depth) + 1 }
func (i inner) visit(depth int) int {
	sum := 0
	for _, each := range i.children {
		sum += each.visit(depth + 1)
	}
	return sum
}
func grow(depth int) node {
	if depth == 0 {
		return leaf{}
	}
	return inner{[]node{grow(depth - 1), grow(depth - 1)}}
}

//go:noinline
func descend(depth int, left int) int {
	if depth > 0 {
		defer func() { place(depth) }()
		return descend(depth-1, left) + 1
	}
	place(depth)
	return int(C.even(C.int(3*left+1), C.int(left)))
}

//export visit_go
func visit_go(left C.int) C.int { return C.int(descend(int(left)+2, int(left))) }

func run(n int) {
	descend(n%20, n%4)
	grow(3).visit(0)
	numbers := make([]int, 17)
	for k := range numbers {
		numbers[k] = (k*31 + n) % 13
	}
	calls := 0
	sort.Slice(numbers, func(a, b int) bool {
		if calls++; calls%9 == 0 {
			place(calls)
		}
		return numbers[a] < numbers[b]
	})
}

func main() {
	for n := 0; n < 40; n++ {
		var done sync.WaitGroup
		done.Add(1)
		go func() {
			defer done.Done()
			run(n)
		}()
		done.Wait()
		run(n)
	}
}
"""
C_OF_GO = """
#include <alloca.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "_cgo_export.h"
__attribute__((noinline)) PLACE
__attribute__((noinline)) int even(int k, int left);
__attribute__((noinline)) int odd(int k, int left)
{
	char *room = alloca(16 + k % 40);
	memset(room, k, 16 + k % 40);
	return (k > 0 ? even(k - 1, left) : left > 0 ? visit_go(left - 1) : place(k)) + room[3];
}
__attribute__((noinline)) int even(int k, int left)
{
	return (k > 0 ? odd(k - 1, left) : left > 0 ? visit_go(left - 1) : place(k)) + 1;
}
"""
# The files of each program, and the command that builds it.
PROGRAMS = [
    ("C", {"program.c": IN_C}, ["gcc", "-O2", "-g", "-o", "program", "program.c"]),
    ("C++", {"program.cc": IN_CXX}, ["g++", "-O2", "-g", "-std=c++17", "-pthread", "-o", "program", "program.cc"]),
    ("Rust", {"program.rs": IN_RUST}, ["rustc", "-O", "-g", "-o", "program", "program.rs"]),
    ("Go with C", {"main.go": IN_GO, "native.c": C_OF_GO, "go.mod": "module program\n"}, ["go", "build", "-o", "program", "."]),
]
FIELDS = "comm,tid,time,event,ip"


def run(*words, **options):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, **options)


def stacks_of(words):
    """The user addresses of each sample."""
    text = run(*words).stdout.decode()
    return [[int(line.split()[0], 16) for line in sample.split("\n")[1:] if line.startswith("\t") and not line.strip().startswith("ffffffff8")]
            for sample in re.split(r"\n\n+", text) if sample.strip()]


def is_right(stack, printed, is_go):
    """Whether the stack is the system call's wrappers (of Go, three), place() and then what was printed."""
    callers = printed[1:]
    return any((is_go or not stack[at + len(callers):]) and len(stack) >= at + len(callers) and
               all(found in (was - 1, was) for found, was in zip(stack[at:], callers)) for at in ((2, 4) if is_go else (2,)))


def check(folder, files, build):
    """The shares of right stacks of perfdata and of perf, or why there are none."""
    if not shutil.which(build[0]):
        return None, f"no {build[0]}"
    program, data = os.path.join(folder, "program"), os.path.join(folder, "program.data")
    for name, source in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write(source.replace("PLACE", PLACE.strip()))
    built = run(*build, cwd=folder, env={"GOCACHE": os.path.join(folder, "go"), **os.environ})
    if built.returncode:
        return None, f"{build[0]} cannot build it: {built.stderr[-200:]!r}"
    recorded = run(PERF, "record", "-q", "-m", "64M", "-e", "syscalls:sys_enter_getppid", "--call-graph", "dwarf,16384", "-o", data, "--", program)
    if recorded.returncode:
        return None, f"perf cannot record it: {recorded.stderr[-100:]!r}"
    printed = [[int(word, 16) for word in line.split()] for line in recorded.stdout.decode().splitlines() if line.startswith(" ")]
    shares = []
    for words in ([PERFDATA, "script", "--no-inline", "-q", "-F", FIELDS, data], [PERF, "script", "--no-inline", "-F", FIELDS, "-i", data]):
        stacks = stacks_of(words)
        if len(stacks) != len(printed):
            return None, f"{len(printed)} places, {len(stacks)} samples: some were lost"
        shares.append(sum(is_right(stack, was, "main.go" in files) for stack, was in zip(stacks, printed)))
    return (len(printed), *shares), ""


def main():
    bad = 0
    for number, (language, *how) in enumerate(PROGRAMS, 1):
        with tempfile.TemporaryDirectory() as folder:
            shares, why = check(folder, *how)
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
