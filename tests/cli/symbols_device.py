#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two file systems number their files alike, and one path may lie on either: a file without build-id names a recording only if it is on the
device that was mapped. Once with a tmpfs of a mount namespace and a recording made there (root, a compiler, a perf that records), and once
with recordings whose devices are written. Prints TAP."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import Recording, IP, TID, TIME
from program import PERFDATA

PERF = os.environ.get("PERF", "perf")
PROGRAM = """
static volatile unsigned long sink;
__attribute__((noinline)) void %s_leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i * i; }
int main(void) { for (int i = 0; i < 2000; i++) %s_leaf(40000); return 0; }
"""
results = []


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=120, **more)


def check(title, good, *details):
    results.append(bool(good))
    print(f"{'ok' if good else 'not ok'} {len(results)} - {title}")
    for detail in () if good else details:
        print(f"# {str(detail)[:600]}")


def build(folder, name, out):
    source = os.path.join(folder, name + ".c")
    with open(source, "w", encoding="ascii") as file:
        file.write(PROGRAM % (name, name))
    compiler = next(filter(shutil.which, (os.environ.get("CC", "cc").split()[-1], "gcc", "clang")), None)
    return bool(compiler) and run(compiler, "-O1", "-Wl,--build-id=none", "-o", out, source).returncode == 0


def names(recording):
    done = run(PERFDATA, "script", "-q", "-F", "ip,sym,dso", recording)
    return {line.split()[1] for line in done.stdout.decode("utf-8", "replace").splitlines() if "/program)" in line}


def written(path, program, device, inode):
    r = Recording(pipe=True)
    event = r.event("cycles", [11], period=1, sample_type=IP | TID | TIME, sample_id_all=1)
    now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    r.comm(100, 100, "program", time=now + 1)
    r.mmap2(100, 100, 0x400000, 0x100000, 0, program, time=now + 2, inode=inode, device=device)
    for number, address in enumerate(range(0x401000, 0x401200, 16)):
        r.sample(event, ip=address, pid=100, tid=100, time=now + 3 + number)
    r.save(path)


def check_written(folder, program):
    status = os.stat(program)
    here = (os.major(status.st_dev), os.minor(status.st_dev))
    kind = run("stat", "-f", "-c", "%T", program).stdout.decode().strip()
    path = os.path.join(folder, "written.pipe")
    stacked = kind in ("overlayfs", "aufs")
    several = stacked or kind in ("btrfs", "ceph")
    time.sleep(1.1)   # the file is older than the recording, whatever clock says so
    for title, device, wanted in (("that of the file", here, True), ("not recorded", (0, 0), True),
                                  ("another one of a disk", (here[0] + 1, here[1]), stacked),
                                  ("another one without a disk", (0, here[1] + 77), several)):
        written(path, program, device, status.st_ino)
        found = names(path)
        check(f"device, {title}: {'names' if wanted else 'no names'} ({kind})", ("ours_leaf" in found) == wanted, found,
              run(PERFDATA, "script", "-v", path).stderr.decode())


def check_mounted(folder):
    place, recording = os.path.join(folder, "place"), os.path.join(folder, "perf.data")
    ours, other, program = os.path.join(folder, "ours"), os.path.join(folder, "other"), os.path.join(place, "program")
    os.mkdir(place)
    inside = f"mount -t tmpfs none {place} && cp {ours} {program} && stat -c %i {program} && exec {PERF} record -q -N -B -e cpu-clock -F 500 -o {recording} {program}"
    # another tmpfs, whose first file has the same number, is what the reader sees; one more has the device of the first, which is free again
    outside = f"mount -t tmpfs none /dev/shm && mount -t tmpfs none {place} && cp {other} {program} && stat -c %i {program} && "
    first = run("unshare", "-m", "sh", "-c", inside)
    if first.returncode or not os.path.exists(recording):
        check(f"two tmpfs: no mount namespace, or perf cannot record here # SKIP {first.stderr.decode()[:80]!r}".replace("\n", " "), True)
        return

    def there(text, *words):
        return run("unshare", "-m", "sh", "-c", text + 'exec "$@"', "sh", *words)
    touched = os.path.join(folder, "touched.data")
    shutil.copy(recording, touched)
    later = "sleep 1.2 && touch " + touched + " && "   # written after the file in its place was made
    done = there(outside + later, PERFDATA, "script", "-v", "-F", "ip,sym,dso", touched)
    text = done.stdout.decode("utf-8", "replace")
    numbers = (first.stdout.split()[:1], text.split()[:1])
    if [numbers[0][0].decode()] != numbers[1]:
        check(f"two tmpfs: their files have other numbers here ({numbers}) # SKIP", True)
        return
    check("two tmpfs: one path, one inode number, another device: no names of the other file",
          "(" + program + ")" in text and "other_leaf" not in text and "ours_leaf" not in text, text[-600:])
    check("two tmpfs: it is said why", "(device)" in done.stderr.decode(), done.stderr.decode()[-600:])
    done = there(outside + later, PERFDATA, "match", touched)
    said = done.stdout.decode("utf-8", "replace")
    rows, _answer, reasons = ([line for line in part.splitlines() if program in line] for part in said.partition("the answer is no:"))
    check("two tmpfs: match says so", done.returncode == 1 and rows and reasons and all(line.startswith("unknown ") for line in rows) and
          all("(device)" in line for line in rows + reasons), done.returncode, said)


# How file systems are made, of which stat(2) reports another device than the kernel records; the program is put below `place/in`.
JOINED = (("overlay", "mount -t tmpfs none {f}/place && mkdir {f}/place/low {f}/place/up {f}/place/work {f}/place/in && cp {f}/ours {f}/place/low/program && "
           "mount -t overlay none -o lowerdir={f}/place/low,upperdir={f}/place/up,workdir={f}/place/work {f}/place/in"),
          ("btrfs", "truncate -s 200M {f}/image && mkfs.btrfs -q {f}/image && mount -o loop {f}/image {f}/place && "
           "btrfs subvolume create {f}/place/in && cp {f}/ours {f}/place/in/program"))


def check_joined(folder):
    """A file of an overlay, and one of a subvolume, have their names."""
    os.makedirs(os.path.join(folder, "place"), exist_ok=True)
    for kind, mounted in JOINED:
        program, recording = os.path.join(folder, "place", "in", "program"), os.path.join(folder, kind + ".data")
        text = "{ " + mounted.format(f=folder) + "; } > /dev/null 2>&1 || exit 99; "
        text += f"{PERF} record -q -N -B -e cpu-clock -F 500 -o {recording} {program} > /dev/null 2>&1 || exit 99; "
        done = run("unshare", "-m", "sh", "-c", text + 'stat -c %d "$1" && exec "$2" script -v -F ip,sym,dso "$3"', "sh", program, PERFDATA, recording)
        if done.returncode == 99 or not os.path.exists(recording):
            check(f"{kind}: it cannot be mounted here, or perf cannot record # SKIP", True)
        else:
            check(f"{kind}: names of the recorded file", b"ours_leaf" in done.stdout and b"[unknown] (" + program.encode() not in done.stdout,
                  done.stdout[:300], done.stderr[-600:])


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        written_at = os.path.join(folder, "program")
        if not (build(folder, "ours", os.path.join(folder, "ours")) and build(folder, "other", os.path.join(folder, "other"))):
            print("1..0 # SKIP no compiler")
            return 0
        shutil.copy(os.path.join(folder, "ours"), written_at)
        check_written(folder, written_at)
        if os.geteuid() or not shutil.which("unshare") or not shutil.which(PERF):
            check("two tmpfs: not as root, or no perf # SKIP", True)
        else:
            check_mounted(folder)
            check_joined(folder)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
