"""Edits of a file's bytes where the flatbuffer has its structure: offsets, vtables and counts."""

import random
import struct
from collections.abc import Iterator

WORDS = (0, 1, 4, 8, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC, 0x10000)
HALVES = (0, 2, 4, 6, 8, 0x7FFF, 0xFFFF)


def splice(content: bytes, random: random.Random) -> tuple[bytes, str]:
    """The bytes with one word of the structure changed, and what was done."""
    data = bytearray(content)
    if len(data) < 16 or random.random() < 0.05:
        end = random.randrange(len(data) + 1)
        return bytes(data[:end]), f"cut off at byte {end}"
    found = list(structure(content))
    if not found or random.random() < 0.15:
        at = random.randrange(len(data))
        data[at] ^= 1 << random.randrange(8)
        return bytes(data), f"a bit of byte {at}"
    kind, at = random.choice(found)
    if kind == "vtable":
        (old,) = struct.unpack_from("<H", data, at)
        other = struct.unpack_from("<H", data, random.choice(found)[1] & ~1)[0]
        new = random.choice((*HALVES, old + 4 & 0xFFFF, old - 4 & 0xFFFF, other))
        struct.pack_into("<H", data, at, new)
    else:
        (old,) = struct.unpack_from("<I", data, at)
        target = random.choice(found)[1] - at  # an offset to somewhere else that has structure
        new = random.choice((*WORDS, old + 4, old - 4, old * 2, target, random.getrandbits(16)))
        struct.pack_into("<I", data, at, new & 0xFFFFFFFF)
    return bytes(data), f"{new:#x} instead of {old:#x} in a {kind} at byte {at}"


def structure(content: bytes) -> Iterator[tuple[str, int]]:
    """Kind and place of what looks like the structure of this flatbuffer, from its root on.

    A word that a table or a vector has and that leads to a table, a vector or a string is taken for
    an offset: what it leads to is looked at, too.
    """
    seen: set[int] = set()
    left = [struct.unpack_from("<I", content, 0)[0]]
    yield "offset", 0
    while left and len(seen) < 4000:
        table = left.pop()
        if table in seen:
            continue
        seen.add(table)
        for kind, at, target in _table(content, table):
            yield kind, at
            if target is not None:
                left.append(target)


def _table(content: bytes, table: int) -> Iterator[tuple[str, int, int | None]]:
    """Places of a table: its vtable's entries, and its words that may be offsets, with their
    targets.
    """
    slots = vtable_of(content, table)
    if slots is None:
        return
    start, count = slots
    yield "offset", table, None
    for i in range(count):
        at = start + 4 + 2 * i
        yield "vtable", at, None
        (offset,) = struct.unpack_from("<H", content, at)
        if offset and table + offset + 4 <= len(content):
            yield from _field(content, table + offset)


def _field(content: bytes, at: int) -> Iterator[tuple[str, int, int | None]]:
    (word,) = struct.unpack_from("<I", content, at)
    target = at + word
    if word < 4 or target + 4 > len(content):
        yield "field", at, None
        return
    yield "offset", at, target if vtable_of(content, target) else None
    (count,) = struct.unpack_from("<I", content, target)
    if 0 < count <= 4096 and target + 4 + 4 * count <= len(content):
        yield "count", target, None
        for i in range(min(count, 64)):
            item = target + 4 + 4 * i
            (word,) = struct.unpack_from("<I", content, item)
            if word >= 4 and vtable_of(content, item + word):
                yield "offset", item, item + word


def vtable_of(content: bytes, table: int) -> tuple[int, int] | None:
    """Where the vtable of a table begins and how many slots it has; None: here is no table."""
    if not 4 <= table <= len(content) - 4:
        return None
    start = table - struct.unpack_from("<i", content, table)[0]
    if not 4 <= start <= len(content) - 4:
        return None
    size, length = struct.unpack_from("<HH", content, start)
    sane = 4 <= size <= 64 and size % 2 == 0 and start + size <= len(content) and length <= 256
    return (start, (size - 4) // 2) if sane else None
