# SPDX-License-Identifier: MIT
"""Reads a Perfetto trace with nothing but Python, and holds it to what ui.perfetto.dev's importer asks for: each id is defined before it is used in its
sequence, a sequence begins by clearing its state, counts of a processor never fall, each track is described before its first event."""
import collections

import views
from views import message, one


class Sequence:
    def __init__(self):
        self.tables = collections.defaultdict(dict)
        self.name = None
        self.counts = {}

    def intern(self, data):
        for table, parts in message(data).items():
            for part in map(message, parts):
                number = one(part, 1)
                if not number or number in self.tables[table]:
                    raise ValueError("id %d of table %d is 0 or defined twice" % (number, table))
                self.tables[table][number] = part

    def function(self, number):
        frame = self.tables[6][number]
        for table, field in ((5, 2), (19, 3), (18, 5)):
            if one(frame, field) and one(frame, field) not in self.tables[table]:
                raise ValueError("frame %d refers to %d of table %d, which is not there" % (number, one(frame, field), table))
        mapping = self.tables[19].get(one(frame, 3))
        if mapping is None:
            return one(self.tables[5][one(frame, 2)], 2).decode("utf-8"), ""
        if one(mapping, 2) and one(mapping, 2) not in self.tables[16]:
            raise ValueError("a mapping's build-id is not there")
        path = "/" + "/".join(one(self.tables[17][part], 2).decode("utf-8") for part in mapping[7])
        return one(self.tables[5][one(frame, 2)], 2).decode("utf-8"), path


class Trace:
    def __init__(self, data):
        self.sums = {}                  # event → views.Sums
        self.tracepoints = 0
        self.instants = []
        self.slices = []                # (name, begin, end, track)
        self.states = []                # (tid, state)
        self.flows = {}                 # id → [time of the waker's instant, of the woken thread's, tracks of both]
        self.names = {}                 # tid → name
        sequences = collections.defaultdict(Sequence)
        tracks, sched_times = set(), collections.defaultdict(int)
        for number, packet in views.fields(data):
            if number != 1:
                raise ValueError("field %d in a trace" % number)
            packet = message(packet)
            if not one(packet, 10):
                raise ValueError("a packet without a sequence")
            sequence = sequences[one(packet, 10)]
            if packet[59]:
                if one(packet, 13) != 1:
                    raise ValueError("a sequence does not begin by clearing its state")
                timebase = message(one(message(one(message(one(packet, 59)), 12)), 1))
                sequence.name = one(timebase, 10).decode("utf-8")
                self.sums[sequence.name] = views.Sums()
            for part in packet[12]:
                sequence.intern(part)
            for part in packet[66]:
                self.sample(sequence, message(part), one(packet, 13))
            for part in packet[2]:
                for thread in map(message, message(part)[2]):
                    self.names[one(thread, 1)] = one(thread, 2).decode("utf-8")
            for part in map(message, packet[60]):
                tracks.add(one(part, 1))
            for part in map(message, packet[11]):
                if one(part, 11) not in tracks:
                    raise ValueError("an event of a track that was not described")
                if one(part, 9) == 1:
                    self.slices.append([one(part, 23).decode("utf-8"), one(packet, 8), None, one(part, 11)])
                elif one(part, 9) == 2:
                    if self.slices[-1][2] is not None or self.slices[-1][3] != one(part, 11):
                        raise ValueError("the end of another slice")
                    self.slices[-1][2] = one(packet, 8)
                else:
                    self.instants.append(one(part, 23).decode("utf-8"))
                self.flow(part, one(packet, 8))
            for part in map(message, packet[117]):
                if (one(part, 3), one(part, 4)) == next((before for before in reversed(self.states) if before[0] == one(part, 3)), None):
                    raise ValueError("thread %d has the same state again" % one(part, 3))
                self.states.append((one(part, 3), one(part, 4)))
            for bundle in map(message, packet[1]):
                for event in map(message, bundle[2]):
                    self.tracepoints += 1
                    if event[4] and one(event, 1) < sched_times[one(bundle, 1)]:
                        raise ValueError("switches of processor %d are not in order of time" % one(bundle, 1))
                    if event[4]:
                        sched_times[one(bundle, 1)] = one(event, 1)

    def flow(self, part, time):
        """The importer takes the earlier of two slices with an id for the source."""
        for number in part[47]:
            if number in self.flows:
                raise ValueError("flow %d begins twice" % number)
            self.flows[number] = [time, None, one(part, 11), None]
        for number in part[48]:
            flow = self.flows[number]
            if flow[1] is not None or flow[0] > time:
                raise ValueError("flow %d ends twice, or before it begins" % number)
            flow[1], flow[3] = time, one(part, 11)

    def sample(self, sequence, part, flags):
        if flags != 2 or sequence.name is None:
            raise ValueError("a sample in a sequence that has not begun")
        cpu, count = one(part, 1), one(part, 6)
        weight = count - sequence.counts.get(cpu, 0)
        if weight < 0:
            raise ValueError("the count of processor %d falls" % cpu)
        sequence.counts[cpu] = count
        stack = one(part, 4)
        functions = [sequence.function(frame) for frame in reversed(sequence.tables[7][stack][2])] if stack else []
        if stack and not functions:
            raise ValueError("an empty stack")
        self.sums[sequence.name].add(functions, 1, weight, (one(part, 2), one(part, 3)))
