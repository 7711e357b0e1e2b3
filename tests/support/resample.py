"""Resampling of a recording: its samples drawn anew with replacement, in their order; everything else stays. For doc/diff.md."""
import struct


class Pool:
    def __init__(self, path):
        b = self.bytes = open(path, "rb").read()
        self.header_size, = struct.unpack_from("<Q", b, 8)
        self.data_offset, self.data_size = struct.unpack_from("<QQ", b, 40)
        self.samples, self.parts = [], []        # parts: ("other", bytes) or sample
        at, end = self.data_offset, self.data_offset + self.data_size
        self.before = []; self.after = []
        while at < end:
            type, misc, size = struct.unpack_from("<IHH", b, at)
            rec = b[at:at + size]
            if type == 9: self.samples.append(rec)
            elif type == 68: pass                # FINISHED_ROUND: one at the end
            elif type in (82,): self.before.append(rec)
            else: (self.before if not self.samples or type in (1, 3, 10) else self.after).append(rec)
            at += size
        self.tail_offset = end
    def draw(self, n, rng, path):
        chosen = sorted(rng.choices(range(len(self.samples)), k=n))
        data = b"".join(self.before) + b"".join(self.samples[i] for i in chosen) + b"".join(self.after) + struct.pack("<IHH", 68, 0, 8)
        b = bytearray(self.bytes[:self.data_offset])
        struct.pack_into("<QQ", b, 40, self.data_offset, len(data))
        tail = bytearray(self.bytes[self.tail_offset:])
        shift = len(data) - self.data_size
        features, = [struct.unpack_from("<4Q", b, 72)]
        nr = sum(bin(w).count("1") for w in features)
        for i in range(nr):
            off, size = struct.unpack_from("<QQ", tail, 16 * i)
            struct.pack_into("<QQ", tail, 16 * i, off + shift, size)
        open(path, "wb").write(bytes(b) + data + bytes(tail))
