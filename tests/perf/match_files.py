#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records a program with a library in every way that perf record knows of telling files, in a chroot, deleted, and with its library replaced
while it ran; then asks `match` about the right files, a root with one library rebuilt, one with it missing, an empty one, hostile ones,
lists, debug directories and other recordings. Prints TAP; needs a perf that can record and a compiler."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program import PERFDATA, environment

LIBRARY = """
static volatile unsigned long sink;
__attribute__((noinline)) void %(name)s_deep(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i * i; }
void library_entry(unsigned long n) { %(name)s_deep(n); sink++; }
"""
PROGRAM = """
void library_entry(unsigned long);
static volatile unsigned long sink;
__attribute__((noinline)) void program_work(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
int main(void) { for (int i = 0; i < 300; i++) { program_work(200000); library_entry(200000); } return 0; }
"""
COLUMNS = "state samples weight in_chain mappings kind build_id source path found found_build_id parts note".split()
PERF = os.environ.get("PERF", "perf")


def check(title, good, *details):
    check.number += 1
    print("%s %d - %s" % ("ok" if good else "not ok", check.number, title), flush=True)
    if not good:
        print("\n".join("# %s" % (detail,) for detail in details))


check.number = 0


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **{"stdin": subprocess.DEVNULL, **more})


def compile_one(source, target, *flags):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    subprocess.run([os.environ.get("CC", "cc").split()[-1], "-O1", "-g", "-Wl,--build-id", "-x", "c", "-", "-x", "none", "-o", target, *flags], input=source.encode(),
                   stderr=subprocess.DEVNULL, check=True)


class Place:
    """The program and its library below `folder`, and roots that hold copies of them."""

    def __init__(self, folder):
        self.folder = folder
        self.program, self.library = folder + "/bin/program", folder + "/bin/library.so"
        os.mkdir(folder + "/home")
        self.environment = environment(folder + "/home")
        for name, target in (("ours", self.library), ("other", folder + "/kept/library.so")):
            compile_one(LIBRARY % {"name": name}, target, "-shared", "-fPIC")
        compile_one(PROGRAM, self.program, self.library, "-Wl,-rpath," + folder + "/bin")
        compile_one(PROGRAM + LIBRARY % {"name": "ours"}, folder + "/jail/bin/alone", "-static")
        shutil.copy(self.library, folder + "/kept/ours.so")
        for root, library in (("right", self.library), ("rebuilt", folder + "/kept/library.so"), ("missing", None)):
            inside = folder + "/" + root + folder + "/bin"
            os.makedirs(inside)
            shutil.copy(self.program, inside)
            if library:
                shutil.copy(library, inside + "/library.so")
        os.mkdir(folder + "/empty")

    def record(self, name, *flags, command=None):
        path = "%s/%s.data" % (self.folder, name)
        done = run(PERF, "record", "-q", "-N", "-e", "cpu-clock", "-F", "999", "-g", *flags, "-o", path, "--", *(command or [self.program]), env=self.environment)
        return path if done.returncode == 0 and os.path.exists(path) else None

    def match(self, *words):
        return run(PERFDATA, "match", *words, env=self.environment)

    def states(self, *words):
        """(exit code, {path: state}) of what was hit."""
        done = self.match("-q", "--tsv", *words)
        lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
        if lines and lines[0] != COLUMNS:
            raise ValueError(lines[0])
        return done.returncode, {line[8]: line[0] for line in lines[1:] if int(line[3])}


def roots(place, name, recording, known):
    """Whether ids are known decides what can be said of the files of a root."""
    library, program = place.library, place.program
    fine = "match" if known else "unverified"
    wanted = {
        "right": (0, fine, fine), "rebuilt": (1 if known else 0, "differs" if known else fine, fine),
        "missing": (0, "absent" if known else "unknown", fine), "empty": (3, None, None),
    }
    for root, (code, of_library, of_program) in wanted.items():
        got, states = place.states(recording, "--symfs", "%s/%s" % (place.folder, root))
        check("%s: %s root" % (name, root), (got, states.get(library), states.get(program)) == (code, of_library, of_program), got, states)
    got, states = place.states(recording)
    check("%s: this host" % name, got == 0 and states.get(program) == fine, got, states)


def others(place, recording):
    folder, library, program = place.folder, place.library, place.program
    right = folder + "/right"
    done = place.match("-q", "--tsv", recording, "--symfs", right)
    listing = folder + "/list.tsv"
    with open(listing, "wb") as f:
        f.write(done.stdout)
    check("a table is a list", place.states(recording, "--list", listing)[1].get(library) == "match")
    bare = folder + "/list.txt"
    with open(bare, "w") as f:
        for line in done.stdout.decode().splitlines()[1:]:
            cells = line.split("\t")
            f.write("%s %s\n" % (cells[6], cells[8] if cells[8] != library else "/elsewhere/library.so"))
    check("a list shows what moved", place.states(recording, "--list", bare)[1].get(library) == "moved")
    code, states = place.states(recording, "--file", library)
    check("one file", code == 0 and states[library] == "match" and states[program] == "absent", code, states)
    code, states = place.states(recording, "--file", folder + "/kept/library.so")
    check("one file that is another build", code == 1 and states[library] == "differs", code, states)
    code, states = place.states(recording, "--symfs", folder + "/missing", "--file", folder + "/kept/ours.so")
    check("one file under another name", code == 0 and states[library] == "moved", code, states)
    os.makedirs(folder + "/missing/deep/er")
    shutil.copy(library, folder + "/missing/deep/er/under-another-name")
    for jobs in ("1", "4"):
        code, states = place.states(recording, "--symfs", folder + "/missing", "--search", "--jobs", jobs)
        check("a search by id finds it, --jobs %s" % jobs, code == 0 and states[library] == "moved", code, states)
    check("without a search it is absent", place.states(recording, "--symfs", folder + "/missing")[1][library] == "absent")
    shutil.rmtree(folder + "/missing/deep")
    check("--min-matched", place.states(recording, "--symfs", folder + "/missing", "--min-matched", "99%")[0] == 1)
    check("--min-named", place.states(recording, "--symfs", folder + "/missing", "--min-named", "99%")[0] == 1)
    check("--min-matched that holds", place.states(recording, "--symfs", right, "--min-matched", "10%", "--min-named", "10")[0] == 0)
    check("--min-weight", place.states(recording, "--symfs", folder + "/rebuilt", "--min-weight", "99%")[0] == 0)
    check("--require what is there", place.states(recording, "--symfs", right, "--require", "library.so")[0] == 0)
    check("--require what is not", place.states(recording, "--symfs", folder + "/missing", "--require", library)[0] == 1)
    check("--require what was never mapped", place.states(recording, "--symfs", right, "--require", "/no/such")[0] == 1)
    check("a percentage that is none", place.match(recording, "--min-matched", "many").returncode == 2)
    check("no such root", place.match(recording, "--symfs", folder + "/none").returncode == 3)
    check("no such recording", place.match(folder + "/none.data", "--symfs", right).returncode == 3)
    document = json.loads(place.match("--json", recording, "--symfs", folder + "/rebuilt").stdout)
    rows = {row["paths"][0]: row for row in document["rows"]}
    check("json", document["verdict"] == "no" and rows[library]["state"] == "differs" and rows[program]["named"] and document["complete"], document)
    check("json: shares", 0 < document["shares"]["matched"] < document["shares"]["identified"] <= 1, document["shares"])
    suite = ElementTree.fromstring(place.match("--junit", recording, "--symfs", folder + "/rebuilt").stdout).find("testsuite")
    names = [case.get("name") for case in suite]
    check("junit", int(suite.get("failures")) == 2 and len(set(names)) == len(names), names)
    text = place.match(recording, "--symfs", right).stdout.decode().splitlines()
    shares = max(number for number, line in enumerate(text) if " matched; " in line)
    check("text ends with the shares, and stacks that end too early", text[0].split() == COLUMNS and all("% of stacks of" in line for line in text[shares + 1:]), text)
    stripped, debug = folder + "/stripped" + place.folder + "/bin", folder + "/debug"
    os.makedirs(stripped)
    run("strip", "-o", stripped + "/program", program)
    build_id = rows[program]["build_id"]
    row = {row["paths"][0]: row for row in json.loads(place.match("--json", recording, "--symfs", folder + "/stripped").stdout)["rows"]}[program]
    check("a stripped file matches and names nothing", row["state"] == "match" and not row["named"] and "text" in row["parts"] and build_id in row["note"], row)
    os.makedirs("%s/.build-id/%s" % (debug, build_id[:2]))
    run("objcopy", "--only-keep-debug", program, "%s/.build-id/%s/%s.debug" % (debug, build_id[:2], build_id[2:]))
    row = {row["paths"][0]: row for row in json.loads(place.match("--json", recording, "--symfs", folder + "/stripped", "--debug-dir", debug).stdout)["rows"]}[program]
    check("its debug file names", row["state"] == "match" and row["named"] and {"text", "symtab", "dwarf"} <= set(row["parts"]) and len(row["found"]) == 2, row)
    row = {row["paths"][0]: row for row in json.loads(place.match("--json", recording, "--debug-dir", debug).stdout)["rows"]}[program]
    check("the debug file alone: names, no code", row["state"] == "moved" and row["named"] and "text" not in row["parts"], row)


def hostile(place, recording):
    root, inside = place.folder + "/hostile", place.folder + "/hostile" + place.folder + "/bin"
    os.makedirs(inside)
    library, program = inside + "/library.so", inside + "/program"
    os.symlink(place.library, library)                 # an absolute link stays below the root, where it leads to itself
    os.mkfifo(program)
    _, states = place.states(recording, "--symfs", root)
    check("a link to the host's file, a FIFO", states[place.library] == "unreadable" and states[place.program] == "unreadable", states)
    os.unlink(library)
    os.unlink(program)
    os.symlink("../" * 40 + place.library.lstrip("/"), library)
    os.symlink("/" + os.path.relpath(place.folder + "/real/program", "/"), program)
    os.makedirs(root + place.folder + "/real")
    shutil.copy(place.program, root + place.folder + "/real/program")
    _, states = place.states(recording, "--symfs", root)
    check("links are followed inside the root only", states[place.library] == "unreadable" and states[place.program] == "match", states)
    os.unlink(program)
    with open(program, "wb") as f:
        f.write(b"\x7fELF\x02\x01\x01" + b"\xff" * 57)
        f.truncate(1 << 40)
    begin = time.monotonic()
    _, states = place.states(recording, "--symfs", root)
    place.match(recording, "--symfs", root, "--search")
    check("a sparse file with a header that lies", states[place.program] in ("no_note", "unreadable") and time.monotonic() - begin < 20, states)
    with open(place.program, "rb") as f:
        good = f.read()
    odd = []
    for at, value in ((0x20, b"\xf8" + b"\xff" * 7), (0x28, b"\xff" * 7 + b"\x7f"), (0x36, b"\0\0"), (0x38, b"\xff\xff"), (0x3a, b"\1\0"), (0x3c, b"\xff\xff"), (0x3e, b"\xff\xff")):
        os.unlink(program)
        with open(program, "wb") as f:
            f.write(good[:at] + value + good[at + len(value):])
        done = place.match("-q", recording, "--symfs", root)
        odd += [(at, done.returncode)] if done.returncode not in (0, 1) else []
    check("headers that lie", not odd, odd)
    device = root + "/dev"
    os.mkdir(device)
    if os.geteuid() == 0:
        try:
            os.mknod(device + "/zero", 0o20666, os.makedev(1, 5))
        except OSError:
            pass
    os.symlink("/", root + "/loop")
    check("a search meets a device and a loop", place.match("-q", recording, "--symfs", root, "--search").returncode in (0, 1))


def recordings_compared(place, recording, older):
    replaced = place.folder + "/bin/library.so"
    shutil.copy(place.folder + "/kept/library.so", replaced + ".new")
    os.rename(replaced + ".new", replaced)
    newer = place.record("newer", "--buildid-mmap")
    shutil.copy(place.folder + "/kept/ours.so", replaced + ".new")
    os.rename(replaced + ".new", replaced)
    if not newer:
        return
    code, states = place.states(recording, "--other", newer)
    check("between recordings: rebuilt", code == 0 and states[place.library] == "differs" and states[place.program] == "same", code, states)
    check("--require-same", place.states(recording, "--other", newer, "--require-same")[0] == 1)
    check("--require-same of the same", place.states(recording, "--other", recording, "--require-same")[0] == 0)
    alone = place.record("alone", "--buildid-mmap", command=[place.folder + "/jail/bin/alone"])
    code, states = place.states(alone, "--other", recording)
    check("between recordings: only in one", code == 0 and states[place.folder + "/jail/bin/alone"] == "only_a" and states[place.library] == "only_b", states)
    check("a recording without ids compares with nothing", place.match(recording, "--other", older).returncode == 3)


def living(place):
    """What happened to the files while they were mapped."""
    jail = place.folder + "/jail"
    chroot = shutil.which("chroot", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    inside = place.record("jailed", "--buildid-mmap", command=[chroot or "chroot", jail, "/bin/alone"]) if os.geteuid() == 0 else None
    if inside:
        code, states = place.states(inside, "--symfs", jail, "--kernel", "no")
        check("of a chroot: its root", code == 0 and states.get("/bin/alone") == "match", code, states)
        check("of a chroot: this host's root", place.states(inside)[1].get("/bin/alone") == "absent")
    else:
        print("# no chroot: not root, or perf cannot record in one")
    script = "cp %(program)s %(folder)s/bin/gone && { %(folder)s/bin/gone & sleep 0.2; rm %(folder)s/bin/gone; wait; }"
    gone = place.record("deleted", "--buildid-mmap", command=["sh", "-c", script % {"program": place.program, "folder": place.folder}])
    states = place.states(gone)[1]
    check("a deleted file", any(path.startswith(place.folder + "/bin/gone") and state in ("absent", "moved") for path, state in states.items()), states)
    script = "%(program)s & sleep 0.1; cp %(folder)s/kept/library.so %(library)s.new; mv %(library)s.new %(library)s; wait"
    words = {"program": place.program, "folder": place.folder, "library": place.library}
    swapped = place.record("swapped", "--buildid-mmap", command=["sh", "-c", script % words])
    code, states = place.states(swapped)
    check("a library replaced while it ran: this host has another one", code == 1 and states.get(place.library) == "differs", code, states)
    code, states = place.states(swapped, "--symfs", place.folder + "/right", "--kernel", "no")
    check("… and the right root the right one", states.get(place.library) == "match", code, states)
    shutil.copy(place.folder + "/kept/ours.so", place.library + ".new")
    os.rename(place.library + ".new", place.library)


def main():
    with tempfile.TemporaryDirectory(prefix="match-") as folder:
        folder = os.path.realpath(folder)
        try:
            place = Place(folder)
        except (OSError, subprocess.CalledProcessError) as error:
            print("1..0 # SKIP no compiler: %s" % error)
            return
        if not shutil.which(PERF) or not place.record("try", command=["true"]):
            print("1..0 # SKIP no perf that can record")
            return
        kinds = {"build-ids in the maps": ["--buildid-mmap"], "build-ids in a table": ["--no-buildid-mmap"], "no build-ids": ["--no-buildid-mmap", "-B"]}
        made = {name: place.record(name.replace(" ", "-"), *flags) for name, flags in kinds.items()}
        for name, recording in made.items():
            if recording:
                roots(place, name, recording, name != "no build-ids")
            else:
                print("# perf cannot record %s" % name)
        best = made["build-ids in the maps"] or made["build-ids in a table"]
        others(place, best)
        hostile(place, best)
        if made["build-ids in the maps"]:
            recordings_compared(place, best, made["no build-ids"])
            living(place)
    print("1..%d" % check.number)


main()
