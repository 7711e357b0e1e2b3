#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--no-meta: no format has facts of the machine or the command line of perf, and names are found as before. And the word that is said where the
memory of programs is written. Prints TAP."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402
from program import TESTDATA, run  # noqa: E402

HIDDEN = ("hostname", "osrelease", "version", "cpudesc", "cpuid", "total_mem", "cmdline", "cpu_topology", "numa_topology", "cache", "mem_topology",
          "clock_data", "hybrid_topology", "cpu_domain_info", "note")
tap = program.Tap()


def output(path, name, *words):
    """All bytes that a format writes, unpacked."""
    with tempfile.TemporaryDirectory() as folder:
        target = folder + "/" if name in program.FOLDER_FORMATS else os.path.join(folder, "out")
        run(name, "-q", "--symbols", "no", *words, path, "-o", target)
        files = [os.path.join(top, file) for top, _folders, names in os.walk(folder) for file in names]
        return b"".join(program.plain_of(file) for file in sorted(files))


def texts_of(path):
    """Sections, and the texts that nothing else of the recording has: the description of the processor, and the whole command line."""
    lines = [json.loads(line) for line in run("ndjson", "-q", path).out.decode().splitlines()]
    features = dict(lines[0]["features"], **lines[-1].get("features", {}))
    texts = [features[name] for name in ("cpudesc", "cpuid", "osrelease") if len(features.get(name) or "") > 6]
    return set(features), [text.encode() for text in texts]


def tells_nothing(path):
    before, texts = texts_of(path)
    if not before & set(HIDDEN):
        yield "the recording has nothing to hide"
    for line in run("ndjson", "-q", "--no-meta", path).out.decode().splitlines():
        line = json.loads(line)
        shown = set(line.get("features", {})) & set(HIDDEN)
        if shown or line.get("feat_id") in HIDDEN:
            yield "ndjson shows %s" % (shown or line)
    for name in program.formats():
        found = [text for text in texts if text in output(path, name, "--no-meta")]
        if found:
            yield "%s has %s" % (name, found)


def same_lines(path):
    for words in (["script"], ["folded"], ["csv"]):
        if run(*words, "-q", path).out != run(*words, "-q", "--no-meta", path).out:
            yield "%s has other lines" % words


def says_memory(path):
    for words, wanted in ((["ndjson"], 1), (["json"], 1), (["csv"], 1), (["dump"], 1), (["ndjson", "-q"], 0), (["ndjson", "-e", "time,comm"], 0),
                          (["ndjson", "-e", "time,user_stack"], 1), (["csv", "--table", "mmap2"], 0), (["script"], 0), (["folded"], 0)):
        said = run(*words, "--symbols", "no", path).err.count(b"user_stack")
        if said != wanted:
            yield "%s says it %d times" % (words, said)


def main():
    for name in ("callgraph-73.data", "dwarf-61.data", "stream-73.pipe", "stream-trace-61.pipe", "trace-73.data"):
        path = os.path.join(TESTDATA, name)
        tap.report("%s: nothing of the machine" % name, tells_nothing(path))
        tap.report("%s: all else stays" % name, same_lines(path))
    tap.report("memory of programs is written with a word", says_memory(os.path.join(TESTDATA, "dwarf-73.data")))
    tap.report("… and only where there is some", ["it is said"] if b"user_stack" in run("ndjson", os.path.join(TESTDATA, "callgraph-73.data")).err else [])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
