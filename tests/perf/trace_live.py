#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packets of traces by chance, samples made of them, and what perf prints of them here: PERF names a perf of version 7, as oracle/setup of the corpus installs one.
Without perf, its texts are read from testdata/perf/expected. Prints TAP.

usage: trace_live.py [SEEDS]"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import coresight_packets  # noqa: E402
import trace_packets  # noqa: E402
from program import PERFDATA  # noqa: E402

PERF = os.environ.get("PERF") or os.path.join(os.environ.get("PERFDATA_CORPUS", "/nowhere"), "..", "oracle", "perf")
ENV = dict(os.environ, LC_ALL="C", TZ="UTC", PERF_CONFIG="/dev/null")
UNITS = {"dtl": 48, "ptt": 16}


def version():
    if not shutil.which(PERF):
        return ""
    done = subprocess.run([PERF, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def output(*command):
    return subprocess.run(command, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode("utf-8", "replace").splitlines()


def payloads(tracer, seed, count):
    """Packets that are cut anywhere, and go on in the next buffer; some buffers are larger than a piece of ours."""
    chance = random.Random(seed)
    packets = b"".join(trace_packets.every_packet(tracer) + trace_packets.every_head(tracer) if seed == 0 else
                       trace_packets.some_packets(tracer, seed, count)) if tracer in trace_packets.RANDOM else \
        b"".join(trace_packets.every_packet(tracer))
    if tracer == "s390":
        return [packets] * 12
    unit = UNITS.get(tracer, 1)
    cut = chance.randrange(len(packets)) // unit * unit
    return [packets[:cut], packets[cut:], packets[:0], packets * (1 + 70000 // len(packets))]


def packets_differ(tracer, seed, folder):
    path = os.path.join(folder, "x.data")
    trace_packets.recording(tracer, payloads(tracer, seed, 1500)).save(path)
    want = output(PERF, "script", "-D", "-f", "--symfs", "/nonexistent", "-i", path)
    if not any("AUXTRACE size" in line for line in want):
        return "perf printed no trace"
    return difference(want, output(PERFDATA, "dump", "--aux", "--symbols", "no", path))


def samples_differ(letters, seed, folder):
    """Samples made of operations, of each kind of processor in turn."""
    path = os.path.join(folder, "x.data")
    processors = trace_packets.SPE_PROCESSORS[seed % len(trace_packets.SPE_PROCESSORS)]
    odd = letters.endswith("odd")
    letters = letters.split()[0]
    operations = trace_packets.spe_odd_operations(seed, 6, 200) if odd else trace_packets.spe_operations(seed, 6, 300)
    trace_packets.recording("spe", operations, words=trace_packets.info_words("spe", processors), time=not odd or seed % 4 != 3,
                            start=trace_packets.SPE_START).save(path)
    fields = ["-F", "+addr,+data_src,+weight,+brstack,+phys_addr"]
    want = output(PERF, "script", "-f", "--itrace=" + letters.replace("i", "i1i"), *fields, "--symfs", "/nonexistent", "-i", path)
    if not want:
        return "perf made no samples"
    return difference(want, output(PERFDATA, "script", "--itrace", letters, *fields, "--symbols", "no", path))


def coresight_differs(what, seed, folder):
    """perf describes an event that it makes for its own use behind AUXTRACE_INFO, as if it was in the file."""
    path = os.path.join(folder, "x.data")
    if what == "coresight, mixed":
        recording = coresight_packets.random_recording(seed)
    else:
        _, _, *how = dict((name, (name, *rest)) for name, *rest in coresight_packets.every_recording())[what.split()[1]]
        recording = coresight_packets.recording(*how)
    recording.save(path)
    want = "\n".join(output(PERF, "script", "-D", "-f", "--symfs", "/nonexistent", "-i", path))
    if "\tIdx:" not in want and what != "coresight size":
        return "perf printed no packets"
    want = re.sub(r"\n0@\(null\) .*\n(\..*\n)*\n0 0 0 .*sample_id_all = 1", "", want)
    return difference(want.split("\n"), output(PERFDATA, "dump", "--aux", "--symbols", "no", path))


def difference(want, got):
    for n, (a, b) in enumerate(zip(want, got)):
        if a != b:
            return "line %d\n# perf %s\n# ours %s" % (n + 1, a, b)
    return "" if len(want) == len(got) else "perf has %d lines, ours %d" % (len(want), len(got))


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    if "version 7" not in version():
        print("1..0 # SKIP there is no perf of version 7 here (PERF names one)")
        return
    with tempfile.TemporaryDirectory() as folder:
        tests = [(tracer, seed) for tracer in trace_packets.EVERY for seed in range(seeds if tracer in trace_packets.RANDOM else 1)]
        tests = [(packets_differ, *test) for test in tests] + [(samples_differ, letters, seed) for letters in ("ibfmtaMl", "M", "bl", "i", "ibfmtaMl odd", "i odd")
                                                               for seed in range(max(seeds, 4))]
        tests += [(coresight_differs, "coresight " + name, 0) for name, *_ in coresight_packets.every_recording()]
        tests += [(coresight_differs, "coresight, mixed", seed) for seed in range(4 * seeds)]
        print("1..%d" % len(tests))
        for n, (differ, what, seed) in enumerate(tests):
            problem = differ(what, seed, folder)
            print("%s %d - %s, seed %d" % ("not ok" if problem else "ok", n + 1, what, seed))
            if problem:
                print("# " + problem)


if __name__ == "__main__":
    main()
