# SPDX-License-Identifier: MIT
"""What hostile recordings are made of: functions of n. hostility_table.py measures them."""
import gzip
import random
import struct
import subprocess


def record(kind, misc, body):
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(word):
    word = word.encode() + b"\0"
    return word + bytes(-len(word) % 8)


# ip, tid, time, id, period, callchain
ATTR = struct.pack("<IIQQQQQ", 0, 128, 0, 4000, 1 | 2 | 4 | 64 | 256 | 32, 0, 1 << 8 | 1 << 9 | 1 << 13 | 1 << 23).ljust(128, b"\0")
ROUND = record(68, 0, b"")


def head(ids=(1,)):
    return b"PERFILE2" + struct.pack("<Q", 16) + record(64, 0, ATTR + struct.pack("<%dQ" % len(ids), *ids))


def sample(time, tid=7, ip=0x401000, chain=(), event=1):
    return record(9, 2, struct.pack("<QIIQQQQ%dQ" % len(chain), ip, tid, tid, time, event, 1, len(chain), *chain))


def mmap2(pid, start, size, name="/bin/work", inode=1, pgoff=0):
    return record(10, 2, struct.pack("<IIQQQIIQQII", pid, pid, start, size, pgoff, 8, 1, inode, 1, 5, 2) + text(name))


def comm(tid, name, pid=None):
    return record(3, 0, struct.pack("<II", tid if pid is None else pid, tid) + text(name))


def fork(tid, parent):
    return record(7, 0, struct.pack("<IIIIQ", tid, parent, tid, parent, 1))


def join(parts):
    return head() + b"".join(parts)


# --- what is hostile: functions of n ---

def overlapping_maps(n):
    """Each map lies inside the one before; a sample in each."""
    return join(mmap2(7, 0x10000 + 0x1000 * k, 0x1000 * (2 * n - 2 * k) + 0x1000) + sample(k, ip=0x10000 + 0x1000 * (n // 2)) for k in range(n))


def growing_maps(n):
    """Each map covers all before."""
    return join(mmap2(7, 0x1000 * (n - k), 0x2000 * (k + 1)) + sample(k, ip=0x1000 * n) for k in range(n))


def random_maps(n):
    rng = random.Random(1)
    return join(mmap2(7, rng.randrange(1 << 30) * 0x1000, rng.randrange(1, 1 << 29) * 0x1000) + sample(k, ip=rng.randrange(1 << 42)) for k in range(n))


def threads(n):
    """A chain of processes, each the child of the one before, with all its maps."""
    return join([mmap2(1, 0x1000 * k, 0x1000) for k in range(100)] +
                [fork(k + 2, k + 1) + (sample(k, tid=k + 2, ip=0x1800) if k % 16 == 0 else b"") for k in range(n)])


def forks_and_maps(n):
    """Each child has a map more than its parent."""
    return join(fork(k + 2, k + 1) + mmap2(k + 2, 0x100000 + 0x2000 * k, 0x1000) + sample(k, tid=k + 2, ip=0x100800) for k in range(n))


def exits(n):
    return join(fork(k + 2, 1) + sample(k, tid=k + 2) + record(4, 0, struct.pack("<IIIIQ", k + 2, 1, k + 2, 1, k)) for k in range(n))


def comms(n):
    return join(comm(7, "name-%d" % k) + sample(k) for k in range(n))


def comms_of_threads(n):
    return join(comm(k + 2, "name-%d" % k, 2) + sample(k, tid=k + 2) for k in range(n))


def files(n):
    """As many files as maps, of names that differ at their end."""
    return join(mmap2(7, 0x10000 + 0x1000 * k, 0x1000, "/usr/lib/" + "x" * 60 + str(k)) + sample(k, ip=0x10800 + 0x1000 * k) for k in range(n))


def inodes(n):
    """One name, as many files."""
    return join(mmap2(7, 0x10000 + 0x1000 * k, 0x1000, inode=k) + sample(k, ip=0x10800 + 0x1000 * k) for k in range(n))


def build_ids(n):
    return join(mmap2(7, 0x10000 + 0x1000 * k, 0x1000, "/lib/%d" % (k % 500)) + sample(k, ip=0x10800 + 0x1000 * k) +
                record(67, 2, struct.pack("<i", -1) + struct.pack("<Q", k) + bytes(16) + text("/lib/%d" % (k % 500))) for k in range(n))


def ksymbols(n):
    return join(record(17, 0, struct.pack("<QIHH", 0xffffffffc0000000 + 64 * (k % 1000), 4096, 1, k % 2) + text("bpf_prog_%d" % k)) +
                sample(k, ip=0xffffffffc0000100) for k in range(n))


def cgroups(n):
    return join(record(19, 0, struct.pack("<Q", k) + text("/group/%d" % k)) + sample(k) for k in range(n))


def stacks(n):
    """No two chains are the same."""
    return head() + mmap2(7, 0x1000, 1 << 40) + b"".join(sample(k, chain=[(1 << 64) - 512] + [0x2000 + 8 * (k * 31 + d * d * 7) for d in range(30)])
                                                         for k in range(n))


def long_names(n):
    """A file and a thread with names of 60000 bytes, in every step of every chain."""
    return head() + comm(7, "c" * 60000) + mmap2(7, 0x1000, 1 << 40, "/" + "x" * 60000) + b"".join(
        sample(k, chain=[(1 << 64) - 512] + [0x2000 + 8 * d for d in range(126)]) for k in range(n // 20))


def chains_and_maps(n):
    """A chain through maps that change in front of each sample."""
    chain = [(1 << 64) - 512] + [0x10000 + 0x1000 * d for d in range(30)]
    return join(mmap2(7, 0x10000 + 0x1000 * (k % 30), 0x1000) + sample(k, chain=chain) for k in range(n))


def unknown_ids(n):
    return head((1, 2)) + record(64, 0, ATTR + struct.pack("<Q", 3)) + b"".join(sample(k, event=100 + k) for k in range(n))


def many_ids(n):
    return b"PERFILE2" + struct.pack("<Q", 16) + b"".join(record(64, 0, ATTR + struct.pack("<50Q", *range(50 * k, 50 * k + 50))) + sample(k, event=50 * k)
                                                          for k in range(n // 10))


def renamed_events(n):
    ids = list(range(1, 8000))
    return head(ids) + b"".join(record(78, 0, struct.pack("<QQ", 2, 1 + k % 7000) + text("event-%d" % k)) + sample(k) for k in range(n))


def id_index(n):
    return join(record(69, 0, struct.pack("<Q", 100) + b"".join(struct.pack("<QQQQ", 100 * k + i, i, i, 7) for i in range(100))) + sample(k)
                for k in range(n // 10))


def features(n):
    """The same section again and again."""
    body = struct.pack("<Q", 3) + struct.pack("<I", 60000) + b"x" * 60000
    return join(record(80, 0, body) + sample(k) for k in range(n // 20))


def backwards(n):
    """Each time is before the one before."""
    return join(sample(n - k) for k in range(n))


def late(n):
    """Every round is before the one before."""
    return join(sample(n - k) + ROUND + ROUND for k in range(n))


def cut_headers(n):
    """Three plausible headers, then one that is none, everywhere."""
    good = struct.pack("<IHH", 68, 0, 8)
    return join(good * 3 + struct.pack("<IHH", 9, 0, 3) for _k in range(4 * n))


def noise(n):
    return head() + sample(1) + b"\1" + random.Random(3).randbytes(100 * n) + sample(2) * 5


def false_sizes(n):
    """Samples whose headers say that they are 64 KiB long."""
    return join(struct.pack("<IHH", 9, 2, 0xfff8) + struct.pack("<IHH", 9, 2, 16) for _k in range(4 * n))


def unpacked_zeros(n):
    return gzip.compress(head() + bytes(8000 * n), 6, mtime=0)


def unpacked_rounds(n):
    return gzip.compress(head() + ROUND * (200 * n), 6, mtime=0)


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c", "-19"], input=data, stdout=subprocess.PIPE, check=True).stdout


def compressed_rounds(n):
    """COMPRESSED records, each a frame of 4 MiB."""
    frame = zstd(ROUND * (1 << 19))
    return join(record(83, 0, struct.pack("<Q", len(frame)) + frame) for _k in range(max(1, n // 2000)))


def stat_rounds(n):
    """Tables of 4 million counters, and nothing but rounds."""
    return join([record(74, 0, struct.pack("<HH255H", 0, 255, *range(255))),
                 record(73, 0, struct.pack("<Q", 2000) + b"".join(struct.pack("<Q16s", k, b"x") for k in range(2000))),
                 record(76, 0, struct.pack("<QIIQQQ", 1, 0, 0, 1, 1, 1))] + [record(77, 0, struct.pack("<QQ", 1, k)) for k in range(n // 5000)])


def deferred(n):
    """Chains that wait for the rest, which never comes."""
    return join(sample(k, tid=k, chain=[(1 << 64) - 512 - 128, k]) for k in range(n))


def namespaces(n):
    return join(record(16, 0, struct.pack("<IIQ", 7, 7, 7) + b"".join(struct.pack("<QQ", 1, i) for i in range(7))) + sample(k) for k in range(n))


def text_pokes(n):
    return join(record(20, 0, struct.pack("<QHH", 0xffffffff81000000, 5, 5) + b"0123456789") + sample(k) for k in range(n))


def counts(n):
    """Sections whose counts all say 2^32 - 1, of each kind."""
    return join(b"".join(record(80, 0, struct.pack("<Q", number) + b"\xff" * 64) for number in range(2, 33)) + sample(k) for k in range(n // 20))


# --- formats of tracepoints ---

def tracing_data(formats):
    """What perf records of them, with nothing but events of one system."""
    out = b"\x17\x08\x44tracing" + b"0.6\0" + b"\0\x08" + struct.pack("<I", 4096)
    out += b"header_page\0" + struct.pack("<Q", 0) + b"header_event\0" + struct.pack("<Q", 0)
    out += struct.pack("<I", 0) + struct.pack("<I", 1) + b"sys\0" + struct.pack("<I", len(formats))
    for body in formats:
        out += struct.pack("<Q", len(body)) + body
    return out + struct.pack("<II", 0, 0) + struct.pack("<Q", 0)


def with_format(text, raw, number, nr_samples):
    """Samples of a tracepoint with this format."""
    attr = struct.pack("<IIQQQQQ", 2, 128, number, 1, 1 | 2 | 4 | 64 | 1024, 0, 0).ljust(128, b"\0")
    data = tracing_data([text])
    body = struct.pack("<I", len(data))
    samples = b"".join(record(9, 2, struct.pack("<QIIQQI", 1, 7, 7, k, 1, len(raw)) + raw + bytes(4)) for k in range(nr_samples))
    return b"PERFILE2" + struct.pack("<Q", 16) + record(64, 0, attr + struct.pack("<Q", 1)) + record(66, 0, body) + data + bytes(-len(data) % 8) + samples


def tracepoint(print_format, fields=b""):
    text = b"name: event\nID: 5\nformat:\n\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n" + fields + b"\nprint fmt: " + print_format + b"\n"
    return with_format(text, bytes(8) + struct.pack("<iI", 3, 0), 5, 200)


def nested_formats(n):
    return tracepoint(b'"%d", ' + b"(" * n + b"REC->a" + b")" * n)


def nested_choices(n):
    return tracepoint(b'"%d", ' + b"REC->a ? 1 : " * n + b"2")


def flags_of_formats(n):
    return tracepoint(b'"%s", __print_flags(REC->a, "|"' + b"".join(b', { %d, "flag-%d" }' % (k, k) for k in range(n)) + b")")


def fields_of_formats(n):
    return tracepoint(b'"%d", REC->a', b"".join(b"\tfield:int f%d;\toffset:8;\tsize:4;\tsigned:1;\n" % k for k in range(n)))


def conversions_of_formats(n):
    return tracepoint(b'"' + b"%d" * n + b'"' + b", REC->a" * n)


def wide_formats(n):
    return tracepoint(b'"' + b"%999999999d" * (n // 100) + b'"' + b", REC->a" * (n // 100))


FILES = (overlapping_maps, growing_maps, random_maps, threads, forks_and_maps, exits, comms, comms_of_threads, files, inodes, build_ids, ksymbols, cgroups,
         stacks, long_names, chains_and_maps, unknown_ids, many_ids, renamed_events, id_index, features, backwards, late, cut_headers, noise, false_sizes,
         unpacked_zeros, unpacked_rounds, compressed_rounds, stat_rounds, deferred, namespaces, text_pokes, counts,
         nested_formats, nested_choices, flags_of_formats, fields_of_formats, conversions_of_formats, wide_formats)
