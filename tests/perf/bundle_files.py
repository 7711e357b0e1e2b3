#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records a program and its library, with build-ids in the maps, in a table and none; bundles what names them; takes the files away, and reads
the recordings with the bundle, packed and unpacked: the same script, inlines included, folded and ndjson as before. perf opens the unpacked one.
Then hostile archives. Prints TAP; needs a perf that can record and a compiler."""
import glob
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program import PERFDATA, environment

LIBRARY = """
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void inlined_here(unsigned long i) { sink += i * i; }
__attribute__((noinline)) void library_deep(unsigned long n) { for (unsigned long i = 0; i < n; i++) inlined_here(i); }
void library_entry(unsigned long n) { library_deep(n); sink++; }
"""
PROGRAM = """
void library_entry(unsigned long);
static volatile unsigned long sink;
__attribute__((noinline)) void program_work(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
int main(void) { for (int i = 0; i < 300; i++) { program_work(200000); library_entry(200000); } return 0; }
"""
PERF = os.environ.get("PERF", "perf")
WAYS = (["script"], ["folded"], ["ndjson", "--symbols", "yes", "--lines"])


def check(title, good, *details):
    check.number += 1
    print("%s %d - %s" % ("ok" if good else "not ok", check.number, title), flush=True)
    if not good:
        print("\n".join("# %s" % (str(detail)[:600],) for detail in details))


check.number = 0


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **{"stdin": subprocess.DEVNULL, **more})


def build(folder):
    compiler = os.environ.get("CC", "cc").split()[-1]
    os.makedirs(folder + "/bin")
    for source, target, flags in ((LIBRARY, "library.so", ["-shared", "-fPIC"]), (PROGRAM, "program", [folder + "/bin/library.so", "-Wl,-rpath," + folder + "/bin"])):
        subprocess.run([compiler, "-O2", "-g", "-fno-omit-frame-pointer", "-Wl,--build-id", "-x", "c", "-", "-x", "none", "-o", folder + "/bin/" + target, *flags],
                       input=source.encode(), stderr=subprocess.DEVNULL, check=True)
    # what distributions do: the code here, its debug information there
    run("objcopy", "--only-keep-debug", folder + "/bin/library.so", folder + "/bin/library.so.debug")
    subprocess.run(["strip", "-g", folder + "/bin/library.so"], check=True)
    run("objcopy", "--add-gnu-debuglink=" + folder + "/bin/library.so.debug", folder + "/bin/library.so")


def outputs(env, recording, *more):
    return [run(PERFDATA, *way, "-q", recording, *more, env=env).stdout for way in WAYS]


def unpack(archive, folder):
    os.makedirs(folder)
    packed = run("zstd", "-dcq", archive).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        tar.extractall(folder)
    return packed


def others(folder, env, name, recording, unpacked, no_ids):
    """Programs that look for symbols by build-id below a directory; the files themselves are away."""
    if shutil.which("eu-addr2line"):
        alone = tempfile.mkdtemp(dir=folder)
        library = shutil.copy(folder + "/away/library.so", alone)
        address = next(line.split()[0] for line in run("nm", "-D", library).stdout.decode().splitlines() if line.endswith(" library_deep"))
        without, found = (run("eu-addr2line", "-e", library, "--debuginfo-path=" + where, "0x" + address).stdout for where in (folder + "/nowhere", unpacked))
        check("%s: elfutils finds debug information in it" % name, b":0" in without and (no_ids or b"<stdin>:4" in found), without, found)
    else:
        print("# %s: no eu-addr2line" % name)
    parser = next(iter(glob.glob("/usr/lib/*/libexec/hotspot-perfparser")), None)
    if parser and name == "table":
        out = folder + "/hotspot.out"
        nothing = ["--sysroot", folder + "/nowhere", "--app", folder + "/nowhere", "--extra", folder + "/nowhere", "--kallsyms", "/dev/null"]
        names = []
        for where in (folder + "/nowhere", unpacked):
            run(parser, "--input", recording, "--output", out, *nothing, "--debug", where, env=dict(env, QT_QPA_PLATFORM="offscreen"))
            with open(out, "rb") as f:
                names.append(b"program_work" in f.read())
        check("table: hotspot's parser names from it", names == [False, True], names)
    elif name == "table":
        print("# no hotspot")


def one_kind(folder, env, name, flags):
    recording, archive = "%s/%s.data" % (folder, name), "%s/%s.tar.zst" % (folder, name)
    done = run(PERF, "record", "-q", "-N", "-e", "cpu-clock", "-F", "999", "-g", *flags, "-o", recording, "--", folder + "/bin/program", env=env)
    if done.returncode or not os.path.exists(recording):
        print("# perf cannot record %s: %s" % (name, done.stderr[:200]))
        return
    home = outputs(env, recording)
    rows = {row["paths"][0]: row for row in json.loads(run(PERFDATA, "match", "--json", recording, env=env).stdout)["rows"]}
    library, program = rows[folder + "/bin/library.so"], rows[folder + "/bin/program"]
    check("%s: what called is counted" % name, program["in_chain"] >= program["samples"] + library["samples"] - 5, library, program)
    done = run(PERFDATA, "bundle", recording, "-o", archive, env=env)
    check("%s: bundle" % name, done.returncode == 0 and os.path.exists(archive), done.stderr)
    again = run(PERFDATA, "bundle", recording, "-o", "-", env=env).stdout
    packed = unpack(archive, archive + ".dir")
    check("%s: the same bytes twice" % name, again == packed)
    os.rename(folder + "/bin", folder + "/away")
    try:
        check("%s: without the files there are no such names" % name, b"program_work" not in run(PERFDATA, "script", "-q", recording, env=env).stdout)
        for what, source in (("packed", archive), ("unpacked", archive + ".dir")):
            there = outputs(env, recording, "--symbols-from", source)
            for way, a, b in zip(WAYS, home, there):
                check("%s: %s with the bundle %s" % (name, way[0], what), a == b and b"program_work" in a and b"inlined_here" in a, len(a), len(b))
        if "-B" not in flags:
            by_perf = run(PERF, "--buildid-dir", archive + ".dir", "script", "--no-inline", "-i", recording, env=env).stdout
            check("%s: perf opens it" % name, b"program_work" in by_perf and b"library_deep" in by_perf, by_perf[:300])
        others(folder, env, name, recording, archive + ".dir", "-B" in flags)
    finally:
        os.rename(folder + "/away", folder + "/bin")
    for level in ("unwind",) if "dwarf" in flags else ("names", "unwind"):
        less = "%s/%s-%s.tar.zst" % (folder, name, level)
        run(PERFDATA, "bundle", recording, "-o", less, "--level", level, env=env)
        os.rename(folder + "/bin", folder + "/away")
        try:
            a = run(PERFDATA, "script", "-q", "--no-inline", recording, "--symbols-from", less, env=env).stdout
            b = run(PERFDATA, "script", "-q", "--no-inline", recording, "--symbols-from", archive, env=env).stdout
        finally:
            os.rename(folder + "/away", folder + "/bin")
        check("%s: level %s has the same names" % (name, level), a == b and b"program_work" in a, len(a), len(b))
    level_answers(folder, env, name, recording, home, os.path.getsize(archive))
    return recording, archive


def level_answers(folder, env, name, recording, home, size_of_files):
    """Kilobytes in place of the files: the same outputs, unwound stacks included."""
    archive = "%s/%s-answers.tar.zst" % (folder, name)
    done = run(PERFDATA, "bundle", "--level", "answers", recording, "-o", archive, env=env)
    again = run(PERFDATA, "bundle", "--level", "answers", recording, "-o", "-", env=env).stdout
    check("%s: answers, the same bytes twice" % name, done.returncode == 0 and again == unpack(archive, archive + ".dir"), done.stderr)
    check("%s: answers are smaller than files" % name, os.path.getsize(archive) < size_of_files, os.path.getsize(archive), size_of_files)
    report = run(PERFDATA, "report", "-q", recording, env=env).stdout
    os.rename(folder + "/bin", folder + "/away")
    try:
        for what, source in (("packed", archive), ("unpacked", archive + ".dir")):
            there = outputs(env, recording, "--symbols-from", source)
            for way, a, b in zip(WAYS, home, there):
                check("%s: %s with answers %s" % (name, way[0], what), a == b and b"program_work" in a, len(a), len(b))
        check("%s: report with answers" % name, report == run(PERFDATA, "report", "-q", recording, "--symbols-from", archive, env=env).stdout)
        matched = run(PERFDATA, "match", "--json", recording, "--symbols-from", archive, env=env)
        rows = {row["paths"][0]: row for row in json.loads(matched.stdout)["rows"]}
        check("%s: match knows answers" % name, "answers" in rows[folder + "/bin/program"]["parts"], rows[folder + "/bin/program"])
    finally:
        os.rename(folder + "/away", folder + "/bin")


def changed_answers(answers):
    """Texts of answers that no bundle has."""
    lines = answers.decode().split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("a\t"))
    return {
        "cut in a line": answers[:len(answers) // 2 * 2 - 3],
        "empty": b"",
        "without its first line": answers.split(b"\n", 1)[1],
        "with a NUL": answers[:200] + b"\0" + answers[200:],
        "of a number beyond its lines": answers.replace(b"\na\t", b"\na\tf\tffffff\t-\t0\t-\na\t", 1),
        "in no order": "\n".join(lines[:first + 1] + [lines[first]] + lines[first + 1:]).encode(),
        "with an unknown line": answers + b"z\t1\n",
        "with a call inlined into itself": answers + b"c\t0\t-\t-\t1\t1\t1\t1\tfffff\n",
        "of another build-id": answers.replace(lines[0].split("\t")[3].encode(), b"00112233", 1),
        "of another kind": answers.replace(b"\tuser\t", b"\tkernel\t", 1),
        "of calls without end": answers + b"".join(b"c\t0\t-\t-\t1\t1\t1\t1\t%s\n" % (b"%x" % (i - 1) if i else b"-") for i in range(100000)),
    }


def hostile_answers(folder, env, recording, program, build_id):
    """`program` is the program's file, which is away. Answers that are refused give no names, and a finding says so."""
    source = folder + "/maps-answers.tar.zst.dir"
    place = "%s/%s" % (program.lstrip("/"), build_id)
    with open("%s/%s/answers" % (source, place), "rb") as f:
        good = f.read()
    for name, text in changed_answers(good).items():
        path = folder + "/hostile.tar"
        with open(path, "wb") as f:
            f.write(archive_of((".build-id/%s/%s/answers" % (build_id[:2], build_id[2:]), tarfile.REGTYPE, text)))
        done = run(PERFDATA, "script", recording, "--symbols-from", path, env=env)
        is_other = "another" in name
        check("answers %s" % name, done.returncode in (0, 4) and b"program_work" not in done.stdout and (is_other or b"W80" in done.stderr),
              done.returncode, done.stderr[:300])
    less = good.replace(b"\na\t", b"\na\t", 1)
    lines = less.split(b"\n")
    kept = [line for line in lines if not line.startswith(b"a\t")]
    with open(folder + "/hostile.tar", "wb") as f:
        f.write(archive_of((".build-id/%s/%s/answers" % (build_id[:2], build_id[2:]), tarfile.REGTYPE, b"\n".join(kept))))
    done = run(PERFDATA, "script", recording, "--symbols-from", folder + "/hostile.tar", env=env)
    check("an address that the bundle lacks is reported", done.returncode == 0 and b"not in this bundle" in done.stderr and b"N814" in done.stderr, done.stderr)
    done = run(PERFDATA, "match", recording, "--symbols-from", folder + "/hostile.tar", env=env)
    check("… also by match", b"not in this bundle" in done.stderr, done.stderr)
    for name, words, row in (("report", ("report",), b"[not in this bundle] (program)"), ("a tree", ("report", "--tree"), b"[not in this bundle] (program)"),
                             ("folded", ("folded",), b"[not in this bundle] [program]"), ("speedscope", ("speedscope",), b"[not in this bundle] (program)"),
                             ("report --json", ("report", "--json"), b'"kind":"not in this bundle"')):
        done = run(PERFDATA, *words, recording, "--symbols-from", folder + "/hostile.tar", env=env)
        check("… by the rows of %s" % name, row in done.stdout and b"[unknown] (program)" not in done.stdout and b";[program]" not in done.stdout, done.stdout[:600])
    notes = [line for line in done.stderr.split(b"\n") if b"have no name" in line]
    check("… and no note counts it among those without a name", all(b"/bin/program" not in line for line in notes), done.stderr)
    done = run(PERFDATA, "annotate", recording, "--symbols-from", source, env=env)
    check("answers have no instructions, which annotate says", b"the bundle has only answers for this file" in done.stdout, done.stdout[:600])


def later(folder, env, recording):
    addresses = run(PERFDATA, "folded", "--symbols", "no", "--addresses", recording, env=env).stdout
    named = subprocess.run([PERFDATA, "symbolize"], input=addresses, stdout=subprocess.PIPE, env=env, timeout=120, check=False)
    check("symbolize names what folded --addresses left", b"/bin/program+0x" in addresses and b"program_work" in named.stdout and
          b"/bin/program+0x" not in named.stdout and addresses.count(b"\n") == named.stdout.count(b"\n"), named.stdout[:300])
    empty = folder + "/empty"
    os.makedirs(empty)
    words = [PERFDATA, "folded", "--symfs", empty, recording]
    loud, quiet = run(*words, env=env), run(*words, "-q", env=env)
    check("missing names are reported once on stderr", loud.stderr.count(b"have no name") == 1 and b"/bin/program" in loud.stderr, loud.stderr)
    check("… not with -q, and stdout is the same", quiet.stderr == b"" and quiet.stdout == loud.stdout, quiet.stderr)
    check("a frame without a name is its file", b";[program]" in loud.stdout, loud.stdout[:300])


def archive_of(*members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type = kind
            if kind == tarfile.REGTYPE:
                info.size = len(content)
            elif isinstance(content, str):
                info.linkname = content
            tar.addfile(info, io.BytesIO(content) if kind == tarfile.REGTYPE else None)
    return out.getvalue()


def hostile(folder, env, recording, program, build_id):
    """What an archive of somebody else may hold: no name may come from outside it, and nothing may be written."""
    place = ".build-id/%s/%s" % (build_id[:2], build_id[2:])
    with open(program, "rb") as f:
        good = f.read()
    cases = {
        "a link out of it": [(place + "/elf", tarfile.SYMTYPE, program)],
        "a relative link out of it": [(place + "/elf", tarfile.SYMTYPE, "../" * 30 + program.lstrip("/"))],
        "an absolute name": [("/" + place + "/elf", tarfile.REGTYPE, good)],
        "a name with ..": [("x/../" + place + "/elf", tarfile.REGTYPE, good)],
        "links in circles": [(place, tarfile.SYMTYPE, "../b"), (".build-id/b", tarfile.SYMTYPE, build_id[:2] + "/" + build_id[2:])],
        "a device": [(place + "/elf", tarfile.CHRTYPE, None)],
        "a FIFO": [(place + "/elf", tarfile.FIFOTYPE, None)],
        "a file of another build-id": [(place + "/elf", tarfile.REGTYPE, open(PERFDATA, "rb").read(1 << 20))],
        "an empty file": [(place + "/elf", tarfile.REGTYPE, b"")],
    }
    for name, members in cases.items():
        path = folder + "/hostile.tar"
        with open(path, "wb") as f:
            f.write(archive_of(*members))
        done = run(PERFDATA, "script", "-q", recording, "--symbols-from", path, env=env)
        check("an archive with %s" % name, done.returncode in (0, 3) and b"program_work" not in done.stdout, done.returncode, done.stderr[:300])
    with open(folder + "/hostile.tar", "wb") as f:
        f.write(archive_of((place + "/elf", tarfile.REGTYPE, good)))
    check("an archive that is fine", b"program_work" in run(PERFDATA, "script", "-q", recording, "--symbols-from", folder + "/hostile.tar", env=env).stdout)
    bomb = folder + "/bomb.tar.zst"
    with open(folder + "/bomb.tar", "wb") as f:
        f.truncate(512 << 20)
    run("zstd", "-q", "-f", folder + "/bomb.tar", "-o", bomb)
    os.unlink(folder + "/bomb.tar")
    done = run(PERFDATA, "script", recording, "--symbols-from", bomb, env=env)
    check("an archive that unpacks without end", done.returncode == 3 or (done.returncode == 6 and b"more than the ratio allows" in done.stderr))
    few = run(PERFDATA, "script", recording, "--max-spool", "1K", "--symbols-from", folder + "/hostile.tar", env=env)
    check("an archive beyond the limit of bytes", few.returncode == 6 and b"more bytes than the limit allows" in few.stderr)
    for size in (0, 1, 511, 512, 700):
        with open(folder + "/cut.tar", "wb") as f:
            f.write(archive_of((place + "/elf", tarfile.REGTYPE, good))[:size])
        done = run(PERFDATA, "script", "-q", recording, "--symbols-from", folder + "/cut.tar", env=env)
        check("an archive cut at %d" % size, done.returncode == 3 and done.stdout == b"", done.returncode)


def main():
    with tempfile.TemporaryDirectory(prefix="bundle-") as folder:
        folder = os.path.realpath(folder)
        env = environment(folder + "/home")
        os.mkdir(folder + "/home")
        try:
            build(folder)
        except (OSError, subprocess.CalledProcessError) as error:
            print("1..0 # SKIP no compiler: %s" % error)
            return
        if not shutil.which(PERF) or not shutil.which("zstd") or run(PERF, "record", "-q", "-e", "cpu-clock", "-o", folder + "/try", "true", env=env).returncode:
            print("1..0 # SKIP no perf that can record, or no zstd")
            return
        made = {name: one_kind(folder, env, name, flags) for name, flags in (("maps", ["--buildid-mmap"]), ("table", ["--no-buildid-mmap"]), ("none", ["--no-buildid-mmap", "-B"]),
                                                                 ("dwarf", ["--buildid-mmap", "--call-graph", "dwarf"]))}
        recording = (made["maps"] or made["table"] or [None])[0]
        if recording:
            rows = json.loads(run(PERFDATA, "match", "--json", recording, env=env).stdout)["rows"]
            build_id = next(row["build_id"] for row in rows if row["paths"][0].endswith("/bin/program"))
            later(folder, env, recording)
            kept = folder + "/kept-program"
            shutil.copy(folder + "/bin/program", kept)
            os.rename(folder + "/bin", folder + "/away")
            shutil.rmtree(folder + "/home", ignore_errors=True)
            hostile(folder, env, recording, kept, build_id)
            if made["maps"]:
                hostile_answers(folder, env, recording, folder + "/bin/program", build_id)
    print("1..%d" % check.number)


main()
