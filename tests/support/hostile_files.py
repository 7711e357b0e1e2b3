# SPDX-License-Identifier: MIT
"""What hostile files that names come from are made of: functions of n that return a recording and the files, {path below the folder: contents}.
hostility_table.py measures them, tests/cli/check_hostile_files.py runs them small."""
import io
import lzma
import os
import struct
import tarfile

import dwarf_writer as dw
from dwarf_writer import TEXT
from hostile_recordings import comm, join, mmap2, record, sample, text

MEMORY = "32M"    # what the commands may take
SAMPLES = 40
PROGRAM = "bin/work"


def recording(size=dw.CODE, addresses=None):
    """A process that runs the program; samples in it, at different addresses."""
    places = addresses or [TEXT + 0x1000 + 0x10 * k for k in range(SAMPLES)]
    return join([comm(7, "work"), mmap2(7, TEXT, size, "/" + PROGRAM)] + [sample(10 + k, ip=at, chain=[(1 << 64) - 512, at]) for k, at in enumerate(places)])


def debug(sections, addresses=None, **symbols):
    return recording(addresses=addresses), {PROGRAM: dw.program(sections, **symbols)}


ROOT = dw.abbrev(1, dw.UNIT, 1, (dw.LOW_PC, dw.ADDR), (dw.HIGH_PC, dw.DATA4))
LEAF = dw.abbrev(2, dw.SUBPROGRAM, 0, (dw.NAME, dw.STRING), (dw.RANGES, dw.SEC_OFFSET))
BLOCK = dw.abbrev(3, dw.BLOCK, 0, (dw.RANGES, dw.SEC_OFFSET))
FUNCTION = dw.abbrev(4, dw.SUBPROGRAM, 1, (dw.NAME, dw.STRING), (dw.LOW_PC, dw.ADDR), (dw.HIGH_PC, dw.DATA4))
ABBREVS = ROOT + LEAF + BLOCK + FUNCTION + b"\0"
WHOLE = b"\x01" + struct.pack("<QI", TEXT, dw.CODE)
AROUND = b"\x04f\0" + struct.pack("<QI", TEXT, dw.CODE)
AWAY = 0x10000000    # no sample lies there


def functions_of_one_range_list(n):
    """Each function has the same list of ranges."""
    n = n // 2
    return debug({".debug_abbrev": ABBREVS, ".debug_info": dw.unit(WHOLE + b"\x02f\0\0\0\0\0" * n + b"\0"),
                  ".debug_ranges": dw.ranges((TEXT + AWAY + 16 * k, TEXT + AWAY + 16 * k + 8) for k in range(n))})


def blocks_of_one_range_list(n):
    """Each block of a function has the same list of ranges, and no range has a sample."""
    return debug({".debug_abbrev": ABBREVS, ".debug_info": dw.unit(WHOLE + AROUND + b"\x03\0\0\0\0" * n + b"\0\0"),
                  ".debug_ranges": dw.ranges((TEXT + AWAY + 16 * k, TEXT + AWAY + 16 * k + 8) for k in range(n))})


def blocks_of_one_list_of_bases(n):
    """Each block has the same list, which has no range: each of its entries is an index of an address (DWARF 5)."""
    table = dw.abbrev(1, dw.UNIT, 1, (dw.LOW_PC, dw.ADDR), (dw.HIGH_PC, dw.DATA4), (dw.ADDR_BASE, dw.SEC_OFFSET)) + BLOCK + FUNCTION + b"\0"
    lists = struct.pack("<HBBI", 5, 8, 0, 0) + b"\x01\0" * (4 * n) + b"\0"
    entries = WHOLE + struct.pack("<I", 8) + AROUND + (b"\x03" + struct.pack("<I", 12)) * n + b"\0\0"
    return debug({".debug_abbrev": table, ".debug_info": struct.pack("<IHBBI", len(entries) + 8, 5, 1, 8, 0) + entries,
                  ".debug_rnglists": struct.pack("<I", len(lists)) + lists, ".debug_addr": struct.pack("<IHBBQ", 12, 5, 8, 0, TEXT)})


def units_of_one_abbreviation_table(n):
    """Each unit has the same long table of abbreviations, and no table says which unit has which addresses."""
    n = n // 2
    table = ROOT + b"".join(dw.abbrev(k, dw.SUBPROGRAM, 0, (dw.NAME, dw.STRING)) for k in range(2, n)) + b"\0"
    return debug({".debug_abbrev": table, ".debug_info": dw.unit(b"\x01" + struct.pack("<QI", TEXT + AWAY, 1) + b"\0") * n})


def split_units_of_one_file(n):
    """Each skeleton unit names the same file, in which its unit is one of many."""
    skeleton = dw.abbrev(1, dw.SKELETON, 0, (dw.LOW_PC, dw.ADDR), (dw.HIGH_PC, dw.DATA4), (dw.DWO_NAME, dw.STRING)) + b"\0"
    places = [TEXT + 0x1000 + 0x10 * k for k in range(n)]
    units = b"".join(dw.unit_with_id(4, k + 1, b"\x01" + struct.pack("<QI", at, 0x10) + b"split.dwo\0") for k, at in enumerate(places))
    recorded, files = debug({".debug_abbrev": skeleton, ".debug_info": units}, addresses=places)
    split = dw.Elf(kind=1)
    split.add(".debug_abbrev.dwo", dw.abbrev(1, dw.UNIT, 0) + b"\0")
    split.add(".debug_info.dwo", b"".join(dw.unit_with_id(5, k + 1, b"\x01") for k in range(n)))
    return recorded, {**files, "bin/split.dwo": split.bytes()}


def split_units_of_zeros(n):
    """The file of the split units has a packed section of zeros."""
    recorded, files = split_units_of_one_file(40)
    split = dw.Elf(kind=1)
    split.add(".debug_abbrev.dwo", dw.abbrev(1, dw.UNIT, 0) + b"\0")
    split.add(".debug_info.dwo", dw.compressed(bytes(20000 * n), dw.ZSTD), flags=0x800)
    return recorded, {**files, "bin/split.dwo": split.bytes()}


def units_with_lines(table, old=False, units=500):
    """Units that share a table of lines; old: compressed in the old way, which libdw reads."""
    root = dw.abbrev(1, dw.UNIT, 0, (dw.LOW_PC, dw.ADDR), (dw.HIGH_PC, dw.DATA4), (dw.STMT_LIST, dw.SEC_OFFSET)) + b"\0"
    places = [TEXT + 0x1000 + 0x10 * k for k in range(units)]
    sections = {"abbrev": root, "info": b"".join(dw.unit(b"\x01" + struct.pack("<QII", at, 0x10, 0)) for at in places), "line": table}
    if not old:
        return debug({".debug_" + name: data for name, data in sections.items()}, addresses=places)
    elf = dw.Elf().symbols()
    for name, data in sections.items():
        elf.add(".zdebug_" + name, dw.compressed_in_the_old_way(data))
    return recording(addresses=places), {PROGRAM: elf.bytes()}


LINES = dw.set_address(TEXT + 0x1000) + b"\x0b" * 10 + dw.END_SEQUENCE


def long_names_of_sources(n):
    """Units that share a table of lines with many files, whose names are long: together more than what may be kept where memory is short."""
    recorded, files = units_with_lines(dw.line_table(LINES, names=(b"%07d" % k + b"x" * 2993 for k in range(6000))), units=4 * n)
    return recorded, {**files, "memory": b"16M"}


def many_sources(n):
    """Units that share a table of lines with many files, whose names are short."""
    return units_with_lines(dw.line_table(LINES, names=[b"a"] * (50 * n)))


def many_lines(n):
    """Units that share a table of many lines."""
    return units_with_lines(dw.line_table(dw.set_address(TEXT + 0x1000) + b"\x0b" * (100 * n) + dw.END_SEQUENCE))


def sources_in_a_long_folder(n):
    """Many files in a folder whose name is long; libdw joins all of them."""
    return units_with_lines(dw.line_table(LINES, folders=[b"d" * 16000], names=[b"a"] * n), old=True)


def nested_blocks(n):
    """Blocks in each other, in a program that libdw reads."""
    block = dw.abbrev(3, dw.BLOCK, 1, (dw.LOW_PC, dw.ADDR), (dw.HIGH_PC, dw.DATA4))
    inside = b"\x03" + struct.pack("<QI", TEXT, dw.CODE)
    return debug({".debug_abbrev": ROOT + block + FUNCTION + b"\0", ".debug_info": dw.unit(WHOLE + AROUND + inside * (8 * n) + b"\0" * (8 * n + 2)),
                  ".debug_of.dwo": b"libdw"}, addresses=[TEXT + 0x1000 + 0x10 * k for k in range(300)])


def zstd_sections(n):
    """Sections of zeros, packed as zstd packs them."""
    zeros = (dw.ZSTD, bytes(20000 * n))
    return debug({".debug_abbrev": zeros, ".debug_info": zeros, ".debug_str": zeros, ".debug_line": zeros})


def packed_program(n):
    """A program packed as kernel modules are, with zeros at its end."""
    recorded, files = debug({})
    return recorded, {PROGRAM: lzma.compress(files[PROGRAM] + bytes(20000 * n))}


def packed_symbols(n):
    """A program whose packed table of symbols (.gnu_debugdata) ends in zeros."""
    inner = dw.program({})
    elf = dw.Elf()
    elf.add(".text", b"", kind=8, flags=6, address=TEXT, size=dw.CODE)
    elf.add(".gnu_debugdata", lzma.compress(inner + bytes(20000 * n)))
    return recording(), {PROGRAM: elf.bytes()}


def many_symbols(n):
    """Functions at places in no order, each with a name of its own."""
    names = b"\0" + b"".join(b"f%08d\0" % k for k in range(n))
    places = [TEXT + 0x1000 + 0x10 * (k * 7919 % n) for k in range(n)]
    return recording(), {PROGRAM: dw.Elf().symbols([(1 + 10 * k, at, 0x10) for k, at in enumerate(places)], strings=names).bytes()}


def symbols_around_each_other(n):
    """Each function reaches to the end of all."""
    return recording(), {PROGRAM: dw.Elf().symbols([(1, TEXT + 0x1000 + k, 2 * n - k) for k in range(n)], strings=b"\0name\0").bytes()}


def debug_link_to_itself(n):
    """The file with the debug information names itself, by a long name."""
    name = b"d" * min(200, n)
    elf = dw.Elf()
    elf.add(".text", b"", kind=8, flags=6, address=TEXT, size=dw.CODE)
    elf.add(".gnu_debuglink", (name + b"\0").ljust((len(name) + 4) // 4 * 4, b"\0") + bytes(4))
    elf.add(".filler", bytes(40 * n))
    return recording(), {PROGRAM: elf.bytes(), "bin/" + name.decode(): elf.bytes(), "bin/.debug/" + name.decode(): elf.bytes()}


def origins_in_a_circle(n):
    """Functions whose entries name each other as the origin of their names."""
    table = ROOT + dw.abbrev(2, dw.SUBPROGRAM, 0, (0x31, 0x13), (dw.LOW_PC, dw.ADDR), (dw.HIGH_PC, dw.DATA4)) + b"\0"
    first, size = 11 + len(WHOLE), 17
    entries = b"".join(struct.pack("<BIQI", 2, first + size * ((k + 1) % n), TEXT + 0x1000 + 0x10 * k, 0x10) for k in range(n))
    return debug({".debug_abbrev": table, ".debug_info": dw.unit(WHOLE + entries + b"\0")})


def references_in_a_chain(n):
    """The same, but each names the next one, and the last one names none."""
    table = ROOT + dw.abbrev(2, dw.SUBPROGRAM, 0, (0x31, 0x13), (dw.LOW_PC, dw.ADDR), (dw.HIGH_PC, dw.DATA4)) + b"\0"
    first, size = 11 + len(WHOLE), 17
    entries = b"".join(struct.pack("<BIQI", 2, first + size * min(k + 1, n - 1), TEXT + 0x1000 + 0x10 * k, 0x10) for k in range(n))
    return debug({".debug_abbrev": table, ".debug_info": dw.unit(WHOLE + entries + b"\0")})


def blocks_in_a_chain(n):
    """Sections of xz in a packed table of symbols: many small streams, one after the other."""
    elf = dw.Elf()
    elf.add(".text", b"", kind=8, flags=6, address=TEXT, size=dw.CODE)
    elf.add(".gnu_debugdata", lzma.compress(dw.program({})) + lzma.compress(b"") * (n // 4))
    return recording(), {PROGRAM: elf.bytes()}


def sections_in_each_other(n):
    """Each section is all of the file."""
    elf = dw.Elf().symbols()
    whole = elf.add(".whole", bytes(16 * n))
    for _k in range(n):
        elf.add(".debug_info", (whole, 0, 16 * n))
    return recording(), {PROGRAM: elf.bytes()}


def kernel(n):
    return join(record(1, 1, struct.pack("<IIQQQ", 0xffffffff, 0, 0xffffffff81000000, 0x3f000000, 0xffffffff81000000) + text("[kernel.kallsyms]_text")) +
                b"".join(record(9, 1, struct.pack("<QIIQQQQQQ", 0xffffffff81000000 + 64 * k, 7, 7, k, 1, 1, 2, (1 << 64) - 128,
                                                  0xffffffff81000000 + 64 * k)) for k in range(min(n, 5000))) for _once in "x")


def kallsyms(n):
    return kernel(n), {"kallsyms": b"ffffffff81000000 T _text\n" + b"".join(b"%016x t symbol_%d\n" % (0xffffffff81000000 + 16 * k, k) for k in range(n))}


def kallsyms_at_one_place(n):
    return kernel(n), {"kallsyms": b"ffffffff81000000 T _text\n" + b"".join(b"ffffffff81000040 t symbol_%d\n" % k for k in range(n))}


def kallsyms_backwards(n):
    return kernel(n), {"kallsyms": b"ffffffff81000000 T _text\n" + b"".join(b"%016x t s%d\n" % (0xffffffff81000000 + 16 * (n - k), k) for k in range(n))}


def kallsyms_of_one_name(n):
    return kernel(n), {"kallsyms": b"ffffffff81000000 T _text\nffffffff81000040 t " + b"x" * (500 * n) + b"\n"}


def kallsyms_of_modules(n):
    return kernel(n), {"kallsyms": b"ffffffff81000000 T _text\n" + b"".join(b"%016x t s%d\t[module_%d]\n" % (0xffffffff81000000 + 16 * k, k, k) for k in range(n))}


def kallsyms_of_odd_lines(n):
    return kernel(n), {"kallsyms": b"ffffffff81000000 T _text\nffffffff81000040 t known\n" + b"no symbol\n" * n}


def perf_map(n, line):
    return (join([comm(7, "work"), mmap2(7, 0x100000, 0x10000000, "//anon")] + [sample(10 + k, ip=0x100040 + 64 * k, chain=[(1 << 64) - 512, 0x100040 + 64 * k])
                                                                                 for k in range(SAMPLES)]),
            {"tmp/perf-7.map": b"".join(line(k) for k in range(n))})


def perf_map_at_one_place(n):
    return perf_map(n, lambda k: b"100000 10000 entry_%d\n" % k)


def perf_map_backwards(n):
    return perf_map(n, lambda k: b"%x %x entry_%d\n" % (0x100000 + 16 * (n - k), 16 * (k + 1), k))


def perf_map_of_random_places(n):
    """Entries that overlap, in no order."""
    random = 1
    def line(k):
        nonlocal random
        random = random * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        return b"%x %x f%d\n" % (0x100000 + (random >> 44), (random >> 20) % 0x4000, k)
    return perf_map(n, line)


def perf_map_of_odd_lines(n):
    return perf_map(n, lambda k: b"no entry %d\n" % k if k else b"100000 10000 entry\n")


def perf_map_of_long_names(n):
    return perf_map(n // 10, lambda k: b"%x 40 " % (0x100000 + 64 * k) + b"x" * 3000 + b"\n")


def perf_map_of_one_line(n):
    return perf_map(1, lambda k: b"100000 10000 " + b"x" * (100 * n))


def notes_of_one_place(n):
    """Each section of notes has the same notes, without a build-id."""
    elf = dw.Elf().symbols()
    notes = elf.add(".notes", (struct.pack("<III", 4, 4, 1) + b"abc\0" + bytes(4)) * (2 * n), kind=7)
    for _k in range(n):
        elf.add(".note", (notes, 0, 40 * n), kind=7)
    return recording(), {PROGRAM: elf.bytes()}


def symbols_in_many_segments(n):
    """Each symbol is in the last segment."""
    elf = dw.Elf().symbols([(1, TEXT + 0x1000 + 0x10 * k, 0x10) for k in range(n)], strings=b"\0name\0")
    elf.segments = [(1, 5, 0, 16 * k, 16, 16, 16) for k in range(n)] + [(1, 5, 0, TEXT, dw.CODE, dw.CODE, 0x1000)]
    return recording(), {PROGRAM: elf.bytes()}


def labels_in_a_long_section(n):
    """Each label is in a section whose name is long."""
    elf = dw.Elf()
    text = elf.add("." + "x" * (20 * n), b"", kind=8, flags=6, address=TEXT, size=dw.CODE)
    table = bytes(24) + b"".join(struct.pack("<IBBHQQ", 1, 0x10, 0, text, TEXT + 0x1000 + 0x10 * k, 0x10) for k in range(n))
    elf.add(".symtab", table, kind=2, link=elf.add(".strtab", b"\0label\0", kind=3), entry=24)
    return recording(), {PROGRAM: elf.bytes()}


def linkage_entries_of_one_name(n):
    """Each entry of the procedure linkage table is resolved by the same function, whose name is long."""
    elf = dw.Elf().symbols([(1, TEXT + 0x1000, 0x10)], strings=b"\0" + b"x" * 4000 + b"\0")
    elf.add(".plt", bytes(16 * n), flags=6, address=TEXT + 0x100000, entry=16)
    elf.add(".rela.plt", b"".join(struct.pack("<QQq", TEXT + 0x200000 + 8 * k, 37, TEXT + 0x1000) for k in range(n)), kind=4, entry=24)
    return recording(), {PROGRAM: elf.bytes()}


def cxx_parameters(n):
    """Functions of one name, most of whose parameters are references to a long one; each is called."""
    places = [TEXT + 0x1000 + 0x10 * k for k in range(n)]
    return debug({}, addresses=places, symbols=[(1, at, 0x10) for at in places], strings=b"\0_Z1f470" + b"a" * 470 + b"S_" * 270 + b"\0")


def cxx_names_at_one_place(n):
    """Many names at one address: one has to be chosen."""
    name = b"_Z1f470" + b"a" * 470 + b"S_" * 270
    return debug({}, symbols=[(1, TEXT + 0x1000, 0x10) for k in range(n)], strings=b"\0" + name + b"\0")


def long_symbols(n):
    """Functions with names that end in each other; each is called."""
    places = [TEXT + 0x1000 + 0x10 * k for k in range(n)]
    return debug({}, addresses=places, symbols=[(1 + k % 4000, at, 0x10) for k, at in enumerate(places)], strings=b"\0" + b"x" * 16000 + b"\0")


def too_long_symbols(n):
    """The same, too long to be kept."""
    places = [TEXT + 0x1000 + 0x10 * k for k in range(n)]
    return debug({}, addresses=places, symbols=[(1 + k % 500, at, 0x10) for k, at in enumerate(places)], strings=b"\0" + b"x" * 17000 + b"\0")


def cxx_names(n):
    """Names whose references name the parts before: each part is twice as long as the one before it."""
    def seq(k):
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        return "S_" if not k else "S%s_" % (digits[k - 1] if k <= 36 else digits[(k - 1) // 36] + digits[(k - 1) % 36])
    deep = "_Z1f1a" + "".join("M%s%s" % (seq(k), seq(k)) for k in range(30))
    return debug({}, symbols=[(deep.encode(), TEXT + 0x1000 + 0x10 * k, 0x10) for k in range(min(n, 100))])


def rust_names(n):
    """Names whose back references name the ones before."""
    deep = b"_RNvMC0" + b"TB1_" * 5000 + b"u" * 5
    return kernel(n), {"kallsyms": b"ffffffff81000000 T _text\n" +
                       b"".join(b"%016x t %s\n" % (0xffffffff81000000 + 64 * k, deep[:40 + k % 4000]) for k in range(min(n, 1000 * n // 12500)))}


def jit(n, make):
    header = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 7, 99, 0)
    return (join(mmap2(7, 0x10000, 0x1000, "/tmp/jit-7.dump") + mmap2(7, 0x100000, 0x100000, "//anon") + sample(10 ** 9 + k, ip=0x100040, chain=[(1 << 64) - 512, 0x100040 + k])
                 for k in range(20)), {"tmp/jit-7.dump": header + b"".join(make(k) for k in range(n))})


def jit_load(at, size, k):
    body = struct.pack("<IIQQQQ", 7, 7, at, at, size, k) + b"jitted_%d\0" % k + bytes(16)
    return struct.pack("<IIQ", 0, 16 + len(body), 1000 + k) + body


def jit_at_one_place(n):
    return jit(n, lambda k: jit_load(0x100000, 0x1000, k))


def jit_moves(n):
    def move(k):
        body = struct.pack("<IIQQQQQ", 7, 7, 0x100000 + 16 * k, 0x100000 + 16 * k, 0x100000 + 16 * k + 16, 16, 0)
        return jit_load(0x100000, 16, k) if not k else struct.pack("<IIQ", 1, 16 + len(body), 1000 + k) + body
    return jit(n, move)


def jit_unknown_records(n):
    """Between codes, records of kinds that no compiler writes."""
    return jit(n, lambda k: jit_load(0x100000 + 16 * (k % 64), 16, k) if k % 8 == 0 else struct.pack("<IIQ", 50 + k % 9, 48, 1000 + k) + bytes(32))


def jit_times_backwards(n):
    """Codes of one place, the latest first."""
    return jit(n, lambda k: jit_load(0x100000, 64, n - k))


def jit_lines(n):
    """Codes with lines; each line has a long file name."""
    def lines(k):
        entries = struct.pack("<QII", 0x100000, 1, 0) + b"s" * 400 + b"\0"
        body = struct.pack("<QQ", 0x100000, 1) + entries
        return struct.pack("<IIQ", 2, 16 + len(body), 1000 + k) + body + jit_load(0x100000, 64, k)
    return jit(n // 4, lines)


# with registers and stacks of users, of x86-64: bp, sp and ip are the 7th to the 9th of 20
UNWOUND = struct.pack("<IIQQQQQ", 0, 128, 0, 4000, 1 | 2 | 4 | 64 | 256 | 32 | 4096 | 8192, 0, 1 << 8 | 1 << 9 | 1 << 13 | 1 << 23).ljust(80, b"\0") + \
    struct.pack("<QI", 0xff0fff, 1024)
STACK_AT = 0x7ffc0000


def unwound(word_of):
    """Samples with stacks: `word_of` the sample and the place in its stack."""
    samples = []
    for k in range(200):
        stack = b"".join(struct.pack("<Q", word_of(k, word)) for word in range(128))
        samples.append(record(9, 2, struct.pack("<QIIQQQQQQ", TEXT + 0x1000 + k, 7, 7, 10 + k, 1, 1, 2, (1 << 64) - 512, TEXT + 0x1000 + k) +
                              struct.pack("<21QQ", 2, *[0] * 6, STACK_AT, STACK_AT, TEXT + 0x1000 + k, *[0] * 11, len(stack)) + stack + struct.pack("<Q", len(stack))))
    head = b"PERFILE2" + struct.pack("<Q", 16) + record(64, 0, UNWOUND.ljust(128, b"\0") + struct.pack("<Q", 1))
    return head + comm(7, "work") + mmap2(7, TEXT, dw.CODE, "/" + PROGRAM) + b"".join(samples)


def unwinding(initial, instructions):
    """A program whose stacks are unwound by one entry of .eh_frame."""
    def entry(number, body):
        body += bytes(-(len(body) + 4) % 8)
        return struct.pack("<II", len(body) + 4, number) + body
    common = entry(0, b"\x01zR\0\x01\x78\x10\x01\0" + b"\x0c\x07\x08\x90\x01" + initial)
    code = entry(len(common) + 4, struct.pack("<QQ", TEXT, dw.CODE) + b"\0" + instructions)
    elf = dw.Elf().symbols()
    elf.add(".eh_frame", common + code + bytes(4), flags=2, address=TEXT + 0x8000000)
    return unwound(lambda _k, word: TEXT + 0x1000 + 16 * (word % 50)), {PROGRAM: elf.bytes()}


def unwinding_by_long_entries(n):
    """Instructions that do nothing."""
    return unwinding(b"", b"\x40" * (100 * n))


def unwinding_by_remembered_states(n):
    """Each state that is remembered is copied."""
    return unwinding(b"\x0a" * (10 * n), b"")


def unwinding_by_a_loop(_n):
    """An expression that branches to itself."""
    return unwinding(b"\x0f\x03\x2f\xfd\xff", b"")


def unwinding_by_a_large_register(_n):
    """A register for whose number libdw needs room, with an expression for which libdw is needed."""
    return unwinding(b"\x0f\x02\x77\x08" + b"\x07" + dw.uleb(100000000), b"")


def unwinding_by_many_entries(n):
    """Not refused: the last of many entries is the one for the address."""
    recorded, _files = unwinding(b"", b"")
    common = struct.pack("<II", 20, 0) + b"\x01zR\0\x01\x78\x10\x01\0" + b"\x0c\x07\x08\x90\x01" + bytes(2)
    parts = [common] + [struct.pack("<IIQQ", 28, len(common) + 4 + 32 * k, TEXT + AWAY if k < 4 * n else TEXT, 16 if k < 4 * n else dw.CODE) + bytes(8)
                        for k in range(4 * n + 1)]
    elf = dw.Elf().symbols()
    elf.add(".eh_frame", b"".join(parts) + bytes(4), flags=2, address=TEXT + 0x8000000)
    return recorded, {PROGRAM: elf.bytes()}


def unwinding_by_many_rows(n):
    """One entry with an index, whose rows are gone through for each address; in the stacks none comes twice."""
    common = struct.pack("<II", 20, 0) + b"\x01\0\x01\x78\x10" + b"\x0c\x07\x08\x90\x01" + bytes(6)
    rows = b"\x41\x0a\x41\x0b" * min(15000, n)
    frames = common + struct.pack("<IIQQ", 20 + len(rows), len(common) + 4, TEXT, dw.CODE) + rows + bytes(4)
    index_at, place = TEXT + 2 * dw.CODE, 64 + 3 * 56
    index = b"\x01\x1b\x03\x3b" + struct.pack("<iIii", 20 - 4, 1, TEXT - index_at, 20 + len(common))
    head = struct.pack("<4sBBBB8xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 2, 62, 1, TEXT, 64, 0, 0, 64, 56, 3, 64, 0, 0)
    segments = ((1, 5, 0, TEXT, dw.CODE), (1, 4, place, index_at, len(index + frames)), (0x6474e550, 4, place, index_at, len(index)))
    headers = b"".join(struct.pack("<IIQQQQQQ", kind, flags, at, address, address, size, size, 0x1000) for kind, flags, at, address, size in segments)
    return unwound(lambda k, word: TEXT + 0x1000 + 128 * k + word), {PROGRAM: head + headers + index + frames}


def bundle(add):
    """A recording and an archive of symbols, which `add` fills."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        add(archive)
    return recording(), {"bundle.tar": out.getvalue()}


def bundle_of_files(n):
    return bundle(lambda archive: [archive.addfile(tarfile.TarInfo("root/bin/%d" % k)) for k in range(n)])


def bundle_of_links(n):
    """Each entry is a link to the next one; the first one is the program."""
    def add(archive):
        for k in range(n):
            entry = tarfile.TarInfo("root/bin/%d" % k if k else "root/bin/work")
            entry.type, entry.linkname = tarfile.SYMTYPE, "%d" % (k + 1)
            archive.addfile(entry)
    return bundle(add)


def bundle_of_long_names(n):
    return bundle(lambda archive: [archive.addfile(tarfile.TarInfo("root/" + "d" * 3000 + "/%d" % k)) for k in range(n // 5)])


def bundle_of_one_name(n):
    """Each entry replaces the one before it."""
    return bundle(lambda archive: [archive.addfile(tarfile.TarInfo("root/bin/work")) for k in range(n)])


def bundle_of_build_ids(n):
    return bundle(lambda archive: [archive.addfile(tarfile.TarInfo(".build-id/%02x/%038x/elf" % (k % 256, k))) for k in range(n)])


def answers(lines):
    """An archive with answers for the program, at each of whose addresses a call is in progress."""
    text = b"".join([b"perfdata-answers\t1\tuser\t-\tfile\t1\t0\nt\twork\ns\t1000\t20\t1\t0\t-\t-\n", *lines])

    def add(archive):
        entry = tarfile.TarInfo("root/bin/work.answers")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return bundle(add)


def answers_of_nested_calls(n):
    """As many calls as may be in progress, at each address."""
    nested = [b"c\t0\t-\t-\t1\t1\t1\t1\t%s\n" % (b"%x" % (k - 1) if k else b"-") for k in range(min(n, 4096))]
    return answers(nested + [b"a\t%x\t0\t%x\t0\t-\n" % (k, len(nested) - 1) for k in range(4 * n)])


def answers_of_short_lines(n):
    return answers([b"t\t\n"] * (4 * n) + [b"w\t%x\t0\n" % k for k in range(4 * n)])


def baseline(lines):
    """A recording, and a stored baseline that it is compared with."""
    head = ["perfdata-baseline/1", "by\tsymbol", "recording\twork\t74714088\t0\t0\t1\tx86_64\tA CPU\t2\t6.18.0"]
    return recording(), {"before.baseline": ("\n".join([*head, *lines]) + "\n").encode(), "memory": b"256M"}


EVENT = "event\tcpu-clock%s\t1/0/0/0\t\tfreq 2000\t0\tperiod\trecorded\t1\t37\t18500000\t869aef6d400\t1500000\t1\t0"
KEY = "key\t%d\t%d\tf%d\t\t\t1\nsum\t%d\t1\t500000\t3a35294400\t1\t500000\t3a35294400"


def baseline_of_functions(n):
    return baseline([EVENT % "", "file\t0\t0\taa\t/bin/x", *(KEY % (k, 0, k, k) for k in range(n))])


def baseline_of_files(n):
    return baseline([EVENT % "", *("file\t%d\t0\t%040x\t/bin/x%d\n" % (k, k, k) + KEY % (k, k, k, k) for k in range(n // 2))])


def baseline_of_recordings(n):
    """Many recordings of the same events are an ordinary side."""
    one = "recording\tw%d\t74714088\t0\t0\t1\tx86_64\tA CPU\t2\t6.18.0"
    return baseline([line for k in range(n) for line in (one % k, EVENT % "", EVENT % "s")])


def baseline_of_events(n):
    return baseline([EVENT % k for k in range(n)])


FILES = (functions_of_one_range_list, blocks_of_one_range_list, blocks_of_one_list_of_bases,
         units_of_one_abbreviation_table, split_units_of_one_file, split_units_of_zeros, long_names_of_sources, many_sources,
         many_lines, sources_in_a_long_folder, nested_blocks, zstd_sections, packed_program, packed_symbols,
         many_symbols, symbols_around_each_other, debug_link_to_itself, origins_in_a_circle, references_in_a_chain, blocks_in_a_chain, sections_in_each_other,
         kallsyms_of_modules, kallsyms_of_odd_lines, perf_map_of_long_names, perf_map_of_one_line, jit_unknown_records, jit_times_backwards, jit_lines,
         bundle_of_one_name, bundle_of_build_ids, notes_of_one_place, symbols_in_many_segments, labels_in_a_long_section, linkage_entries_of_one_name, cxx_names, cxx_parameters,
         cxx_names_at_one_place, long_symbols, too_long_symbols, rust_names, kallsyms, kallsyms_at_one_place, kallsyms_backwards, kallsyms_of_one_name,
         perf_map_at_one_place, perf_map_backwards, perf_map_of_random_places, perf_map_of_odd_lines, jit_at_one_place, jit_moves, unwinding_by_long_entries,
         unwinding_by_remembered_states, unwinding_by_a_loop, unwinding_by_a_large_register, unwinding_by_many_entries, unwinding_by_many_rows,
         bundle_of_files, bundle_of_links, bundle_of_long_names, answers_of_nested_calls, answers_of_short_lines,
         baseline_of_functions, baseline_of_files, baseline_of_recordings, baseline_of_events)


# Those that ask for more than their size explains: finding W806.
EXCESS = (functions_of_one_range_list, blocks_of_one_range_list, blocks_of_one_list_of_bases, zstd_sections, cxx_names, packed_program, packed_symbols, notes_of_one_place,
          symbols_in_many_segments, linkage_entries_of_one_name, cxx_parameters, cxx_names_at_one_place, split_units_of_zeros, unwinding_by_long_entries, unwinding_by_remembered_states, unwinding_by_a_loop,
          unwinding_by_a_large_register, unwinding_by_many_rows, too_long_symbols)


# Where it is not the program that asks for too much.
BLAMED = {split_units_of_zeros: "bin/split.dwo"}


def write(folder, made):
    """A recording, or one with its files."""
    data, files = made if isinstance(made, tuple) else (made, {})
    for name, contents in [("hostile", data), *files.items()]:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(contents)


def commands(folder):
    """What looks up names in the files of that folder."""
    if os.path.exists(os.path.join(folder, "kallsyms")):
        where = ["--kallsyms", os.path.join(folder, "kallsyms")]
    elif os.path.exists(os.path.join(folder, "bundle.tar")):
        where = ["--symbols-from", os.path.join(folder, "bundle.tar")]
    else:
        where = ["--symfs", folder]
    memory, limit = os.path.join(folder, "memory"), MEMORY
    if os.path.exists(memory):
        with open(memory, encoding="ascii") as file:
            limit = file.read()
    stored = os.path.join(folder, "before.baseline")
    later = os.path.join(folder, "after.baseline")
    if os.path.exists(later):
        return [["diff", "--max-memory", limit, "--before", stored, "--after", later]]
    if os.path.exists(stored):
        return [["diff", "--max-memory", limit, stored]]
    common = ["--symbols", "yes", "--max-memory", limit, *where, "-j", "1"]
    return [["script", "-F", "ip,sym,srcline", *common], ["folded", *common]]
