#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Valid recordings that look odd: bytes after the last section, registers where no section names the architecture, fields that only
traces could bring, CPU numbers where nothing says how many there are, and code in memory without a file. Prints TAP."""
import csv
import io
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import ADDR, CALLCHAIN, CPU, IP, PERIOD, REGS_USER, TID, TIME, Recording
import builder_cases
import program
from program import run

tap = program.Tap()
report = tap.report

# --- after the last section -------------------------------------------------------------------------------------------

# bytes, exit code of a conversion, what is said
BEHIND = [
    (b"", 0, b""),
    (bytes(4), 0, b""),
    (bytes(100), 0, b""),
    (b"\1\2\3\4", 0, b"note: 4 bytes follow the last section [N116]"),
    (b"\xff" * 8, 0, b"note: 8 bytes follow the last section [N116]"),
    (b"\1" * 9, 4, b"error: 9 bytes follow the last section [E108]"),
]


def check_behind(path, with_sections):
    recording = Recording()
    event = recording.event("cycles", [1], sample_type=IP | TID | TIME, sample_id_all=1)
    recording.comm(100, 100, "prog", time=1)
    recording.sample(event, ip=0x400100, pid=100, tid=100, time=2)
    if with_sections:
        recording.feature(3, recording.string("demo"))
    recording.save(path)
    whole = program.plain_of(path)
    text = run("script", "--symbols", "no", path).out
    faults = []
    for more, code, said in BEHIND:
        with open(path, "wb") as out:
            out.write(whole + more)
        done, summary = run("script", "--symbols", "no", path), run("ndjson", path).out.splitlines()[-1]
        complete = b'"complete":true' in summary
        if done.code != code or done.out != text or (said not in done.err if said else done.err) or complete != (code == 0):
            faults.append("%r: exit %d, %r, %r" % (more, done.code, done.err, summary))
    report("bytes after the last section: a few are padding, %s sections" % ("with" if with_sections else "without"), faults)


# --- lengths that no record has ---------------------------------------------------------------------------------------

AUXTRACE_INFO, INTEL_PT = 70, 1
HEADER_ATTR, HEADER_FEATURE = 64, 80


def check_filter_length(path):
    """The filter string of Intel PT ends with its record, whatever length is stated."""
    faults = []
    for length, shown in ((0, True), (8, False), (1 << 63, False), *((2 ** 64 - n, False) for n in range(1, 10))):
        recording = Recording()
        event = recording.event("intel_pt//", [1], type=8, sample_type=IP | TID | TIME, sample_id_all=1)
        recording.record(AUXTRACE_INFO, recording.pack("II", INTEL_PT, 0) + recording.words([8] * 16 + [length]))
        recording.comm(100, 100, "prog", time=1)
        recording.sample(event, ip=0x400100, pid=100, tid=100, time=2)
        recording.save(path)
        done = run("dump", path)
        if done.code != 0 or (b"Filter string  " in done.out) != shown:
            faults.append("length %#x: exit %d, %r" % (length, done.code, [line for line in done.out.splitlines() if b"Filter" in line]))
    report("the filter string of Intel PT stays within its record", faults)


# --- registers of what architecture -----------------------------------------------------------------------------------

AX_TO_IP = 0x1ff        # of x86; r0 to r8 elsewhere
DWARF_X86 = 0xff0fff    # what recorders ask for on x86-64 to unwind
DWARF_ARM64 = 0x1ffffffff
# sections (number: text), mask of user registers, the first register, what is said
ARCHITECTURES = [
    ({}, DWARF_X86, b"AX:0x1", b"x86, as the mask of user registers shows [N212]"),
    ({}, DWARF_ARM64, b"x0:0x1", b"arm64, as the mask of user registers shows [N212]"),
    ({}, AX_TO_IP, b"unknown:0x1", b""),
    ({9: "GenuineIntel,6,85,4"}, AX_TO_IP, b"AX:0x1", b"x86, as the processor shows [N212]"),
    ({9: "0x00000000410fd0c0"}, AX_TO_IP, b"x0:0x1", b"arm64, as the processor shows [N212]"),
    ({8: "AMD EPYC 7763"}, AX_TO_IP, b"AX:0x1", b"x86, as the processor shows [N212]"),
    ({4: "6.1.0-18-amd64"}, AX_TO_IP, b"AX:0x1", b"x86, as the release of the kernel shows [N212]"),
    ({4: "5.14.0-70.el9.aarch64"}, AX_TO_IP, b"x0:0x1", b"arm64, as the release of the kernel shows [N212]"),
    ({6: "aarch64", 9: "GenuineIntel,6,85,4"}, DWARF_X86, b"x0:0x1", b""),
]


def check_architectures(path):
    faults = []
    for sections, mask, first, said in ARCHITECTURES:
        recording = Recording()
        event = recording.event("cycles", [1], sample_type=IP | TID | TIME | CPU | REGS_USER, sample_id_all=1, regs_user=mask)
        recording.sample(event, ip=0x400100, pid=100, tid=100, time=2)
        for number, text in sections.items():
            recording.feature(number, recording.string(text))
        recording.save(path)
        done = run("script", "--symbols", "no", "-F", "ip,uregs", path)
        named = done.out.split(b"ABI:2")[-1].split()
        if done.code or named[:1] != [first] or (said not in done.err if said else b"N212" in done.err):
            faults.append("%r, %x: exit %d, %r, %r" % (sections, mask, done.code, done.out, done.err))
    report("registers where no section names the architecture: what else shows it, and that it was inferred", faults)


# --- fields that no attribute has -------------------------------------------------------------------------------------

# fields, and what perf 7.3 prints of the sample; nothing: it refuses them
UNRECORDED = [
    ("comm,cpu,iregs", b"            prog [-01] \n"),
    ("comm,cpu,addr", b"            prog [-01]                0\n"),
    ("comm,weight,phys_addr", b"            prog                0               0\n"),
    ("comm,uregs", b""),
    ("comm,data_page_size", b""),
    ("comm,code_page_size", b""),
    ("comm,ins_lat", b""),
    ("comm,retire_lat", b""),
    ("comm,cgroup", b""),
]


def check_unrecorded(path):
    recording = Recording()
    event = recording.event("cycles", [1], sample_type=IP | TID | TIME, sample_id_all=1)
    recording.comm(100, 100, "prog", time=1)
    recording.sample(event, ip=0x400100, pid=100, tid=100, time=2)
    recording.feature(18, recording.words([0]))
    recording.save(path)
    faults = []
    for fields, text in UNRECORDED:
        done = run("script", "--symbols", "no", "-F", fields, path)
        if done.code != (0 if text else 2) or done.out != text:
            faults.append("%s: exit %d, %r" % (fields, done.code, done.out))
    report("a recording with traces: fields that samples made of them may have are not refused, others are", faults)


# --- CPU numbers ------------------------------------------------------------------------------------------------------

def check_cpus(path):
    """perf takes 4096 for a file; for a stream it takes the number of the machine that reads, which we do not."""
    cpus = ((0, b"0"), (3, b"3"), (4095, b"4095"), (4096, b"0"))
    want = [shown for _, shown in cpus]
    faults = []
    for form, pipe, sections in (("a file", False, ()), ("a file of 0 CPUs", False, (0, 0)), ("a stream", True, ())):
        recording = Recording(pipe=pipe)
        event = recording.event("cycles", [1], sample_type=IP | TID | TIME | CPU, sample_id_all=1)
        for time, (cpu, _) in enumerate(cpus):
            recording.sample(event, ip=0x400100, pid=100, tid=100, time=time + 1, cpu=cpu)
        if sections:
            recording.feature(7, recording.pack("II", *sections))
        recording.save(path)
        for args, shown in ((["script", "--symbols", "no", "-F", "cpu"], rb"\[0*(\d+)\]"), (["perf-json"], rb'"cpu": (\d+)'),
                            (["dump", "--symbols", "no"], rb"(?m)^(\d+) .*PERF_RECORD_SAMPLE")):
            found = re.findall(shown, run(*args, path).out)
            if found != want:
                faults.append("%s: %s shows %r" % (form, args[0], found))
    report("CPU numbers where nothing says how many there are: below 4096 they are shown", faults)


# --- memory without a file --------------------------------------------------------------------------------------------

def check_offsets(path):
    """As perf 7.3 prints it: the address in place of the offset, also for the data."""
    recording = Recording()
    event = recording.event("page-faults", [1], type=1, config=2, sample_type=IP | TID | TIME | ADDR, sample_id_all=1)
    recording.mmap2(100, 100, 0x7000, 0x1000, 0, "[stack]", prot=3)
    recording.mmap2(100, 100, 0x9000, 0x1000, 0, "//anon", prot=3)
    recording.mmap2(100, 100, 0x400000, 0x1000, 0x2000, "/usr/bin/prog", prot=5)
    recording.sample(event, ip=0x7100, pid=100, tid=100, time=2, addr=0x9010)
    recording.sample(event, ip=0x400100, pid=100, tid=100, time=3, addr=0x400200)
    recording.save(path)
    done = run("script", "--symbols", "no", "-F", "ip,addr,dsoff", path)
    want = (b"            9010 (//anon+0x9010)             7100 ([stack]+0x7100)\n"
            b"          400200 (/usr/bin/prog+0x2200)           400100 (/usr/bin/prog+0x2100)\n")
    report("offsets of addresses in memory with and without a file", [] if done.out == want else [repr(done.out)])


# --- texts that tables must quote -------------------------------------------------------------------------------------

def check_quoted(path):
    """Each text of a recording is one cell, whatever bytes it has: a reader of CSV gets the text that JSON has."""
    event, comm, file = 'cycles,"of"\nall', 'a,"b"', '/usr/bin/two,"names"\n'
    recording = Recording()
    sampled = recording.event(event, [1], sample_type=IP | TID | TIME, sample_id_all=1)
    recording.feature(12, recording.event_desc())
    recording.comm(100, 100, comm, time=1)
    recording.mmap2(100, 100, 0x400000, 0x1000, 0, file, time=2)
    recording.sample(sampled, ip=0x400100, pid=100, tid=100, time=3)
    recording.save(path)
    faults = []
    for fields, kind, want in (("event,comm", "sample", [event, comm]), ("comm", "comm", [comm]),
                               ("filename", "mmap2", [file])):
        done = run("csv", "--names", "-e", fields, "--table", kind + "s" * (kind == "sample"), path)
        rows = list(csv.reader(io.StringIO(done.out.decode(), newline="")))
        if done.code or rows != [fields.split(","), want]:
            faults.append("%s of %s: exit %d, %r" % (fields, kind, done.code, done.out))
    objects = [json.loads(line) for line in run("ndjson", path).out.splitlines()]
    texts = [objects[0]["events"][0]["name"], *(o.get("comm", o.get("filename")) for o in objects if o["type"] in ("comm", "mmap2"))]
    if texts != [event, comm, file]:
        faults.append("JSON has %r" % texts)
    report("commas, quotes and line ends in names of events, programs and files", faults)


def check_deferred(path):
    """The table of chains has the chains of all records that have some: those that came later are records of their own."""
    build, options, _ = builder_cases.CASES["deferred.data"]
    recording = Recording(**options)
    build(recording)
    recording.save(path)
    want = [len(o["callchain"]) for o in map(json.loads, run("ndjson", path).out.splitlines()) if "callchain" in o]
    done = run("csv", "--table", "callchain", path)
    rows = len(done.out.splitlines()) - 1
    report("chains that came later are in their table", [] if rows == sum(want) and len(want) > 10 else ["%d rows of %r" % (rows, want)])


def check_huge_weights(path):
    """Sums that 64 bits do not hold: no part is larger than the whole, in no output."""
    recording = Recording()
    event = recording.event("cycles", [11], sample_type=IP | TID | TIME | PERIOD | CALLCHAIN, sample_id_all=1)
    recording.comm(7, 7, "work", time=1)
    for name in "abc":
        recording.mmap2(7, 7, 0x1000000 + 0x100000 * ord(name), 0x1000, 0, "/lib/%s.so" % name, time=2)
    for number in range(12):
        ip = 0x1000100 + 0x100000 * ord("abc"[number % 3])
        recording.sample(event, ip=ip, pid=7, tid=7, time=10 + number, period=2**63 + number, callchain=[2**64 - 512, ip, 0x1000200 + 0x100000 * ord("a")])
    recording.save(path)
    bad = []
    for by in ("symbol", "dso", "comm", "thread", "cpu", "event"):
        done = run("report", "-q", "--by", by, path)
        shares = [float(share) for share in re.findall(r"(?m)(?:^| )(\d+\.\d\d) ", done.out.decode())]
        if done.code or not shares or max(shares) > 100 or max(shares) < 99:
            bad.append((by, done.code, shares))
    done = run("report", "-q", "--tree", path)
    bad += [("tree", done.out)] if any(float(share) > 100 for share in re.findall(r"(\d+\.\d\d)", done.out.decode())) else []
    for words in (["--svg"], ["--svg", "--width", "400"], []):
        done = run("flamegraph", "-q", *words, path)
        wide = [float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)"', done.out.decode())] if words else [0]
        if done.code or max(wide) > 1300:
            bad.append((words, done.code, wide))
    for command in ("folded", "speedscope", "pprof", "firefox", "callgrind", "perf-json"):
        done = run(command, "-q", path)
        bad += [(command, done.code, done.err)] if done.code else []
    report("weights that are too large to add up", bad)


def check_wild_numbers(path):
    """Records of a stream that state a number that no section has, or an attr that is too short: the rest becomes a recording."""
    recording = Recording(pipe=True)
    event = recording.event("cycles", [11], sample_type=IP | TID | TIME, sample_id_all=1)
    recording.comm(7, 7, "work", time=1)
    for section in (0, 300, 2**32 - 1, 2**64 - 1):
        recording.raw(recording.pack("IHHQ8s", HEADER_FEATURE, 0, 24, section, b"whatever"))
    recording.raw(recording.pack("IHHIIQ", HEADER_ATTR, 0, 24, 1, 20, 0))
    recording.sample(event, ip=0x1000, pid=7, tid=7, time=2)
    recording.save(path)
    faults = []
    for words in (["repair"], ["anonymize"], ["rewrite", "--form", "file"], ["rewrite"]):
        out = path + ".out"
        done = run(*words, "-o", out, "--force", path)
        samples = run("info", "--json", out).out.count(b'"sample"') if done.code == 4 else 0
        if done.code != 4 or not samples:
            faults.append("%r: exit %d, %d, %r" % (words, done.code, samples, done.err[-300:]))
    report("sections with a number that no section has, and a short attr", faults)


def check_absent_perf_map(path):
    """match says in its row that a compiler's map gives no names, and -v says why."""
    recording = Recording()
    event = recording.event("cycles", [11], sample_type=IP | TID | TIME, sample_id_all=1)
    recording.comm(2**30, 2**30, "work", time=1)
    recording.mmap2(2**30, 2**30, 0x1000000, 0x1000, 0, "//anon", time=2)
    recording.sample(event, ip=0x1000100, pid=2**30, tid=2**30, time=3)
    recording.save(path)
    row = [line for line in run("match", path).out.splitlines() if b"perf-map" in line]
    why = run("match", "-v", path).err
    fine = len(row) == 1 and row[0].rstrip().endswith(b"no names from it: -v says why") and b"/tmp/perf-%d.map: not there" % 2**30 in why
    report("match of a compiler's map that is absent", [] if fine else [row, why])


def check_called_without_command(path):
    """`--` ends the options, also where no command is named."""
    recording = Recording()
    recording.event("cycles", [11], sample_type=IP | TID | TIME, sample_id_all=1)
    recording.comm(7, 7, "work", time=1)
    recording.save(path)
    plain, after = run(path), run("--", path)
    faults = [] if plain.code == after.code == 0 and plain.out == after.out and plain.out else ["%r %r" % (after.code, after.err)]
    if run("--").code != 2:
        faults.append("-- without FILE: exit %d" % run("--").code)
    report("perfdata -- FILE", faults)


def check_called_like_an_option(path):
    """A message about an unknown option says how to name a file that is called so."""
    folder = os.path.dirname(path)
    faults = []
    for name in ("-dash.data", "--dash.data"):
        os.rename(path, os.path.join(folder, name))
        for words in (["check", name], ["check", "-q", name], [name]):
            done = run(*words, cwd=folder)
            if done.code != 2 or done.out or b"write ./" + name.encode() not in done.err:
                faults.append("%s: exit %d, %r" % (" ".join(words), done.code, done.err))
        for words in (["check", "./" + name], ["check", "--", name]):
            if run(*words, cwd=folder).code != 0:
                faults.append("%s is not read" % " ".join(words))
        done = run("check", name, cwd="/")
        if done.code != 2 or b"write" in done.err:
            faults.append("%s without such a file: exit %d, %r" % (name, done.code, done.err))
        os.rename(os.path.join(folder, name), path)
    report("a FILE whose name begins like an option", faults)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "perf.data")
        check_behind(path, True)
        check_behind(path, False)
        check_filter_length(path)
        check_architectures(path)
        check_unrecorded(path)
        check_cpus(path)
        check_offsets(path)
        check_quoted(path)
        check_deferred(path)
        check_huge_weights(path)
        check_wild_numbers(path)
        check_called_without_command(path)
        check_called_like_an_option(path)
        check_absent_perf_map(path)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
