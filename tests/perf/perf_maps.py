#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names from perf maps as perf has them: every form of a line, and maps whose entries overlap, made at random. Prints TAP.
PERF names a perf of version 7 to compare with. It reads /tmp/perf-PID.map, of pids that no process can have.

Where perf is not to be followed: it passes names of one and two characters by, cuts the last character of a map that does not end with a line
feed, and the first one of a name that has no size before it; it reads words that are no number as 0, and shows a carriage return as part of the
name. Where its search misses an entry that holds the address, we have the one of those that begins last."""
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import Recording, IP, TID, TIME
from program import PERFDATA

PERF = os.environ.get("PERF", "perf")
PID = 2**22 + 1   # above the largest pid_max
BASE = 0x10001000
PLACES = [BASE, BASE + 1, BASE + 15, BASE + 16, BASE + 0x1000]

# lines, and our names at the five places, where these are not perf's ("" means the same as perf)
FORMS = [
    (b"10001000 10 plain\n", None), (b"0x10001000 0x10 name\n", None), (b"0X10001000 0X10 NAME\n", None), (b"10001000 A name\n", None),
    (b"0x0000000010001000 0x000000000010 zeros\n", None), (b"000000000000000000010001000 10 zeros\n", None), (b"  10001000   10 name\n", None),
    (b"\t10001000\t10\tname\n", None), (b"\v10001000 \t 10 name\n", None), (b"+10001000 +10 name\n", None), (b"10001000:10:name\n", None),
    (b"10001000,10,name\n", None), (b"10001000 10  two spaces\n", None), (b"10001000 10 \ttab\tand  spaces \n", None),
    (b"10001000 10 void java.lang.String::<init>(byte[], int) [c2]\n", None), (b"10001000 10 LazyCompile:~f /a b.js:1:2\n", None),
    (b"10001000 10 caf\xc3\xa9\n", None), (b"10001000 10 _ZN3foo3barEv\n", None), (b"10001000 10 " + b"x" * 3000 + b"\n", None),
    (b"\n\n10001000 10 name\n\n", None), (b"10001000 10\n10002000 10 other\n", None), (b"10001000\n10002000 10 other\n", None),
    (b"10001000 10 \n10002000 10 other\n", None), (b"junk\n10001000 10 name\n", None), (b"10001000 10 one\n10002000 10 two\n", None),
    (b"# text\n10001000 10 name\n", None), (b"10001000 10 name\0more\n10002000 10 other\n", None), (b"10001000 0 point\n", None),
    (b"10001000 0 point\n10001000 10 name\n", None), (b"10001000  nosize\n", None), (b"10001000 add name\n", None),
    (b"10001000 ffffffffffffffffff name\n10002000 10 other\n", None), (b"110000000010001000 10 name\n10002000 10 other\n", None),
    (b"10001000 10 name\r\n10002000 10 other\r\n", ["name", "name", "name", "", "other"]),
    (b"\r\n10001000 10 name\r\n", ["name", "name", "name", "", ""]),
    (b"10001000 10 name", ["name", "name", "name", "", ""]),
    (b"10001000 10 a\n10002000 10 ab\n", ["a", "a", "a", "", "ab"]),
    (b"10001000 nosize at all\n", ["nosize at all", "", "", "", ""]),
    (b"10001000 10x name\n", None), (b"10001000h 10h name\n", None), (b"0x10001000h 0x10h name\n", None), (b"10001000h 10 name\n", None),
    (b"10001000L 10L name\n", None), (b"10001000-10-name\n", None), (b"10001000. 10 name\n", None), (b"10001000 10)name\n", None),
    (b"10001000+10 name\n", None), (b"10001000|10|name\n", None), (b"10001000 10h: name\n", None), (b"10001000 0x name\n", None),
    (b"10001000 -10 name\n", None), (b"-10001000 10 name\n", None), (b"10001000 100x name\n", None), (b"10001000h nosize\n", None),
    (b"[10001000] 10 name\n", None), (b"\xef\xbb\xbf10001000 10 name\n", None),
    (b"10001000 10name\n", ["10name", "", "", "", ""]), (b"10001000 0xname here\n", ["0xname here", "", "", "", ""]),
]


def recording(path, addresses):
    r = Recording()
    event = r.event("cycles", [11], period=1, sample_type=IP | TID | TIME, sample_id_all=1)
    r.comm(PID, PID, "jit", time=1)
    r.mmap2(PID, PID, 0x10000000, 0x10000000, 0, "//anon", device=(0, 0), inode=0, time=2)
    for number, address in enumerate(addresses):
        r.sample(event, ip=address, pid=PID, tid=PID, time=10 + number)
    r.save(path)


def names(text):
    """The name on each line of a text of addresses, "" where there is none; perf shows bytes as they are."""
    found = [re.match(rb"\s*[0-9a-f]+ (.*)\+0x[0-9a-f]+\Z|\s*[0-9a-f]+ \[unknown\]\Z", line, re.S) for line in text.split(b"\n")[:-1]]
    return [(m[1] or b"").decode("utf-8", "replace") if m else "?" for m in found]


class Maps:
    def __init__(self, folder):
        self.folder, self.path = folder, os.path.join(folder, "perf.data")
        os.mkdir(os.path.join(folder, "tmp"))
        self.map = f"/tmp/perf-{PID}.map"

    def compare(self, text, addresses):
        """perf's names, ours, and what we said."""
        recording(self.path, addresses)
        for name in (self.map, self.folder + self.map):
            with open(name, "wb") as out:
                out.write(text)
        fields = ["-F", "ip,sym,symoff"]
        try:
            theirs = subprocess.run([PERF, "script", "-f", *fields, "-i", self.path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        finally:
            os.unlink(self.map)
        ours = subprocess.run([PERFDATA, "script", *fields, "--symfs", self.folder, self.path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return names(theirs.stdout), names(ours.stdout), ours.stderr.decode("utf-8", "replace")


def overlapping(seed):
    """Entries at random, and addresses in and around them."""
    chance = random.Random(seed)
    count = chance.choice([2, 3, 5, 20, 200, 2000])
    span = 0x10000 if count > 100 else 0x1000
    prefix = ("name", "n", "")[seed % 3]       # perf passes short names by
    entries = []
    for number in range(count):
        start = 0x10000000 + chance.randrange(0, span, chance.choice([1, 16, 64]))
        entries.append((start, chance.choice([0, 1, 16, 64, 256, chance.randrange(span)]), f"{prefix}{number % 500}"))
        if chance.randrange(20) == 0:
            entries.append(entries[-1])
    if seed % 4 == 0:
        entries.sort(key=lambda entry: entry[0])
    addresses = [0x10000000 + chance.randrange(span + 0x400) for _ in range(300)]
    addresses += [start + more for start, size, _ in chance.sample(entries, min(50, count)) for more in (0, size)]
    return entries, addresses


def check_overlaps(maps, seed):
    entries, addresses = overlapping(seed)
    theirs, ours, said = maps.compare("".join(f"{start:x} {size:x} {name}\n" for start, size, name in entries).encode(), addresses)
    missed, ambiguous, bad = 0, set(), []
    for address, perfs, name in zip(addresses, theirs, ours):
        holders = sorted((start, number) for number, (start, size, _) in enumerate(entries) if start <= address < start + size or address == start)
        want = perfs or (entries[holders[-1][1]][2] if holders else "")
        missed += not perfs and bool(holders)
        if len({entries[number][2] for _, number in holders}) > 1:
            ambiguous.add(address)
        if name != want:
            bad.append((hex(address), want, name))
    count = re.search(r"(\d+) of the recorded addresses", said)
    if (int(count[1]) if count else 0) != len(ambiguous):
        bad.append((len(ambiguous), said[-300:]))
    if len(theirs) != len(addresses) or len(ours) != len(addresses):
        bad.append((len(addresses), len(theirs), len(ours)))
    return f"{len(entries)} entries, {len(addresses)} addresses, {len(ambiguous)} of several names, {missed} that perf missed", bad


def main():
    try:
        version = subprocess.run([PERF, "--version"], stdout=subprocess.PIPE, check=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        version = ""
    if not re.match(r"perf version 7\.", version):
        print(f"1..0 # SKIP no perf 7 here ({version.strip() or 'no perf'}); PERF names one")
        return 0
    number = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        maps = Maps(folder)
        for text, want in FORMS:
            number += 1
            theirs, ours, said = maps.compare(text, PLACES)
            good = ours == (want or theirs) and (want is None or theirs != want)
            failed += not good
            print(f"{'ok' if good else 'not ok'} {number} - {text[:60]!r}: {'as perf' if want is None else 'not as perf'}")
            if not good:
                print(f"# perf {theirs}\n# ours {ours}\n# {said!r}")
        for seed in range(24):
            number += 1
            seen, bad = check_overlaps(maps, seed)
            failed += bool(bad)
            print(f"{'not ok' if bad else 'ok'} {number} - overlapping: {seen}")
            for detail in bad[:5]:
                print(f"# {detail}")
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
