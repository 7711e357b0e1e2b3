#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What simpleperf's own tests assert of its test recordings: counts, names from inside, processes, single samples. Runs over the recordings of
PERFDATA_CORPUS whose names begin with simpleperf-; those that are not there are skipped. Prints TAP."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import Tap, run

# recording: (samples, weight of the first event)
COUNTS = {"perf_merge1": (27, 11927937), "perf_merge2": (31, 6380739), "perf_with_jit_symbol": (151, 19227293),
          "perf_with_kernel_symbols_available_false": (205, 54681835), "perf_with_kernel_symbols_available_true": (228, 51598333),
          "perf_with_symbols_for_nonzero_minvaddr_dso": (317, 154938690), "script_testdata-aggregatable_perf1": (13452, 8047245125),
          "script_testdata-runtest_two_functions_arm64_perf": (2, 1181761), "perf_no_unwind": (8, 536)}
# recording: (function, samples or None, weight, of functions by themselves)
FUNCTIONS = {"perf_with_symbols_for_nonzero_minvaddr_dso": ("memcpy", 316, None),
             "script_testdata-aggregatable_perf1": ("BusyThreadFunc(void*)", 8993, None),
             "script_testdata-runtest_two_functions_arm64_perf": ("Function2()", 1, 591577),
             "perf_with_jit_symbol": ("MainActivity$1.run", 128, 17889729),
             "perf_no_unwind": ("__arch_copy_to_user", None, 239)}
tap = Tap()


def path_of(name):
    folder = os.environ.get("PERFDATA_CORPUS")
    path = folder and os.path.join(folder, "simpleperf-%s.data" % name)
    return path if path and os.path.exists(path) else None


def report(path, *words):
    return json.loads(run("report", "-q", "--json", *words, path).out)["events"]


def check(name, what, good, found):
    tap.report("%s: %s" % (name, what), [] if good else [found])


def check_counts():
    for name, (samples, weight) in COUNTS.items():
        path = path_of(name)
        if path:
            event = report(path)[0]
            check(name, "%d samples, weight %d" % (samples, weight), (event["samples"], event["weight"]) == (samples, weight), (event["samples"], event["weight"]))
    for name, (function, samples, weight) in FUNCTIONS.items():
        path = path_of(name)
        if path:
            rows = [row for row in report(path, "--top", "0")[0]["rows"] if function in row["symbol"]]
            sums = sum(row["self_samples"] for row in rows), sum(row["self_weight"] for row in rows)
            check(name, "%s by itself" % function, rows and (samples is None or sums[0] == samples) and (weight is None or sums[1] == weight), (sums, rows[:2]))


def check_events():
    path = path_of("perf_with_two_event_types")
    if path:
        events = report(path, "--by", "comm")
        weights = [{row["comm"]: row["self_weight"] for row in event["rows"]} for event in events]
        check("perf_with_two_event_types", "weights of comms", weights == [{"simpleperf": 70372, "sleep": 3913545}, {"sleep": 500000}], weights)
    path = path_of("perf_with_multiple_pids_and_tids")
    if path:
        rows = report(path, "--by", "thread")[0]["rows"]
        found = {row["pid"] for row in rows} | {row["tid"] for row in rows}
        check("perf_with_multiple_pids_and_tids", "processes and threads", {17441, 17443, 17444} <= found, sorted(found))
        check("perf_with_multiple_pids_and_tids", "comms", {"t1", "simpleperf"} <= {row["comm"] for row in report(path, "--by", "comm")[0]["rows"]}, rows[:3])


def check_samples():
    path = path_of("perf_with_kernel_symbols_available_true")
    if path:
        text = run("script", "-q", "--ns", "-F", "time,ip,sym", path).out.decode()
        stack = text.partition("1368297.633794862:")[2].partition("\n\n")[0]
        check("perf_with_kernel_symbols_available_true", "a name of the kernel that was recorded", "binder_ioctl_write_read" in stack, stack[:300])
    path = path_of("perf_with_kernel_symbols_available_false")
    if path:
        text = run("script", "-q", "--ns", "-F", "time,ip,sym,dso", path).out.decode()
        check("perf_with_kernel_symbols_available_false", "the sample and its library are there", "1368182.962424044:" in text and "/system/lib64/libc.so" in text,
              text[:300])
    path = path_of("script_testdata-perf_test_vmlinux")
    if path:
        names = run("script", "-q", "-F", "ip,sym", path).out.decode()
        check("script_testdata-perf_test_vmlinux", "names of the kernel's section", "ret_from_fork" in names and "_raw_spin_unlock_irq" in names, names)
    path = path_of("perf_with_jit_symbol")
    if path:
        files = {row.get("dso") for row in report(path, "--top", "0")[0]["rows"]}
        check("perf_with_jit_symbol", "code of the JIT has a file of its own", any("[JIT app cache]" in (name or "") for name in files), sorted(map(str, files)))
        folded = run("folded", "-q", "--weight", "period", path).out.decode().splitlines()
        sums = {}
        for line in folded:
            stack, _, weight = line.rpartition(" ")
            above = stack.rpartition(";")[0]
            sums[above] = sums.get(above, 0) + int(weight)
        heaviest = max(sums.items(), key=lambda item: item[1])
        wanted = ("BusyThread;__start_thread;__pthread_start(void*);java.lang.Thread.run", 17889729)
        check("perf_with_jit_symbol", "the heaviest stack without its leaf", heaviest == wanted, heaviest)


def main():
    if not any(path_of(name) for name in COUNTS):
        print("1..0 # SKIP PERFDATA_CORPUS names no folder with recordings of simpleperf")
        return 0
    os.environ["HOME"] = "/nonexistent"   # names come from the recordings
    check_counts()
    check_events()
    check_samples()
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
