# SPDX-License-Identifier: CC0-1.0
"""The layouts of perf.data that the cases use, stated once: each encoder gives the bytes and what a reader has to say of them. Nothing here reads
a recording, and nothing is shared with a reader."""
import struct

SAMPLE_BITS = ("IP TID TIME ADDR READ CALLCHAIN ID CPU PERIOD STREAM_ID RAW BRANCH_STACK REGS_USER STACK_USER WEIGHT DATA_SRC IDENTIFIER "
               "TRANSACTION REGS_INTR PHYS_ADDR AUX CGROUP DATA_PAGE_SIZE CODE_PAGE_SIZE WEIGHT_STRUCT").split()
BIT = {name: 1 << number for number, name in enumerate(SAMPLE_BITS)}
READ = {name: 1 << number for number, name in enumerate("time_enabled time_running id group lost".split())}
# bits of the word of flags, lowest first; `precise_ip` has two
FLAGS = ("disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv exclude_idle mmap comm freq inherit_stat enable_on_exec task "
         "watermark precise_ip precise_ip_high mmap_data sample_id_all exclude_host exclude_guest exclude_callchain_kernel exclude_callchain_user mmap2 "
         "comm_exec use_clockid context_switch write_backward namespaces ksymbol bpf_event aux_output cgroup text_poke build_id inherit_thread "
         "remove_on_exec sigtrap defer_callchain defer_output").split()
ATTR = ("I type", "I size", "Q config", "Q sample_period", "Q sample_type", "Q read_format", "Q flags", "I wakeup_events", "I bp_type", "Q config1",
        "Q config2", "Q branch_sample_type", "Q sample_regs_user", "I sample_stack_user", "i clockid", "Q sample_regs_intr", "I aux_watermark",
        "H sample_max_stack", "H reserved", "I aux_sample_size", "I aux_action", "Q sig_data", "Q config3", "Q config4")

# kernel records: number, and their fields. s and u: signed and unsigned words of 32 or 64 bits; x: an address; text: to the first NUL, padded to 8
KERNEL = {
    "mmap": (1, "s32 pid, s32 tid, x64 addr, u64 len, x64 pgoff, text filename"),
    "lost": (2, "u64 id, u64 lost"),
    "comm": (3, "s32 pid, s32 tid, text comm"),
    "exit": (4, "s32 pid, s32 ppid, s32 tid, s32 ptid, u64 time"),
    "throttle": (5, "u64 time, u64 id, u64 stream_id"),
    "unthrottle": (6, "u64 time, u64 id, u64 stream_id"),
    "fork": (7, "s32 pid, s32 ppid, s32 tid, s32 ptid, u64 time"),
    "mmap2": (10, "s32 pid, s32 tid, x64 addr, u64 len, x64 pgoff, u32 maj, u32 min, u64 ino, u64 ino_generation, u32 prot, u32 flags, text filename"),
    "aux": (11, "x64 aux_offset, u64 aux_size, u64 flags"),
    "itrace_start": (12, "s32 pid, s32 tid"),
    "lost_samples": (13, "u64 lost"),
    "switch": (14, ""),
    "switch_cpu_wide": (15, "s32 next_prev_pid, s32 next_prev_tid"),
    "ksymbol": (17, "x64 addr, u32 len, u16 ksym_type, u16 flags, text name"),
    "bpf_event": (18, "u16 bpf_type, u16 flags, u32 prog_id, tag8 prog_tag"),
    "cgroup": (19, "u64 cgroup, text path"),
    "aux_output_hw_id": (21, "x64 hw_id"),
}
# of those, what a reader gives by number because the number has names
RAW = {("mmap2", "prot"), ("mmap2", "flags"), ("aux", "flags"), ("ksymbol", "ksym_type"), ("ksymbol", "flags"), ("bpf_event", "bpf_type"),
       ("bpf_event", "flags")}
USER = {
    "finished_round": (68, ""),
    "finished_init": (82, ""),
    "stat": (76, "u64 id, u32 cpu, u32 thread, u64 val, u64 ena, u64 run"),
    "stat_round": (77, "u64 round_type, u64 time"),
    "time_conv": (79, "u64 time_shift, u64 time_mult, u64 time_zero"),
}
USER_RAW = {("stat_round", "round_type")}
FEATURE = {name: number for number, name in enumerate(
    "tracing_data build_id hostname osrelease version arch nrcpus cpudesc cpuid total_mem cmdline event_desc cpu_topology numa_topology branch_stack "
    "pmu_mappings group_desc auxtrace stat cache sample_time mem_topology clockid dir_format bpf_prog_info bpf_btf compressed cpu_pmu_caps "
    "clock_data hybrid_topology pmu_caps".split(), 1)}


def pad(data, unit=8):
    return data + bytes(-len(data) % unit)


def hexadecimal(value):
    return "0x%x" % (value % 2**64)


class Recording:
    """Bytes of a recording, and the lines that a reader has to give for it."""

    def __init__(self, big=False, pipe=False):
        self.order, self.big, self.pipe = ">" if big else "<", big, pipe
        self.events, self.features, self.data, self.lines = [], {}, bytearray(), []
        self.meta = {}

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def words(self, *values):
        return self.pack("%dQ" % len(values), *(value % 2**64 for value in values))

    # --- events ---

    def event(self, name, ids=(), size=112, flags=(), rest=b"", **attr):
        """size: that of kernel 4.7, which all readers know. rest: bytes of an attr that is larger than any known one."""
        event = {"name": name, "ids": list(ids), "attr": {"size": size, **attr}, "flags": set(flags), "rest": rest,
                 "type": attr.get("sample_type", 0), "all": "sample_id_all" in flags}
        self.events.append(event)
        if self.pipe:
            said = {"size": size, "sample_type_raw": event["type"], "sample_period": attr.get("sample_period", 0)}
            self.record(64, self.attr(event) + self.words(*event["ids"]), 0, ("attr", {"attr": said, "ids": event["ids"]}))
        return event

    def attr(self, event):
        word = 0
        for flag in event["flags"]:
            number = FLAGS.index(flag)
            word |= 1 << (63 - number if self.big else number)
        raw = b""
        for member in ATTR:
            layout, name = member.split()
            raw += self.pack(layout, word if name == "flags" else event["attr"].get(name, 0))
        size = event["attr"]["size"]
        return (raw + event["rest"])[:size or 64].ljust(size or 64, b"\0")

    # --- records ---

    def here(self):
        """The offset of the next record in the file."""
        if self.pipe:
            return 16 + len(self.data)
        return self.head_size() + len(self.data)

    def head_size(self):
        return 104 + sum(8 * len(event["ids"]) + self.attr_size() for event in self.events)

    def attr_size(self):
        return (self.events[0]["attr"]["size"] or 64) + 16 if self.events else 160

    def record(self, number, body, misc=0, line=None, size=None):
        """line: (type, fields) that a reader gives; None: nothing is said of the record. size: what the header states, where that is not true."""
        if line:
            self.lines.append({"type": line[0], "offset": self.here(), "size": 8 + len(body), "misc_raw": misc, **line[1]})
        self.data += self.pack("IHH", number, misc, 8 + len(body) if size is None else size) + body

    def fields(self, name, rows, raw_names, values):
        body, said = b"", {}
        for row in filter(None, rows.split(", ")):
            kind, key = row.split()
            value = values[key]
            shown = key + "_raw" if (name, key) in raw_names else key
            if kind == "text":
                body += pad(value.encode() + b"\0")
                said[shown] = value
            elif kind == "tag8":
                body += value
                said[shown] = value.hex()
            else:
                layout = {"16": "H", "32": "I", "64": "Q"}[kind[1:]]
                body += self.pack(layout, value % 2**int(kind[1:]))
                said[shown] = hexadecimal(value) if kind[0] == "x" else value
        return body, said

    def sample_id(self, event, ids):
        """The words after a record of the kernel, where the event asks for them."""
        if not event or not event["all"]:
            return b"", {}
        ids = {"pid": 0, "tid": 0, "time": 0, "id": event["ids"][0] if event["ids"] else 0, "stream_id": 0, "cpu": 0, **ids}
        body, said = b"", {}
        for bit, layout, keys in (("TID", "II", ("pid", "tid")), ("TIME", "Q", ("time",)), ("ID", "Q", ("id",)), ("STREAM_ID", "Q", ("stream_id",)),
                                  ("CPU", "II", ("cpu",)), ("IDENTIFIER", "Q", ("identifier",))):
            if not event["type"] & BIT[bit]:
                continue
            values = [ids["id" if key == "identifier" else key] for key in keys]
            body += self.pack(layout, *(value % 2**32 if layout == "II" else value for value in values + [0] * (layout == "II" and len(keys) == 1)))
            said.update(zip(keys, values))
        return body, {"sample_id": said} if said else {}

    def kernel(self, name, /, misc=0, event=None, ids=(), more=b"", **values):
        """A record of the kernel. more: bytes between its fields and the sample_id."""
        number, rows = KERNEL[name]
        body, said = self.fields(name, rows, RAW, values)
        trailer, ids_said = self.sample_id(event or (self.events[0] if self.events else None), dict(ids))
        self.record(number, body + more + trailer, misc, (name, {**said, **ids_said}))

    def other(self, number, name, body, said, misc=0, ids=(), event=None):
        """A record of the kernel whose fields the caller encodes."""
        trailer, ids_said = self.sample_id(event or (self.events[0] if self.events else None), dict(ids))
        self.record(number, body + trailer, misc, (name, {**said, **ids_said}))

    def user(self, name, /, **values):
        """A record that perf made."""
        number, rows = USER[name]
        body, said = self.fields(name, rows, USER_RAW, values)
        self.record(number, body, 0, (name, said))

    # --- samples ---

    def sample(self, event, misc=2, **values):
        """values: by key, as a reader gives them; see encode_part."""
        body, said = b"", {"event": event["name"]}
        for bit in ("IDENTIFIER IP TID TIME ADDR ID STREAM_ID CPU PERIOD READ CALLCHAIN RAW BRANCH_STACK REGS_USER STACK_USER WEIGHT WEIGHT_STRUCT "
                    "DATA_SRC TRANSACTION REGS_INTR PHYS_ADDR CGROUP DATA_PAGE_SIZE CODE_PAGE_SIZE AUX").split():
            if event["type"] & BIT[bit]:
                part, part_said = self.encode_part(bit, event, values)
                body += part
                said.update(part_said)
        self.record(9, body, misc, ("sample", said))

    def encode_part(self, bit, event, values):
        words = {"IP": ("ip", hexadecimal), "TIME": ("time", int), "ADDR": ("addr", hexadecimal), "STREAM_ID": ("stream_id", int), "PERIOD": ("period", int),
                 "PHYS_ADDR": ("phys_addr", hexadecimal), "CGROUP": ("cgroup", int), "DATA_PAGE_SIZE": ("data_page_size", int),
                 "CODE_PAGE_SIZE": ("code_page_size", int), "WEIGHT": ("weight", int)}
        if bit in words:
            key, shown = words[bit]
            value = values.get(key, 0)
            return self.words(value), {key: shown(value)}
        if bit in ("ID", "IDENTIFIER"):
            id = values.get("id", event["ids"][0] if event["ids"] else 0)
            return self.words(id), {"id" if bit == "ID" else "identifier": id}
        if bit == "TID":
            pid, tid = values.get("pid", 0), values.get("tid", 0)
            return self.pack("ii", pid, tid), {"pid": pid, "tid": tid}
        if bit == "CPU":
            return self.pack("II", values.get("cpu", 0), 0), {"cpu": values.get("cpu", 0)}
        return getattr(self, "part_" + bit.lower())(event, values)

    def part_read(self, event, values):
        read_format = event["attr"].get("read_format", 0)
        read = values["read"]
        times = {key: read[key] for key in ("time_enabled", "time_running") if read_format & READ[key]}
        said, rows = [], []
        for value in read["values"]:
            row = [value["value"]] + [value[key] for key in ("id", "lost") if read_format & READ[key]]
            rows.append(row)
            said.append({key: value[key] for key in ("value", "id", "lost") if key == "value" or read_format & READ[key]})
        if read_format & READ["group"]:
            words = [len(rows), *times.values(), *sum(rows, [])]
        else:
            words = [rows[0][0], *times.values(), *rows[0][1:]]
        return self.words(*words), {"read": {**times, "values": said}}

    def part_callchain(self, _event, values):
        chain = values.get("callchain", [])
        markers = {2**64 - 32: "PERF_CONTEXT_HV", 2**64 - 128: "PERF_CONTEXT_KERNEL", 2**64 - 512: "PERF_CONTEXT_USER", 2**64 - 2048: "PERF_CONTEXT_GUEST",
                   2**64 - 2176: "PERF_CONTEXT_GUEST_KERNEL", 2**64 - 2560: "PERF_CONTEXT_GUEST_USER"}
        return self.words(len(chain), *chain), {"callchain": [markers.get(word, hexadecimal(word)) for word in chain]}

    def part_raw(self, _event, values):
        raw = values.get("raw", bytes(range(20)))
        raw += bytes(-(len(raw) + 4) % 8)
        return self.pack("I", len(raw)) + raw, {"raw": raw.hex()}

    def part_branch_stack(self, event, values):
        entries = values.get("branches", [])
        index = event["attr"].get("branch_sample_type", 0) & 1 << 17
        words = [len(entries)] + ([values["hw_idx"]] if index else [])
        said = {"hw_idx": values["hw_idx"]} if index else {}
        said["entries"] = [{"from": hexadecimal(source), "to": hexadecimal(target), "branch_flags": {"raw": hexadecimal(flags)}}
                           for source, target, flags in entries]
        for source, target, flags in entries:
            if self.big:   # bit fields begin at the highest bit
                out = at = 0
                for width in (1, 1, 1, 1, 16, 4, 2, 4, 3, 31):
                    out |= (flags >> at & (1 << width) - 1) << (64 - at - width)
                    at += width
                flags = out
            words += [source, target, flags]
        return self.words(*words), {"branch_stack": said}

    def registers(self, mask, abi, values):
        values = values[:bin(mask).count("1")] if abi else []
        said = {"abi_raw": abi, "mask": hexadecimal(mask)} if abi else {"abi_raw": 0}
        if abi:
            said["regs"] = [hexadecimal(value) for value in values]
        return self.words(abi, *values), said

    def part_regs_user(self, event, values):
        body, said = self.registers(event["attr"]["sample_regs_user"], values.get("user_abi", 2), list(range(1, 65)))
        return body, {"user_regs": said}

    def part_regs_intr(self, event, values):
        body, said = self.registers(event["attr"]["sample_regs_intr"], values.get("intr_abi", 2), list(range(65, 129)))
        return body, {"intr_regs": said}

    def part_stack_user(self, _event, values):
        stack = values.get("stack", b"")
        used = values.get("dyn_size", len(stack))
        body = self.words(len(stack)) + (stack + self.words(used) if stack else b"")
        return body, {"user_stack": {"stack_size": len(stack), **({"data": stack.hex(), "dyn_size": used} if stack else {})}}

    def part_weight_struct(self, _event, values):
        one, two, three = values.get("weights", (0, 0, 0))
        return self.pack("HHI", three, two, one) if self.big else self.pack("IHH", one, two, three), \
            {"weight_struct": {"var1": one, "var2": two, "var3": three}}

    def part_data_src(self, _event, values):
        return self.words(values.get("data_src", 0)), {"data_src": {"raw": hexadecimal(values.get("data_src", 0))}}

    def part_transaction(self, _event, values):
        return self.words(values.get("transaction", 0)), {"transaction": {"raw": hexadecimal(values.get("transaction", 0))}}

    def part_aux(self, _event, values):
        aux = values.get("aux", b"")
        return self.words(len(aux)) + aux, {"aux": aux.hex()}

    # --- feature sections ---

    def string(self, text):
        raw = pad(text.encode() + b"\0", 64)
        return self.pack("I", len(raw)) + raw

    def feature(self, name, payload, said=None):
        """said: what a reader gives; None: nothing."""
        number = FEATURE[name] if isinstance(name, str) else name
        if self.pipe:
            self.record(80, self.words(number) + payload, 0, ("feature", {"feat_id": number}))
        else:
            self.features[number] = payload
        if said is not None:
            self.meta[name] = said

    def event_desc(self):
        out = self.pack("II", len(self.events), self.events[0]["attr"]["size"])
        for event in self.events:
            out += self.attr(event) + self.pack("I", len(event["ids"])) + self.string(event["name"]) + self.words(*event["ids"])
        self.feature("event_desc", out)

    # --- the whole ---

    def bytes(self, magic=b"PERFILE2", data_size=None, header_size=104, sections=True):
        number = int.from_bytes(magic, "little")
        if self.pipe:
            return self.pack("QQ", number, 16) + bytes(self.data)
        # perf always writes these sections. By the first one a reader knows how large the words of a foreign recording's bitmap are
        if sections:
            self.features.setdefault(FEATURE["nrcpus"], self.pack("II", 4, 4))
            self.features.setdefault(FEATURE["hostname"], self.string("demo"))
        ids, places = b"", []
        for event in self.events:
            places.append((104 + len(ids), 8 * len(event["ids"])))
            ids += self.words(*event["ids"])
        attrs = 104 + len(ids)
        entries = b"".join(self.attr(event) + self.pack("QQ", *place) for event, place in zip(self.events, places))
        start = attrs + len(entries)
        head = self.words(number, header_size, self.attr_size(), attrs, len(entries), start, len(self.data) if data_size is None else data_size, 0, 0)
        bits = sum(1 << number for number in self.features)
        head += self.words(*(bits >> 64 * i & 2**64 - 1 for i in range(4)))
        at = start + len(self.data) + 16 * len(self.features)
        table = blobs = b""
        for number in sorted(self.features):
            table += self.words(at + len(blobs), len(self.features[number]))
            blobs += self.features[number]
        return head + ids + entries + bytes(self.data) + table + blobs

    def expected(self):
        meta = {"type": "meta", "container": "pipe" if self.pipe else "file", "byte_order": "big" if self.big else "little"}
        if self.meta:
            meta["features"] = self.meta
        return [meta] + self.lines
