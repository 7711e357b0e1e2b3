#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The figures that the answers of doc/analysis.md are compared with (tests/support/analysis_figures.py) are right themselves: of a simulated scheduler, whose
waits are known. Without losses they are all of its waits; with lost records and missing switches, each wait that is not called unsure is one of them. TAP."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import analysis_figures as figures  # noqa: E402
import program  # noqa: E402
import scheduler_recording as scheduler  # noqa: E402


def truth():
    """{(thread, since when): ns} of all waits that end."""
    waits, since = {}, {}
    for time, _cpu, name, _pid, values in scheduler.simulate(1, 1500):
        if name == "sched_switch":
            _comm, out, _prio, _state, _next_comm, into, _ = values
            since[out] = time
            if into and into in since:
                waits[into, since[into]] = time - since[into]
    return waits


def check(folder, name, wanted):
    meta, *records = figures.lines(os.path.join(folder, name + ".data"), "--symbols", "no")
    found = figures.waits(meta, records)
    sure = {(tid, since): ns for tid, since, _comm, _why, ns, _queued, unsure, _lost in found if ns is not None and not unsure}
    wrong = [(key, ns, wanted.get(key)) for key, ns in sure.items() if wanted.get(key) != ns]
    if name == "sampled":
        return "waits of a sampled recording" if found else None
    if wrong:
        return "%d of %d waits are none: %s" % (len(wrong), len(sure), wrong[:3])
    if name == "whole" and sure != wanted:
        return "%d waits of %d" % (len(sure), len(wanted))
    if not found or not sure and name != "process":      # there, nothing shows what other threads did meanwhile
        return "no waits"
    return None


def main():
    os.environ["PERFDATA"] = program.PERFDATA
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        names = scheduler.make(folder)
        wanted = truth()
        for name in names:
            problem = check(folder, name, wanted)
            bad += problem is not None
            print("%s - waits are those of the scheduler: %s" % ("not ok" if problem else "ok", name))
            if problem:
                print("# %s" % problem)
    print("1..%d" % len(names))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
