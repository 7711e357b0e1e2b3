#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records a program with a library in every way that perf record knows of telling files: build-ids in the maps, in a table, or none; as a
file or a stream. Then moves both away, puts others in their place, or writes others over them: no name of those may ever be seen, and as
long as nothing was touched all names are. Then the same for recordings made up, where files have only times, hosts and pids.
Prints TAP; the first part needs a perf that can record (PERF names another one beside the installed), the second only a compiler."""
import fcntl
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import Recording, IP, TID, TIME, GUEST_USER, KERNEL, USER, pad
from program import PERFDATA

LIBRARY = """
static volatile unsigned long sink;
__attribute__((noinline)) void %(name)s_deep(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i * i; }
__attribute__((noinline)) void %(name)s_library(unsigned long n) { %(name)s_deep(n); sink++; }
void library_entry(unsigned long n) { %(name)s_library(n); sink++; }
"""
PROGRAM = """
void library_entry(unsigned long);
static volatile unsigned long sink;
__attribute__((noinline)) void %(name)s_program(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; library_entry(n); sink++; }
int main(void) { for (int i = 0; i < 400; i++) %(name)s_program(30000); return 0; }
"""
OURS, NEEDED = {"ours_program", "ours_library", "ours_deep"}, {"ours_program", "ours_deep"}
FEATURE_HOSTNAME, FEATURE_RELEASE = 3, 4


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **{"stdin": subprocess.DEVNULL, **more})


def check(title, good, *details):
    check.number += 1
    print("%s %d - %s" % ("ok" if good else "not ok", check.number, title), flush=True)
    if not good:
        print("\n".join("# %s" % (detail,) for detail in details))


check.number = 0


class Place:
    """A program and its library, what may replace them, and a home without a cache."""

    def __init__(self, folder, cc):
        self.folder = folder
        self.program, self.library = (os.path.join(folder, "bin", name) for name in ("program", "library.so"))
        self.home = os.path.join(folder, "home")
        self.environment = dict(os.environ, HOME=self.home, LC_ALL="C")
        for name in ("bin", "home", "other", "kept"):
            os.mkdir(os.path.join(folder, name))
        for name in ("other", "ours"):
            self.build(cc, name)

    def build(self, cc, name):
        options = ["-O1", "-g", "-fno-omit-frame-pointer", "-Wl,--build-id"]
        for text, path, more in ((LIBRARY, self.library, ["-fPIC", "-shared"]), (PROGRAM, self.program, [self.library, "-Wl,-rpath,$ORIGIN"])):
            source = os.path.join(self.folder, "source.c")
            with open(source, "w", encoding="ascii") as out:
                out.write(text % {"name": name})
            done = run(cc, *options, "-o", path, source, *more)
            if done.returncode:
                raise OSError("the compiler fails: " + done.stderr.decode()[:200])
            shutil.copy(path, self.at("other" if name == "other" else "kept", path))

    def at(self, folder, path):
        return os.path.join(self.folder, folder, os.path.basename(path))

    def paths(self):
        return self.program, self.library

    def said(self, recording, *options, through_pipe=False):
        """All outputs of a recording with names, and the messages."""
        everything, messages = "", ""
        for command in (["script"], ["folded"], ["ndjson", "--symbols", "yes", "--type", "sample"]):
            with open(recording, "rb") as stream:
                source = subprocess.Popen(["cat"], stdin=stream, stdout=subprocess.PIPE) if through_pipe else None
                done = run(PERFDATA, *command, "-v", *options, "-" if source else recording, env=self.environment,
                           stdin=source.stdout if source else subprocess.DEVNULL)
                if source:
                    source.stdout.close()
                    source.wait()
            everything += done.stdout.decode("utf-8", "replace")
            messages += done.stderr.decode("utf-8", "replace")
        self.messages = messages
        return everything, messages

    def names(self, recording, *options, **more):
        """The names of ours and of the others, and the messages."""
        everything, messages = self.said(recording, *options, **more)
        return set(re.findall(r"\b(?:ours|other)_\w+", everything)), "\n# ".join(line for line in messages.split("\n") if "not used" in line)

    # --- what may become of the files ---

    def leave(self):
        pass

    def move_away(self):
        for path in self.paths():
            os.rename(path, path + ".away")

    def write_over(self):
        for path in self.paths():
            with open(self.at("other", path), "rb") as source, open(path, "r+b") as out:
                out.truncate(0)
                out.write(source.read())

    def write_over_with_old_times(self):
        before = [os.stat(path) for path in self.paths()]
        self.write_over()
        for path, st in zip(self.paths(), before):
            os.utime(path, ns=(st.st_atime_ns, st.st_mtime_ns))

    def replace(self):
        for path in self.paths():
            shutil.copy2(self.at("other", path), path + ".new")
            os.rename(path + ".new", path)

    def unlink_and_copy(self):
        for path in self.paths():
            os.unlink(path)
            shutil.copy2(self.at("other", path), path)

    def restore(self):
        """The recorded files again, as new ones."""
        for path in self.paths():
            for old in (path, path + ".away"):
                if os.path.exists(old):
                    os.unlink(old)
            shutil.copy2(self.at("kept", path), path)


def record(place, perf, options, stream, path, command=None):
    words = [perf, "record", "-q", "-N", "-g", "-e", "cpu-clock", "-F", "2000", *options]
    try:
        with open(path, "wb") as out:
            done = subprocess.run([*words, "-o", "-" if stream else path, *(command or [place.program])], stdin=subprocess.DEVNULL, env=place.environment,
                                  stdout=out if stream else subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120)
    except OSError as error:
        return str(error)
    return "" if done.returncode == 0 and os.path.getsize(path) else done.stderr.decode("utf-8", "replace").strip().split("\n")[0][:100] or "failed"


RECORDINGS = [
    ("file", [], False), ("file -B", ["-B"], False), ("stream", [], True), ("packed stream", ["-z"], True),
    ("stream --buildid-mmap", ["--buildid-mmap"], True), ("stream --no-buildid-mmap", ["--no-buildid-mmap"], True),
    ("file -B --no-buildid-mmap", ["-B", "--no-buildid-mmap"], False),
]
FATES = [Place.move_away, Place.write_over, Place.write_over_with_old_times, Place.replace, Place.unlink_and_copy]


def live_cases(place, perf):
    version = run(perf, "--version").stdout.decode("utf-8", "replace").strip()
    for name, options, stream in RECORDINGS:
        title, path = f"{version}, {name}", os.path.join(place.folder, "recording")
        place.restore()
        why = record(place, perf, options, stream, path)
        if why:
            check(f"{title} # SKIP perf cannot record it: {why}", True)
            continue
        time.sleep(0.05)         # the times of files have the grain of a tick
        names, messages = place.names(path)
        check(f"{title}: all names while the files are untouched", NEEDED <= names <= OURS, names, messages)
        if stream:
            names, messages = place.names(path, through_pipe=True)
            check(f"{title}: through a pipe, too", NEEDED <= names <= OURS, names, messages)
        for fate in FATES:
            fate(place)
            names, messages = place.names(path)
            is_reported = fate is Place.move_away or "[N801]" in place.messages or "[N804]" in place.messages
            check(f"{title}: {fate.__name__}", not names and is_reported, names, messages)
            place.restore()
        # the same bytes, but other files: a build-id shows this, an inode number does not
        names, messages = place.names(path, "--symfs", "/")
        check(f"{title}: the recorded files are back, and the user says so: --symfs /", NEEDED <= names <= OURS, names, messages)


def during_cases(place, perf):
    """The files are replaced while perf records: a table of build-ids, which perf reads by path at the end, has those of the new ones."""
    version, path = run(perf, "--version").stdout.decode("utf-8", "replace").strip(), os.path.join(place.folder, "recording")
    for name, options, stream in RECORDINGS:
        title = f"{version}, {name}: replaced while it is recorded"
        place.restore()
        moves = " && ".join("cp '%s' '%s.new' && mv '%s.new' '%s'" % (place.at("other", at), at, at, at) for at in place.paths())
        # by this clock, times of files and of samples compare exactly
        why = record(place, perf, [*options, "-k", "monotonic"], stream, path, ["sh", "-c", f"'{place.program}' && sleep 0.05 && {moves}"])
        if why:
            check(f"{title} # SKIP perf cannot record it: {why}", True)
            continue
        names, messages = place.names(path)
        check(title, not names and ("[N801]" in place.messages or "[N804]" in place.messages), names, messages)


ALONE = """
static volatile unsigned long sink;
__attribute__((noinline)) void %(name)s_alone(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
int main(void) { for (int i = 0; i < 400; i++) %(name)s_alone(100000); return 0; }
"""


def chroot_cases(place, perf, cc):
    """A program in a chroot, and another one of this host under the same path: perf reads the build-id of the latter, once the former has
    ended. Linking the host's file, as perf does for its cache, changes its ctime."""
    version, path = run(perf, "--version").stdout.decode("utf-8", "replace").strip(), os.path.join(place.folder, "recording")
    root, program, source = os.path.join(place.folder, "root"), os.path.join(place.folder, "alone"), os.path.join(place.folder, "source.c")
    shutil.rmtree(root, ignore_errors=True)
    inner, link = root + program, program + ".link"
    os.makedirs(os.path.dirname(inner))
    why = "" if os.geteuid() == 0 else "only root may chroot"
    for name, out in (("other", program), ("ours", inner)):
        with open(source, "w", encoding="ascii") as text:
            text.write(ALONE % {"name": name})
        why = why or ("no static program" if run(cc, "-O1", "-static", "-Wl,--build-id", "-o", out, source).returncode else "")
    for options in ([], ["--no-buildid-mmap"]):
        title = f"{version}, {' '.join(options) or 'file'}: a program in a chroot"
        failed = why or record(place, perf, options, False, path, ["chroot", root, program])
        if failed:
            check(f"{title} # SKIP {failed}", True)
            continue
        names, messages = place.names(path)
        check(title, not names and ("[N801]" in place.messages or "[N804]" in place.messages), names, messages)
        names, messages = place.names(path, "--symfs", root)
        # below ROOT, a file is refused only if another build-id was recorded: that of the file of this host
        check(f"{title}: --symfs ROOT", names == {"ours_alone"}, names, messages)
        os.link(program, link)
        failed = record(place, perf, options, False, path, ["chroot", root, program])
        names, messages = place.names(path)
        check(f"{title}: the file of this host was linked meanwhile", not failed and not names, failed, names, messages)
        os.unlink(link)
        failed = record(place, perf, options, False, path, [program])
        names, messages = place.names(path)
        check(f"{title}: the program of this host", not failed and names == {"other_alone"}, failed, names, messages)


def cache_cases(place, perf):
    """perf's cache is of hard links, which change the inode of a file but not the file."""
    stream, later = (os.path.join(place.folder, name) for name in ("stream", "later"))
    place.restore()
    why = record(place, perf, ["-B"], True, stream)
    if not why:
        time.sleep(0.05)
        done = run(perf, "record", "-q", "-g", "-e", "cpu-clock", "-F", "2000", "-o", later, place.program, env=place.environment)
        why = "it made no hard link" if done.returncode or os.stat(place.program).st_nlink < 2 else ""
    if why:
        check(f"perf's cache # SKIP {why}", True)
        return
    names, messages = place.names(stream)
    check("a file that perf has put into its cache since", NEEDED <= names <= OURS, names, messages)
    # the cache finds one file of a build-id: here a copy of the program, elsewhere
    twin = os.path.join(place.folder, "twin")
    shutil.copy(place.program, twin)
    for folder, links, _ in list(os.walk(os.path.join(place.home, ".debug", ".build-id"))):
        for name in links:
            link = os.path.join(folder, name)
            if os.path.islink(link) and os.path.exists(link + "/elf") and os.path.samefile(link + "/elf", place.program):
                moved = os.path.join(place.home, ".debug", "twin", name)
                os.makedirs(moved)
                os.link(twin, os.path.join(moved, "elf"))
                os.unlink(link)
                os.symlink(moved, link)
    names, messages = place.names(stream)
    check("the same, and the cache has another file with that build-id", NEEDED <= names <= OURS, names, messages)
    shutil.rmtree(os.path.join(place.home, ".debug"))


# --- recordings made up ----------------------------------------------------------------------------------------------

def offset_of(symbol, path):
    """Of a function in the file, as it is mapped from its beginning on."""
    with open(path, "rb") as f:
        data = f.read()
    word = lambda at, size: int.from_bytes(data[at:at + size], "little" if data[5] == 1 else "big")  # noqa: E731
    if data[4] != 2:
        return None
    sections = [(word(at + 4, 4), word(at + 24, 8), word(at + 32, 8), word(at + 40, 4), word(at + 16, 8))
                for at in range(word(40, 8), word(40, 8) + 64 * word(60, 2), 64)]
    for kind, offset, size, link, _ in sections:
        for at in range(offset, offset + size, 24) if kind == 2 else ():
            name = sections[link][1] + word(at, 4)
            if data[name:data.index(b"\0", name)].decode() == symbol:
                section = sections[word(at + 6, 2)]
                return word(at + 8, 8) - section[4] + section[1]
    return None


def generation_of(path):
    """What distinguishes the files that had an inode number; 0: the file system does not say."""
    with open(path, "rb") as f:
        try:
            return int.from_bytes(fcntl.ioctl(f, 2 << 30 | struct.calcsize("l") << 16 | ord("v") << 8 | 1, bytes(struct.calcsize("l")))[:4], sys.byteorder)
        except OSError:
            return 0


class Made:
    """A recording of one sample in a file; `add_mapping` adds the record that names the file."""

    def __init__(self, place, pipe=True, host=None, big=sys.byteorder == "big"):
        self.r = Recording(big=big, pipe=pipe)
        self.event = self.r.event("cpu-clock", [11], type=1, period=1, sample_type=IP | TID | TIME, sample_id_all=1)
        self.r.feature(FEATURE_HOSTNAME, self.r.string(host or os.uname().nodename))
        self.r.feature(FEATURE_RELEASE, self.r.string(os.uname().release))
        self.path = os.path.join(place.folder, "made")

    def save(self, *samples):
        for ip, when in samples:
            self.r.sample(self.event, ip=ip, pid=100, tid=100, time=when)
        self.r.save(self.path)
        return self.path


START = 0x400000


def kernel_case(place):
    """Without a build-id, the release and the address of the text say that this kernel was recorded, whatever other names it has there."""
    known = {}
    with open("/proc/kallsyms", encoding="ascii", errors="replace") as lines:
        for address, _kind, name, *_module in map(str.split, lines):
            known.setdefault(name, int(address, 16))
    text, inside = known.get("_text"), known.get("ksys_read") or known.get("vfs_read")
    if not text or not inside:
        check("a kernel without a build-id # SKIP the kernel shows no addresses", True)
        return
    for title, moved, names in (("this boot", 0, {"ksys_read", "vfs_read"}), ("another one", 1 << 21, set())):
        made = Made(place)
        made.r.mmap(-1, 0, text + moved, 0x10000000, text + moved, "[kernel.kallsyms]_text", misc=KERNEL, time=0)
        made.r.sample(made.event, misc=KERNEL, ip=inside + moved, pid=100, tid=100, time=10**9)
        found, messages = place.said(made.save())
        found = set(re.findall(r"\b(?:ksys|vfs)_read\b", found))
        check(f"a kernel without a build-id: {title}", len(found) == (1 if names else 0) and found <= names, found, messages)


def made_cases(place):
    kernel_case(place)
    ip = offset_of("ours_program", place.program)
    if ip is None:
        check("recordings made up: the program is no ELF file of 64 bits # SKIP", True)
        return
    place.restore()
    now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    status = os.stat(place.program)
    inode, device = status.st_ino, (os.major(status.st_dev), os.minor(status.st_dev))

    def names(add_mapping, through_pipe=True, when=now, options=(), written=None, **more):
        made = Made(place, pipe=through_pipe, **more)
        made.r.comm(100, 100, "program", time=when)
        add_mapping(made.r, when)
        path = made.save((START + ip, when))
        if written is not None:
            os.utime(path, ns=(written, written))
        return place.names(path, *options, through_pipe=through_pipe)

    def mmap2(r, when, **more):
        r.mmap2(100, 100, START, 0x100000, 0, place.program, time=when, **{"inode": inode, "device": device, **more})

    def judged(through_pipe=True, options=(), **_more):
        """What `match` says of the program: its exit code, the state, the samples with a name, the note. The same of `bundle`: what is missing."""
        made = os.path.join(place.folder, "made")
        with open(made, "rb") as f:
            recording = f.read()
        words, given = ("-", {"input": recording, "stdin": None}) if through_pipe else (made, {})
        done = run(PERFDATA, "match", "--json", "-q", *options, words, env=place.environment, **given)
        rows = [row for row in json.loads(done.stdout)["rows"] if row["kind"] == "user" and row["samples"]]
        packed = run(PERFDATA, "bundle", *options, "-o", os.path.join(place.folder, "packed.tar"), "--force", words, env=place.environment, **given)
        missing = re.findall("missing: .*", packed.stderr.decode("utf-8", "replace"))
        row = rows[0] if len(rows) == 1 else {"state": "no row", "named": None, "note": str(rows)}
        return done.returncode, row["state"], row["named"], row["note"] or "", "\n".join(missing)

    def good(title, *words, **more):
        found, messages = names(*words, **more)
        check(title, found == {"ours_program"}, found, messages)
        code, _state, named, note, missing = judged(**more)
        check(f"{title}: match and bundle", (code, named, missing) == (0, True, ""), code, named, note, missing)

    def bad(title, reason, *words, **more):
        found, messages = names(*words, **more)
        check(title, not found and reason in messages, found, messages)
        code, state, named, note, missing = judged(**more)
        check(f"{title}: match and bundle", code == 1 and state in ("unknown", "unverified") and not named and reason in note and reason in missing,
              code, state, named, note, missing)

    good("inode and time identify the file, in a stream", mmap2)
    good("inode and time identify the file, in a file", mmap2, through_pipe=False)
    bad("another inode number", "inode number", lambda r, when: mmap2(r, when, inode=inode + 1))
    bad("another device", "device", lambda r, when: mmap2(r, when, device=(device[0] + 1, device[1])))
    good("no device", lambda r, when: mmap2(r, when, device=(0, 0)))
    bad("no inode number", "neither", lambda r, when: mmap2(r, when, inode=0))
    bad("MMAP has no inode number", "neither", lambda r, when: r.mmap(100, 100, START, 0x100000, 0, place.program, time=when))
    good("MMAP, and the user says so: --symfs /", lambda r, when: r.mmap(100, 100, START, 0x100000, 0, place.program, time=when),
         options=("--symfs", "/"))
    bad("another host", "another host", mmap2, host="another-host")
    good("a host that nothing names, as in a repaired file", mmap2, host="unknown")
    good("another host, and the user says so: --symfs /", mmap2, host="another-host", options=("--symfs", "/"))
    if now > 10**10:
        bad("recorded before the file was made", "changed since", mmap2, when=1)
        inject_cases(place, good, bad)
    bad("a stream without times", "nothing says when", mmap2, when=0)

    # in a mount namespace of its own, as each service of systemd: the path may lead to another file there
    def apart(r, when, **more):
        r.record(16, r.pack("IIQ", 100, 100, 7) + r.words([word for number in range(7) for word in (4, 0xe0000000 + number)]), pid=100, tid=100, time=when)
        mmap2(r, when, **more)

    if device[0]:
        good("a process that saw other files: a block device and inode number mean one file", apart)
        good("the same, in a file", apart, through_pipe=False)
        bad("a process that saw other files: another device", "device", lambda r, when: apart(r, when, device=(device[0] + 1, device[1])))
    bad("a process that saw other files: another inode number", "inode number" if device[0] else "saw other files",
        lambda r, when: apart(r, when, inode=inode + 1))
    generation = generation_of(place.program)
    if generation:
        bad("another generation of the inode number", "generation of the inode number", lambda r, when: mmap2(r, when, generation=generation ^ 2))
        good("this generation", lambda r, when: mmap2(r, when, generation=generation))
        good("the generation that perf inject writes", lambda r, when: mmap2(r, when, generation=1))
        good("another generation, and the user says so: --symfs /", lambda r, when: mmap2(r, when, generation=generation ^ 2), options=("--symfs", "/"))
    bad("a process that saw other files, on no block device", "saw other files", lambda r, when: apart(r, when, device=(0, 41)))
    bad("a process that saw other files, and no device is known", "saw other files", lambda r, when: apart(r, when, device=(0, 0)))

    # a BUILD_ID record has a path, and two files had it: it may mean either
    with open(place.program, "rb") as f:
        build_id = build_id_in(f.read())

    def table(r):
        r.record(67, r.pack("i", -1) + build_id.ljust(24, b"\0") + pad(place.program.encode() + b"\0"), misc=USER)

    def files(r, when, *others, **last):
        """Maps several files of the path; samples are in the last one."""
        for number, other in enumerate(others):
            r.mmap2(100, 100, (8 + number) * START, 0x1000, 0, place.program, time=when, **{"inode": inode, "device": device, **other})
        mmap2(r, when, **last)

    def twice(r, when, inodes):
        table(r)
        files(r, when, {"inode": inodes[0]}, inode=inodes[1])

    # perf read the build-id of the file at the path, which was there, though the process mapped another one: in a chroot, for example
    of_host = "the recorded build-id is that of the file here"
    good("a build-id by its path", lambda r, when: (table(r), mmap2(r, when)))
    bad("a build-id by its path, and another file was mapped, as in a chroot", of_host, lambda r, when: (table(r), mmap2(r, when, inode=inode + 1)))
    good("the same, and the user says so: --symfs /", lambda r, when: (table(r), mmap2(r, when, inode=inode + 1)), options=("--symfs", "/"))
    good("the same, of another host", lambda r, when: (table(r), mmap2(r, when, inode=inode + 1)), host="another-host")
    good("the same, and the MMAP2 record has the build-id", lambda r, when: (table(r), mmap2(r, when, inode=inode + 1, build_id=build_id)))
    good("the same, and no device is known", lambda r, when: (table(r), mmap2(r, when, inode=inode + 1, device=(0, 0))))
    # more than the most by which perf's clock may differ
    long_ago = now - 7 * 10**9 - now // 5000
    if long_ago > 10**9:
        good("the same, and the file here came after the recording, as after an update", lambda r, when: (table(r), mmap2(r, when, inode=inode + 1)),
             when=long_ago)
    good("a build-id by its path, and two files had that path: this one", lambda r, when: twice(r, when, (inode + 1, inode)))
    bad("a build-id by its path, and two files had that path: the other one", "inode number", lambda r, when: twice(r, when, (inode, inode + 1)))

    # a new file may get the inode number of a removed one
    this, gone, unknown = {"generation": generation}, {"generation": generation ^ 2}, {}
    for before, last, title in ([[gone], this, "this one"], [[unknown, gone], this, "this one, after one of unknown generation"],
                                [[unknown], this, "no: one file, known with and without its generation"]) if generation else ():
        good(f"a build-id by its path, and two files had path and inode number: {title}", lambda r, when: (table(r), files(r, when, *before, **last)))
    for before, title in ([[this], "the other one"], [[unknown, this], "the other one, after one of unknown generation"]) if generation else ():
        bad(f"a build-id by its path, and two files had path and inode number: {title}", "inode number)",
            lambda r, when: (table(r), files(r, when, *before, **gone)))

    # one build-id in the table, two files, and samples in both: only one of them has names
    made = Made(place)
    made.r.comm(100, 100, "program", time=now)
    table(made.r)
    made.r.mmap2(100, 100, 8 * START, 0x100000, 0, place.program, time=now, inode=inode, device=device)
    mmap2(made.r, now, inode=inode + 1)
    path = made.save((8 * START + ip, now), (START + ip, now))
    done = run(PERFDATA, "match", "--json", "-q", path, env=place.environment)
    rows = sorted((row["state"], row["samples"], row["named"]) for row in json.loads(done.stdout)["rows"])
    check("match: two files with one path and build-id are two rows", done.returncode == 1 and rows == [("match", 1, True), ("unknown", 1, False)],
          done.returncode, rows)

    # none of the two gets the table's build-id in its MMAP2 record
    for title, other in (("two inode numbers", {"inode": inode + 1}), ("one inode number", gone)) if generation else ():
        for with_table in (True, False):
            made = Made(place)
            table(made.r) if with_table else None
            made.r.comm(100, 100, "program", time=now)
            files(made.r, now, other, **this)
            rewritten = os.path.join(place.folder, "rewritten")
            done = run(PERFDATA, "rewrite", "-q", "--force", "--build-ids", "-o", rewritten, made.save((START + ip, now)), env=place.environment)
            shown = run(PERFDATA, "ndjson", "-q", "--type", "mmap2", rewritten).stdout.decode()
            check(f"rewrite --build-ids: two files had the path, {title}, {'with' if with_table else 'without'} a table", done.returncode == 0 and
                  shown.count('"ino":') == 2 and '"build_id_size":' not in shown.replace('"build_id_size":true', ""), done.stderr.decode(), shown)

    if now > 10**10:
        # five seconds before the sample; the file was made since
        def earlier(r, when, **more):
            table(r)
            mmap2(r, when - 5 * 10**9, **more)

        bad("a build-id by its path, and the file was replaced while it was recorded", "replaced the recorded file", lambda r, when: earlier(r, when, inode=inode + 1))
        matched = run(PERFDATA, "match", os.path.join(place.folder, "made"), env=place.environment).stdout.decode()
        check("match: it gives no names", "0.0 % matched; 0.0 % of the samples have a name" in matched and
              f"the answer is no:\n{place.program}: it replaced the recorded file" in matched, matched)
        junit = run(PERFDATA, "match", "--junit", os.path.join(place.folder, "made"), env=place.environment).stdout.decode()
        check("match --junit: the case fails", 'failures="2"' in junit and "it replaced the recorded file" in junit, junit)
        good("the same, and the user says so: --symfs /", lambda r, when: earlier(r, when, inode=inode + 1), options=("--symfs", "/"))
        good("a build-id by its path, and the file is the recorded one", earlier)
        good("a build-id by its path, and a device whose inode numbers say nothing", lambda r, when: earlier(r, when, inode=inode + 1, device=(0, 99)))
        good("a build-id by its path, of another host", lambda r, when: earlier(r, when, inode=inode + 1), host="another-host")
        if generation:
            bad("a build-id by its path, and a new file got the inode number", "replaced the recorded file",
                lambda r, when: earlier(r, when, generation=generation ^ 1))
            good("the same, and it is the old file", lambda r, when: earlier(r, when, generation=generation))
            good("the same, with the generation that perf inject writes", lambda r, when: earlier(r, when, generation=1))

    # the names of a sample before the second mapping are out: a finding says that they may be wrong, unless the inode number agrees
    pairs = [("the other one", [{"inode": inode + 1}, {"inode": inode}], True), ("this one", [{"inode": inode}, {"inode": inode + 1}], False)]
    if generation:
        pairs += [("the other one of this inode number", [gone, this], True), ("this one of this inode number", [this, gone], False),
                  ("one of three", [unknown, this, gone], True)]
    for title, (first, *later), is_doubted in pairs:
        if is_doubted and long_ago <= 10**9:
            continue
        made, when = Made(place), long_ago if is_doubted else now
        table(made.r)
        mmap2(made.r, when, **first)
        made.r.sample(made.event, ip=START + ip, pid=100, tid=100, time=when)
        for number, other in enumerate(later):
            made.r.mmap2(100, 100, (8 + number) * START, 0x1000, 0, place.program, time=now, **{"inode": inode, "device": device, **other})
        found, messages = place.names(made.save(), through_pipe=True)
        check(f"a build-id by its path, and another file had that path after a sample of {title}",
              found == {"ours_program"} and ("[W816]" in place.messages) == is_doubted, found, place.messages)
        code, state, _named, note, missing = judged()
        check("the same: match and bundle", (code, state == "match", "mapped later" in note) == ((1, False, True) if is_doubted else (0, True, False)),
              code, state, note, missing)

    # a file that this host has under one of its paths only, as a library of a container
    def mapped(r, when, path, start, of=build_id):
        r.mmap2(100, 100, start, 0x100000, 0, path, time=when, build_id=of)

    there, absent = place.program, "/nonexistent/container" + place.program
    for title, options in (("", ()), (", --symfs /", ("--symfs", "/"))):
        good(f"two paths with one build-id: the file is at the other one{title}",
             lambda r, when: (mapped(r, when, there, 8 * START), mapped(r, when, absent, START)), options=options)
    good("two paths with one build-id: by the table of build-ids", lambda r, when: (
        table(r), r.record(67, r.pack("i", -1) + build_id.ljust(24, b"\0") + pad(absent.encode() + b"\0"), misc=USER),
        r.mmap2(100, 100, 8 * START, 0x1000, 0, there, time=when, inode=inode, device=device), r.mmap(100, 100, START, 0x100000, 0, absent, time=when)))
    found, messages = names(lambda r, when: (mapped(r, when, there, 8 * START, build_id[::-1]), mapped(r, when, absent, START)))
    check("two paths with two build-ids: no names of the other one", not found, found, messages)
    found, messages = names(lambda r, when: (mapped(r, when, place.at("other", there), 8 * START), mapped(r, when, absent, START)))
    check("two paths with one build-id: another file is at the other one", not found and "build-id differs" in messages and
          place.messages.count("[N801]") == 0, found, place.messages)

    # a guest's path says nothing here
    def guest(r, when, **more):
        r.record(69, r.words([1, 11, 0, 0, 100]) + r.words([77, 0]))
        r.comm(100, 100, "inside", misc=GUEST_USER, time=when)
        mmap2(r, when, misc=GUEST_USER, **more)

    made = []
    for more in ({"build_id": build_id}, {}):
        guest_made = Made(place)
        guest(guest_made.r, now, **more)
        guest_made.r.sample(guest_made.event, misc=GUEST_USER, ip=START + ip, pid=100, tid=100, time=now)
        made.append(place.names(guest_made.save(), through_pipe=True)[0])
    check("a file of a virtual machine, by its build-id alone", made == [{"ours_program"}, set()], made)

    if device[0]:
        # the link says that the file was here before its ctime
        os.link(place.program, place.program + ".link")
        bad("a build-id by its path, and a file on another device was mapped", of_host,
            lambda r, when: (table(r), mmap2(r, when, inode=inode + 1, device=(0, 99))))
        good("the same, with the inode number of the file here: it was mounted again", lambda r, when: (table(r), mmap2(r, when, device=(0, 99))))
        os.unlink(place.program + ".link")


def inject_cases(place, good, bad):
    """The files that perf inject makes of JIT code: after the samples, but before the recording that it writes is whole. It maps them from
    their ELF header's end on, which no kernel does."""
    def injected(name="jitted-100-7.so", skip=0x80, other_inode=0):
        path = os.path.join(place.folder, "bin", name)
        shutil.copy(place.program, path)
        status = os.stat(path)
        return lambda r, when: r.mmap2(100, 100, START + skip, 0x100000, skip, path, time=when, inode=status.st_ino + other_inode,
                                       device=(os.major(status.st_dev), os.minor(status.st_dev)))

    early = {"through_pipe": False, "when": 1}
    good("perf inject: made after the samples, before the recording was written", injected(), **early)
    bad("perf inject: changed after the recording was written", "changed since", injected(), written=time.time_ns() - 3600 * 10**9, **early)
    bad("perf inject: another inode number", "inode number", injected(other_inode=1), **early)
    bad("perf inject: another host", "another host", injected(), host="another-host", **early)
    bad("perf inject: a stream has no time of writing", "changed since", injected(), when=1)
    bad("a file named as those of perf inject, which the kernel mapped", "changed since", injected(skip=0), **early)
    for name in ("library-7.so", "jitted-100.so", "jitted-100-7.so.1", "jitted-x-7.so", "jitted-100-.so", "unjitted-100-7.so"):
        bad(f"not of perf inject by its name: {name}", "changed since", injected(name), **early)


def build_id_in(data):
    """Of 20 bytes, in notes of this machine's byte order; None: there is none."""
    head = b"".join(word.to_bytes(4, sys.byteorder) for word in (4, 20, 3)) + b"GNU\0"
    at = data.find(head)
    return data[at + 16:at + 36] if at >= 0 else None


def map_cases(place):
    """The perf map of a pid whose process has ended: it may be of another one that had or got the same pid."""
    try:
        with open("/sys/kernel/notes", "rb") as f:
            kernel = build_id_in(f.read())
    except OSError:
        kernel = None
    if not kernel:
        check("perf maps: the kernel does not show its build-id # SKIP", True)
        return
    child = subprocess.Popen(["true"])
    child.wait()
    path, now, wall = f"/tmp/perf-{child.pid}.map", time.clock_gettime_ns(time.CLOCK_MONOTONIC), time.time_ns()

    def names(written, through_pipe, host=None):
        made = Made(place, pipe=through_pipe, host=host)
        made.r.mmap2(-1, 0, 2**64 - 2**31, 2**24, 2**64 - 2**31, "[kernel.kallsyms]_text", misc=KERNEL, build_id=kernel)
        made.r.comm(100, 100, "jit", time=now)
        made.r.mmap2(child.pid, child.pid, START, 0x1000, 0, "//anon", time=now, inode=0)
        made.r.sample(made.event, ip=START + 16, pid=child.pid, tid=child.pid, time=now + 1000)
        recording = made.save()
        os.utime(recording, ns=(wall, wall + 2 * 10**9))
        with open(path, "w", encoding="ascii") as out:
            out.write(f"{START:x} 100 ours_code\n")
        os.utime(path, ns=(written, written))
        return place.names(recording, through_pipe=through_pipe)

    hour = 3600 * 10**9
    try:
        for title, through_pipe in (("file", False), ("stream", True)):
            for what, written, host, good in (("written while it was recorded", wall + 10**9, None, True),
                                              ("written before its process had code to name", wall - hour, None, False),
                                              ("written after the recording", wall + hour, None, False),
                                              ("of another host", wall + 10**9, "another-host", False)):
                found, messages = names(written, through_pipe, host)
                check(f"perf map, {title}: {what}", found == ({"ours_code"} if good else set()), found, messages)
    finally:
        os.unlink(path)


def main():
    names = (os.environ.get("CC", "cc").split()[0], "gcc", "clang")
    cc = next(filter(shutil.which, names), None)
    with tempfile.TemporaryDirectory() as folder:
        try:
            place = Place(os.path.realpath(folder), cc) if cc else None
        except OSError as error:
            print("1..0 # SKIP " + str(error).replace("\n", " "))
            return
        if not place:
            print("1..0 # SKIP no compiler")
            return
        perfs = {os.path.realpath(found) for found in map(shutil.which, ("perf", os.environ.get("PERF", "perf"))) if found}
        for perf in sorted(perfs):
            live_cases(place, perf)
            during_cases(place, perf)
            chroot_cases(place, perf, cc)
            cache_cases(place, perf)
        made_cases(place)
        map_cases(place)
        print("1..%d" % check.number)


if __name__ == "__main__":
    main()
