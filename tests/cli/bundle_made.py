#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings made by the builder, of files made by the compiler: kernel modules (one of them packed), a program whose debug information dwz
moved to a further file, code of a compiler at run time. `match` about the right root, one with a rebuilt module, one with a module
missing; the bundle of them names as the root does, and is itself what `match` looks in. Prints TAP; needs a compiler, some parts more."""
import hashlib
import io
import json
import lzma
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import IP, KERNEL, TID, TIME, USER, Recording, pad
from program import PERFDATA

MODULE = "int %(name)s_seen; void %(name)s_work(int n) { %(name)s_seen += n; }\nvoid %(name)s_rest(int n) { %(name)s_seen -= n; }\n"
PROGRAM = """
struct shared { long a, b, c; struct shared *next; };
static volatile long sink;
static inline __attribute__((always_inline)) void inlined_in_both(struct shared *s) { sink += s->a * s->b; sink -= s->c; }
__attribute__((noinline)) void %(name)s_outer(struct shared *s) { while (s) { inlined_in_both(s); s = s->next; } }
int main(void) { struct shared s = {1, 2, 3, 0}; %(name)s_outer(&s); return 0; }
"""
MODULES, CODE, JIT = 0xffffffffc0400000, 0x400000, 0x7f0000100000
BY_PATH, BY_NAME = "/lib/modules/6.1.0/kernel/net/by-path.ko", "/lib/modules/6.1.0/kernel/fs/by-name.ko"
JITDUMP = "/tmp/jit-100.dump"


def check(title, good, *details):
    check.number += 1
    print("%s %d - %s" % ("ok" if good else "not ok", check.number, title), flush=True)
    if not good:
        print("\n".join("# %s" % (str(detail)[:600],) for detail in details))


check.number = 0


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=60, **more)


def compile_one(source, target, *flags):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    subprocess.run([os.environ.get("CC", "cc").split()[-1], *flags, "-x", "c", "-", "-o", target], input=source.encode(), stderr=subprocess.DEVNULL, check=True)


def make_module(name, target):
    """As modules are: relocatable, with a build-id."""
    compile_one(MODULE % {"name": name}, target + ".o", "-O1", "-c", "-fno-pic")
    subprocess.run(["ld", "-r", "--build-id=sha1", "-o", target, target + ".o"], check=True)
    os.unlink(target + ".o")


def build_id(path):
    """The note of an ELF file, by the program that the rest is about."""
    out = run("readelf", "-n", path, env=dict(os.environ, LC_ALL="C")).stdout.decode()
    return bytes.fromhex(out.split("Build ID:")[1].split()[0])


def address_of(path, symbol):
    return next(int(line.split()[0], 16) for line in run("nm", path).stdout.decode().splitlines() if line.endswith(" " + symbol))


def pack(path):
    with open(path, "rb") as f:
        data = lzma.compress(f.read())
    with open(path + ".xz", "wb") as f:
        f.write(data)
    os.unlink(path)


class Made:
    """A root with the files, others where one is rebuilt or missing, and the recording."""

    def __init__(self, folder):
        self.folder, self.root, self.recording = folder, folder + "/right", folder + "/made.data"
        for name, path in (("by_path", BY_PATH), ("by_name", BY_NAME)):
            make_module(name, self.root + path)
        with open(self.root + "/lib/modules/6.1.0/modules.dep", "w", encoding="ascii") as f:
            f.write("kernel/net/by-path.ko:\nkernel/fs/by-name.ko.xz: kernel/net/by-path.ko\n")
        self.program = self.root + "/bin/program"
        for name in ("program", "sibling"):
            compile_one(PROGRAM % {"name": name}, self.root + "/bin/" + name, "-O2", "-g", "-no-pie", "-Wl,--build-id")
        self.ids = {path: build_id(self.root + path) for path in (BY_PATH, BY_NAME, "/bin/program")}
        self.outer = address_of(self.program, "program_outer") - CODE
        self.work = address_of(self.root + BY_PATH, "by_path_work")
        pack(self.root + BY_NAME)
        os.mkdir(self.root + "/tmp")
        with open(self.root + JITDUMP, "wb") as f:
            f.write(struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 100, 99, 0))
            body = struct.pack("<IIQQQQ", 100, 100, JIT, JIT, 0x1000, 1) + b"made_at_run_time\0" + bytes(16)
            f.write(struct.pack("<IIQ", 0, 16 + len(body), 1) + body)
        self.record()
        for root in ("rebuilt", "missing"):
            shutil.copytree(self.root, folder + "/" + root)
        make_module("by_path_changed", folder + "/rebuilt" + BY_PATH)
        os.unlink(folder + "/missing" + BY_PATH)
        os.mkdir(folder + "/empty")

    def record(self):
        r = Recording()
        cycles = r.event("cycles", [11], sample_type=IP | TID | TIME, sample_id_all=1)
        places = ((MODULES, BY_PATH), (MODULES + 0x10000, "[by_name]"))
        for start, name in places:
            r.mmap(-1, 0, start, 0x8000, 0, name, misc=KERNEL)
        r.task(7, 100, 1, 100, 1, 1)
        r.comm(100, 100, "program", time=1)
        r.mmap2(100, 100, CODE, 0x10000, 0, "/bin/program", build_id=self.ids["/bin/program"], time=2)
        r.mmap2(100, 100, JIT - 0x10000, 0x1000, 0, JITDUMP, time=2)
        r.mmap2(100, 100, JIT, 0x10000, 0, "//anon", inode=0, time=2)
        for i in range(12):
            r.sample(cycles, misc=KERNEL, ip=MODULES + self.work + i % 4, pid=100, tid=100, time=10 + i)
            r.sample(cycles, misc=KERNEL, ip=MODULES + 0x10000 + i, pid=100, tid=100, time=10 + i)
            r.sample(cycles, misc=USER, ip=CODE + self.outer + 2 * i, pid=100, tid=100, time=10 + i)
            r.sample(cycles, misc=USER, ip=JIT + 16 * i, pid=100, tid=100, time=10 + i)
        table = b""
        for path, name in ((BY_PATH, BY_PATH), (BY_NAME, "[by_name]")):
            name = pad(name.encode() + b"\0", 64)
            table += r.pack("IHHi", 0, KERNEL | 1 << 15, 36 + len(name), -1) + self.ids[path] + bytes([20, 0, 0, 0]) + name
        r.feature(2, table)
        r.feature(3, r.string("another-host"))
        r.feature(4, r.string("6.1.0"))
        with open(self.recording, "wb") as f:
            f.write(r.file())

    def rows(self, *words):
        """(exit code, {path: row}) of `match`."""
        done = run(PERFDATA, "match", "--json", "-q", self.recording, *words)
        rows = json.loads(done.stdout)["rows"] if done.stdout else []
        return done.returncode, {row["paths"][0]: row for row in rows}


def states(rows):
    return tuple(rows[name]["state"] if name in rows else None for name in (BY_PATH, "[by_name]", "/bin/program"))


def modules(made):
    for root, code, wanted in (("right", 0, "match"), ("rebuilt", 1, "differs"), ("missing", 0, "absent")):
        got, rows = made.rows("--symfs", made.folder + "/" + root)
        check("modules, %s root" % root, (got, states(rows)) == (code, (wanted, "match", "match")), got, states(rows))
        check("… named", rows[BY_PATH]["named"] == (wanted == "match") and rows["[by_name]"]["named"], rows)
    check("modules, empty root", made.rows("--symfs", made.folder + "/empty")[0] == 3)
    out = run(PERFDATA, "script", "-q", "--symfs", made.root, made.recording).stdout
    check("a module's file names its addresses", b"by_path_work" in out, out[:600])
    out = run(PERFDATA, "script", "-q", "--symfs", made.folder + "/rebuilt", made.recording).stdout
    check("a rebuilt one does not", b"by_path" not in out.replace(b"by-path.ko", b""), out[:600])


def outputs(made, *source):
    ways = (["script", "-F", "+symoff,+srcline"], ["folded"], ["ndjson", "--symbols", "yes", "--lines"], ["otlp"])
    return [run(PERFDATA, *way, "-q", *source, made.recording).stdout for way in ways]


def bundles(made):
    archive = made.folder + "/made.tar"
    done = run(PERFDATA, "bundle", "--symfs", made.root, made.recording, "-o", archive)
    with tarfile.open(archive) as tar:
        tar.extractall(made.folder + "/unpacked")
        names = tar.getnames()
        document = json.load(tar.extractfile("perfdata-bundle.json"))
    elf = {name.rsplit("/", 2)[0] for name in names if name.endswith("/elf")}
    check("bundle", done.returncode == 0 and elf == {BY_PATH[1:], "[by_name]", "bin/program"} and "root" + JITDUMP in names, done.stderr, names)
    lies = [row["name"] for row in document["files"]
            if run("sha256sum", made.folder + "/unpacked/" + row["name"]).stdout.decode().split()[0] != row["sha256"]]
    check("sums of what is in it", document["files"] and not lies, lies)
    with open(made.recording, "rb") as f:
        recorded = f.read()
    check("… and of the recordings that it is of", document["recordings"] == [
        {"name": os.path.basename(made.recording), "size": len(recorded), "sha256": hashlib.sha256(recorded).hexdigest()}], document["recordings"])
    parts = {row["name"].rsplit("/", 2)[0]: set(row["parts"]) for row in document["files"]}
    check("… and what each has", {"text", "symtab", "dwarf"} <= parts["bin/program"] and {"text", "symtab"} <= parts["[by_name]"], parts)
    code = next(row for row in document["files"] if row["name"] == "root" + JITDUMP)
    check("generated code is that of a process from its start", (code["pid"], code["start_time"]) == (100, 1), code)
    home = outputs(made, "--symfs", made.root)
    for what in (archive, made.folder + "/unpacked"):
        there = outputs(made, "--symbols-from", what)
        check("the same names from %s" % os.path.basename(what), home == there and b"made_at_run_time" in home[0] and b"inlined_in_both" in home[2],
              *home, *there)
        code, rows = made.rows("--symbols-from", what)
        check("match looks in it", code == 0 and states(rows) == ("match",) * 3 and rows["/bin/program"]["named"] and what in str(rows[BY_PATH]["found"]), code, rows)
    answers = made.folder + "/answers.tar"
    run(PERFDATA, "bundle", "--level", "answers", "--symfs", made.root, made.recording, "-o", answers)
    there = outputs(made, "--symbols-from", answers)
    check("the same names, offsets, lines and columns from answers alone", home == there, *there)
    lone = made.folder + "/lone.tar"
    with tarfile.open(lone, "w") as tar:
        info = tarfile.TarInfo("perfdata-bundle.json")
        tar.addfile(info, io.BytesIO(b""))
    check("a bundle of nothing", made.rows("--symbols-from", lone)[0] == 3)
    check("no bundle", made.rows("--symbols-from", made.recording)[0] == 3)
    shutil.rmtree(made.folder + "/unpacked/.build-id/%s" % made.ids[BY_PATH].hex()[:2])
    code, rows = made.rows("--symbols-from", made.folder + "/unpacked", "--require", BY_PATH)
    check("what it lacks is absent", code == 1 and rows[BY_PATH]["state"] == "absent", code, rows)
    return home


def kept_vdso(made):
    """The image of another kernel's vdso, which perf's cache has, names as in the cache from bundles of each level."""
    image, path, env = made.root + "/bin/sibling", made.folder + "/vdso.data", dict(os.environ, HOME=made.folder + "/home")
    number = build_id(image)
    place = env["HOME"] + "/.debug/.build-id/%s/%s/vdso" % (number.hex()[:2], number.hex()[2:])
    os.makedirs(os.path.dirname(place))
    shutil.copy(image, place)
    r = Recording()
    cycles = r.event("cycles", [11], sample_type=IP | TID | TIME, sample_id_all=1)
    r.mmap2(100, 100, CODE, 0x10000, 0, "[vdso]", build_id=number, time=1)
    r.sample(cycles, ip=address_of(image, "sibling_outer"), pid=100, tid=100, time=2)
    r.save(path)
    wanted = run(PERFDATA, "script", path, env=env).stdout
    check("a vdso in perf's cache", b"sibling_outer" in wanted, wanted)
    for level in ("full", "unwind", "names", "answers"):
        archive = made.folder + "/vdso.tar"
        done = run(PERFDATA, "bundle", "--force", "--level", level, "-o", archive, path, env=env)
        found = run(PERFDATA, "script", "--symbols-from", archive, path)
        check("… and in a bundle of level " + level, found.stdout == wanted, done.stderr, found)


def supplementary(made, home):
    """The same program after dwz: what two programs share is in a file of its own, which is named by a path and a build-id."""
    common = made.root + "/usr/lib/debug/.dwz/common.debug"
    os.makedirs(os.path.dirname(common))
    done = run("dwz", "-m", common, "-M", "/usr/lib/debug/.dwz/common.debug", made.root + "/bin/program", made.root + "/bin/sibling")
    if done.returncode or not os.path.exists(common):
        print("# dwz could not: %s" % done.stderr)
        return
    check("dwz: the same names below --symfs", outputs(made, "--symfs", made.root) == home)
    archive = made.folder + "/dwz.tar.gz"
    done = run(PERFDATA, "bundle", "--symfs", made.root, made.recording, "-o", archive)
    with tarfile.open(archive) as tar:
        names = tar.getnames()
    check("dwz: the file is in the bundle", any(name.startswith("usr/lib/debug/.dwz/common.debug/") for name in names), done.stderr, names)
    there = outputs(made, "--symbols-from", archive)
    check("dwz: the same names from the bundle", there == home, there[0][:300])
    code, rows = made.rows("--symbols-from", archive)
    check("dwz: match finds it there", code == 0 and "altlink" in rows["/bin/program"]["parts"], rows)
    less = made.folder + "/less.tar"
    run(PERFDATA, "bundle", "--symfs", made.root, "--level", "unwind", made.recording, "-o", less)
    with tarfile.open(less) as tar:
        check("dwz: not at level unwind", not any("common.debug" in name for name in tar.getnames()))
    os.unlink(common)
    os.mkfifo(common)
    check("dwz: what is no file in its place", b"program_outer" in outputs(made, "--symfs", made.root)[0])
    os.unlink(common)
    os.mkfifo(made.folder + "/outside")
    subprocess.run(["objcopy", "--dump-section", ".gnu_debugaltlink=" + made.folder + "/link", made.program], check=True)
    with open(made.folder + "/link", "rb") as f:
        link = f.read().split(b"\0", 1)[1]
    with open(made.folder + "/link", "wb") as f:
        f.write((made.folder + "/outside").encode() + b"\0" + link)
    subprocess.run(["objcopy", "--update-section", ".gnu_debugaltlink=" + made.folder + "/link", made.program], check=True)
    check("dwz: a path out of the root is not followed", b"program_outer" in outputs(made, "--symfs", made.root)[0])


def main():
    with tempfile.TemporaryDirectory(prefix="bundle-made-") as folder:
        folder = os.path.realpath(folder)
        try:
            made = Made(folder)
        except (OSError, subprocess.CalledProcessError) as error:
            print("1..0 # SKIP no compiler: %s" % error)
            return
        modules(made)
        home = bundles(made)
        kept_vdso(made)
        if shutil.which("dwz"):
            supplementary(made, home)
        else:
            print("# no dwz")
    print("1..%d" % check.number)


main()
