#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the program does when something fails around it: memory, the disk, the reader of its output, the user. Prints TAP.

    memory      allocations, and pieces of an arena or table, fail in turn in each command: exit 6, or the same output
    disk        a limit on the size of files stops the output at many places: exit 5, and with -o nothing is left
    full        /dev/full: exit 5
    pipe        who reads the output goes away: SIGPIPE, without a word
    interrupt   SIGINT while a pipe is waited for: the document is finished, says it is not complete, exit 130

Each call that a failing allocation leaves is left once in each command, and each four that follow one another once
(tests/support/alloc_fail_sites.h); with PERFDATA_ALL=1 every allocation fails."""
import array
import concurrent.futures
import fcntl
import glob
import gzip
import itertools
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from builder import CALLCHAIN, CONTEXT_KERNEL, CONTEXT_USER, IP, TID, TIME, Recording
from elf_program import Elf
from program import strict_json

FAILING = os.environ.get("PERFDATA_FAILING") or os.path.join(os.environ.get("top_builddir") or os.path.join(program.TOP, "build"), "tests", "failing_perfdata")
RECORDINGS = ("stream-trace-73.pipe", "stat-73.data", "bad-callchain-count.data")
QUESTIONS = (["info", "-v"], ["info", "--json"], ["info", "--perf"], ["info", "--perf-stats"], ["events", "-v"], ["events", "--json"],
             ["events", "--perf"], ["buildids"], ["buildids", "--json"], ["buildids", "--perf", "--with-hits"], ["check"], ["check", "--json"],
             ["check", "--junit"])

# Recordings as output; the last one is merged with the recording at hand
WRITINGS = (["rewrite", "-q"], ["rewrite", "-q", "--cpu", "0"], ["rewrite", "-q", "--form", "stream", "--compress", "zstd"], ["repair", "-q"],
            ["anonymize", "-q", "--symfs", os.path.join(program.TESTDATA, "crash"), "--key", os.path.join(program.TESTDATA, "README")],
            ["rewrite", "-q", "--byte-order", "big"],
            ["rewrite", "-q", os.path.join(program.TESTDATA, "group-73.data")])

tap = program.Tap()
report = tap.report


def conversions():
    first = ["ndjson", "-q", "--symbols", "no", "-j", "1", "--limit", "20"]   # ends before the reader's failure is seen
    return [first] + [[name, "-q", "--symbols", "no", "-j", "1"] for name in program.formats() if name not in program.FOLDER_FORMATS + program.FOR_COMPILERS] + [["ndjson", "-q", "--names", "--stacks", "ref", "-j", "1"]]


def compilers():
    return [[name, "-q", *program.COMPILERS_WORDS, "-j", "1"] for name in program.FOR_COMPILERS]


def path_of(name):
    return os.path.join(program.TESTDATA, name)


def conversions_with_paths():
    return [(words, path_of("trace-73.data")) for words in conversions()] + [(words, program.COMPILERS_RECORDING) for words in compilers()]


def commands_with_paths():
    others = list(QUESTIONS) + [[*words, "-o", "-"] for words in WRITINGS]
    return conversions_with_paths() + [(words, path_of("trace-73.data")) for words in others]


def claims_completeness(words, out):
    """A list of findings that says it is longer than what it shows claims nothing."""
    if words[0] not in ("json", "ndjson", "info", "buildids") or b'"complete":true' not in out.replace(b" ", b""):
        return False
    document = strict_json(out.splitlines()[-1] if words[0] == "ndjson" else out)
    summary = document.get("summary", document)
    return summary.get("findings_total", 0) == len(summary.get("findings", ()))


# --- memory ---

def start_failing(words, path, number, note, sites=None):
    environment = dict(os.environ, PERFDATA_FAIL=str(number), PERFDATA_FAIL_NOTE=note, ASAN_OPTIONS="exitcode=99", UBSAN_OPTIONS="exitcode=99")
    if sites:
        environment["PERFDATA_FAIL_SITES"] = sites
    done = subprocess.run([FAILING, *words, path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                          timeout=120)
    happened = os.path.exists(note)
    if happened:
        os.unlink(note)
    return happened, done


def worth_failing(words, path, seen, folder):
    """How the command ends without failures, and the numbers of allocations to fail in turn; what is seen already is left out."""
    note, sites = tempfile.mktemp(dir=folder), tempfile.mktemp(dir=folder)
    _happened, good = start_failing(words, path, -1, note, sites)
    with open(sites, "rb") as f:
        pairs = list(struct.iter_unpack("=Qq", f.read()))
    os.unlink(sites)
    if program.ALL:
        return good, itertools.count()
    found = []
    for _number, group in itertools.groupby(pairs, lambda pair: pair[1]):
        # a call of the library is seen in each command, which has its own way to end
        new = {(key, "" if key & 3 else " ".join(words)) for key, _number in group} - seen
        seen |= new
        found += [_number] if new else []
    return good, found


def memory_faults(words, path, good, numbers, folder):
    note = tempfile.mktemp(dir=folder)
    faults = []
    for number in numbers:
        happened, done = start_failing(words, path, number, note)
        if program.ALL and not happened and done.returncode == good.returncode:
            break
        what = "%s of %s: allocation %d: exit %d" % (" ".join(words), os.path.basename(path), number, done.returncode)
        if done.returncode == 6:
            if b"out of memory" not in done.stderr:
                faults.append("%s without a message" % what)
            if claims_completeness(words, done.stdout):
                faults.append("%s, and complete" % what)
        elif (done.returncode, done.stdout) != (good.returncode, good.stdout):
            faults.append("%s, not %d, %d bytes, not %d: %s" % (what, good.returncode, len(done.stdout), len(good.stdout),
                                                              done.stderr.decode("utf-8", "replace")[-1500:]))
    return faults


SEEN = set()    # of all commands


def fail_commands(title, commands, paths, folder):
    """What is worth a failure is found command after command, so that it is the same each time; then they run side by side."""
    tasks, faults, count = [], [], 0
    for words in commands:
        for path in paths:
            good, numbers = worth_failing(words, path, SEEN, folder)
            tasks.append((words, path, good, numbers))
            count += 0 if program.ALL else len(numbers)
        if not any(good.returncode in (0, 1, 4) for _words, _path, good, _numbers in tasks[-len(paths):]):
            faults.append("%s fails by itself: %s" % (" ".join(words), good.stderr.decode("utf-8", "replace")[-300:]))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        faults += [fault for some in pool.map(lambda task: memory_faults(*task, folder), tasks) for fault in some]
    few = not program.ALL and count < 15 * len(commands)
    report("memory: %s, %d commands, %s" % (title, len(commands), "all allocations" if program.ALL else "%d allocations" % count),
           faults + (["few allocations"] if few else []))


def write_named(folder):
    """A recording of a program below a folder, and of a kernel: the options with which its addresses have names, and its path."""
    elf = Elf(path_of("unwind/x86_64"))
    os.makedirs(os.path.join(folder, "symfs", "unwind"))
    shutil.copy(path_of("unwind/x86_64"), os.path.join(folder, "symfs", "unwind", "program"))
    kernel, moved = 0xffffffff81000000, 0x200000   # the recorded kernel was at another place: the mapping names the symbol whose address is known
    with open(os.path.join(folder, "kallsyms"), "w") as f:
        f.write("%x T _stext\n%x T _text\n%x T handle\n" % (kernel + moved, kernel + moved, kernel + moved + 0x100))
    r = Recording()
    cycles = r.event("cycles", ids=[1], type=0, sample_id_all=1, period=1000, sample_type=IP | TID | TIME | CALLCHAIN)
    r.mmap2(-1, 0, kernel, 0x1000000, kernel, "[kernel.kallsyms]_text", misc=1, time=1)
    r.comm(100, 100, "frames", time=1)
    r.mmap2(100, 100, elf.start, 0x1000, elf.pgoff, "/unwind/program", time=2)
    for name in "leaf", "middle", "outer":
        r.sample(cycles, ip=elf.symbols[name], pid=100, tid=100, time=3, callchain=[CONTEXT_USER, elf.symbols[name], *elf.returns])
    r.sample(cycles, misc=1, ip=kernel + 16, pid=100, tid=100, time=9,
             callchain=[CONTEXT_KERNEL, kernel + 16, kernel + 0x120, CONTEXT_USER, *elf.returns])
    r.feature(6, r.string("x86_64"))
    path = os.path.join(folder, "named.data")
    r.save(path)
    return ["--symfs", os.path.join(folder, "symfs"), "--kallsyms", os.path.join(folder, "kallsyms")], path


def check_names(folder):
    """Where memory fails while a name is looked up, the address is not one without a name."""
    options, path = write_named(folder)
    commands = [[name, "-q", "-j", "1", "--symbols", "yes", *options] for name in program.formats() if name not in program.FOLDER_FORMATS + program.FOR_COMPILERS]
    commands += [["ndjson", "-q", "-j", "1", "--symbols", "yes", "--lines", *options], ["report", "-q", "-j", "1", "--inline", *options]]
    fail_commands("names", commands, [path], folder)


def summary_of(path):
    """Without what differs from run to run; None: it is broken."""
    try:
        with open(path, "rb") as f:
            lines = [strict_json(line) for line in f]
    except ValueError:
        return None
    return [{key: value for key, value in line.items() if key not in ("seconds", "elapsed")} for line in lines]


def check_summary(folder):
    """A line of the summary that is written is whole."""
    note, path, out = (os.path.join(folder, name) for name in ("note", "summary", "converted.ndjson"))
    words, recording = ["ndjson", "-q", "-j", "1", "--symbols", "no", "--summary", path, "--force", "-o", out], path_of("bad-callchain-count.data")
    good, numbers = worth_failing(words, recording, set(), folder)
    wanted, faults, count = summary_of(path), [], 0
    for number in numbers:
        happened, done = start_failing(words, recording, number, note)
        if not happened:
            break
        count += 1
        if done.returncode == good.returncode and summary_of(path) != wanted:
            faults.append("allocation %d: exit %d, and another summary" % (number, done.returncode))
        elif done.returncode not in (6, good.returncode):
            faults.append("allocation %d: exit %d: %s" % (number, done.returncode, done.stderr.decode("utf-8", "replace")))
    report("memory: the summary of a batch", faults if count > 20 else ["few allocations"])


def check_memory(folder):
    commands = conversions() + list(QUESTIONS) + [[*words, "-o", "-"] for words in WRITINGS]
    fail_commands("recordings", commands, [path_of(name) for name in RECORDINGS], folder)
    fail_commands("profiles for compilers", compilers(), [program.COMPILERS_RECORDING], folder)
    tables = tempfile.mkdtemp(dir=folder)
    words = ["parquet", "-q", "--symbols", "no", "-j", "1", "--force", "-o", tables + "/"]
    fail_commands("tables of Parquet", [words], [path_of("trace-73.data")], folder)
    report("memory: what is in the folder is whole", [name for name in os.listdir(tables) if name.endswith(".tmp")] +
           [path for path in glob.glob(tables + "/*/*") if not path.endswith(".parquet") or open(path, "rb").read()[-4:] != b"PAR1"])


# --- the disk ---

def limited(size):
    """Larger files cannot be written, and that is an error like any other."""
    def set_limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return set_limit


def run_limited(words, size, out):
    return subprocess.run([program.PERFDATA, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, preexec_fn=limited(size),
                          timeout=120)


def disk_faults(words, path, folder):
    faults = []
    whole = program.run(*words, path).out
    for size in {0, 1, len(whole) // 3, len(whole) - 1} if whole else ():
        with tempfile.TemporaryFile(dir=folder) as out:
            done = run_limited([*words, path], size, out)
            out.seek(0)
            got = out.read()
        if done.returncode != 5 or b"error: " not in done.stderr:
            faults.append("%d bytes fit: exit %d: %s" % (size, done.returncode, done.stderr.decode()))
        if not whole.startswith(got):
            faults.append("%d bytes fit: what was written is not the beginning" % size)
    return faults


def output_faults(words, path, suffix, folder):
    """With -o, a file that cannot be finished is not kept."""
    target = os.path.join(folder, "output" + suffix)
    whole = program.run(*words, "-o", target, path)
    size = os.path.getsize(target)
    # what pprof writes is packed already
    with (gzip.open if suffix == ".gz" and words[0] != "pprof" else open)(target, "rb") as f:
        faults = [] if (suffix == ".zst" and words[0] != "pprof") or f.read() == program.run(*words, path).out else ["%s holds something else" % suffix]
    os.unlink(target)
    if whole.code not in (0, 4):
        return ["exit %d" % whole.code]
    for limit in {0, 1, size // 2, size - 1}:
        done = run_limited([*words, "-o", target, path], limit, subprocess.DEVNULL)
        left = [name for name in os.listdir(folder) if "output" in name or name.startswith(".perfdata")]
        if done.returncode != 5 or left:
            faults.append("-o output%s, %d bytes fit: exit %d, left: %s: %s" % (suffix, limit, done.returncode, left, done.stderr.decode()))
    return faults


def check_disk(folder):
    faults = []
    alone = [["schema"], ["fields"], ["explain"], ["help"], ["completion", "bash"]]
    for words, path in conversions_with_paths() + [(words, path_of("trace-73.data")) for words in QUESTIONS] + [(words, None) for words in alone]:
        found = disk_faults(words, path, folder) if path else disk_faults_alone(words, folder)
        faults += ["%s: %s" % (" ".join(words), fault) for fault in found]
    report("disk: standard output", faults)
    faults = []
    for words, path in conversions_with_paths():
        for number, suffix in enumerate(("", ".gz", ".zst")):
            # one thread and two in turns
            for jobs in ("1", "2") if program.ALL else ("12"[(number + len(words[0])) % 2],):
                more = words[:-1] + [jobs]
                faults += ["%s: %s" % (" ".join(more), fault) for fault in output_faults(more, path, suffix, folder)]
    report("disk: -o leaves nothing", faults)


def recording_faults(words, path, folder):
    """What stood at the output's place stays as it was until the new recording is whole; nothing else is left."""
    target = os.path.join(folder, "output.data")
    faults = []
    size = len(program.run(*words, "-o", "-", path).out)
    for before in (None, b"another one"):
        for limit in {0, 1, size // 2, size - 1}:
            if before:
                with open(target, "wb") as f:
                    f.write(before)
            done = run_limited([*words, "--force", "--tmpdir", folder, "-o", target, path], limit, subprocess.DEVNULL)
            left = [name for name in os.listdir(folder) if name != "output.data"]
            found = open(target, "rb").read() if os.path.exists(target) else None
            if done.returncode != 5 or b"error: " not in done.stderr or left or found != before:
                faults.append("%d bytes fit: exit %d, left: %s %s: %s" % (limit, done.returncode, left, found and found[:20], done.stderr.decode()))
    if before:
        os.unlink(target)
    return faults


def check_recordings():
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for words in WRITINGS:
            for name in "trace-73.data", "zstd-73.data":
                faults += ["%s of %s: %s" % (" ".join(words), name, fault) for fault in recording_faults(words, path_of(name), folder)]
    report("disk: recordings are written whole or not at all", faults)


def disk_faults_alone(words, folder):
    with tempfile.TemporaryFile(dir=folder) as out:
        done = run_limited(words, 7, out)
    return [] if done.returncode == 5 else ["exit %d" % done.returncode]


def check_full():
    faults = []
    with open("/dev/full", "wb") as full:
        for words, path in commands_with_paths():
            done = subprocess.run([program.PERFDATA, *words, path], stdout=full, stderr=subprocess.PIPE, timeout=120)
            if done.returncode != 5 or b"error: " not in done.stderr:
                faults.append("%s: exit %d: %s" % (" ".join(words), done.returncode, done.stderr.decode()))
    report("full: every command", faults)


# --- who reads the output ---

def check_pipe():
    faults = []
    for words, path in commands_with_paths():
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([program.PERFDATA, *words, path], stdin=subprocess.DEVNULL, stdout=writing,
                              stderr=subprocess.PIPE, timeout=120)
        os.close(writing)
        if done.returncode != -signal.SIGPIPE or done.stderr:
            faults.append("%s: exit %d: %s" % (" ".join(words), done.returncode, done.stderr.decode()))
    report("pipe: closed before the first byte", faults)


# formats whose output begins while the recording is still read, by the thread that reads it or by another one
STREAMED = ("ndjson", "json", "csv", "script", "dump", "perf-json", "perfetto")


def check_pipe_later():
    """Each format writes several times what a pipe holds (the program asks for a megabyte), of which only the first byte is read."""
    faults = []
    recording = Recording()
    cycles = recording.event("cycles", ids=[1], sample_type=IP | TID | TIME)
    for i in range(90000):
        recording.sample(cycles, ip=0x1000 + i, pid=1, tid=1, time=1000 + i)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "long.data")
        recording.save(path)
        for name, jobs in itertools.product(STREAMED, "12"):
            words = [name, "--symbols", "no", "--jobs", jobs]
            with subprocess.Popen([program.PERFDATA, *words, path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, bufsize=0) as running:
                running.stdout.read(1)
                running.stdout.close()
                said = running.stderr.read()
            if running.returncode != -signal.SIGPIPE or said:
                faults.append("%s: exit %d: %s" % (" ".join(words), running.returncode, said.decode()))
    report("pipe: closed after the first byte", faults)


# --- the user ---

def interrupted(words, head):
    """SIGINT when all of `head` was read, and the pipe stays open."""
    process = subprocess.Popen([program.PERFDATA, *words, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(head)
    process.stdin.flush()
    if words[0] == "ndjson":
        process.stdout.readline()     # meta: it is at work
    else:
        wait_until_read(process)
    process.send_signal(signal.SIGINT)
    try:
        out = process.stdout.read()
        err = process.stderr.read()
        code = process.wait(60)
    finally:
        process.kill()
        process.stdin.close()
    return code, out, err


def wait_until_read(process):
    """Until nothing is left of what was written: the program waits for more, or is about to."""
    left = array.array("i", [1])
    while left[0] and process.poll() is None:
        fcntl.ioctl(process.stdin, termios.FIONREAD, left)
        time.sleep(0.01)


def check_interrupt():
    with open(path_of("stream-73.pipe"), "rb") as f:
        stream = f.read()
    faults = []
    waiting = [words for words in conversions() if "--limit" not in words]   # with a limit it ends by itself
    for words in waiting + compilers() + [["check"], ["info"], ["rewrite", "-o", "-"], ["repair", "-o", "-"]]:
        code, out, err = interrupted(words, stream)
        if code != 130:
            faults.append("%s: exit %d: %s" % (" ".join(words), code, err.decode("utf-8", "replace")))
        try:
            if words[0] in ("json", "perf-json") and out:
                strict_json(out)
            for line in out.splitlines() if words[0] == "ndjson" else ():
                strict_json(line)
        except ValueError as problem:
            faults.append("%s: %s" % (" ".join(words), problem))
        if claims_completeness(words, out):
            faults.append("%s says it is complete" % " ".join(words))
    report("interrupt: while a pipe is waited for", faults)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_memory(folder)
        check_names(folder)
        check_summary(folder)
        check_disk(folder)
    check_recordings()
    check_full()
    check_pipe()
    check_pipe_later()
    check_interrupt()
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
