# SPDX-License-Identifier: MIT
"""Reads the small programs of testdata/unwind."""
import struct


class Elf:
    """What a test needs of a program: where its code is mapped, its symbols, and the addresses that its functions return to."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.wide = self.bytes[4] == 2
        head = struct.unpack_from("<QQQIHHHHHH" if self.wide else "<IIIIHHHHHH", self.bytes, 24)
        _, phoff, shoff, _, _, phentsize, phnum, shentsize, shnum, shstrndx = head
        for i in range(phnum):
            at = phoff + i * phentsize
            if self.wide:
                kind, flags, offset, vaddr = struct.unpack_from("<IIQQ", self.bytes, at)
            else:
                kind, offset, vaddr, _, _, _, flags = struct.unpack_from("<7I", self.bytes, at)
            if kind == 1 and flags & 1:
                self.start, self.pgoff = vaddr & ~0xfff, offset & ~0xfff
        sections = [struct.unpack_from("<IIQQQQIIQQ" if self.wide else "<10I", self.bytes, shoff + i * shentsize) for i in range(shnum)]
        names = sections[shstrndx]
        for section in sections:
            name = self.text(names[4] + section[0])
            if name == ".returns":
                self.returns = struct.unpack_from("<3Q" if self.wide else "<3I", self.bytes, section[4])
            elif name == ".symtab":
                self.symbols = self.read_symbols(section, sections[section[6]][4])

    def text(self, at):
        return self.bytes[at:self.bytes.index(b"\0", at)].decode()

    def read_symbols(self, table, strings):
        symbols = {}
        for at in range(table[4], table[4] + table[5], table[9]):
            if self.wide:
                name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", self.bytes, at)
            else:
                name, value, _, _, _, _ = struct.unpack_from("<IIIBBH", self.bytes, at)
            symbols[self.text(strings + name)] = value
        return symbols
