#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nothing but regular files is opened where a recording, or a file that it names, says what to open: each file that gives names is replaced
by a FIFO, a link to one, a device or a folder in turn, and the kernel says whether it was opened. Opening a FIFO would wait, too.
Prints TAP."""
import ctypes
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import IP, TID, TIME, Recording
from named_files import Tree
from program import PERFDATA, TESTDATA, Tap

LIBC = ctypes.CDLL(None, use_errno=True)
IN_OPEN, IN_NONBLOCK, IN_DONT_FOLLOW = 0x20, 0o4000, 0x02000000
COMMANDS = (["folded"], ["match", "--search"])
TIMEOUT = 60


class Watch:
    """Says whether somebody opened a file."""

    def __init__(self, path):
        self.fd = LIBC.inotify_init1(IN_NONBLOCK)
        self.works = self.fd >= 0 and LIBC.inotify_add_watch(self.fd, os.fsencode(path), IN_OPEN | IN_DONT_FOLLOW) >= 0

    def opened(self):
        try:
            return bool(os.read(self.fd, 4096))
        except BlockingIOError:
            return False
        finally:
            os.close(self.fd)


def make_fifo(path, _aside):
    os.mkfifo(path)
    return path


def make_link(path, aside):
    os.mkfifo(aside)
    os.symlink(aside, path)
    return aside


def make_socket(path, _aside):
    # names of sockets are short
    folder = os.open(os.path.dirname(path), os.O_PATH)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("/proc/self/fd/%d/%s" % (folder, os.path.basename(path)))
    os.close(folder)
    return path


def make_device(path, _aside):
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 7))    # /dev/full
    return path


def make_folder(path, _aside):
    os.mkdir(path)
    return None


def perfdata(*words, home):
    """(exit code, messages); the code is None where the program waits."""
    try:
        done = subprocess.run([PERFDATA, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT,
                              env=dict(os.environ, HOME=home, LC_ALL="C"))
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return None, b""


def replaced(path, make, aside, commands, home):
    """What is wrong with the commands where another kind of file is at the path."""
    kept = path + ".kept"
    os.rename(path, kept)
    try:
        try:
            watched = make(path, aside)
        except OSError as error:
            return ["SKIP %s: %s" % (make.__name__, error)]
        for words in commands:
            watch = Watch(watched) if watched else None
            code, said = perfdata(*words, home=home)
            if watch and watch.works and watch.opened():
                yield "%s: %s was opened" % (" ".join(words[:2]), path)
            if code is None or code < 0 or code > 6:
                yield "%s: %s: ended with %s: %r" % (" ".join(words[:2]), path, code, said[-200:])
    finally:
        for left in (path, aside):
            if os.path.isdir(left) and not os.path.islink(left):
                os.rmdir(left)
            elif os.path.lexists(left):
                os.unlink(left)
        os.rename(kept, path)


def every_file(tap, title, paths, commands, folder, home):
    for make in (make_fifo, make_link, make_socket, make_device, make_folder):
        faults, skipped = [], None
        for path in paths:
            # merely trying those two fails
            some = commands[:1] if make in (make_socket, make_folder) else commands
            for fault in replaced(path, make, os.path.join(folder, "aside"), some, home):
                if fault.startswith("SKIP"):
                    skipped = fault
                else:
                    faults.append(fault)
        tap.report("%s: %s" % (title, make.__name__[5:]) + (" # " + skipped if skipped else ""), faults)


def kernels_files(tap, home, folder):
    """Files of procfs are regular, and reading some has effects."""
    recording = Recording()
    event = recording.event("cpu-clock", [11], type=1, period=1, sample_type=IP | TID | TIME, sample_id_all=1)
    for number, path in enumerate(("/proc/version", "/sys/kernel/notes")):
        recording.mmap(100, 100, 0x400000 + 0x10000 * number, 0x10000, 0, path, time=1)
        recording.sample(event, ip=0x400010 + 0x10000 * number, pid=100, tid=100, time=2)
    path = os.path.join(folder, "of-proc")
    recording.save(path)
    for words in (["folded", "-v", "--symfs", "/"], ["match", "-v"]):
        code, said = perfdata(*words, path, home=home)
        tap.report("%s reads no file that the kernel makes up" % words[0],
                   [] if code in (0, 1) and said.count(b"no regular file") >= 2 else ["exit %s: %s" % (code, said.decode())])


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        tree = Tree(folder)
        tree.add_all_kinds()
        tree.save()
        options = ["--symfs", tree.root, tree.recording]
        code, said = perfdata("folded", *options, home=tree.home)
        tap.report("all names are there", [name for name in tree.names if code != 0 or name.encode() not in said])
        every_file(tap, "files below --symfs", tree.files(), [words + options for words in COMMANDS] +
                   [["bundle", "-q", "--force", "-o", os.path.join(folder, "out.tar"), *options]], folder, tree.home)

        # the same by paths of this host, where the recording may say anything
        here = Recording()
        event = here.event("cpu-clock", [11], type=1, period=1, sample_type=IP | TID | TIME, sample_id_all=1)
        path = os.path.join(folder, "here")
        here.mmap(100, 100, 0x400000, 0x10000, 0, path, time=1)
        here.sample(event, ip=0x400010, pid=100, tid=100, time=2)
        jit = os.path.join(folder, "jit-200.dump")
        here.mmap2(200, 200, 0x600000, 0x1000, 0, jit, time=1, inode=7)
        here.mmap2(200, 200, 0x500000, 0x1000, 0, "//anon", time=1, inode=0)
        here.sample(event, ip=0x500010, pid=200, tid=200, time=2)
        recording = os.path.join(folder, "of-here")
        here.save(recording)
        for name in (path, jit):
            shutil.copy(tree.recording, name)
        every_file(tap, "files of this host", [path, jit], [words + [recording] for words in COMMANDS], folder, tree.home)

        bundle, unpacked = os.path.join(folder, "bundle.tar"), os.path.join(folder, "unpacked")
        os.mkdir(unpacked)
        code, said = perfdata("bundle", "-q", "-o", bundle, *options, home=tree.home)
        subprocess.run(["tar", "-xf", bundle, "-C", unpacked], check=True)
        options = ["--symbols-from", unpacked, tree.recording]
        name_without_id = 1    # a bundle has no debug file of a program without a build-id
        code, said = perfdata("folded", *options, home=tree.home)
        tap.report("all names are in the bundle", [name for name in tree.names if code != 0 or name.encode() not in said][name_without_id:])
        files = [os.path.join(place, name) for place, _, names in os.walk(unpacked) for name in names]
        every_file(tap, "files of a bundle", sorted(name for name in files if not os.path.islink(name)),
                   [words + options for words in COMMANDS], folder, tree.home)

        recorded = os.path.join(folder, "recorded.dir")
        shutil.copytree(os.path.join(TESTDATA, next(name for name in sorted(os.listdir(TESTDATA)) if name.endswith(".dir"))), recorded)
        every_file(tap, "files of a directory recording", [os.path.join(recorded, name) for name in sorted(os.listdir(recorded))],
                   [["ndjson", "-q", recorded], ["ndjson", "-q", "-o", folder + "/out/", folder]], folder, tree.home)
        kernels_files(tap, tree.home, folder)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
