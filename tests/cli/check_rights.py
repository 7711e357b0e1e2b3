#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Copies of recordings and of files of the host, and outputs that hold what programs had in memory, are for no more people than the originals are;
what is made to be shown follows the umask. Prints TAP."""
import os
import shutil
import stat
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import IP, TID, TIME, Recording
from program import TESTDATA, Tap, run

RECORDING = os.path.join(TESTDATA, "dwarf-73.data")
COPIES = [["rewrite", "-o", "OUT"], ["repair", "-o", "OUT"], ["ndjson", "-o", "OUT"], ["ndjson", "-o", "OUT.gz"], ["json", "-o", "OUT"], ["csv", "-o", "OUT"],
          ["dump", "-o", "OUT"], ["parquet", "-o", "OUT.d/"], ["ndjson", "-o", "OUT.d/"]]
SHOWN = [["anonymize", "-o", "OUT"], ["report", "-o", "OUT"], ["flamegraph", "-o", "OUT"], ["baseline", "-o", "OUT"], ["pprof", "-o", "OUT"]]


def modes_below(path):
    """Of the file, or of all files below the folder."""
    if os.path.isfile(path):
        return {stat.S_IMODE(os.stat(path).st_mode)}
    return {stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) for folder, _, names in os.walk(path) for name in names if not name.startswith(".")}


def check(words, folder, inputs, wanted, stdin=None, replaced=None):
    out = os.path.join(folder, "out")
    words = [word.replace("OUT", out) for word in words]
    path = words[words.index("-o") + 1]
    if replaced is not None and not path.endswith("/"):
        with open(path, "w"):
            os.chmod(path, replaced)
        words.append("--force")
    done = run(*words, *inputs, stdin=stdin)
    modes = modes_below(path)
    for name in os.listdir(folder):
        if name.startswith("out"):
            (shutil.rmtree if name.endswith(".d") else os.unlink)(os.path.join(folder, name))
    return [] if done.code == 0 and modes == {wanted} else [f"{words[0]}: {done.code}, modes {[oct(mode) for mode in modes]}, wanted {wanted:o} {done.err!r}"]


def recording_of(elf, path):
    """Samples in the file, by its build-id."""
    with open(elf, "rb") as f:
        data = f.read()
    at = data.index(b"\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0") + 16
    r = Recording()
    event = r.event("cycles", (1,), sample_type=IP | TID | TIME, sample_id_all=1)
    r.comm(1, 1, "prog", time=1)
    r.mmap2(1, 1, 0x400000, 0x10000, 0, elf, build_id=data[at:at + 20], time=2)
    r.sample(event, ip=0x401000, pid=1, tid=1, time=3)
    r.save(path)


def check_bundle(tap, folder):
    elf, recording, archive = (os.path.join(folder, name) for name in ("prog", "of-prog.data", "symbols.tar"))
    shutil.copy(os.path.join(TESTDATA, "match", "elf64"), elf)
    recording_of(elf, recording)
    for of_elf, of_recording, wanted in ((0o755, 0o644, 0o644), (0o600, 0o644, 0o600), (0o755, 0o600, 0o600), (0o640, 0o644, 0o640), (0o711, 0o644, 0o600)):
        os.chmod(elf, of_elf)
        os.chmod(recording, of_recording)
        for before in (None, 0o644):
            if before is not None:
                os.chmod(archive, before)
            done = run("bundle", *([] if before is None else ["--force"]), "-o", archive, recording)
            mode = stat.S_IMODE(os.stat(archive).st_mode) if os.path.exists(archive) else 0
            tap.report(f"bundle of a file of {of_elf:o} and a recording of {of_recording:o}, {'new' if before is None else 'replaced'}",
                       [] if done.code == 0 and b": 1 files" in done.err and mode == wanted else [f"{mode:o}, not {wanted:o}", done])
        os.unlink(archive)


def check_index(tap, folder):
    """The index of --resume has facts of recordings: their paths, and their findings."""
    sources, made = (os.path.join(folder, name) for name in ("sources", "made"))
    os.mkdir(sources)
    paths = [os.path.join(sources, name) for name in ("a.data", "b.data")]
    for path in paths:
        shutil.copy(RECORDING, path)
    for modes, wanted in (((0o644, 0o644), 0o644), ((0o644, 0o640), 0o640), ((0o600, 0o644), 0o600)):
        for path, mode in zip(paths, modes):
            os.chmod(path, mode)
        done = run("folded", "--symbols", "no", "--force", "-o", made + "/", *paths)
        mode = stat.S_IMODE(os.stat(os.path.join(made, ".perfdata-index")).st_mode)
        tap.report(f"the index of recordings of {modes[0]:o} and {modes[1]:o}", [] if done.code == 0 and mode == wanted else [f"{mode:o}, not {wanted:o}", done])
    os.chmod(paths[0], 0o644)
    run("folded", "--symbols", "no", "--force", "-o", made + "/", *paths)
    mode = stat.S_IMODE(os.stat(os.path.join(made, ".perfdata-index")).st_mode)
    tap.report("… never gets rights back, since its old lines stay", [] if mode == 0o600 else [f"{mode:o}"])


def check_mapping(tap, folder):
    pairs, out = os.path.join(folder, "pairs"), os.path.join(folder, "hidden.data")
    for before in (None, 0o644):
        if before is not None:
            os.chmod(pairs, before)
        done = run("anonymize", "--force", "--mapping", pairs, "-o", out, RECORDING)
        mode = stat.S_IMODE(os.stat(pairs).st_mode)
        tap.report(f"the meaning of pseudonyms is for the owner alone, {'new' if before is None else 'replaced'}",
                   [] if done.code == 0 and mode == 0o600 else [f"{mode:o}", done])


def main():
    tap = Tap()
    before = os.umask(0o022)
    with tempfile.TemporaryDirectory() as folder:
        own, other = os.path.join(folder, "own.data"), os.path.join(folder, "other.data")
        for path in (own, other):
            shutil.copy(RECORDING, path)
        for mode in (0o600, 0o640, 0o644, 0o444):
            os.chmod(own, mode)
            wanted = 0o600 | mode & 0o044
            for words in COPIES:
                tap.report(f"{words[0]} {words[2]} of {mode:o}", check(words, folder, [own], wanted) + check(words, folder, [own], wanted, replaced=0o644))
        os.chmod(own, 0o600)
        for words in SHOWN:
            tap.report(f"{words[0]} is for all", check(words, folder, [own], 0o644))
        os.chmod(other, 0o644)
        tap.report("several inputs", check(["rewrite", "-o", "OUT"], folder, [other, own], 0o600))
        tap.report("a file on stdin", check(["ndjson", "-o", "OUT"], folder, ["-"], 0o644, stdin=other))
        for replaced, copied, shown in ((0o6755, 0o744, 0o755), (0o1777, 0o744, 0o777), (0, 0, 0)):
            tap.report(f"a file of {replaced:o} is replaced", check(["rewrite", "-o", "OUT"], folder, [other], copied, replaced=replaced) +
                       check(["folded", "-q", "-o", "OUT"], folder, [other], shown, replaced=replaced))
        check_bundle(tap, folder)
        check_index(tap, folder)
        check_mapping(tap, folder)
        os.umask(0o077)
        tap.report("the umask keeps out more", check(["ndjson", "-o", "OUT"], folder, [other], 0o600))
    os.umask(before)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
