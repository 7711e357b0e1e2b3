# SPDX-License-Identifier: MIT
"""More hostile files that names come from: links between ELF files, tables that state what is not there, odd texts, jitdump and archives. See hostile_files.py."""
import io
import lzma
import struct
import tarfile
import zlib

import dwarf_writer as dw
from dwarf_writer import TEXT
import hostile_files
from hostile_files import PROGRAM, ROOT, WHOLE, bundle, debug, jit, jit_load, kernel, perf_map, recording

IMPORT, GNU_REF_ALT = 0x18, 0x1f20
IMPORTED_UNIT = 0x3d
PLACES = [TEXT + 0x1000 + 0x10 * k for k in range(40)]


def plain():
    elf = dw.Elf()
    elf.add(".text", b"", kind=8, flags=6, address=TEXT, size=dw.CODE)
    return elf


# --- ELF and DWARF: files that name each other --------------------------------------------------------------------------------


def debug_links_in_a_chain(n):
    """Each file names the next one as that with its debug information; the last one names the first."""
    count, files = max(2, n // 100), {}
    for k in range(count):
        elf, name = plain(), b"link%d\0" % ((k + 1) % count)
        elf.add(".gnu_debuglink", name.ljust((len(name) + 3) // 4 * 4, b"\0") + bytes(4))
        files["bin/link%d" % k if k else PROGRAM] = elf.bytes()
    return recording(), files


def supplementary_files_in_a_circle(n):
    """A file of dwz that names itself as its own file of dwz, with n references into it."""
    table = ROOT + dw.abbrev(2, dw.SUBPROGRAM, 0, (dw.ORIGIN, GNU_REF_ALT), (dw.LOW_PC, dw.ADDR), (dw.HIGH_PC, dw.DATA4)) + b"\0"
    entries = b"".join(struct.pack("<BIQI", 2, 11 + len(WHOLE), TEXT + 0x1000 + 0x10 * k, 0x10) for k in range(n))
    elf = dw.Elf().symbols()
    for name, data in ((".debug_abbrev", table), (".debug_info", dw.unit(WHOLE + entries + b"\0")), (".gnu_debugaltlink", b"common\0" + b"c" * 20),
                       (".note.gnu.build-id", struct.pack("<III", 4, 20, 3) + b"GNU\0" + b"c" * 20)):
        elf.add(name, data, kind=7 if "note" in name else 1)
    return recording(), {PROGRAM: elf.bytes(), "bin/common": elf.bytes()}


def split_files_in_a_circle(n):
    """The file of a split unit has a skeleton, which names the program's own file, and so on."""
    skeleton = dw.abbrev(1, dw.SKELETON, 0, (dw.LOW_PC, dw.ADDR), (dw.HIGH_PC, dw.DATA4), (dw.DWO_NAME, dw.STRING)) + b"\0"
    units = b"".join(dw.unit_with_id(4, k + 1, b"\x01" + struct.pack("<QI", at, 0x10) + b"%d.dwo\0" % (k % 40)) for k, at in enumerate(PLACES * max(1, n // 40)))
    recorded, files = debug({".debug_abbrev": skeleton, ".debug_info": units}, addresses=PLACES)
    return recorded, {**files, **{"bin/%d.dwo" % k: files[PROGRAM] for k in range(40)}}


def imports_in_a_circle(n):
    """Units that import each other."""
    table = dw.abbrev(1, dw.UNIT, 1, (dw.LOW_PC, dw.ADDR), (dw.HIGH_PC, dw.DATA4)) + dw.abbrev(2, IMPORTED_UNIT, 0, (IMPORT, 0x10)) + b"\0"
    size = 11 + len(WHOLE) + 5 + 1
    return debug({".debug_abbrev": table, ".debug_info": b"".join(dw.unit(WHOLE + struct.pack("<BI", 2, size * ((k + 1) % n) + 11) + b"\0") for k in range(n))})


# --- ELF and DWARF: what is stated and not there ------------------------------------------------------------------------------


def line_tables_without_bytes(n):
    """Tables of DWARF 5 state any number of folders and files whose entries have no fields, and so no bytes."""
    head = struct.pack("<BBBbBB", 1, 1, 1, -3, 12, 10) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1]) + b"\0" + dw.uleb(2 ** 31) + b"\0" + dw.uleb(2 ** 32)
    program = dw.set_address(TEXT + 0x1000) + b"\x0b" * 10 + dw.END_SEQUENCE
    body = struct.pack("<HBBI", 5, 8, 0, len(head)) + head + program
    root = dw.abbrev(1, dw.UNIT, 0, (dw.LOW_PC, dw.ADDR), (dw.HIGH_PC, dw.DATA4), (dw.STMT_LIST, dw.SEC_OFFSET)) + b"\0"
    table = struct.pack("<I", len(body)) + body
    places = [TEXT + 0x1000 + 0x10 * k for k in range(n)]
    units = b"".join(dw.unit(b"\x01" + struct.pack("<QII", at, 0x10, k * len(table))) for k, at in enumerate(places))
    return debug({".debug_abbrev": root, ".debug_info": units, ".debug_line": table * n}, addresses=places[:1000])


def index_without_an_empty_slot(n):
    """The index of a package of split units has as many units as slots: a search for one that is not there meets no end."""
    slots = 1 << max(4, n.bit_length())
    skeleton = dw.abbrev(1, dw.SKELETON, 0, (dw.LOW_PC, dw.ADDR), (dw.HIGH_PC, dw.DATA4), (dw.DWO_NAME, dw.STRING)) + b"\0"
    units = b"".join(dw.unit_with_id(4, 2 ** 40 + k, b"\x01" + struct.pack("<QI", at, 0x10) + b"gone.dwo\0") for k, at in enumerate(PLACES))
    recorded, files = debug({".debug_abbrev": skeleton, ".debug_info": units}, addresses=PLACES)
    package = dw.Elf(kind=1)
    package.add(".debug_abbrev.dwo", dw.abbrev(1, dw.UNIT, 0) + b"\0")
    package.add(".debug_info.dwo", dw.unit_with_id(5, 1, b"\x01"))
    package.add(".debug_cu_index", struct.pack("<HHIII", 5, 0, 2, slots, slots) + struct.pack("<%dQ" % slots, *range(1, slots + 1)) +
                struct.pack("<%dI" % slots, *range(1, slots + 1)) + struct.pack("<II", 1, 3) + bytes(16 * slots))
    return recorded, {**files, "bin/work.dwp": package.bytes()}


def sections_out_of_range(n):
    """Each section of symbols and of debug information lies after the end of the file, or has a size near 2^64."""
    elf = dw.Elf().symbols()
    for k in range(n):
        elf.add((".debug_info", ".symtab", ".debug_line", ".eh_frame")[k % 4], b"", kind=(1, 2, 1, 1)[k % 4], link=1, entry=24,
                size=(1 << 64) - 1 - k if k % 2 else 1 << 40)
    return recording(), {PROGRAM: elf.bytes()}


def segments_over_each_other(n):
    """Each segment has the code, at another place of the file."""
    elf = dw.Elf().symbols()
    elf.segments = [(1, 5, 0x1000 * k, TEXT, dw.CODE, dw.CODE, 0x1000) for k in range(n)]
    return recording(), {PROGRAM: elf.bytes()}


def large_dictionary(n):
    """A packed table of symbols whose header asks for a dictionary of 2 GiB."""
    packed = bytearray(lzma.compress(dw.program({}) + bytes(n), filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}]))
    block = 12    # the head of the first block: its size, filters, and a checksum at its end
    size = (packed[block] + 1) * 4
    packed[packed.index(b"\x21\x01", block) + 2] = 38
    struct.pack_into("<I", packed, block + size - 4, zlib.crc32(packed[block:block + size - 4]))
    elf = plain()
    elf.add(".gnu_debugdata", bytes(packed))
    return recording(), {PROGRAM: elf.bytes()}


# --- texts ------------------------------------------------------------------------------------------------------------------------


def kallsyms_of_zero_bytes(n):
    return kernel(n), {"kallsyms": b"ffffffff81000000 T _text\nffffffff81000040 t known\n" + bytes(20 * n)}


def kallsyms_of_long_numbers(n):
    """Addresses of many digits; the last 16 alone would be an address."""
    return kernel(n), {"kallsyms": b"ffffffff81000000 T _text\nffffffff81000040 t known\n" +
                       b"".join(b"%040x t s%d\n" % (0xffffffff81000000 + k, k) for k in range(n))}


def kallsyms_of_empty_lines(n):
    return kernel(n), {"kallsyms": b"ffffffff81000000 T _text\nffffffff81000040 t known\n" + b"\n" * (20 * n)}


def kallsyms_of_one_module(n):
    """Each symbol is in the same module, whose name is long."""
    return kernel(n), {"kallsyms": b"ffffffff81000000 T _text\n" +
                       b"".join(b"%016x t s%d\t[%s]\n" % (0xffffffffc0000000 + 16 * k, k, b"m" * 400) for k in range(n // 10))}


def perf_map_around_everything(n):
    """Each entry ends at the end of the address space, or after it."""
    return perf_map(n, lambda k: b"%x ffffffffffffffff entry_%d\n" % (0x100000 + k, k))


def perf_map_without_sizes(n):
    return perf_map(n, lambda k: b"%x 0 entry_%d\n" % (0x100000 + 16 * k, k))


def perf_map_of_zero_bytes(n):
    return perf_map(1, lambda k: b"100000 10000 entry\n" + bytes(20 * n))


# --- jitdump --------------------------------------------------------------------------------------------------------------------


def jit_records_of_no_size(n):
    """After the first code, records that state a size below that of their heads."""
    return jit(n, lambda k: jit_load(0x100000, 64, k) if not k else struct.pack("<IIQ", 0, k % 16, 1000 + k))


def jit_codes_of_stated_size(n):
    """Each code says that it is as large as there may be."""
    return jit(n, lambda k: jit_load(0x100000, (1 << 64) - 1 - k, k))


def jit_of_one_long_name(n):
    body = struct.pack("<IIQQQQ", 7, 7, 0x100000, 0x100000, 0x1000, 1) + b"j" * (20 * n) + b"\0"
    return jit(1, lambda k: struct.pack("<IIQ", 0, 16 + len(body), 1000) + body)


def jit_unwinding_tables(n):
    """Tables of unwinding of any stated size before each code."""
    return jit(n, lambda k: struct.pack("<IIQQQQ", 4, 40, 1000 + k, 1 << 60, 1 << 59, 1 << 61) + jit_load(0x100000 + 16 * (k % 64), 16, k))


def jit_closes(n):
    """The end comes first, and again and again."""
    return jit(n, lambda k: struct.pack("<IIQ", 3, 16, 1000 + k) if k else jit_load(0x100000, 64, k))


# --- archives -------------------------------------------------------------------------------------------------------------------


def entries(kind, what, name, link=None):
    """bundle_`what`: an archive of n entries of that kind."""
    def make(n):
        def add(archive):
            for k in range(n):
                entry = tarfile.TarInfo(name(k))
                entry.type, entry.linkname = kind, link(k) if link else ""
                archive.addfile(entry)
        return bundle(add)
    make.__name__ = "bundle_" + what
    return make


bundle_of_hard_links = entries(tarfile.LNKTYPE, "of_hard_links", lambda k: "root/bin/%d" % k if k else "root/" + PROGRAM, lambda k: "root/bin/%d" % (k + 1))
bundle_of_a_circle = entries(tarfile.SYMTYPE, "of_a_circle", lambda k: "root/bin/%d" % k if k else "root/" + PROGRAM, lambda k: "%d" % ((k + 1) % 40) if k % 40 != 39 else "work")
bundle_of_devices = entries(tarfile.CHRTYPE, "of_devices", lambda k: "root/bin/work" if k % 2 else "root/dev/%d" % k)
bundle_of_pipes = entries(tarfile.FIFOTYPE, "of_pipes", lambda k: "root/bin/work")
bundle_of_folders = entries(tarfile.DIRTYPE, "of_folders", lambda k: "root/" + "d/" * (k % 500))
bundle_that_leaves_its_root = entries(tarfile.REGTYPE, "that_leaves_its_root", lambda k: ("../" * (1 + k % 50)) + "etc/passwd" if k % 2 else "/etc/%d" % k)


def archive_of(body):
    return recording(), {"bundle.tar": body}


def head(name=b"root/bin/work", size=b"00000000000", kind=b"0"):
    block = bytearray(512)
    block[0:len(name)] = name
    block[100:108], block[124:124 + len(size)], block[156:157], block[257:265] = b"0000644\0", size, kind, b"ustar\00000"
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def bundle_of_stated_sizes(n):
    """Entries that say that they are larger than the archive; each is the program."""
    return archive_of(head(size=b"77777777777") * n + bytes(1024))


def bundle_of_binary_sizes(n):
    return archive_of(head(size=b"\x80" + bytes(3) + b"\x7f" + b"\xff" * 7) * n + bytes(1024))


def bundle_of_one_pax_header(n):
    """A header that gives the next entry a name of many bytes, in many records; each replaces the record before it."""
    line = b"path=root/bin/work\n"
    records = b"".join(b"%d %s" % (len(line) + 3, line) for k in range(n))
    return archive_of(head(b"pax", b"%011o" % len(records), b"x") + records + bytes(-len(records) % 512) + head() + bytes(1024))


def bundle_of_gnu_names(n):
    """Long names in the form of GNU; each replaces the name before it."""
    return archive_of((head(b"././@LongLink", b"%011o" % 3000, b"L") + b"root/" + b"n" * 2995 + bytes(72)) * (n // 5) + head() + bytes(1024))


def bundle_of_zero_blocks(n):
    return archive_of(head() + bytes(512 * n))


def bundle_of_garbage(n):
    return archive_of(b"\xa5" * (512 * n))


def packed_bundle_of_zeros(n):
    """A packed archive, whose file of symbols is zeros."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        entry = tarfile.TarInfo("root/" + PROGRAM)
        entry.size = 20000 * n
        archive.addfile(entry, io.BytesIO(bytes(entry.size)))
    return archive_of(dw.zstd(out.getvalue()))


LARGE = hostile_files.EVENT.replace("\t37\t18500000\t", "\t20000\t10000000000\t")
ALL_OF_IT = "sum\t%d\t0\t0\t0\t20000\t10000000000\t7fffffffffff"
NEW_KEY = "key\t%d\t0\tf%d\t\t\t1\n"


def two_baselines(before, after):
    made, files = hostile_files.baseline([LARGE % "", "file\t0\t0\taa\t/bin/x", *before])
    later = hostile_files.baseline([LARGE % "", "file\t0\t0\taa\t/bin/x", *after])[1]["before.baseline"]
    return made, {**files, "after.baseline": later}


def baseline_of_a_chain(n):
    """New functions that together take all of the time; each calls the next one."""
    return two_baselines([NEW_KEY % (0, n) + ALL_OF_IT % 0],
                         [NEW_KEY % (k, k) + ALL_OF_IT % k for k in range(n)] +
                         ["edge\t%d\t%d\t20000\t10000000000" % (k, k + 1) for k in range(n - 1)])


def baseline_of_lone_files(n):
    """Files that are there on one side only, each with a function that takes much of the time."""
    def side(name):
        return ["file\t%d\t0\t\t/bin/%s%d\nkey\t%d\t%d\tf%d\t\t\t1\n" % (k + 1, name, k, k, k + 1, k) +
                "sum\t%d\t10000\t5000000000\t7fffffffffff\t10000\t5000000000\t7fffffffffff" % k for k in range(n // 2)]
    return two_baselines(side("old"), side("new"))


def baseline_of_cells(n):
    """Many functions in one recording, and many recordings without them: each function has a place for each recording."""
    one = "recording\tw%d\t74714088\t0\t0\t1\tx86_64\tA CPU\t2\t6.18.0\n"
    return hostile_files.baseline([hostile_files.EVENT % "", "file\t0\t0\taa\t/bin/x", *(hostile_files.KEY % (k, 0, k, k) for k in range(n))] +
                                  [one % k + hostile_files.EVENT % "" for k in range(n)])


KINDS = (debug_links_in_a_chain, supplementary_files_in_a_circle, split_files_in_a_circle, imports_in_a_circle, line_tables_without_bytes,
         index_without_an_empty_slot, sections_out_of_range, segments_over_each_other, large_dictionary, kallsyms_of_zero_bytes, kallsyms_of_long_numbers,
         kallsyms_of_empty_lines, kallsyms_of_one_module, perf_map_around_everything, perf_map_without_sizes, perf_map_of_zero_bytes, jit_records_of_no_size,
         jit_codes_of_stated_size, jit_of_one_long_name, jit_unwinding_tables, jit_closes, bundle_of_hard_links, bundle_of_a_circle, bundle_of_devices,
         bundle_of_pipes, bundle_of_folders, bundle_that_leaves_its_root, bundle_of_stated_sizes, bundle_of_binary_sizes, bundle_of_one_pax_header,
         bundle_of_gnu_names, bundle_of_zero_blocks, bundle_of_garbage, packed_bundle_of_zeros, baseline_of_a_chain,
         baseline_of_lone_files, baseline_of_cells)
FILES = hostile_files.FILES + KINDS
EXCESS = hostile_files.EXCESS + (segments_over_each_other, large_dictionary)
# Exit codes of those that are no archives, or are beyond a limit when they are large: the option that names them fails.
REFUSED = {bundle_of_stated_sizes: (3,), bundle_of_binary_sizes: (3,), bundle_of_garbage: (3,), bundle_of_one_pax_header: (0, 3), packed_bundle_of_zeros: (0, 6), baseline_of_a_chain: (1, 6), baseline_of_lone_files: (0, 1, 6),
           baseline_of_cells: (0, 6)}
