"""Writes perf.data recordings: any attrs, records and feature sections, as a file or as a stream, in both byte orders.

    r = Recording(big=False, pipe=False)
    cycles = r.event("cycles", ids=[11], type=0, sample_type=IP | TID | TIME, sample_id_all=1)
    r.comm(100, 100, "prog", time=5)
    r.sample(cycles, ip=0x400010, pid=100, tid=100, time=6)
    r.feature(6, r.string("x86_64"))
    r.save("x.data")

Layouts: perf-data.5. The builder writes what its caller asks for, plausible or not."""
import struct

SAMPLE_BITS = ("IP TID TIME ADDR READ CALLCHAIN ID CPU PERIOD STREAM_ID RAW BRANCH_STACK REGS_USER STACK_USER WEIGHT DATA_SRC IDENTIFIER "
               "TRANSACTION REGS_INTR PHYS_ADDR AUX CGROUP DATA_PAGE_SIZE CODE_PAGE_SIZE WEIGHT_STRUCT").split()
for _bit, _name in enumerate(SAMPLE_BITS):
    globals()[_name] = 1 << _bit
ENABLED, RUNNING, READ_ID, GROUP, LOST = 1, 2, 4, 8, 16

FLAGS = ("disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv exclude_idle mmap comm freq inherit_stat enable_on_exec "
         "task watermark precise_ip _ mmap_data sample_id_all exclude_host exclude_guest exclude_callchain_kernel exclude_callchain_user "
         "mmap2 comm_exec use_clockid context_switch write_backward namespaces ksymbol bpf_event aux_output cgroup text_poke build_id "
         "inherit_thread remove_on_exec sigtrap defer_callchain defer_output").split()
# name, format: the members of an attr in their order, the flags aside
MEMBERS = [("type", "I"), ("size", "I"), ("config", "Q"), ("period", "Q"), ("sample_type", "Q"), ("read_format", "Q"), ("flags", "Q"),
           ("wakeup", "I"), ("bp_type", "I"), ("config1", "Q"), ("config2", "Q"), ("branch_sample_type", "Q"), ("regs_user", "Q"),
           ("stack_user", "I"), ("clockid", "i"), ("regs_intr", "Q"), ("aux_watermark", "I"), ("max_stack", "H"), ("_reserved", "H"),
           ("aux_sample_size", "I"), ("aux_action", "I"), ("sig_data", "Q"), ("config3", "Q"), ("config4", "Q")]

CONTEXT_KERNEL, CONTEXT_USER, CONTEXT_USER_DEFERRED = 2**64 - 128, 2**64 - 512, 2**64 - 640
KERNEL, USER, HYPERVISOR, GUEST_KERNEL, GUEST_USER = 1, 2, 3, 4, 5
ALL_ONES = 2**64 - 1


def bits_of(mask):
    return bin(mask).count("1")


def pad(data, unit=8):
    return data + bytes(-len(data) % unit)


class Event:
    def __init__(self, name, ids, attr):
        self.name, self.ids = name, list(ids)
        self.attr = {name: 0 for name, _ in MEMBERS}
        self.flags = {}
        self.attr["size"] = 144
        for key, value in attr.items():
            if key in FLAGS:
                self.flags[key] = value
            elif key in self.attr:
                self.attr[key] = value
            else:
                raise KeyError(key)

    def has(self, bit):
        return self.attr["sample_type"] & bit


class Recording:
    def __init__(self, big=False, pipe=False):
        self.big, self.pipe = big, pipe
        self.order = ">" if big else "<"
        self.events, self.features, self.data = [], {}, bytearray()

    # --- words ---

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def words(self, values):
        return self.pack(f"{len(values)}Q", *(value % 2**64 for value in values))

    def string(self, text):
        """A string of a feature section."""
        raw = text.encode() if isinstance(text, str) else text
        raw = pad(raw + b"\0", 64)
        return self.pack("I", len(raw)) + raw

    # --- events ---

    def event(self, name=None, ids=(), **attr):
        event = Event(name, ids, attr)
        self.events.append(event)
        if self.pipe:
            self.record(64, self.attr(event) + self.words(event.ids), trailer=b"")
        return event

    def attr(self, event):
        values = dict(event.attr)
        for name, value in event.flags.items():
            bit = FLAGS.index(name)
            width = 2 if name == "precise_ip" else 1
            values["flags"] |= value << (64 - bit - width if self.big else bit)
        raw = b"".join(self.pack(layout, values[name]) for name, layout in MEMBERS)
        return pad(raw[:values["size"] or 64].ljust(values["size"] or 64, b"\0"))

    # --- records ---

    def raw(self, data):
        self.data += data

    def record(self, type, body=b"", misc=0, event=None, trailer=None, **ids):
        """trailer: the sample_id bytes; else made of `ids` for records of the kernel whose event asks for one."""
        if trailer is None:
            trailer = self.trailer(event or (self.events[0] if self.events else None), ids) if type < 64 else b""
        self.data += self.pack("IHH", type, misc, 8 + len(body) + len(trailer)) + body + trailer

    def trailer(self, event, ids):
        if not event or not event.flags.get("sample_id_all"):
            return b""
        ids = {"pid": 0, "tid": 0, "time": 0, "id": 0, "stream_id": 0, "cpu": 0, **ids}
        out = b""
        if event.has(TID):
            out += self.pack("II", ids["pid"] % 2**32, ids["tid"] % 2**32)
        if event.has(TIME):
            out += self.pack("Q", ids["time"])
        if event.has(ID):
            out += self.pack("Q", ids["id"])
        if event.has(STREAM_ID):
            out += self.pack("Q", ids["stream_id"])
        if event.has(CPU):
            out += self.pack("II", ids["cpu"], 0)
        if event.has(IDENTIFIER):
            out += self.pack("Q", ids["id"])
        return out

    def text(self, value):
        return pad((value.encode() if isinstance(value, str) else value) + b"\0")

    def comm(self, pid, tid, comm, /, misc=0, **ids):
        self.record(3, self.pack("II", pid, tid) + self.text(comm), misc, **{"pid": pid, "tid": tid, **ids})

    def mmap(self, pid, tid, start, size, pgoff, name, /, misc=USER, **ids):
        self.record(1, self.pack("IIQQQ", pid % 2**32, tid % 2**32, start, size, pgoff) + self.text(name), misc, **ids)

    def mmap2(self, pid, tid, start, size, pgoff, name, /, misc=USER, device=(8, 1), inode=1234, generation=0, build_id=None, prot=5,
              flags=2, **ids):
        if build_id is None:
            who = self.pack("IIQQ", *device, inode, generation)
        else:
            who, misc = bytes([len(build_id), 0, 0, 0]) + build_id.ljust(20, b"\0"), misc | 1 << 14
        self.record(10, self.pack("IIQQQ", pid % 2**32, tid % 2**32, start, size, pgoff) + who + self.pack("II", prot, flags) +
                    self.text(name), misc, **ids)

    def task(self, type, pid, ppid, tid, ptid, time, /, misc=0, **ids):
        self.record(type, self.pack("IIIIQ", pid, ppid, tid, ptid, time), misc, **{"pid": pid, "tid": tid, "time": time, **ids})

    def read_values(self, read_format, values, enabled=0, running=0):
        """values: (value, id, lost) each."""
        times = [time for bit, time in ((ENABLED, enabled), (RUNNING, running)) if read_format & bit]
        tails = [[value] for value, _, _ in values]
        for tail, (_, id, lost) in zip(tails, values):
            tail += [word for bit, word in ((READ_ID, id), (LOST, lost)) if read_format & bit]
        if read_format & GROUP:
            return self.words([len(values), *times, *sum(tails, [])])
        return self.words([tails[0][0], *times, *tails[0][1:]])

    def registers(self, mask, abi, values):
        return self.words([abi]) + (self.words(values[:bits_of(mask)]) if abi else b"")

    def sample(self, event, misc=USER, **s):
        self.record(9, self.sample_body(event, s), misc, trailer=b"")

    def sample_body(self, event, s):
        attr, has = event.attr, event.has
        id = s.get("id", event.ids[0] if event.ids else 0)
        parts = []

        def word(bit, key, default=0):
            if has(bit):
                parts.append(self.words([s.get(key, default)]))

        word(IDENTIFIER, "", id)
        word(IP, "ip")
        if has(TID):
            parts.append(self.pack("II", s.get("pid", 0) % 2**32, s.get("tid", 0) % 2**32))
        word(TIME, "time")
        word(ADDR, "addr")
        word(ID, "", id)
        word(STREAM_ID, "stream_id")
        if has(CPU):
            parts.append(self.pack("II", s.get("cpu", 0), 0))
        word(PERIOD, "period")
        if has(READ):
            parts.append(self.read_values(attr["read_format"], s["read"], s.get("enabled", 0), s.get("running", 0)))
        if has(CALLCHAIN):
            chain = s.get("callchain", [])
            parts.append(self.words([len(chain), *chain]))
        if has(RAW):
            raw = s.get("raw", bytes(4))
            raw += bytes(-(len(raw) + 4) % 8)
            parts.append(self.pack("I", len(raw)) + raw)
        if has(BRANCH_STACK):
            entries = s.get("branches", [])
            parts.append(self.words([len(entries)]))
            if attr["branch_sample_type"] & 1 << 17:
                parts.append(self.words([s.get("hw_idx", ALL_ONES)]))
            parts += [self.words(entry) for entry in entries]
            if "counters" in s:
                parts.append(self.words(s["counters"]))
        if has(REGS_USER):
            parts.append(self.registers(attr["regs_user"], s.get("user_abi", 2), s.get("user_regs", list(range(1, 65)))))
        if has(STACK_USER):
            stack = s.get("stack", b"")
            parts.append(self.words([len(stack)]) + (stack + self.words([s.get("dyn_size", len(stack))]) if stack else b""))
        if has(WEIGHT_STRUCT):
            var1, var2, var3 = s.get("weights", (0, 0, 0))
            parts.append(self.words([var1 | var2 << 32 | var3 << 48]))
        elif has(WEIGHT):
            parts.append(self.words([s.get("weight", 0)]))
        word(DATA_SRC, "data_src")
        word(TRANSACTION, "transaction")
        if has(REGS_INTR):
            parts.append(self.registers(attr["regs_intr"], s.get("intr_abi", 2), s.get("intr_regs", list(range(65, 129)))))
        word(PHYS_ADDR, "phys_addr")
        word(CGROUP, "cgroup")
        word(DATA_PAGE_SIZE, "data_page_size")
        word(CODE_PAGE_SIZE, "code_page_size")
        if has(AUX):
            aux = s.get("aux", b"")
            parts.append(self.words([len(aux)]) + aux)
        return b"".join(parts)

    # --- features, the whole ---

    def feature(self, id, payload):
        if self.pipe:
            self.data += self.pack("IHHQ", 80, 0, 16 + len(payload), id) + payload
        else:
            self.features[id] = payload

    def event_desc(self):
        out = self.pack("II", len(self.events), self.events[0].attr["size"])
        for event in self.events:
            out += self.attr(event) + self.pack("I", len(event.ids)) + self.string(event.name or "") + self.words(event.ids)
        return out

    def file(self):
        magic = int.from_bytes(b"PERFILE2", "little")
        if self.pipe:
            return self.pack("QQ", magic, 16) + bytes(self.data)
        out, places = b"", []
        for event in self.events:
            places.append((104 + len(out), 8 * len(event.ids)))
            out += self.words(event.ids)
        attrs = 104 + len(out)
        for event, place in zip(self.events, places):
            out += self.attr(event) + self.pack("QQ", *place)
        data = 104 + len(out)
        attr_size = (self.events[0].attr["size"] or 64) + 16 if self.events else 160
        bitmap = sum(1 << id for id in self.features)
        head = self.pack("QQQQQQQQQ", magic, 104, attr_size, attrs, data - attrs, data, len(self.data), 0, 0) + \
            self.words([bitmap >> 64 * i & ALL_ONES for i in range(4)])
        at = data + len(self.data) + 16 * len(self.features)
        table = blobs = b""
        for id in sorted(self.features):
            table += self.pack("QQ", at + len(blobs), len(self.features[id]))
            blobs += self.features[id]
        return head + out + bytes(self.data) + table + blobs

    def save(self, path):
        with open(path, "wb") as out:
            out.write(self.file())
