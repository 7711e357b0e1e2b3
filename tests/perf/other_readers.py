#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings that we wrote, in readers that others wrote: perf 6.1 (a `perf` of a version below 7 on PATH) opens what `--for perf-6.1` made, and prints what
it prints of the original where it reads that; hotspot's perfparser finds all samples, in the order of time, in what was written without compression.
Over testdata/; perf 6.1 also over every fourth file of the corpus that PERFDATA_CORPUS names. TAP."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from rewritten import LARGEST, is_chosen, program, rewritten, size_of  # noqa: E402

PERFPARSERS = ("hotspot-perfparser", "/usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser", "/usr/lib/aarch64-linux-gnu/libexec/hotspot-perfparser")
# perf takes no fields (-F) for streams of which it knows the events only later
PLAIN = ("--no-itrace",)
FIELDS = ("--no-itrace", "-F", "comm,pid,tid,time,event")
FORMS = (["--form", "file", "--compress", "none"], ["--form", "file", "--compress", "zstd"], ["--form", "stream", "--compress", "none"])


def old_perf():
    found = shutil.which("perf")
    said = subprocess.run([found, "--version"], capture_output=True).stdout.decode() if found else ""
    version = re.search(r"version (\d+)\.(\d+)", said)
    return found if version and (5, 19) < (int(version[1]), int(version[2])) < (7, 0) else None


def run(words):
    environment = dict(os.environ, PAGER="cat", DEBUGINFOD_URLS="", QT_QPA_PLATFORM="offscreen")
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, env=environment)


def lines_of(perf, path, options):
    done = run([perf, "script", *(PLAIN if "stream" in options else FIELDS), "-i", path])
    # perf invents the suffixes of event names in streams, before it has read them
    return done.returncode, re.sub(rb" +", b" ", re.sub(rb":[ukhpPGHSDIeb]+(?=: )", b"", done.stdout))


def samples_of(path):
    done = program.run("info", "-q", path)
    return sum(int(number) for number in re.findall(rb"^ +sample +(\d+) ", done.out, re.M))


def fault_of_perf(perf, path):
    is_stream = b'"container":"pipe"' in program.run("ndjson", "-q", "--symbols", "no", "-n", "1", path).out.split(b"\n")[0]
    for options in FORMS:
        before = lines_of(perf, path, options)
        with tempfile.TemporaryDirectory() as folder:
            out, code, said = rewritten(folder, "--for", "perf-6.1", *options, path)
            if code != 0 or not out:
                return "%s: exit code %d: %s" % (options, code, said[-300:])
            after = lines_of(perf, out, options)
            is_comparable = before[0] == 0 and before[1] and ("stream" in options or not is_stream)
            if is_comparable and after != before:
                return "%s: exit code %d, %d lines instead of %d" % (options, after[0], after[1].count(b"\n"), before[1].count(b"\n"))
            if after[0] != 0:
                said, of_original = [run([perf, "script", *PLAIN, "-i", name]).stderr.splitlines()[-1:] for name in (out, path)]
                if said == of_original:
                    continue   # perf stumbles over the traces of a stream
                return "%s: exit code %d: %s" % (options, after[0], said)
            if samples_of(out) and not after[1]:
                return "%s: no samples" % options
            if any(run([perf, *words, "-i", out]).returncode for words in (["evlist"], ["buildid-list"])):
                return "%s: evlist or buildid-list fails" % options
            if "stream" in options:
                with tempfile.TemporaryDirectory() as other:
                    again, code, said = rewritten(other, "--for", "perf-6.1", *FORMS[0], out)
                    if code != 0 or lines_of(perf, again, FORMS[0])[0] != 0:
                        return "a stream as a file again: exit code %d: %s" % (code, said[-300:])
    return None


def fault_of_perfparser(perfparser, path):
    with tempfile.TemporaryDirectory() as folder:
        out, code, said = rewritten(folder, *FORMS[0], path)
        if code != 0 or not out:
            return "exit code %d: %s" % (code, said[-300:])
        done = run([perfparser, "--print-stats", "--sysroot", folder, "--kallsyms", os.devnull, "--input", out])
        stats = dict(re.findall(r"^([\w ]+): (\d+)$", done.stdout.decode(), re.M))
        if done.returncode != 0 or int(stats.get("samples", -1)) != samples_of(out):
            return "exit code %d, %s samples instead of %d: %s" % (done.returncode, stats.get("samples"), samples_of(out), done.stderr[-300:])
    return None


def main():
    tap = program.Tap()
    files = [path for path, kind in program.recordings() if kind not in ("damaged", "fuzz") and is_chosen(path) and size_of(path) <= LARGEST]
    files = [path for path in files if program.run("check", "-q", path).code == 0]
    perf, perfparser = old_perf(), next(filter(None, map(shutil.which, PERFPARSERS)), None)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for reader, check, title in ((perf, fault_of_perf, "perf 6.1 opens them"), (perfparser, fault_of_perfparser, "hotspot's perfparser finds all samples")):
            if not reader:
                tap.skip(title, "it is not installed")
                continue
            # perfparser does not come to an end with some recordings of other recorders
            read = files if reader == perf else [path for path in files if path.startswith(program.TESTDATA)]
            results = zip(read, pool.map(lambda path: check(reader, path), read))
            tap.report("%s: %d recordings" % (title, len(read)), ["%s: %s" % (path, fault) for path, fault in results if fault])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
