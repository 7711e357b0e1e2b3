#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What options name has to be there; outputs that cannot be written, and readers that go away, end the program as documented. Prints TAP;
the layouts of --symfs need a compiler."""
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import Recording, IP, TID, TIME, USER
from named_files import Tree
from program import PERFDATA, TESTDATA, Tap, run

RECORDING = os.path.join(TESTDATA, "callgraph-73.data")
# What commands say of a place that is not there: wrong use, or a file that cannot be opened.
PLACES = [("folded", "symfs"), ("folded", "sysroot"), ("folded", "kallsyms"), ("folded", "vmlinux"), ("folded", "symbols-from"), ("folded", "tmpdir"),
          ("folded", "files-from"), ("folded", "relative-to"), ("report", "symfs"), ("info", "symfs"), ("symbolize", "kallsyms"),
          ("match", "symfs"), ("match", "sysroot"), ("match", "debug-dir"), ("match", "list"), ("match", "other"), ("match", "file"),
          ("match", "symbols-from"), ("anonymize", "key"), ("rewrite", "symfs"), ("annotate", "source")]
# Files and folders that are read for names, lists or texts cannot be opened: 3 in all commands.
WITH = {"info": ["--symbols", "yes"], "rewrite": ["--build-ids"]}   # what makes sense of the place
READ = {"symfs", "sysroot", "kallsyms", "vmlinux", "files-from", "source"}


def check_missing(folder):
    for command, option in PLACES:
        output = ["-o", os.path.join(folder, "missing.data"), "--force"] if command in ("anonymize", "rewrite") else []
        recording = [] if command == "symbolize" else [*WITH.get(command, []), RECORDING]
        for place in (os.path.join(folder, "missing"), os.path.join(folder, "missing") + ",flat"):
            done = run(command, "--" + option, place, *output, *recording)
            if done.code not in ((3,) if option in READ else (2, 3)) or not done.err or done.out:
                yield f"{command} --{option} {os.path.basename(place)}: {done.code} {done.err!r}"


def check_unfit(folder):
    """Files that are there, and are not what the option wants."""
    words, empty, elf = os.path.join(folder, "words"), os.path.join(folder, "empty"), os.path.realpath("/proc/self/exe")
    with open(words, "w", encoding="ascii") as out:
        out.write("root:x:0:0\n")
    with open(empty, "wb"):
        pass
    for option, places in (("kallsyms", (words, empty, elf, folder)), ("vmlinux", (words, empty, folder)), ("symfs", (words, empty)), ("sysroot", (words,))):
        for place in places:
            for command in ("folded", "script", "report"):
                done = run(command, "--" + option, place, RECORDING)
                if done.code != 3 or place.encode() not in done.err or done.out:
                    yield f"{command} --{option} {os.path.basename(place)}: {done.code} {done.err!r}"


WAITING = [["info"], ["ndjson"], ["diff", RECORDING], ["match", RECORDING, "--list"],
           # for a reader
           ["ndjson", "-q", RECORDING, "-o"], ["rewrite", "-q", RECORDING, "-o"], ["bundle", "-q", RECORDING, "-o"], ["diff", "-q", RECORDING, "--save"],
           ["ndjson", "-q", RECORDING, "-o", os.devnull, "--summary"]]


def wait_until_asleep(process):
    """Until the process waits for something, and went on waiting for a while."""
    naps = 0
    while process.poll() is None and naps < 5:
        with open(f"/proc/{process.pid}/stat", encoding="ascii") as stat:
            naps = naps + 1 if stat.read().rpartition(") ")[2].startswith("S") else 0
        time.sleep(0.02)


def check_pipes(folder):
    """A pipe without a writer or reader is waited for until a signal comes; what has to be a file is not taken from one."""
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    for words in WAITING:
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([PERFDATA, *words, pipe], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as waiting:
                wait_until_asleep(waiting)
                waiting.send_signal(number)
                try:
                    _, said = waiting.communicate(timeout=60)
                except subprocess.TimeoutExpired:
                    waiting.kill()
                    said = b"it goes on waiting"
            if waiting.returncode != 130 or b"cannot" in said or b"system call" in said:
                yield f"{' '.join(words)} PIPE, signal {number}: {waiting.returncode} {said!r}"
    for option in ("kallsyms", "vmlinux", "symbols-from"):
        done = run("folded", "--" + option, pipe, RECORDING)
        if done.code != 3 or b"no regular file" not in done.err:
            yield f"--{option} PIPE: {done.code} {done.err!r}"


PROGRAM = """
__attribute__((noinline, used)) int first_function(int n) { return n * 3; }
int main(int argc, char **argv) { (void)argv; return first_function(argc); }
"""


def check_layouts(folder):
    """The recorded file is below a tree, or in one folder under the last part of its path, or in a folder with a comma in its name."""
    source, built = os.path.join(folder, "prog.c"), os.path.join(folder, "prog")
    with open(source, "w") as file:
        file.write(PROGRAM)
    subprocess.run([os.environ.get("CC", "cc").split()[-1], "-O1", "-no-pie", "-Wl,--build-id", "-o", built, source], check=True)
    symbols = subprocess.run(["nm", built], check=True, capture_output=True, text=True).stdout.split("\n")
    address = next(int(line.split()[0], 16) for line in symbols if line.endswith(" first_function"))
    start = address & ~0xfff
    id = bytes.fromhex(build_id_of(built))
    recording = Recording()
    event = recording.event("cycles", [11], type=0, sample_type=IP | TID | TIME, sample_id_all=1)
    recording.comm(100, 100, "prog")
    recording.mmap2(100, 100, start, 0x1000, start - 0x400000, "/opt/demo/bin/prog", build_id=id)
    recording.sample(event, misc=USER, ip=address, pid=100, tid=100, time=5)
    path = os.path.join(folder, "layouts.data")
    recording.save(path)
    flat, tree, comma = (os.path.join(folder, name) for name in ("flat", "tree", "comma,here"))
    for place in (flat, os.path.join(tree, "opt/demo/bin"), comma):
        os.makedirs(place)
        shutil.copy(built, place)
    environment = dict(os.environ, HOME=folder)
    for symfs, wanted in ((flat, False), (flat + ",flat", True), (tree, True), (tree + ",hierarchy", True), (tree + ",flat", False), (comma + ",flat", True),
                          (comma, False)):
        done = run("folded", "--symfs", symfs, path, env=environment)
        if (b"first_function" in done.out) != wanted:
            yield f"folded --symfs {os.path.basename(symfs)}: {done.out!r} {done.err!r}"
        done = run("match", "--symfs", symfs, path, env=environment)
        if (done.code == 0) != wanted:
            yield f"match --symfs {os.path.basename(symfs)}: {done.code} {done.out!r}"


def build_id_of(path):
    """The build-id by its note."""
    with open(path, "rb") as file:
        data = file.read()
    at = data.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0") + 16
    return data[at:at + 20].hex()


def check_lines(folder):
    """`match` says what it has to say in lines of their own."""
    done = run("match", "--debug-dir", TESTDATA, RECORDING)
    lines = done.out.decode().split("\n")
    wrong = [line for line in lines if "\\x0a" in line]
    return wrong + ([] if "the answer is no:" in lines else [f"{done.code}: no reasons"])


def check_limit(folder):
    """A write beyond the limit of file sizes fails, and a message names the file and says why; it does not kill."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    tree = Tree(os.path.join(folder, "limit"))
    for number in range(100):
        tree.add_program(number)
    tree.save()
    names = ["--symfs", tree.root, tree.recording]
    for words in (["dump", "-o", os.path.join(folder, "large"), RECORDING], ["rewrite", "-o", os.path.join(folder, "large.data"), RECORDING],
                  ["parquet", "-o", os.path.join(folder, "large.d/"), RECORDING], ["flamegraph", "-o", os.path.join(folder, "l.html"), RECORDING],
                  ["anonymize", "-o", os.path.join(folder, "a.data"), RECORDING], ["rewrite", "-o", os.path.join(folder, "both"), RECORDING, RECORDING],
                  ["bundle", "-o", os.path.join(folder, "large.tar"), *names], ["diff", "--save", os.path.join(folder, "base"), *names]):
        done = run(*words, preexec_fn=limit)
        if done.code != 5 or words[2].encode() not in done.err or b"File too large" not in done.err:
            yield f"{words[0]}: {done.code} {done.err!r}"
    with open(os.path.join(folder, "stdout"), "wb") as out:
        code = subprocess.run([PERFDATA, "schema"], stdout=out, stderr=subprocess.DEVNULL, preexec_fn=limit).returncode
        if code != 5:
            yield f"schema to stdout: {code}"


def check_readers_gone(folder):
    """A closed pipe ends each command by SIGPIPE, whatever the caller did about that signal."""
    for ignored in (False, True):
        def set_signal(ignored=ignored):
            signal.signal(signal.SIGPIPE, signal.SIG_IGN if ignored else signal.SIG_DFL)
        for words in (["dump", RECORDING], ["ndjson", RECORDING], ["info", RECORDING], ["check", "-v", RECORDING], ["schema"], ["help"], ["report", RECORDING],
                      ["rewrite", "-o", "-", RECORDING], ["match", RECORDING], ["buildids", RECORDING], [RECORDING]):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([PERFDATA, *words], stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE, preexec_fn=set_signal,
                                  restore_signals=False)
            os.close(writer)
            if done.returncode != -signal.SIGPIPE or done.stderr:
                yield f"{' '.join(words[:2])}, {'ignored' if ignored else 'default'}: {done.returncode} {done.stderr!r}"


def check_folders(folder):
    """Where only a folder makes sense, its name needs no slash at the end."""
    for name, words in (("p", ["parquet"]), ("q", ["csv", "--table", "all"]), ("r", ["convert", "--to", "csv,ndjson"])):
        place = os.path.join(folder, name)
        done = run(*words, "-o", place, RECORDING)
        if done.code or not os.path.isdir(place) or not os.listdir(place):
            yield f"{words}: {done.code} {done.err!r}"
        if run(*words, "-o", RECORDING, RECORDING).code != 2 or run(*words, RECORDING).code != 2:
            yield f"{words}: a file, or nothing, is taken for a folder"


# Each would replace FIRST, SECOND or NAMES, which it reads, or LINK, which leads to FIRST.
REPLACING = (["folded", "-o", "FIRST", "FIRST"], ["csv", "-o", "FIRST", "SECOND", "FIRST"], ["report", "-o", "LINK", "FIRST"], ["ndjson", "-o", "FIRST", "-"],
             ["folded", "--kallsyms", "NAMES", "-o", "NAMES", "FIRST"],
             ["flamegraph", "--base", "SECOND", "-o", "SECOND", "FIRST"], ["flamegraph", "--repeat", "SECOND", "-o", "SECOND", "FIRST"],
             ["folded", "-o", ".", "--name", "{base}", "SECOND", "FIRST"], ["folded", "--summary", "SECOND", "-o", "out/", "FIRST", "SECOND"],
             ["diff", "--save", "FIRST", "FIRST", "SECOND"], ["diff", "--before", "FIRST", "--after", "SECOND", "--save", "FIRST"],
             ["bundle", "-o", "FIRST", "FIRST"], ["convert", "--to", "folded", "--resume", "-o", ".", "--name", "{base}", "FIRST"])


def check_inputs_stay(folder):
    """No output replaces a recording that is read for it, even with --force. A stored baseline may be renewed, and `rewrite` works in place."""
    place = os.path.join(folder, "inputs")
    os.mkdir(place)
    first, second, names, baseline = (os.path.join(place, name) for name in ("FIRST", "SECOND", "NAMES", "baseline"))
    shutil.copy(RECORDING, first)
    shutil.copy(os.path.join(TESTDATA, "trace-73.data"), second)
    with open(names, "w", encoding="ascii") as f:
        f.write("ffffffff81000000 T _text\nffffffff82000000 T _etext\n")
    os.symlink("FIRST", os.path.join(place, "LINK"))
    before = [open(path, "rb").read() for path in (first, second, names)]
    for words in REPLACING:
        done = run(*words, "--force", stdin=first, cwd=place)
        if done.code != 2 or b" read" not in done.err:
            yield f"{' '.join(words)}: {done.code} {done.err!r}"
        if [open(path, "rb").read() for path in (first, second, names)] != before:
            yield f"{' '.join(words)}: it replaced a file that it read"
            break
    for words in (["diff", "--save", baseline, first], ["diff", "--save", baseline, "--before", baseline, "--after", first],
                  ["rewrite", "-o", first, first], ["folded", "-o", os.devnull, first]):
        done = run(*words, "--symbols", "no", "--force")
        if done.code:
            yield f"{' '.join(words)}: {done.code} {done.err!r}"


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        tap.report("a file or folder that an option names is missing", list(check_missing(folder)))
        tap.report("a file that an option names is of another kind", list(check_unfit(folder)))
        tap.report("a pipe without a writer or reader", list(check_pipes(folder)))
        if shutil.which("cc") and shutil.which("nm"):
            tap.report("layouts of --symfs", list(check_layouts(folder)))
        tap.report("the lines of match", check_lines(folder))
        tap.report("a limit of file sizes", list(check_limit(folder)))
        tap.report("readers that are gone", list(check_readers_gone(folder)))
        tap.report("outputs that are folders", list(check_folders(folder)))
        tap.report("outputs that are inputs", list(check_inputs_stay(folder)))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
