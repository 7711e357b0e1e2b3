#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what perfdata prints in perf's own formats with what perf 7.3 printed: the same bytes, or for JSON the same document.

usage: perf_text.py              the recordings of testdata/perf, and the corpus that PERFDATA_CORPUS names
       perf_text.py GLOB…        only those files
       perf_text.py -v GLOB…     and all lines that differ
Prints TAP, a line for each file. A corpus is a folder with MANIFEST.tsv and expected/NAME.KIND, or NAME.KIND.zst.

Where perf is wrong we are not: EXCEPTIONS names each such file with the reason and what is left out of both texts before they
are compared. An exception whose texts do not differ any more fails too.

Of a damaged recording, what perf printed before it gave up is to be the beginning of what we print; where it did not give up, all of it.
"""
import concurrent.futures
import csv
import difflib
import fnmatch
import json
import os
import re
import subprocess
import sys

TOP = os.environ.get("top_srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PERFDATA = os.path.abspath(os.environ.get("PERFDATA", "perfdata"))
ENV = dict(os.environ, HOME="/nonexistent", LC_ALL="C", TZ="UTC")

SHOW = [f"--show-{what}-events" for what in "task mmap switch namespace cgroup lost bpf text-poke round".split()]
COMMANDS = {
    "dump": ["dump", "--symbols", "no"],
    "dumpaux": ["dump", "--symbols", "no", "--aux"],
    "script": ["script", "--symbols", "no"],
    "events": ["script", "--symbols", "no", "--ns", *SHOW],
    "json": ["perf-json", "--symbols", "no"],
    "header": ["info", "--perf"],
    "evlist": ["events", "--perf"],
    "buildid": ["buildids", "--perf"],
    "stats": ["info", "--perf-stats"],
    "itrace": ["script", "--symbols", "no", "--itrace", "ibfmtaMl", "-F", "+addr,+data_src,+weight,+brstack,+phys_addr"],
    "report": ["dump", "--no-samples-line", "--symbols", "no"],
}


# --- what is left out where perf is wrong ---

def replace(pattern, by=b""):
    compiled = re.compile(pattern, re.M)
    return lambda text: compiled.sub(by, text)


def without_mmap2_protection(text):
    """The words at 0x40 of MMAP2 records, and the letters that say what they mean."""
    out, is_mmap2 = [], False
    for line in text.split(b"\n"):
        if b"]: event: " in line:
            is_mmap2 = line.endswith(b"]: event: 10")
        elif is_mmap2 and line.startswith(b".  0040:"):
            line = line[:9] + b" .." * 8 + line[33:59] + b"." * 8 + line[67:]
        elif b"PERF_RECORD_MMAP2" in line:
            line = re.sub(rb"\]: [r-][w-][x-][sp] ", b"]: .... ", line)
        out.append(line)
    return b"\n".join(out)


def without_precise_ip(text):
    text = re.sub(rb", precise_ip[:=] ?\d|, precise_ip = \d", b"", text)
    text = re.sub(rb" *(cycles|instructions|cache-misses|branch-misses|branches|cache-references):p+", rb" \1:", text)
    return re.sub(rb"(?m)^(\.  0030:  \w\w) \w\w \w\w(.{40} .).{2}", rb"\1 .. ..\2..", text)


def without_order(text):
    """… and without what was mapped at that moment."""
    return b"\n".join(sorted(re.sub(rb" \(\S+\)$", b"", line) for line in text.split(b"\n")))


def without_unknown_records(text):
    """Their blocks in a dump; in counts they change the sum and all shares."""
    text = re.sub(rb"\n0x\w+@\S+ \[0x\w+\]: event: (87|4000)\n(\..*\n)+\n.*PERF_RECORD_UNKNOWN$", b"", text, flags=re.M)
    return re.sub(rb"(?m)^ +(TOTAL|UNKNOWN) events:.*\n| +\( *[0-9.]+%\)", b"", text)


def without_first_event(text):
    """What perf says where it knows no event."""
    text = re.sub(rb"\AWARNING: No sample_id_all support.*\n", b"", text)
    return re.sub(rb"(?m)^(-1 -1|0) (?=0x\w+ \[0x\w+\]: )", b"", text)


def without_skipped_record(text):
    """The block of record type 200; in counts it changes the sum and all shares."""
    text = re.sub(rb"\n0x\w+@\S+ \[0x\w+\]: event: 200\n(\..*\n)+\n.*PERF_RECORD_\w+$", b"", text, flags=re.M)
    return re.sub(rb"(?m)^ +(TOTAL|UNKNOWN|INVALID|FEATURE) events:.*\n| +\( *[0-9.]+%\)", b"", text)


# files, kinds, reason, what is left out
EXCEPTIONS = [
    ("bad-attr-size-huge.data bad-attrs-size-odd.data", "dump", "perf finds no event in it, we do", without_first_event),
    ("bad-comm-no-nul.data", "dump script events", "perf takes the byte behind a name without its end for a part of it",
     replace(rb"^ *AAAAAAAA\x13?(?= +\d)|(?<=AAAAAAAA)\x13")),
    ("bad-mmap2-no-nul.data", "dump events", "perf takes the byte behind a name without its end for a part of it", replace(rb"(?<=B)\x13")),
    ("bad-data-size-0.data", "header evlist", "perf reads no features where the size of the data is 0, so it has no names either",
     replace(rb"(?s)# (missing features|hostname) ?:.*|^cpu-clock:H?(?=:)|^cpu-clock(?=: )")),
    ("bad-rec-type-200.data", "dump stats", "perf steps over records that it does not know; we show them", without_skipped_record),
    ("quipper-fuzz-39297b2ac020", "stats", "perf does not count a record that is too small for its fields", without_skipped_record),
    ("bad-tracing-bad-format.data", "dump script events", "perf forgets the fields behind one that it cannot read",
     replace(rb"(?<=\[FAILED TO PARSE\]).*")),
    ("bad-tracing-cut.data bad-tracing-size-0.data", "dump script events", "perf reads beyond the section whose size is wrong, and so has the formats",
     replace(rb"(?<= sched:)(\w+: ).*")),
    ("bad-zstd-badmagic-zstd-mmapflush-73.data", "dump", "perf cannot unpack the first compressed record, of which only the size is wrong",
     replace(rb"(?s)\n0x2c8@.*|\n0x2a80@.*")),
    ("be-quipper-perf.data.piped.lost_samples-4.4", "dump script events evlist stats",
     "perf turns the bits of a foreign attr byte by byte, which exchanges the two bits of precise_ip", without_precise_ip),
    ("rec-dir-threads-p61.dir rec-dir-threads-p73.dir", "events",
     "without sorting, perf reads the files of a directory in the order in which the file system lists them", without_order),
    ("guest-user.data", "dump buildid", "without an index of ids for guests, perf takes their programs for those of the host's process of that pid",
     replace(rb"(?<=dso: )(/usr/bin/inside|<not found>)$|(?<=\()(/usr/bin/inside|\[unknown\])(?=\)$)|^ +/usr/bin/inside\n")),
    ("unknown-records.data", "dump stats", "perf steps over records that it does not know; we show them", without_unknown_records),
    ("be-rec-pipe-p61.pipe be-rec-pipe-p73.pipe", "dump", "perf leaves prot and flags of a foreign MMAP2 as they are",
     without_mmap2_protection),
    ("hotspot-file_content-perf.data.true.v2", "dump events buildid",
     "the MMAP2 records of RHEL's Linux 3.10 have no prot and flags: perf takes the name's first 8 bytes for them",
     replace(rb"PERF_RECORD_MMAP2 .*|\S*64/ld-2\.17\.so|(?<=\. dso: ).*")),
    ("simpleperf-has_embedded_native_libs_apk_perf.data simpleperf-perf_no_unwind.data simpleperf-perf_with_arm_regs.data "
     "simpleperf-perf_unwind_embedded_lib_in_apk.data", "dump",
     "where it can read no program of a known thread, perf takes its own host's names for registers, whatever ARCH says",
     replace(rb"(?<=^\.\.\.\. )\w+ +(?=0x)")),
    ("trace-coresight-cuts.data trace-coresight-ids.data trace-coresight-packets-ete.data trace-coresight-packets-v4.2.data "
     "trace-coresight-sync.data", "dumpaux", "perf prints an ATTR record that it makes for its own use, and which is not in the file",
     replace(rb"\n0@\(null\) .*\n(\..*\n)*\n0 0 0 .*sample_id_all = 1")),
    ("simpleperf-perf_b.data", "dump script events", "all modules were recorded at address 0: which of them holds an address is perf's chance",
     replace(rb"\[kernel\.kallsyms\]|/lib/modules/\S*\.ko")),
]


def exception_of(name, kind):
    """(reason, what is left out), or None."""
    for files, kinds, reason, leave_out in EXCEPTIONS:
        if kind in kinds.split() and name in files.split():
            return reason, leave_out
    return None


# --- what perf printed ---

def expected(corpus, name, kind):
    path = f"{corpus}/expected/{name}.{kind}"
    if os.path.exists(path):
        with open(path, "rb") as text:
            return text.read()
    if not os.path.exists(path + ".zst"):
        return b""
    return subprocess.run(["zstd", "-dcq", path + ".zst"], capture_output=True, check=True).stdout


def exit_of(row, kind):
    """Of perf: a number or sigN."""
    cell = row["perf73_exit"]
    return cell if "=" not in cell else dict(pair.split("=", 1) for pair in cell.split(",")).get(kind, "?")


def is_damaged(row):
    return row["kind"] in ("damaged", "fuzz")


def is_comparable(row, kind):
    """perf read the file whole, and its text is there; or it is damaged, and perf printed something."""
    if kind in ("dumpaux", "itrace") and kind not in row["expected"].split(","):
        return False
    if is_damaged(row):
        return kind != "json" and kind in row["expected"].split(",")
    if exit_of(row, kind) != "0" or (kind == "report" and "report" not in row["expected"].split(",")):
        return False
    if kind not in ("header", "evlist") and exit_of(row, "dump") != "0":
        return False
    return not any(cell.startswith(kind + "(") for cell in row["expected"].split(","))


def wanted_texts(corpus, row, kind):
    """perf's text, and for a byte-swapped file that for the file it was made of."""
    name, texts = row["file"], [expected(corpus, row["file"], kind)]
    twin = re.search(r"big-endian twin of ([^ ;]+)", row["note"])
    if twin:
        texts.append(expected(corpus, twin[1], kind).replace(twin[1].encode(), name.encode()))
    return texts


# --- comparing ---

def plain(text):
    """The modification time of the file is not kept everywhere."""
    return re.sub(rb"(?m)^# captured on *:.*$", b"# captured on", text)


def document(text, host_keys):
    parsed = json.loads(text.decode("utf-8"))
    for key in ("captured-on", *host_keys):
        parsed.get("headers", {}).pop(key, None)
    return parsed


def run(corpus, name, kind):
    done = subprocess.run([PERFDATA, *COMMANDS[kind], "-q", name], cwd=corpus, env=ENV, capture_output=True, timeout=300)
    if done.returncode not in (0, 4):
        raise ValueError(f"exit code {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()[:200]}")
    return done.stdout


def first_difference(theirs, ours, all_lines):
    a, b = theirs.split(b"\n"), ours.split(b"\n")
    if all_lines:
        return "\n# ".join(["lines differ"] + [line for line in difflib.unified_diff(
            [x.decode("utf-8", "backslashreplace") for x in a], [x.decode("utf-8", "backslashreplace") for x in b], "perf", "ours",
            lineterm="", n=1)][2:])
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    show = [repr(lines[at][:160]) if at < len(lines) else "(end)" for lines in (a, b)]
    return f"line {at + 1}: perf {show[0]}, ours {show[1]}"


def check_json(corpus, row, wants, ours):
    head = expected(corpus, row["file"], "header")
    # perf fills these in from its own host
    host_keys = [key for key, line in (("os-release", b"# os release :"), ("cpuid", b"# cpuid :")) if line not in head]
    documents = []
    for text in wants:
        try:
            documents.append(document(text, host_keys))
        except ValueError:
            pass       # perf copies bytes that are not UTF-8
    if documents and document(ours, host_keys) not in documents:
        return "another document"
    return None


def agree(wants, ours, gave_up):
    return any(ours.startswith(want) if gave_up else ours == want for want in wants)


def check_kind(corpus, row, kind, all_lines):
    """What is wrong, or None."""
    wants = [plain(text) for text in wanted_texts(corpus, row, kind)]
    if not wants[0] and kind in ("stats", "buildid", "evlist", "json"):
        return None
    try:
        ours = plain(run(corpus, row["file"], kind))
        if kind == "json":
            return check_json(corpus, row, wants, ours)
    except (ValueError, subprocess.TimeoutExpired) as error:
        return str(error)
    gave_up = is_damaged(row) and exit_of(row, kind) != "0"
    exception = exception_of(row["file"], kind)
    if exception:
        reason, leave_out = exception
        if agree(wants, ours, gave_up):
            return f"is the same now, though it is named an exception: {reason}"
        ours, wants = leave_out(ours), [leave_out(want) for want in wants]
    return None if agree(wants, ours, gave_up) else first_difference(wants[0], ours, all_lines)


def check_file(corpus, row, all_lines):
    kinds = [kind for kind in COMMANDS if is_comparable(row, kind)]
    return kinds, [f"{kind}: {problem}" for kind in kinds if (problem := check_kind(corpus, row, kind, all_lines))]


def rows_of(corpus):
    with open(f"{corpus}/MANIFEST.tsv", encoding="utf-8") as manifest:
        return list(csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE))


def main():
    all_lines = "-v" in sys.argv
    globs = [arg for arg in sys.argv[1:] if arg != "-v"] or ["*"]
    corpora = [c for c in (f"{TOP}/testdata/perf", os.environ.get("PERFDATA_CORPUS")) if c and os.path.exists(f"{c}/MANIFEST.tsv")]
    tests = [(c, row) for c in corpora for row in rows_of(c) if any(fnmatch.fnmatch(row["file"], g) for g in globs)]
    tests = [(c, row) for c, row in tests if any(is_comparable(row, kind) for kind in COMMANDS)]
    print(f"1..{len(tests)}" if tests else "1..0 # SKIP no recordings with perf's text")
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda test: check_file(*test, all_lines), tests)
        for number, ((_, row), (kinds, problems)) in enumerate(zip(tests, results), 1):
            for problem in problems:
                print(f"# {row['file']}: {problem}")
            bad += bool(problems)
            print(f"{'not ' if problems else ''}ok {number} - {row['file']}: {' '.join(kinds)}", flush=True)
    return 1 if bad else 0


sys.exit(main())
