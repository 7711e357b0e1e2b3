#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of doc/examples say what the program says: convert makes the same bytes in every format, count counts what script shows,
stacks has the stacks of ndjson, ring-buffer shows samples of its own process."""
import collections
import ctypes
import glob
import json
import os
import platform
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import run

TESTS = os.path.join(os.environ.get("top_builddir", "."), "tests")
FORMATS = program.formats()


def example(name, *arguments, **more):
    done = subprocess.run([os.path.join(TESTS, "example_" + name), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, **more)
    return done.returncode, done.stdout, done.stderr.decode()


def converts(path):
    """The formats in which the example makes other bytes than the program."""
    wrong = []
    for name in FORMATS:
        wanted = run(name, "-q", "--symbols", "no", path)
        code, found, _words = example("convert", name, path)
        if found != wanted.out or (code == 0) != (wanted.code in (0, 4)):
            wrong.append(name)
    return wrong


def counts(path):
    """Samples by comm, as ndjson --names has them: of recordings where each sample is one delivery."""
    records = [json.loads(line) for line in run("ndjson", "-q", "--names", "--symbols", "no", path).out.splitlines()]
    wanted = collections.Counter(record["comm"] for record in records if record["type"] == "sample" and "comm" in record)
    code, found, _words = example("count", path)
    lines = [line.split(" ", 1) for line in found.decode().splitlines()]
    numbers = [int(number) for number, _ in lines]
    return bool(wanted) and numbers == sorted(numbers, reverse=True) and {comm: int(number) for number, comm in lines} == wanted


def stack_texts(words):
    """{id: lines} of what the example stacks prints."""
    code, out, _words = example("stacks", *words)
    texts = {}
    for line in out.decode().splitlines():
        if line.startswith("stack "):
            lines = texts.setdefault(int(line.split()[1]), [])
        else:
            lines.append(line.strip())
    return code, texts


def stacks(path):
    """What is wrong: all stacks, one by its id, an id that no stack has, names from a kallsyms text."""
    wrong = []
    records = [json.loads(line) for line in run("ndjson", "-q", "--names", "--symbols", "no", "--stacks", "ref", path).out.splitlines()]
    wanted = sorted([frame["ip"] for frame in record["frames"]] for record in records if record["type"] == "stack")
    code, found = stack_texts([path])
    if code or not wanted or sorted([line.split()[0] for line in lines] for lines in found.values()) != wanted:
        wrong.append("all stacks")
    last = max(found)
    if stack_texts([path, str(last)]) != (0, {last: found[last]}):
        wrong.append("one by its id")
    code, out, words = example("stacks", path, str(last + 1), str(last))
    if code != 1 or "there is no such stack" not in words or not out.startswith(b"stack %d\n" % last):
        wrong.append("an id that no stack has")
    if example("stacks", path, "x")[0] != 1 or example("stacks", "-k", "/nowhere", path)[0] != 1 or example("stacks", "/nowhere")[0] != 1:
        wrong.append("arguments that are wrong")
    ips = sorted({int(line.split()[0], 16) for lines in found.values() for line in lines})
    kernel = [ip for ip in ips if ip >> 63]
    with tempfile.NamedTemporaryFile("w", suffix=".kallsyms") as text:
        text.write("%x T _text\n%x t inside\n%x T _end\n" % (kernel[0] - 0x20, kernel[0] - 0x10, kernel[-1] + 1))
        text.flush()
        code, named = stack_texts(["-k", text.name, path])
    lines = [line for lines in named.values() for line in lines]
    if code or any(("inside+0x%x " % (ip - kernel[0] + 0x10) in line) != (ip >> 63 == 1) for line in lines for ip in [int(line.split()[0], 16)]):
        wrong.append("names of a kallsyms text")
    return wrong


def interrupted():
    """^C while a recording comes slowly: the lines so far are whole, and the last one says that they are not all."""
    with open(os.path.join(program.TESTDATA, "stream-trace-73.pipe"), "rb") as file:
        content = file.read()
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        process = subprocess.Popen([os.path.join(TESTS, "example_convert"), "ndjson", pipe], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(pipe, "wb") as file:
            file.write(content[:-8])
            file.flush()
            # it writes whole blocks: nothing shows that it has read these bytes
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            out, words = process.communicate(timeout=60)
    records = [json.loads(line) for line in out.decode().splitlines()]
    whole = records and (records[0]["type"], records[-1]["type"], records[-1].get("complete")) == ("meta", "summary", False)
    return [] if process.returncode == 1 and b"interrupted" in words and whole else ["code %d, %s: %s" % (process.returncode, words, out[-200:])]


def refuse_perf_event_open():
    """Makes perf_event_open fail in this process from here on, as containers do: a filter of system calls."""
    number = {"x86_64": 298, "aarch64": 241}[platform.machine()]
    # load the number of the call; is it the one? EPERM; else go on
    code = b"".join(struct.pack("HBBI", *row) for row in ((0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)))
    rows = ctypes.create_string_buffer(code, len(code))
    filter_program = ctypes.create_string_buffer(struct.pack("HP", 4, ctypes.addressof(rows)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, filter_program, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def ring_buffer():
    """(what is wrong, why it could not be seen)"""
    process = subprocess.Popen([os.path.join(TESTS, "example_ring_buffer")], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, words = (part.decode() for part in process.communicate(timeout=120))
    if process.returncode == 3 and "the kernel refuses to sample" in words:
        return [], words.strip()
    rows = [re.fullmatch(r"(\w+) time=(\d+) pid=\d+( ip=0x[0-9a-f]+ chain=[0-9a-fx,]+)?", line) for line in out.splitlines()]
    if process.returncode or not all(rows):
        return ["code %d: %s" % (process.returncode, words or next(line for line, row in zip(out.splitlines(), rows) if not row))], None
    kinds = collections.Counter(row[1] for row in rows)
    times = [int(row[2]) for row in rows]
    return [] if kinds["sample"] > 5 and kinds["mmap"] and times == sorted(times) and 0 not in times else [str(kinds)], None


def refused():
    code, out, words = example("ring_buffer", preexec_fn=refuse_perf_event_open)
    return [] if code == 3 and not out and "the kernel refuses to sample" in words and "perf_event_paranoid" in words else [words]


def main():
    tap = program.Tap()
    for path in sorted(glob.glob(os.path.join(program.TESTDATA, "*.data"))):
        tap.report("convert: " + os.path.basename(path), converts(path))
    for name in ("trace-73.data", "zstd-73.data"):
        tap.report("count: " + name, [] if counts(os.path.join(program.TESTDATA, name)) else ["other counts"])
    code, out, _words = example("convert", "no-such-format", os.path.join(program.TESTDATA, "trace-73.data"))
    tap.report("a format that there is not", [] if code == 1 and not out else ["code %d" % code])
    tap.report("convert: ^C", interrupted())
    for name in ("callgraph-61.data", "zstd-73.data"):
        tap.report("stacks: " + name, stacks(os.path.join(program.TESTDATA, name)))
    faults, reason = ring_buffer()
    if reason:
        tap.skip("ring-buffer", reason)
    else:
        tap.report("ring-buffer", faults)
    if platform.machine() in ("x86_64", "aarch64"):
        tap.report("ring-buffer where the kernel refuses", refused())
    else:
        tap.skip("ring-buffer where the kernel refuses", "the number of the system call is not known here")
    return tap.end()


sys.exit(main())
