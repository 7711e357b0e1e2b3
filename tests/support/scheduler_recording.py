#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings of a scheduler that is simulated, so that what really happened is known: switches, wake-ups and system calls of threads on two CPUs; whole,
with lost records, with switches that are missing without a word, of a process (switches-out only), and sampled.

    scheduler_recording.py FOLDER          writes all of them there"""
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from builder import CALLCHAIN, CPU, IDENTIFIER, IP, KERNEL, PERIOD, RAW, TID, TIME, Recording  # noqa: E402

COMMON = ("\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
          "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n")
TYPES = {"i": ("int %s", 4, 1), "I": ("unsigned int %s", 4, 0), "q": ("long %s", 8, 1), "Q": ("unsigned long %s", 8, 0), "16s": ("char %s[16]", 16, 0),
         "6Q": ("unsigned long %s[6]", 48, 0), "H": ("unsigned short %s", 2, 0), "B": ("unsigned char %s", 1, 0)}
SWITCH = ("sched", "sched_switch", [("prev_comm", "16s"), ("prev_pid", "i"), ("prev_prio", "i"), ("prev_state", "q"), ("next_comm", "16s"),
                                    ("next_pid", "i"), ("next_prio", "i")])
WAKING = ("sched", "sched_waking", [("comm", "16s"), ("pid", "i"), ("prio", "i"), ("target_cpu", "i")])
ENTER = ("raw_syscalls", "sys_enter", [("id", "q"), ("args", "6Q")])
EXIT = ("raw_syscalls", "sys_exit", [("id", "q"), ("ret", "q")])


class Tracepoint:
    """The format of an event, and its raw data."""

    def __init__(self, number, system, name, fields):
        self.number, self.system, self.name, self.fields = number, system, name, fields
        self.text = "name: %s\nID: %d\nformat:\n%s" % (name, number, COMMON)
        at = 8
        self.places = []
        for field, kind in fields:
            if kind == "text":           # of any length, after the other fields
                declared, size, signed = "__data_loc char[] %s", 4, 0
            else:
                declared, size, signed = TYPES[kind]
            at += -at % min(size, 8)
            self.places.append((at, kind))
            self.text += "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n" % (declared % field, at, size, signed)
            at += size
        self.size = at
        self.text += '\nprint fmt: "%s"\n' % name

    def raw(self, pid, values):
        data, behind = bytearray(self.size), b""
        struct.pack_into("<HBBi", data, 0, self.number, 0, 0, pid)
        for (at, kind), value in zip(self.places, values):
            if kind == "text":
                text = value.encode() + b"\0"
                struct.pack_into("<I", data, at, len(text) << 16 | self.size + len(behind))
                behind += text
            elif kind == "16s":
                struct.pack_into("<16s", data, at, value.encode())
            elif kind == "6Q":
                struct.pack_into("<6Q", data, at, *value)
            else:
                struct.pack_into("<" + kind, data, at, value)
        return bytes(data) + behind


def tracing_data(tracepoints):
    """Formats as perf records them, by system."""
    out = b"\x17\x08\x44tracing" + b"0.6\0" + b"\0\x08" + struct.pack("<I", 4096)
    out += b"header_page\0" + struct.pack("<Q", 0) + b"header_event\0" + struct.pack("<Q", 0)
    systems = sorted({tracepoint.system for tracepoint in tracepoints})
    out += struct.pack("<II", 0, len(systems))
    for system in systems:
        inside = [tracepoint for tracepoint in tracepoints if tracepoint.system == system]
        out += system.encode() + b"\0" + struct.pack("<I", len(inside))
        for tracepoint in inside:
            out += struct.pack("<Q", len(tracepoint.text)) + tracepoint.text.encode()
    return out + struct.pack("<II", 0, 0) + struct.pack("<Q", 0)


class Trace:
    """A recording of tracepoints."""

    def __init__(self, events, period=1, freq=0):
        self.recording = Recording()
        self.tracepoints = [Tracepoint(300 + n, *event) for n, event in enumerate(events)]
        self.events = {}
        for n, tracepoint in enumerate(self.tracepoints):
            self.events[tracepoint.name] = tracepoint, self.recording.event(
                "%s:%s" % (tracepoint.system, tracepoint.name), ids=[50 + n], type=2, config=tracepoint.number, period=period, freq=freq,
                sample_type=IP | TID | TIME | CPU | PERIOD | RAW | IDENTIFIER, sample_id_all=1)

    def put(self, name, time, cpu, pid, values, tid=None):
        tracepoint, event = self.events[name]
        tid = pid if tid is None else tid
        self.recording.sample(event, misc=KERNEL, ip=0xffffffff81000000, pid=tid, tid=tid, time=time, cpu=cpu, period=1, raw=tracepoint.raw(pid, values))

    def lost(self, time, cpu, count):
        self.recording.record(2, struct.pack("<QQ", 50, count), pid=0, tid=0, time=time, cpu=cpu, id=50)

    def save(self, path):
        self.recording.feature(1, tracing_data(self.tracepoints))
        self.recording.feature(2 + 10, self.recording.event_desc())
        self.recording.save(path)


# --- what happens -----------------------------------------------------------------------------------------------------

THREADS = {pid: "worker-%d" % (pid % 4) for pid in range(101, 110)}


def simulate(seed, steps):
    """(time, CPU, event, thread, values), in the order of time. State 0: preempted; 1: sleeps; 2: waits for a disk; 16: ends."""
    rng = random.Random(seed)
    time, running, sleeping, runnable, calls, out = 1000000, {0: 0, 1: 0}, set(), sorted(THREADS), {}, []
    for _ in range(steps):
        time += rng.randrange(200, 90000)
        cpu = rng.randrange(2)
        now = running[cpu]
        what = rng.random()
        if what < 0.3 and sleeping:
            pid = rng.choice(sorted(sleeping))
            sleeping.discard(pid)
            runnable.append(pid)
            out.append((time, cpu, "sched_waking", now, (THREADS[pid], pid, 120, rng.randrange(2))))
        elif what < 0.55 and now:
            if now in calls:
                out.append((time, cpu, "sys_exit", now, (calls.pop(now), rng.randrange(-5, 4000))))
            else:
                calls[now] = rng.choice((0, 1, 35, 202))
                out.append((time, cpu, "sys_enter", now, (calls[now], [rng.randrange(2**40) for _ in range(6)])))
        elif now or runnable:
            state = rng.choice((1, 1, 1, 2, 0, 256)) if now else 0
            following = runnable.pop(0) if runnable else 0
            if following == now:
                continue
            if now:
                (runnable.append if state in (0, 256) else sleeping.add)(now)
            running[cpu] = following
            name = THREADS.get(now, "swapper/%d" % cpu)
            out.append((time, cpu, "sched_switch", now, (name, now, 120, state, THREADS.get(following, "swapper/%d" % cpu), following, 120)))
    return out


def save(happened, path, period=1, freq=0, lost=()):
    """lost: (time, CPU, number) of LOST records."""
    trace = Trace((SWITCH, WAKING, ENTER, EXIT), period, freq)
    left = sorted(lost)
    for time, cpu, name, pid, values in happened:
        while left and left[0][0] <= time:
            trace.lost(*left.pop(0))
        # the kernel gives no number of a thread that is being removed
        trace.put(name, time, cpu, pid, values, tid=-1 if name == "sched_switch" and values[3] & 48 else pid)
    for late in left:
        trace.lost(*late)
    trace.save(path)


def without(happened, windows):
    """What a recorder with small buffers has: nothing of a CPU in its windows (CPU, begin, end), and a LOST record after each."""
    kept, lost = [], {window: 0 for window in windows}
    for event in happened:
        inside = [window for window in windows if window[0] == event[1] and window[1] <= event[0] < window[2]]
        for window in inside:
            lost[window] += 1
        if not inside:
            kept.append(event)
    return kept, [(end, cpu, count) for (cpu, _begin, end), count in lost.items() if count]


def make(folder):
    """{name: what it is of}; recordings in the folder."""
    whole = simulate(1, 1500)
    save(whole, os.path.join(folder, "whole.data"))
    first, last = whole[0][0], whole[-1][0]
    step = (last - first) // 12
    windows = [(n % 2, first + n * step, first + n * step + step // (1 + n % 3)) for n in range(1, 11, 2)] + [(1, first + 3 * step, first + 4 * step)]
    kept, lost = without(whole, windows)
    save(kept, os.path.join(folder, "lost.data"), lost=lost)
    save([event for n, event in enumerate(whole) if event[2] != "sched_switch" or n % 9], os.path.join(folder, "missing.data"))
    own = [event for event in whole if event[3] in (101, 102, 103)]
    save(own, os.path.join(folder, "process.data"))
    save([event for n, event in enumerate(whole) if n % 5 == 0], os.path.join(folder, "sampled.data"), period=999, freq=1)
    return ["whole", "lost", "missing", "process", "sampled"]


def make_profile(path):
    """Samples of two threads in two files, of which every third stretch is lost: LOST records where a buffer was full, and LOST_SAMPLES at the end."""
    r = Recording()
    clock = r.event("cpu-clock", ids=[1], type=1, sample_type=IP | TID | TIME | CPU | PERIOD | CALLCHAIN, sample_id_all=1, period=1000)
    for tid in (101, 102):
        r.comm(101, tid, "thread %d" % tid, time=tid)
    for number in (1, 2):
        r.mmap2(101, 101, number << 28, 0x100000, 0, "/absent/file-%d" % number, build_id=bytes(range(number, number + 20)), time=200)
    chance, gone = random.Random(4), {0: 0, 1: 0}
    for time in range(1000, 601000, 1000):
        cpu, tid, number = time // 1000 % 2, chance.choice((101, 102)), chance.choice((1, 2, 2))
        if time // 40000 % 3 == 1:
            gone[cpu] += 1
            continue
        if gone[cpu]:
            r.record(2, struct.pack("<QQ", 1, gone[cpu]), pid=101, tid=tid, time=time, cpu=cpu)
            gone[cpu] = 0
        ip, caller = (number << 28) + 0x1000 * chance.randrange(3), (number << 28) + 0x8000
        r.sample(clock, ip=ip, pid=101, tid=tid, time=time, cpu=cpu, period=time % 7 + 1, callchain=[2**64 - 512, ip, caller])
    r.record(13, struct.pack("<Q", 200), pid=101, tid=101, time=602000, cpu=0)
    r.save(path)


if __name__ == "__main__":
    make(sys.argv[1])
    make_profile(os.path.join(sys.argv[1], "after-lost-profile.data"))
