#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""With --symbols no, no file of this host is looked at once the recording was opened: what is printed is the same everywhere.
Nor is one, whatever the options say, for an output that shows no names.

Prints TAP; needs strace.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402
from program import PERFDATA, TESTDATA  # noqa: E402

COMMANDS = [["dump"], ["dump", "--no-samples-line"], ["script"], ["perf-json"], ["folded"], ["ndjson"], ["ndjson", "--names"],
            ["json"], ["csv", "--names"], ["csv", "--table", "frames"]]
RUNNING_KERNEL = "/sys/kernel/notes"             # with symbols: whether it is the kernel that was recorded
NAMELESS = [["script"], ["ndjson"], ["csv"]]     # of tracepoints without chains
RECORDINGS = ["callgraph-73.data", "dwarf-73.data", "trace-73.data", "stream-trace-61.pipe", "threads-73.dir", "zstd-73.data"]
# the recording, opened by the descriptor that found a regular file; how many processors there are; which memory the program
# itself has; what the C library reads for a time in UTC; what the loader opens for a library that is loaded at first need
HARMLESS = re.compile(r"/etc/localtime$|/etc/ld\.so\.cache$|/lib(?:z|zstd|lzma|dw)\.so\.[0-9.]+$|/sys/devices/system/cpu/|/proc/self/(fd/\d+|maps|auxv)$|/dev/(null|urandom)$|/sys/kernel/mm/transparent_hugepage")
CALL = re.compile(r'^\d+ +\w+\((?:AT_FDCWD, )?"((?:[^"\\]|\\.)*)"')


def traced(command, recording, scratch):
    """The paths that the program named after it had opened the recording."""
    log = os.path.join(scratch, "trace")
    done = subprocess.run(["strace", "-f", "-qq", "-o", log, "-e", "trace=file", PERFDATA, *command, recording],
                          cwd=TESTDATA, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300,
                          env=dict(os.environ, HOME=scratch, LC_ALL="C", TMPDIR=scratch))
    if done.returncode:
        raise OSError(done.stderr.decode("utf-8", "replace")[:200])
    with open(log, encoding="utf-8", errors="replace") as lines:
        paths = [match[1] for match in map(CALL.match, lines) if match]
    if not any(path.startswith(recording) for path in paths):
        raise OSError("strace does not show the recording")
    first = next(i for i, path in enumerate(paths) if path.startswith(recording) and "execve" not in path)
    return [path for path in paths[first:] if not path.startswith((recording, scratch)) and not HARMLESS.search(path)]


def main():
    if not shutil.which("strace") or os.environ.get("PERFDATA_SANITIZED"):
        print("1..0 # SKIP no strace")
        return 0
    tap = program.Tap()
    with tempfile.TemporaryDirectory() as scratch:
        cases = [([*command, "--symbols", "no", "-q"], recording) for recording in RECORDINGS for command in COMMANDS]
        cases += [(command, "trace-73.data") for command in NAMELESS]
        for command, recording in cases:
            try:
                found = [path for path in traced(command, recording, scratch) if command not in NAMELESS or path != RUNNING_KERNEL]
            except OSError as error:
                if not tap.count:
                    print(f"1..0 # SKIP strace cannot be used: {error}")
                    return 0
                found = [str(error)]
            tap.report(f"{' '.join(command)} {recording}", found)
    return tap.end()


sys.exit(main())
