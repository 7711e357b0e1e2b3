"""Reads what the program writes for viewers, with nothing but Python: profile.proto, the data of a flame graph page, speedscope's files.

Each reader gives {event: Sums}: samples and weight of the event, and those of each function by itself and with what it called."""
import base64
import collections
import gzip
import json
import re


class Sums:
    def __init__(self):
        self.samples = self.weight = 0
        self.self_weight = collections.Counter()
        self.total_weight = collections.Counter()
        self.threads, self.thread_weights = collections.Counter(), collections.Counter()

    def add(self, functions, samples, weight, thread=None):
        """functions: callee first."""
        self.samples += samples
        self.weight += weight
        self.threads[thread] += samples
        self.thread_weights[thread] += weight
        if functions:
            self.self_weight[functions[0]] += weight
            for function in set(functions):
                self.total_weight[function] += weight


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of a protobuf message: integers, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("a field reaches beyond its message")
        else:
            raise ValueError("wire type %d" % (key & 7))
        yield key >> 3, value


def message(data):
    found = collections.defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


def packed(values):
    numbers = []
    for value in values:
        if isinstance(value, int):
            numbers.append(value)
            continue
        at = 0
        while at < len(value):
            number, at = varint(value, at)
            numbers.append(number)
    return numbers


def one(found, number, otherwise=0):
    return found[number][-1] if found[number] else otherwise


class Pprof:
    """A profile.proto, checked as its readers do: ids, indexes, one value for each column."""

    def __init__(self, data):
        top = message(gzip.decompress(data))
        self.strings = [text.decode("utf-8") for text in top[6]]
        if self.strings[0] != "":
            raise ValueError("the first string is not empty")
        self.types = [tuple(self.strings[one(message(part), n)] for n in (1, 2)) for part in top[1]]
        if len(set(name for name, _unit in self.types)) != len(self.types):
            raise ValueError("two columns of one name")
        self.mappings = {one(part, 1): part for part in map(message, top[3])}
        self.functions = {one(part, 1): part for part in map(message, top[5])}
        self.locations = {one(part, 1): part for part in map(message, top[4])}
        if 0 in self.mappings or 0 in self.functions or 0 in self.locations:
            raise ValueError("an id is 0")
        self.comments = [self.strings[n] for n in packed(top[13])]
        self.samples = []
        for part in map(message, top[2]):
            values = packed(part[2])
            if len(values) != len(self.types):
                raise ValueError("a sample has %d values, not %d" % (len(values), len(self.types)))
            labels = {}
            for label in map(message, part[3]):
                key = self.strings[one(label, 1)]
                if not (label[2] or label[4] or one(label, 3)):
                    raise ValueError("label %s is neither a text nor a number: 0 needs a unit" % key)
                labels[key] = self.strings[one(label, 2)] if label[2] else one(label, 3)
            self.samples.append((packed(part[1]), values, labels))
        for location in self.locations.values():
            place = one(location, 3)
            mapping = one(location, 2)
            if mapping and not one(self.mappings[mapping], 2) <= place < one(self.mappings[mapping], 3):
                raise ValueError("address %#x lies outside of its mapping" % place)

    def file_of(self, location):
        mapping = one(location, 2)
        return self.strings[one(self.mappings[mapping], 5)] if mapping else ""

    def names(self, location):
        """Innermost first."""
        lines = [message(line) for line in location[4]]
        if not lines:
            return [("", self.file_of(location))]
        return [(self.strings[one(self.functions[one(line, 1)], 2)], self.file_of(location)) for line in lines]

    def sums(self):
        events = {}
        for column in range(0, len(self.types), 2):
            name = self.types[column + 1][0]
            events[name] = sums = Sums()
            for locations, values, labels in self.samples:
                if values[column] or values[column + 1]:
                    functions = [name for place in locations for name in self.names(self.locations[place])]
                    sums.add(functions, values[column], values[column + 1], (labels.get("pid"), labels.get("tid")))
        return events


class Page:
    """The data of a flame graph page."""

    def __init__(self, html):
        text = html.decode("utf-8")
        self.policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
        self.script = re.search(r"<script>(.*?)</script></body></html>\n$", text, re.S)[1]
        data = gzip.decompress(base64.b64decode(re.search(r'<script id="data" type="text/plain">([^<]*)</script>', text)[1]))
        self.data, self.at = data, 0
        self.meta = json.loads(self.part(self.number()))
        self.names = self.part(self.number()).split(b"\0")
        nr = self.number()
        columns = [[self.number() for _ in range(nr)] for _ in range(5)]
        self.functions = [(self.names[name].decode("utf-8", "replace"), self.names[file].decode("utf-8", "replace"))
                          for name, file in zip(columns[0], columns[1])]
        self.kinds = columns[2]
        nr = self.number()
        threads = [self.column(nr) for _ in range(3)]
        self.threads = [{"pid": pid - 1, "tid": tid - 1, "comm": self.names[comm].decode("utf-8", "replace")} for pid, tid, comm in zip(*threads)]
        nr = self.number()
        self.parents = [at - self.number() for at in range(nr)]
        self.labels = [self.number() for _ in range(nr)]
        self.rows = [[self.read_rows() for _ in range(1 if self.meta["base"] is None else 2)] for _ in self.meta["events"]]
        self.changes = {} if self.meta["base"] is None else json.loads(self.part(self.number()))
        self.cells = list(self.read_cells()) if self.meta.get("states") else []
        if self.at != len(data):
            raise ValueError("%d bytes after the data" % (len(data) - self.at))

    def number(self):
        value, self.at = varint(self.data, self.at)
        return value

    def part(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def column(self, nr):
        return [self.number() for _ in range(nr)]

    def read_rows(self):
        """(thread, bin, node, samples, weight, name of the thread, CPU + 1)"""
        nr_groups, nr, rows = self.number(), self.number(), []
        groups = list(zip(*[self.column(nr_groups) for _ in range(5)]))
        deltas, samples, weights = (self.column(nr) for _ in range(3))
        for thread, comm, cpu, of_time, size in groups:
            node = 0
            for at in range(len(rows), len(rows) + size):
                node += deltas[at]
                rows.append((thread, of_time, node, samples[at], weights[at], self.names[comm].decode("utf-8", "replace"), cpu))
        if len(rows) != nr:
            raise ValueError("%d rows in groups, not %d" % (len(rows), nr))
        return rows

    def read_cells(self):
        """What threads did over time: (thread, cell, state, ns)"""
        thread = cell = 0
        for _ in range(self.number()):
            step = self.number()
            thread, cell = thread + step, (0 if step else cell) + self.number()
            yield thread, cell, self.meta["states"]["names"][self.number()], self.number()

    STATE = 8   # kind of a function that is the state of a thread off the CPU

    def waits(self):
        """ns by state, of the intervals that are beside the samples of an event."""
        times = collections.Counter()
        for event, sides in zip(self.meta["events"], self.rows):
            for _thread, _time, node, _samples, weight, _comm, _cpu in sides[0] if event.get("waits") else ():
                if self.kinds[self.labels[node]] == self.STATE:
                    times[self.functions[self.labels[node]][0]] += weight
        return times

    def sums(self, side=0):
        """Of samples, without intervals beside them."""
        events = {}
        for event, sides in zip(self.meta["events"], self.rows):
            events[event["name"]] = sums = Sums()
            for thread, _time, node, samples, weight, _comm, _cpu in sides[side]:
                functions = []
                if event.get("waits") and self.kinds[self.labels[node]] == self.STATE:
                    continue
                while node >= 0:
                    functions.append(self.functions[self.labels[node]])
                    node = self.parents[node]
                who = self.threads[thread]
                sums.add(functions, samples, weight, (who["pid"], who["tid"]))
        return events


def speedscope_profiles(document):
    """{event: [(name, weight, {function: weight by itself})]}"""
    frames = document["shared"]["frames"]
    events = collections.defaultdict(list)
    for profile in document["profiles"]:
        if len(profile["samples"]) != len(profile["weights"]):
            raise ValueError("samples and weights differ in number")
        own = collections.Counter()
        for stack, weight in zip(profile["samples"], profile["weights"]):
            own[frames[stack[-1]]["name"]] += weight
        who, _, event = profile["name"].rpartition(" \u00b7 ")
        if profile["endValue"] != sum(profile["weights"]):
            raise ValueError("endValue is not what the weights add up to")
        if len(events[event]) > 1 and events[event][-1][1] < sum(profile["weights"]):
            raise ValueError("threads are not in the order of their weight")
        events[event].append((who, sum(profile["weights"]), own))
    return events


class Callgrind:
    """A callgrind file, read as callgrind_annotate reads one: a function that is called has in sum what its calls cost."""

    def __init__(self, text):
        lines = iter(text.decode("utf-8").splitlines())
        self.head = collections.defaultdict(list)
        self.numbers = {"ob": {}, "fl": {}, "fn": {}}
        if next(lines) != "# callgrind format":
            raise ValueError("the first line is not that of the format")
        for line in lines:
            key, _, value = line.partition(":")
            self.head[key].append(value.strip())
            if key == "events":
                break
        self.events = self.head["events"][0].split()
        if self.head["version"] != ["1"] or self.head["positions"] != ["instr line"] or len(set(self.events)) != len(self.events):
            raise ValueError("a header of %s" % dict(self.head))
        self.own, self.called = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
        self.calls = collections.Counter()
        self.totals = None
        self.body(lines)

    def name(self, space, text):
        number, name = re.fullmatch(r"\((\d+)\)(?: (.+))?", text).groups()
        if name is None:
            return self.numbers[space][number]
        if number in self.numbers[space]:
            raise ValueError("%s is named twice" % text)
        self.numbers[space][number] = name
        return name

    def body(self, lines):
        at, called, calls = {}, {}, None
        for line in lines:
            key, _, value = line.partition("=")
            if not line:
                continue
            if self.totals is not None:
                raise ValueError("a line after the totals: %s" % line)
            if key in ("ob", "fl", "fn"):
                at[key] = self.name(key, value)
            elif key in ("cob", "cfi", "cfn"):
                space = {"cob": "ob", "cfi": "fl", "cfn": "fn"}[key]
                called[space] = self.name(space, value)
            elif key == "calls":
                calls = int(value.split()[0])
            elif line.startswith("totals: "):
                self.totals = [int(word) for word in line.split()[1:]]
            else:
                address, number, *costs = line.split()
                if int(address, 16) < 0 or int(number) < 0 or len(costs) != len(self.events):
                    raise ValueError("a line of costs: %s" % line)
                sums = self.own[at["fn"], at["ob"]] if calls is None else self.called[called["fn"], called["ob"]]
                for event, cost in zip(self.events, costs):
                    sums[event] += int(cost)
                if calls is not None:
                    self.calls[(at["fn"], at["ob"]), (called["fn"], called["ob"])] += calls
                called, calls = {}, None

    @staticmethod
    def key(function):
        name, file = function
        return name[:-len(" (inlined)")] if name.endswith(" (inlined)") else name, "" if file == "???" else file

    def sums(self):
        """By event. A callgrind file has no samples: they are those of a file with --weight samples."""
        found = {}
        for place, event in enumerate(self.events):
            found[event] = sums = Sums()
            sums.weight = self.totals[place]
            for function, costs in self.own.items():
                sums.self_weight[self.key(function)] += costs[event]
            for function, costs in self.called.items():
                sums.total_weight[self.key(function)] += costs[event]
        return found


class Otlp:
    """A ProfilesData message of OpenTelemetry, checked by the rules of its dictionary: entry 0 is empty, no two entries are equal, each is named."""
    TABLES = {"mappings": (1, {1, 2, 3, 4, 5}), "locations": (2, {1, 2, 3, 4}), "functions": (3, {1, 2, 3, 4}), "links": (4, set()),
              "strings": (5, None), "attributes": (6, {1, 2, 3}), "stacks": (7, {1})}

    def __init__(self, data):
        top = self.known(data, {1, 2})
        if len(top[1]) != 1 or len(top[2]) != 1:
            raise ValueError("not one resource and one dictionary")
        dictionary = self.known(top[2][0], set(range(1, 8)))
        self.tables, self.named = {}, {}
        for name, (number, allowed) in self.TABLES.items():
            entries = dictionary[number]
            if not entries or entries[0] != b"" or len(set(entries)) != len(entries):
                raise ValueError("%s: entry 0 is not empty, or two are equal" % name)
            self.tables[name] = [entry.decode("utf-8") if allowed is None else self.known(entry, allowed) for entry in entries]
            self.named[name] = {0}
        resources = self.known(top[1][0], {1, 2, 3})
        self.resource = self.values(self.known(resources[1][0], {1})[1])
        scope = self.known(resources[2][0], {1, 2, 3})
        about = self.known(scope[1][0], {1, 2, 3})
        self.scope = (about[1][0].decode(), about[2][0].decode())
        self.warnings = [text.decode("utf-8") for part in about[3] for value in message(part)[2] for array in message(value)[5]
                         for entry in message(array)[1] for text in message(entry)[1]]
        self.profiles = [self.known(profile, set(range(1, 12))) for profile in scope[2]]
        self.found = [self.profile(profile) for profile in self.profiles]
        for name, entries in self.tables.items():
            if self.named[name] != set(range(len(entries))):
                raise ValueError("%s: nothing names %s" % (name, sorted(set(range(len(entries))) - self.named[name])[:5]))

    @staticmethod
    def known(data, numbers):
        parts = message(data)
        if set(parts) - numbers:
            raise ValueError("fields %s" % sorted(set(parts) - numbers))
        return parts

    @staticmethod
    def values(parts):
        return {part[1][0].decode(): message(part[2][0])[1][0].decode("utf-8") for part in map(message, parts)}

    def at(self, name, index):
        self.named[name].add(index)
        return self.tables[name][index]

    def attributes(self, parts):
        found = {}
        for index in packed(parts):
            attribute = self.at("attributes", index)
            value = message(one(attribute, 2, b""))
            key = self.at("strings", one(attribute, 1))
            if not key or key in found:
                raise ValueError("attribute %d has no key, or a key twice" % index)
            found[key] = value[1][0].decode("utf-8") if value[1] else one(value, 3)
        return found

    def value_type(self, parts):
        return tuple(self.at("strings", one(self.known(parts[0], {1, 2}), number)) for number in (1, 2)) if parts else None

    def names(self, index):
        """Innermost first."""
        location = self.at("locations", index)
        mapping = self.at("mappings", one(location, 1))
        file = self.at("strings", one(mapping, 4))
        self.attributes(mapping[5])
        self.attributes(location[4])
        place = one(location, 2)
        if one(location, 1) and not one(mapping, 1) <= place < one(mapping, 2):
            raise ValueError("address %#x lies outside of its mapping" % place)
        names = []
        for line in location[3]:
            function = self.at("functions", one(self.known(line, {1, 2, 3}), 1))
            for number in (2, 3):
                self.at("strings", one(function, number))
            names.append((self.at("strings", one(function, 1)), file))
        return names or [("", file)]

    def profile(self, profile):
        """(name, unit, Sums)"""
        name, unit = self.value_type(profile[1])
        self.value_type(profile[5])
        sums = Sums()
        seen = set()
        for sample in (self.known(sample, {1, 2, 4}) for sample in profile[2]):
            stack, attributes, values = one(sample, 1), tuple(packed(sample[2])), packed(sample[4])
            if len(values) != 1 or (stack, attributes) in seen:
                raise ValueError("a sample has %d values, or is there twice" % len(values))
            seen.add((stack, attributes))
            labels = self.attributes(sample[2])
            functions = [name for place in packed(self.at("stacks", stack)[1]) for name in self.names(place)]
            sums.add(functions, 0, values[0], (labels.get("process.pid"), labels.get("thread.id")))
        return name, unit, sums
