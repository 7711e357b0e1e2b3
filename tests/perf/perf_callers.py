#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tools that run perf, with our program as their perf: each has to do its work, and where perf 7 is installed (PERF names it) with the same result.

    perf2bolt and llvm-profgen of LLVM 16, 19 and 22; stackcollapse-perf.pl and gprof2dot, where they are in PATH; the importers of speedscope and the
    Firefox Profiler (tests/setup --validators); the command lines of all other callers in doc/perf-callers.md, compared with perf.

TAP. The recordings with branch stacks are of a program that is compiled here: its branches are walked by its disassembly, by chance. What is missing is
skipped."""
import base64
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import builder  # noqa: E402
import program  # noqa: E402

VALIDATORS = os.path.abspath(os.environ.get("PERFDATA_VALIDATORS") or os.path.join(program.TOP, "build", "validators"))
MODULES = os.path.join(VALIDATORS, "node_modules")
PERF = os.environ.get("PERF", "perf")
VERSIONS = ("16", "19", "22")
DEPTH, SAMPLES, BETWEEN = 32, 400, 97
FILES = ("callgraph-73.data", "group-73.data", "trace-73.data", "kinds-73.data", "threads-73.dir", "zstd-73.data", "stream-73.pipe", "stream-trace-73.pipe")
SOURCE = r"""
static volatile int sink;
static int leaf(int n) { return n % 3 ? n * 7 : n / 3; }
__attribute__((noinline)) int middle(int n) { int s = 0; for (int i = 0; i < n; i++) s += leaf(i) ^ s; return s; }
__attribute__((noinline)) int choose(int n) { switch (n & 7) { case 0: return middle(3); case 1: return middle(5); case 2: return n; case 5: return -n; default: return 1; } }
__attribute__((noinline)) int recurse(int n) { return n < 2 ? n : recurse(n - 1) + (n & 1 ? choose(n) : middle(2)); }
int main(int argc, char **argv) { (void)argv; for (int i = 0; i < argc * 1000; i++) sink += recurse(i % 9); return 0; }
"""


cases = program.Tap()


def run(*words, **more):
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, **more)


def perf_is_7():
    return bool(shutil.which(PERF)) and re.match(rb"perf version 7\.\d+\.\d+(?!.*perfdata)", run(PERF, "--version").stdout)


# --- a program, and a walk through it ---

def instructions(path):
    """{address: (size, kind, target)} of a program; kind: cond, jump, call, ret or ""."""
    found = {}
    for line in run("objdump", "-d", "-w", path).stdout.decode().splitlines():
        match = re.match(r"^ +([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t(.*)", line)
        if not match:
            continue
        words = re.sub(r"^(bnd|notrack|rep[nz]*|cs) ", "", match[3]).split()
        name, target = words[0], words[1] if len(words) > 1 else ""
        kind = "call" if name.startswith("call") else "ret" if name.startswith("ret") else "jump" if name.startswith("jmp") else "cond" if name[0] == "j" else ""
        found[int(match[1], 16)] = (len(match[2].split()), kind, int(target, 16) if re.fullmatch("[0-9a-f]+", target) else None)
    return found


def walk(code, main, seed):
    """Yields (from, to, kind) of the branches that a program could have taken; at branches to elsewhere it goes straight on."""
    chance, at, stack = random.Random(seed), main, []
    while True:
        size, kind, target = code[at]
        after = at + size
        if kind == "ret":
            to = stack.pop() if stack else main
        elif kind and target in code and (kind != "cond" or chance.random() < 0.6) and (kind != "call" or len(stack) < 40):
            to = target
            stack += [after] if kind == "call" else []
        elif kind == "jump":
            to = stack.pop() if stack else main
        else:
            at = after if after in code else main
            continue
        yield at, to, kind
        at = to if to in code else main


def make_program(folder, name, flags):
    path = os.path.join(folder, name)
    with open(path + ".c", "w") as file:
        file.write(SOURCE)
    done = run("gcc", "-O1", "-g", "-fno-inline", *flags, "-o", path, path + ".c")
    return path if done.returncode == 0 else None


def record(path, out, branches):
    """A recording of the program at `path`: branch stacks, or addresses alone."""
    code = instructions(path)
    symbols = {line.split()[2]: int(line.split()[0], 16) for line in run("nm", path).stdout.decode().splitlines() if len(line.split()) == 3}
    segments = [[int(word, 16) for word in (match[1], match[2], match[3])]
                for match in re.finditer(r"LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+) 0x\w+ R E", run("readelf", "-lW", path).stdout.decode())]
    offset, address, size = segments[0]
    base = 0x555555554000 if b"DYN" in run("readelf", "-hW", path).stdout else 0
    build_id = bytes.fromhex(re.search(r"Build ID: (\w+)", run("readelf", "-n", path).stdout.decode())[1])
    r = builder.Recording()
    kinds = builder.IP | builder.TID | builder.TIME | builder.PERIOD | (builder.BRANCH_STACK if branches else 0)
    event = r.event("cycles:u", ids=[1], type=0, sample_type=kinds, sample_id_all=1, branch_sample_type=0x10009 if branches else 0, mmap=1, mmap2=1, comm=1,
                    comm_exec=1, task=1, exclude_kernel=1, period=1000)
    page = offset & ~0xfff
    r.comm(100, 100, "prog", 1 << 13, time=1000)
    r.mmap2(100, 100, base + (address & ~0xfff), (size + offset - page + 0xfff) & ~0xfff, page, path, build_id=build_id, time=2000)
    types = {"cond": 1, "jump": 2, "call": 4, "ret": 6}
    taken, time = [], 10000
    for number, (at, to, kind) in enumerate(walk(code, symbols["main"], 1)):
        taken = [(base + at, base + to, (1 if number % 11 == 0 else 2) | types[kind] << 20)] + taken[:DEPTH - 1]
        if number % BETWEEN == BETWEEN - 1:
            time += 1000
            r.sample(event, ip=base + to, pid=100, tid=100, time=time, period=1000, branches=taken)
        if number >= SAMPLES * BETWEEN:
            break
    name = builder.pad(path.encode() + b"\0")
    r.feature(2, r.pack("IHHi", 0, 2 | 1 << 15, 36 + len(name), -1) + build_id.ljust(20, b"\0") + bytes([len(build_id), 0, 0, 0]) + name)
    r.feature(6, r.string("x86_64"))
    r.feature(7, r.pack("II", 2, 2))
    r.feature(12, r.event_desc())
    with open(out, "wb") as file:
        file.write(r.file())
    return out


# --- tools for compilers ---

def under(name, folder):
    """The environment in which `perf` is ours, or the real one."""
    path = os.path.join(folder, name)
    if not os.path.isdir(path):
        os.mkdir(path)
        os.symlink(program.PERFDATA if name == "ours" else shutil.which(PERF), os.path.join(path, "perf"))
    return dict(program.environment(folder), PATH=path + ":" + os.environ["PATH"])


def perf2bolt(version, binary, recording, out, environment, *options):
    # it is perf2bolt by its name alone
    tool = os.path.join(os.path.dirname(out), version, "perf2bolt")
    if not os.path.exists(tool):
        os.mkdir(os.path.dirname(tool))
        os.symlink(os.path.realpath(shutil.which("perf2bolt-" + version)), tool)
    done = run(tool, "-p", recording, "-o", out, *options, binary, env=environment)
    if done.returncode:
        return None, "exit code %d: %s" % (done.returncode, done.stderr.decode()[-600:])
    with open(out, "rb") as file:
        lines = sorted(file.read().splitlines())
    os.unlink(out)
    return lines, ""


def profgen(version, binary, recording, out, environment):
    done = run("llvm-profgen-" + version, "--perfdata=" + recording, "--binary=" + binary, "--output=" + out, "--format=text", env=environment)
    if done.returncode or not os.path.exists(out):
        return None, "exit code %d: %s" % (done.returncode, done.stderr.decode()[-600:])
    with open(out, "rb") as file:
        lines = file.read().splitlines()
    os.unlink(out)
    return lines, ""


def compare(name, folder, tool, least):
    """Runs the tool with our program as its perf, and with perf."""
    ours, fault = tool(os.path.join(folder, "ours.out"), under("ours", folder))
    faults = [fault] if fault else [] if len(ours) >= least else ["%d lines only: %s" % (len(ours), ours[:5])]
    if not fault and perf_is_7():
        theirs, fault = tool(os.path.join(folder, "theirs.out"), under("theirs", folder))
        if fault:
            faults.append("with perf: " + fault)
        elif theirs != ours:
            faults += ["other lines than with perf"] + sorted(set(map(bytes, theirs)) ^ set(map(bytes, ours)))[:5]
    cases.report(name + (", as with perf" if perf_is_7() else ""), faults)


def check_compilers(folder):
    programs = {name: make_program(folder, name, flags) for name, flags in
                (("fixed", ["-no-pie"]), ("moved", ["-pie", "-fPIE"]), ("lld", ["-no-pie", "-fuse-ld=lld"]))}
    for name, binary in programs.items():
        missing = "" if binary and shutil.which("objdump") else "no linker, or no objdump"
        stacks, plain = (os.path.join(folder, name + end) for end in (".branches", ".plain"))
        if not missing:
            record(binary, stacks, True)
            record(binary, plain, False)
        for version in VERSIONS:
            skip = missing or ("" if shutil.which("perf2bolt-" + version) else "no perf2bolt-" + version)
            for title, recording, options in (("branches", stacks, []), ("addresses", plain, ["-ba" if version == "22" else "-nl"])):
                title = "perf2bolt-%s: %s of %s" % (version, title, name)
                if skip:
                    cases.skip(title, skip)
                else:
                    compare(title, folder, lambda out, environment, v=version, b=binary, r=recording, o=options: perf2bolt(v, b, r, out, environment, *o), 8)
            skip = missing or ("" if shutil.which("llvm-profgen-" + version) else "no llvm-profgen-" + version)
            if skip:
                cases.skip("llvm-profgen-%s: %s" % (version, name), skip)
            else:
                compare("llvm-profgen-%s: %s" % (version, name), folder, lambda out, environment, v=version, b=binary, r=stacks: profgen(v, b, r, out, environment), 8)


# --- readers of text ---

def text_of(perf, path, *words):
    done = run(*([program.PERFDATA, "perf"] if perf == "ours" else [PERF]), "script", *words, "-f", "-i", path)
    return done.stdout


def check_text_readers():
    readers = (("stackcollapse-perf.pl", ["stackcollapse-perf.pl"], ("callgraph-73.data", "zstd-73.data")), ("gprof2dot", ["gprof2dot", "-f", "perf"], ("callgraph-73.data",)))
    for name, command, files in readers:
        for file in files:
            title, path = "%s of %s" % (name, file), os.path.join(program.TESTDATA, file)
            if not shutil.which(command[0]):
                cases.skip(title, "no %s in PATH" % name)
                continue
            done = subprocess.run(command, input=text_of("ours", path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
            faults = [] if done.returncode == 0 and done.stdout.count(b"\n") > 3 else [done.returncode, done.stdout, done.stderr]
            if name.startswith("stackcollapse") and not faults:
                weights = sum(int(line.rsplit(b" ", 1)[1]) for line in done.stdout.splitlines())
                wanted = sum(event["weight"] for event in json.loads(program.run("report", "--json", path).out)["events"])
                faults = [] if weights == wanted else ["%d of %d" % (weights, wanted)]
            cases.report(title, faults)


def module(name):
    return os.path.isdir(os.path.join(MODULES, name))


def check_firefox(folder):
    tool = os.path.join(MODULES, ".bin", "profiler-cli")
    path = os.path.join(program.TESTDATA, "callgraph-73.data")
    for words in (["-F", "+pid"], ["--header"]):
        title = "the Firefox Profiler imports script " + " ".join(words)
        if not module("@firefox-devtools/profiler-cli"):
            cases.skip(title, "no npm package @firefox-devtools/profiler-cli")
            continue
        text = os.path.join(folder, "firefox.txt")
        with open(text, "wb") as file:
            file.write(text_of("ours", path, *words))
        environment = dict(os.environ, PROFILER_CLI_SESSION_DIR=os.path.join(folder, "session" + words[0]))
        os.makedirs(environment["PROFILER_CLI_SESSION_DIR"])
        load = run(tool, "load", text, env=environment)
        info = run(tool, "profile", "info", env=environment)
        for _ in range(5):
            info = run(tool, "profile", "info", env=environment) if info.returncode else info
        run(tool, "stop", env=environment)
        cases.report(title, [] if info.returncode == 0 and b"work" in info.stdout else [load.stdout + load.stderr, info.stdout + info.stderr])


SPEEDSCOPE = r"""
const path = require("path"), puppeteer = require("puppeteer-core");
(async () => {
  const site = path.join(path.dirname(require.resolve("speedscope/package.json")), "dist/release/index.html");
  const browser = await puppeteer.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--allow-file-access-from-files"]});
  const page = await browser.newPage();
  await page.goto("file://" + site + "#localProfilePath=" + process.argv[2]);
  await page.waitForFunction(() => /work/.test(document.title), {timeout: 60000}).catch(() => {});
  console.log(await page.title());
  await browser.close();
})();
"""


def check_speedscope(folder):
    chromium = shutil.which("chromium")
    title = "speedscope imports script"
    if not (chromium and module("speedscope") and module("puppeteer-core") and shutil.which("node")):
        cases.skip(title, "no chromium, or no npm packages speedscope and puppeteer-core")
        return
    text = text_of("ours", os.path.join(program.TESTDATA, "callgraph-73.data"))
    visited = os.path.join(folder, "speedscope.js")
    with open(visited, "w") as file:
        file.write('speedscope.loadFileFromBase64("work.linux-perf.txt", "%s")' % base64.b64encode(text).decode())
    with open(os.path.join(folder, "import.js"), "w") as file:
        file.write(SPEEDSCOPE)
    done = run("node", os.path.join(folder, "import.js"), visited, env=dict(os.environ, NODE_PATH=MODULES, CHROMIUM=chromium, HOME=folder))
    cases.report(title, [] if done.returncode == 0 and b"work" in done.stdout else [done.stdout, done.stderr])


# --- command lines ---

SCRIPTS = (
    "", "-F comm,pid,tid,cpu,time,event,ip,sym,dso,trace", "-F comm,pid,tid,time,event,ip,sym,dso,trace", "-F time,comm,pid,tid,event,ip,sym,dso,trace", "--force", "--force --no-inline",
    "--fields time,event,ip,sym,dso", "--ns -F pid,tid,time,ip,sym,symoff,dso,event,period", "--ns -F time,retire_lat,event", "-F +pid", "--header", "--fields pid,comm",
    "--fields pid,comm,event", "-F comm,pid,tid,time,event,ip,sym,dso", "-F comm,ip,sym --no-inline", "-F event,period,ip,sym,symoff -G", "-F comm,event,brstacksym --no-demangle",
    "-F period,ip,dso,dsoff --show-mmap-events", "-F ip", "--max-stack 5", "--ns --show-lost-events", "-D", "-D -F pid,ip", "--show-mmap-events -F comm,pid", "--show-mmap-events -F ip,brstack",
    "--show-task-events", "-F pid,event,ip", "-F pid,event,addr,ip", "-F pid,brstack", "--header-only", "--header-only -I", "-c work --show-mmap-events", "--reltime", "--deltatime",
    "--show-switch-events --show-namespace-events --show-cgroup-events --show-bpf-events --show-text-poke-events", "--show-round-events", "-L", "-C 0", "-C 0-1 --show-task-events",
    "-F nonsense", "--nonsense", "nonsense", "--time 10%-30%", "-F sw:ip,sym -F trace:time", "--no-ns -vF pid", "--dsos work,nosuch --show-task-events", "--stop-bt main,foo",
)
OTHERS = ("evlist", "evlist -F", "evlist -g", "evlist --trace-fields", "buildid-list", "buildid-list -f", "buildid-list --force", "buildid-list --with-hits",
          "report --header-only", "report --stats --stdio", "report -D")


# What doc/perf-callers.md says of streams and directories: beginnings of command lines, ends of files.
DIFFERENT = (("report --header-only", "[.]pipe$"), ("script -C", "[.]pipe$"), ("script --time 10%", "[.]pipe$"), ("script --show-round-events", "[.]dir$"),
             ("buildid-list", "-trace-.*[.]pipe$"), ("report --stats", "-trace-.*[.]pipe$"))


def normal(text, path):
    """What perf takes from the machine that it runs on is left out."""
    text = re.sub(rb"/tmp/perf-vdso\.so-\w{6}", b"[vdso]", text)
    text = re.sub(rb"(config(?: =|:) 0x[0-9a-f]+) \(\w+:\w+\)", rb"\1", text)
    return text.replace(path.encode(), b"FILE")


def check_command_lines(folder):
    if not perf_is_7():
        cases.skip("command lines of other callers", "no perf 7 here; PERF names one")
        return
    empty = os.path.join(folder, "empty")
    os.mkdir(empty)
    environment = dict(program.environment(folder), TZ="UTC")
    for line in ["script " + words for words in SCRIPTS] + list(OTHERS):
        faults = []
        for file in FILES:
            path = os.path.join(program.TESTDATA, file)
            words = line.split() + ["-f", "-i", path]
            if words[0] == "script" or "-D" in words:
                words += ["--symfs", empty]
            if words[1] == "nonsense":
                words = [words[0], *words[2:], "nonsense"]
            if any(line.startswith(begin) and re.search(end, file) for begin, end in DIFFERENT):
                continue
            theirs, ours = (run(*command, *words, env=environment) for command in ([PERF], [program.PERFDATA, "perf"]))
            if theirs.returncode != ours.returncode:
                faults.append("%s: exit code %d, perf %d: %r" % (file, ours.returncode, theirs.returncode, ours.stderr[:200]))
            a, b = normal(theirs.stdout, path), normal(ours.stdout, path)
            if a != b:
                pairs = list(zip(a.split(b"\n"), b.split(b"\n")))
                faults.append("%s: %s" % (file, next(((x[:150], y[:150]) for x, y in pairs if x != y), (len(a), len(b)))))
        cases.report("as perf: " + line, faults)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_compilers(folder)
        check_text_readers()
        check_firefox(folder)
        check_speedscope(folder)
        check_command_lines(folder)
    return cases.end()


if __name__ == "__main__":
    sys.exit(main())
