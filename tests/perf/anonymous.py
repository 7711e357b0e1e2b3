#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Anonymous recordings, made of testdata/ and of the corpus that PERFDATA_CORPUS names: no text of the original is in their bytes, no path component, and
none of its addresses, registers, stack words and ids; the same key gives the same bytes, another one others; counts and shapes stay. Where PERF names
a perf of version 7, it opens them, and its report has the same shares. So it is of a recording with copies of stacks that a perf makes here: their bytes
are gone, the calls that were found in them stay. TAP."""
import concurrent.futures
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402
from rewritten import PERF, perf, perf_is_seven, size_of  # noqa: E402

LARGEST = 3000000
# What stays by a list in lib/rewrite/pseudonym.c, or is no text of the user's
PUBLIC = set("""usr lib lib32 lib64 libx32 bin sbin local etc var tmp opt home root run proc dev sys shm share modules kernel drivers net debug vmlinux bash dash
 zero anon_hugepage user.slice system.slice swapper deleted memfd anon x86_64-linux-gnu i386-linux-gnu aarch64-linux-gnu arm-linux-gnueabihf libc.so.6 libm.so.6
 libdl.so.2 librt.so.1 libpthread.so.0 libstdc++.so.6 libgcc_s.so.1 libz.so.1 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-linux.so.2 ld-linux-armhf.so.3
 libcrypto.so.3 libssl.so.3 perf kernel.kallsyms [vdso] [heap] [stack] [kernel.kallsyms]_text [kernel.kallsyms] [kernel.kallsyms]_stext [vsyscall] //anon
 anon_inode:[perf_event] cycles instructions software hardware x86_64 aarch64
 trace_offcpu system_wide_collection kernel_symbols_available android_version android_sdk_version arm64_pac_mask clockid app_type android_build_type
 record_stat""".split())
TEXT_KEYS = {"comm", "filename", "hostname", "cpudesc", "cpuid", "path", "name", "cmdline", "prog_name", "key", "value_text", "msg"}
ADDRESS_KEYS = {"ip", "addr", "from", "to", "phys_addr"}
KEPT_NAMES = {"events", "pmu_mappings", "pmu_caps", "cpu_pmu_caps", "group_desc", "tracepoint", "fields", "event_desc", "cache", "hybrid_topology",
              "cpu_domain_info"}


def is_telling(text):
    """Short ones turn up by chance, and so do words that perf itself writes."""
    return len(text) >= 5 and text not in PUBLIC and not text.startswith(("[kernel", "[guest", "swapper/", "[vdso", "[vectors", "anon_inode:"))


def walk(value, key, texts, numbers):
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in KEPT_NAMES:
                continue
            walk(inner, name, texts, numbers)
    elif isinstance(value, list):
        for inner in value:
            walk(inner, key, texts, numbers)
    elif isinstance(value, str):
        if value.startswith("0x"):
            if key in ADDRESS_KEYS | {"callchain", "regs"} or key.isupper() or re.fullmatch(r"[rx]\d+", key):
                numbers.add(int(value, 16))
        elif key in TEXT_KEYS:
            telling = [part for part in re.split(r"[/\x00]", value) if is_telling(part)]
            texts.update(telling + [value] if telling else ())


def is_words(number):
    """Eight letters, of a text on a stack."""
    return all(32 <= byte < 127 or byte == 0 for byte in struct.pack("<Q", number))


# Samples are most of a recording, and have texts in fields of tracepoints only: their secrets are found without parsing
NUMBERS_OF_SAMPLES = re.compile(rb'"(?:ip|addr|from|to|phys_addr|[A-Z][A-Z0-9]*|[rx]\d+)":"(0x[0-9a-f]+)"')
CHAINS_OF_SAMPLES = re.compile(rb'"callchain":\[([^\]]*)\]')
CPU_OF_SAMPLE = re.compile(rb'"cpu":(\d+)')
IP_OF_SAMPLE = re.compile(rb'"ip":"(0x[0-9a-f]+)"')
PERIOD_OF_SAMPLE = re.compile(rb'"period":(\d+)')
FIELDS_OF_SAMPLES = re.compile(rb'"fields":\{([^}]*)\}')
STACKS_OF_SAMPLES = re.compile(rb'"user_stack":\{[^}]*"data":"([0-9a-f]*)"')


def take_secrets_of_samples(text, texts, numbers):
    for number in NUMBERS_OF_SAMPLES.findall(text):
        numbers.add(int(number, 16))
    for chain in CHAINS_OF_SAMPLES.findall(text):
        numbers.update(int(number, 16) for number in re.findall(rb'"(0x[0-9a-f]+)"', chain))
    for fields in set(FIELDS_OF_SAMPLES.findall(text)):
        values = re.findall(rb'":"([^"\\]*)"', fields)
        numbers.update(int(value, 16) for value in values if re.fullmatch(rb"0x[0-9a-f]+", value))
        texts.update(value.decode("utf-8", "replace") for value in values if b"0x" not in value and is_telling(value.decode("utf-8", "replace")))
    for words in STACKS_OF_SAMPLES.findall(text):
        raw = bytes.fromhex(words.decode())
        numbers.update(struct.unpack("<%dQ" % (len(raw) // 8), raw[:len(raw) // 8 * 8]))


def secrets_of(path):
    """Texts and eight-byte numbers in a recording."""
    texts, numbers, events = set(), set(), set()
    done = program.run("ndjson", "-q", "--symbols", "no", path)
    take_secrets_of_samples(b"\n".join(re.findall(rb'^\{"type":"sample".*', done.out, re.M)), texts, numbers)
    for line in re.sub(rb'^\{"type":"sample".*\n', b"", done.out, flags=re.M).decode("utf-8").splitlines():
        record = json.loads(line)
        if record["type"] not in ("feature", "event_update"):   # names of events that all machines have
            walk(record, "", texts, numbers)
        if record["type"] == "meta":
            for event in record.get("events", ()):
                numbers.update(event.get("ids", ()))
                events.update((event["name"], event["name"].split(":")[0]))
            for pmu in record.get("features", {}).get("pmu_mappings", ()):
                events.update((pmu["name"], pmu["name"].split("_")[0]))
    # words of two small numbers turn up by chance; the last page of addresses has markers
    numbers = {n for n in numbers if 1 << 40 < n < 0xffffffffff600000 and 1 << 16 < n & 0xffffffff < 0xffff0000}
    return {text for text in texts - events if not re.fullmatch(r"[\d.]+", text)}, {n for n in numbers if not is_words(n)}


def stands_in(text, data):
    """By itself, and not as a part of a longer name that stays."""
    return text in data and re.search(rb"(?<![\w.+-])" + re.escape(text) + rb"(?![\w.+-])", data) is not None


def words_in(data):
    """The eight-byte numbers at all places divisible by four."""
    order = ">" if data[:8] == b"2ELIFREP" else "<"
    return {word for start in (0, 4) for word in struct.unpack_from("%s%dQ" % (order, (len(data) - start) // 8), data, start)}


def forms_of_samples(path):
    """Frames, CPU and period of each sample."""
    forms = []
    for line in program.run("ndjson", "-q", "--symbols", "no", "--type", "sample", "--order", "file", path).out.splitlines()[1:-1]:
        chain, cpu, period = (pattern.search(line) for pattern in (CHAINS_OF_SAMPLES, CPU_OF_SAMPLE, PERIOD_OF_SAMPLE))
        frames = chain[1].count(b",") + 1 if chain and chain[1] else 0
        # where this host's vdso is the recorded one, a stack that begins there is unwound, and ends there without the program's files
        own = IP_OF_SAMPLE.search(line)
        if own and chain and chain[1] == b'"PERF_CONTEXT_USER","' + own[1] + b'"':
            frames = 0
        forms.append((frames, int(cpu[1]) if cpu else 0, int(period[1]) if period else 0))
    return sorted(forms)


NOT_UNWOUND = ("--symfs", os.path.join(program.TESTDATA, "crash"))


def anonymous(folder, path, name, *options):
    out = os.path.join(folder, name)
    done = program.run("anonymize", "-q", "--compress", "none", *options, path, "-o", out)
    return (out if os.path.exists(out) else None), done


def check(path, use_perf, how=NOT_UNWOUND, secret=None):
    if program.run("check", "-q", path).code != 0:
        return None
    with tempfile.TemporaryDirectory() as folder:
        key = os.path.join(folder, "key")
        with open(key, "wb") as f:
            f.write(b"a key that is only used in tests")
        mapping = os.path.join(folder, "mapping")
        out, done = anonymous(folder, path, "a.data", "--key", key, "--mapping", mapping, *how)
        if done.code != 0 or not out:
            return "exit code %d: %s" % (done.code, done.err.decode("utf-8", "replace")[-300:])
        with open(out, "rb") as f:
            data = f.read()
        again, _done = anonymous(folder, path, "b.data", "--key", key, *how)
        other, _done = anonymous(folder, path, "c.data", *how)
        with open(again, "rb") as f:
            if f.read() != data:
                return "the same key gave other bytes"
        if secret and secret in data:
            return "what was in memory is in it"
        texts, numbers = secrets_of(path)
        with open(other, "rb") as f:
            if f.read() == data and texts:
                return "another key gave the same bytes"
        found = sorted(text for text in texts if stands_in(text.encode("utf-8", "replace"), data))
        if found:
            return "texts of the original are in it: %s" % found[:5]
        found = numbers & words_in(data)
        if found:
            return "%d of %d numbers of the original are in it: %s" % (len(found), len(numbers), ["%x" % number for number in found][:5])
        if program.run("check", "-q", out).code != 0:
            return "what was written is damaged: %s" % program.run("check", out).out.decode("utf-8", "replace")[:300]
        counts = [forms_of_samples(recording) for recording in (path, out)]
        if how != NOT_UNWOUND:
            if len(counts[0]) != len(counts[1]) or not counts[0] or sum(n for n, _cpu, _period in counts[1]) < 3 * len(counts[1]):
                return "%d samples, %d afterwards; chains have %s frames" % (len(counts[0]), len(counts[1]), [n for n, _cpu, _period in counts[1][:9]])
        elif counts[0] != counts[1]:
            return "%d samples, %d afterwards, or of another form" % (len(counts[0]), len(counts[1]))
        if use_perf and size_of(path) <= LARGEST:
            return check_by_perf(path, out, mapping)
    return None


# Names of the reading machine's kernel are none of the recording: perf asks them where a kernel begins where the recording says 0, as those do whose
# recorder was not allowed to know (perf's samples of the kernel then belong to what the running one has there).
SHARES = ("report", "--kallsyms", "/dev/null", "--stdio", "--no-children", "-g", "none", "--sort", "comm,dso", "-F", "overhead,sample,comm,dso", "-q",
          "--no-itrace", "-t", "|", "-w", "0,0,64,4096")


def shares(path):
    """(exit code, (share, samples, comm, dso) of each line, messages)"""
    done = perf(SHARES, path)
    rows = re.findall(r"^ *(\d+\.\d+%) *\| *(\d+) *\|([^|]*)\|(.*)$", done.stdout.decode("latin-1"), re.M)
    return done.returncode, [tuple(part.strip() for part in row) for row in rows], done.stderr


def shown(path):
    """A file as perf shows it: its last part, a module without its ending."""
    name = path.rsplit("/", 1)[-1]
    module = re.fullmatch(r"(.*)\.ko(?:\.[gx]z|\.zst)?", name)
    return "[%s]" % module[1].replace("-", "_") if module else name


def pseudonyms(path):
    """comm → its pseudonym, and the same for files, by the mapping."""
    comms, files = {}, {}
    with open(path, encoding="latin-1") as f:
        for kind, other, own in (line.rstrip("\n").split("\t", 2) for line in f):
            own = re.sub(r"\\x([0-9a-f]{2})", lambda match: chr(int(match[1], 16)), own)
            if kind == "comm":
                comms[own.strip()] = other
            elif kind == "pid":
                comms[":" + own] = ":" + other
                files["[JIT] tid %s" % own] = "[JIT] tid %s" % other
                files["perf-%s.map" % own] = "perf-%s.map" % other
            elif kind == "path":
                files[shown(own)] = shown(other)
    return comms, files


def check_by_perf(path, out, mapping):
    before, after = shares(path), shares(out)
    if before[0] != 0 or not before[1]:
        return None
    if after[0] != 0:
        return "perf report: exit code %d: %s" % (after[0], after[2][-300:])
    comms, files = pseudonyms(mapping)
    wanted = sorted((*row[:2], comms.get(row[2], row[2]), files.get(row[3], row[3])) for row in before[1])
    found = sorted(after[1])
    # where all maps of the kernel have no length, which of them perf shows is chance
    if b'"addr":"0x0","len":0,"pgoff":"0x0","filename":"[kernel.kallsyms]' in program.run("ndjson", "-q", "--type", "mmap", path).out:
        wanted, found = [sorted(row[:3] for row in rows) for rows in (wanted, found)]
    if wanted != found:
        return "perf report has other shares: %s" % sorted(set(wanted) ^ set(found))[:4]
    return None


SECRET = b"a text that only this program has"
DEEP = """volatile long sum; static char text[40] = "%s";
__attribute__((noinline)) long inner(long n, volatile char *copy) { for (long i = 0; i < n; i++) sum += i ^ copy[i %% 40]; return sum; }
__attribute__((noinline)) long outer(long n) { volatile char copy[40]; for (int i = 0; i < 40; i++) copy[i] = text[i];
	long found = inner(n, copy); sum++; return found; }
int main(void) { for (int i = 0; i < 300; i++) outer(200000); return 0; }
""" % SECRET.decode()


def record_stacks(folder):
    """A recording with copies of stacks, made here; None where nothing can make one."""
    source, made, out = (os.path.join(folder, name) for name in ("deep.c", "deep", "stacks.data"))
    with open(source, "w") as f:
        f.write(DEEP)
    try:
        subprocess.run(["cc", "-O1", "-g", "-o", made, source], check=True, capture_output=True)
        subprocess.run([PERF, "record", "-q", "-F", "200", "-e", "cpu-clock:u", "--call-graph", "dwarf,4096", "-o", out, made], check=True,
                       capture_output=True, timeout=120)
    except (OSError, subprocess.SubprocessError):
        return None
    if not os.path.exists(out):
        return None
    with open(out, "rb") as f:
        return out if SECRET in f.read() else None   # no samples, on a machine that is too busy


def main():
    seven = perf_is_seven()
    files = [path for path, kind in program.recordings() if kind not in ("damaged", "fuzz") and size_of(path) <= LARGEST]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = list(pool.map(lambda path: check(path, seven), files))
    wrong = [(path, result) for path, result in zip(files, results) if result]
    print("%s - anonymous recordings have no secret%s: %d" % ("not ok" if wrong else "ok", " and open in perf" if seven else "", len(files)))
    for path, problem in wrong:
        print("# %s: %s" % (path, problem.strip().replace("\n", "\n# ")))
    with tempfile.TemporaryDirectory() as folder:
        path = record_stacks(folder)
        problem = check(path, seven, how=(), secret=SECRET) if path else None
    print("%s - so is one whose stacks were unwound%s" % ("not ok" if problem else "ok", "" if path else " # SKIP nothing here makes one"))
    if problem:
        print("# %s" % problem)
    print("1..2")


if __name__ == "__main__":
    main()
