# SPDX-License-Identifier: MIT
"""Reads a column of a Parquet file with nothing but Python: its values, or which rows have a list and where lists begin. Pages must be plain (--pages plain)."""
import struct


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def zigzag(data, at):
    value, at = varint(data, at)
    return value >> 1 ^ -(value & 1), at


def thrift(data, at, kind=12):
    """A value of the compact protocol, a struct as {field: value}; and where it ends."""
    if kind in (1, 2):
        return kind == 1, at
    if kind == 3:
        return data[at], at + 1
    if kind in (4, 5, 6):
        return zigzag(data, at)
    if kind == 7:
        return struct.unpack_from("<d", data, at)[0], at + 8
    if kind == 8:
        size, at = varint(data, at)
        return bytes(data[at:at + size]), at + size
    if kind == 9:
        size, element = data[at] >> 4, data[at] & 15
        at += 1
        if size == 15:
            size, at = varint(data, at)
        items = []
        for _ in range(size):
            item, at = thrift(data, at, 3 if element in (1, 2) else element)
            items.append(item)
        return items, at
    if kind != 12:
        raise ValueError("a value of kind %d" % kind)
    found, number = {}, 0
    while data[at]:
        step, inner = data[at] >> 4, data[at] & 15
        at += 1
        if step:
            number += step
        else:
            number, at = zigzag(data, at)
        found[number], at = thrift(data, at, inner)
    return found, at + 1


def hybrid(data, width, nr):
    """Values of runs and of packed groups."""
    values, at = [], 0
    while len(values) < nr:
        head, at = varint(data, at)
        if head & 1:
            size = (head >> 1) * width
            bits = int.from_bytes(data[at:at + size], "little")
            values += [bits >> i * width & (1 << width) - 1 for i in range((head >> 1) * 8)]
            at += size
        else:
            size = (width + 7) // 8
            values += [int.from_bytes(data[at:at + size], "little")] * (head >> 1)
            at += size
    if at != len(data):
        raise ValueError("%d bytes of levels, of which %d are used" % (len(data), at))
    return values[:nr]


def deltas(data, bits):
    """Values of DELTA_BINARY_PACKED, as signed numbers."""
    block, at = varint(data, 0)
    minis, at = varint(data, at)
    nr, at = varint(data, at)
    first, at = zigzag(data, at)
    found = [first] if nr else []
    while len(found) < nr:
        least, at = zigzag(data, at)
        widths, at = data[at:at + minis], at + minis
        for width in widths:
            size = block // minis * width // 8
            packed, at = int.from_bytes(data[at:at + size], "little"), at + size
            for i in range(min(block // minis, nr - len(found))):
                value = found[-1] + least + (packed >> i * width & (1 << width) - 1)
                found.append((value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1))
    if at != len(data):
        raise ValueError("%d bytes of deltas, of which %d are used" % (len(data), at))
    return found


def plain(data, kind, nr):
    """Values of PLAIN: integers (Parquet's type 1, 2) or texts."""
    if kind in (1, 2):
        return list(struct.unpack("<%d%s" % (nr, "iq"[kind - 1]), data))
    found, at = [], 0
    for _ in range(nr):
        size = int.from_bytes(data[at:at + 4], "little")
        found.append(bytes(data[at + 4:at + 4 + size]))
        at += 4 + size
    return found


def footer(data):
    return thrift(data, len(data) - 8 - int.from_bytes(data[-8:-4], "little"))[0]


def chunks(meta, column):
    """Metadata of a column in each row group."""
    return [next(part[3] for part in group[1] if part[3][3][0] == column) for group in meta[4]]


def values(data, column):
    """The values of a column that is no list, None for null."""
    meta = footer(data)
    required = next(node[3] == 0 for node in meta[2][1:] if node[4] == column)
    found = []
    for chunk in chunks(meta, column):
        at, left, dictionary = chunk.get(11, chunk[9]), chunk[5], None
        while left:
            head, at = thrift(data, at)
            body, at = data[at:at + head[2]], at + head[2]
            if head[1] == 2:
                dictionary = plain(body, chunk[1], head[7][1])
                continue
            nr, there = head[5][1], [1] * head[5][1]
            if not required:
                size = int.from_bytes(body[:4], "little")
                there, body = hybrid(body[4:4 + size], 1, nr), body[4 + size:]
            if head[5][2] == 8:
                got = [dictionary[index] for index in hybrid(body[1:], body[0], sum(there))]
            else:
                got = deltas(body, 32 * chunk[1]) if head[5][2] == 5 else plain(body, chunk[1], sum(there))
            got = iter(got)
            found += [next(got) if has else None for has in there]
            left -= nr
    return found


def levels(data, column):
    """[(repetition level, definition level)] of a column that is a list, and how many nulls its statistics count."""
    found, nulls = [], 0
    for chunk in chunks(footer(data), column):
        nulls += chunk[12][3]
        at, left = chunk[9], chunk[5]
        while left:
            head, at = thrift(data, at)
            body, at = data[at:at + head[2]], at + head[2]
            nr, parts = head[5][1], []
            for width in (1, 2):
                length = int.from_bytes(body[:4], "little")
                parts.append(hybrid(body[4:4 + length], width, nr))
                body = body[4 + length:]
            found += zip(*parts)
            left -= nr
    return found, nulls
