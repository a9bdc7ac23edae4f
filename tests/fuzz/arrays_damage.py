"""The ways an npz file can be damaged: headers, data, members, directory and single bytes."""

import bz2
import io
import lzma
import zlib
from collections.abc import Callable
from functools import cache
from random import Random

import numpy as np

from opsmith.rig.arrays import Array
from tests.fuzz.zip_writer import Directory, Member, stored

SQUEEZE: dict[int, Callable[[bytes], bytes]] = {
    12: bz2.compress,
    14: lzma.compress,
    8: zlib.compress,
}
INTEGERS = (0, 1, -1, 2, 7, 2**31, 2**32 - 1, 2**63, 10**30)


def npy(value: Array) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, value)
    return file.getvalue()


DESCRS = (
    "'|i1'", "'<f4'", "'>f4'", "'|O'", "'<U9'", "'|V9'", "[('a', '<f4'), ('b', '|i1')]",
    "('<f4', (2, 2))", "''", "'f4'", "'<f4,<f4'", "'|S99999999999'", "'<M8[s]'", "5",
    "'\\x1b[2J'",
)  # fmt: skip
SHAPES = (
    "(1, 8, 8, 3)", "(2, 5)", "()", "(-1,)", "(2.0,)", "[2, 5]", "(True,)", "(10**9,)", "None",
    "(99999999999, 99999999999)", "(" + "1," * 70 + ")", "(0x" + "f" * 5000 + ",)", "('a',)",
    "(((((1)))))", "(True, 8, 8, 3)",
)  # fmt: skip
BODIES = ("(" * 3000 + ")" * 3000, "-" * 9000 + "1", "{" * 199, "__import__('os').abort()", "\0")


def _header(chance: Random, text: bytes) -> bytes:
    """Array whose header is replaced by a different one."""
    order = chance.choice(("True", "False", "0", "None"))
    values = (chance.choice(DESCRS), order, chance.choice(SHAPES))
    keys = ("'descr'", "'fortran_order'", "'shape'")
    fields = [f"{key}: {value}" for key, value in zip(keys, values, strict=True)]
    chance.shuffle(fields)
    body = "{" + ", ".join(fields[: chance.choice((3, 3, 3, 2))]) + ", }"
    if chance.random() < 0.4:
        body = chance.choice((*BODIES, body[:-3], "\0" + body, body + " " * 12_000))
    raw = body.encode() + b"\n"
    length = chance.choice((len(raw), len(raw), len(raw), 0, 65535, 2**30))
    version = chance.choice((1, 1, 1, 2, 3, 0, 255))
    start = b"\x93NUMPY" + bytes([version, 0])
    length &= 0xFFFF if version == 1 else 0xFFFFFFFF
    return start + length.to_bytes(2 if version == 1 else 4, "little") + raw + text[-200:]


def _longer(chance: Random, text: bytes) -> bytes:
    return text + bytes(chance.choice((1, 1000)))


def _shorter(chance: Random, text: bytes) -> bytes:
    return text[: chance.randrange(len(text))]


def _claim(chance: Random, text: bytes) -> bytes:
    """Array whose header claims more elements, up to gigabytes, than its data has."""
    shape = chance.choice((b"(3000000000,)", b"(1, 8, 8, 3000000)", b"(60000000,)"))
    raw = b"{'descr': '|i1', 'fortran_order': False, 'shape': %s, }\n" % shape
    return b"\x93NUMPY\1\0" + len(raw).to_bytes(2, "little") + raw + text[-40:]


def _flip(chance: Random, text: bytes) -> bytes:
    content = bytearray(text)
    for _ in range(chance.choice((1, 3, 20))):
        if content:
            content[chance.randrange(len(content))] = chance.randrange(256)
    return bytes(content)


HEADERS: tuple[Callable[[Random, bytes], bytes], ...] = (
    _header, _header, _header, _longer, _shorter, _claim, _flip,
)  # fmt: skip


@cache
def _bomb() -> bytes:
    """Compressed data of half a gigabyte of zeros, as independent deflate blocks."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * 512


def _explode(chance: Random, members: list[Member]) -> None:
    """Let a member unpack to half a gigabyte; its header may be right."""
    member = chance.choice(members)
    head = zlib.compressobj(0, zlib.DEFLATED, -15)
    start = npy(np.zeros((1, 8, 8, 3), np.int8))[:128] if chance.random() < 0.5 else b""
    member.data = head.compress(start) + head.flush(zlib.Z_FULL_FLUSH) + _bomb()
    member.method, member.unpacked = 8, chance.choice((None, 192, 2**29, 2**32 - 1))


def _method(chance: Random, members: list[Member]) -> None:
    member = chance.choice(members)
    member.method = chance.choice((0, 1, 6, 8, 9, 12, 14, 93, 95, 98, 99, 65535))
    if chance.random() < 0.5:
        member.data = SQUEEZE.get(member.method, bytes)(member.data)


MEMBER_NAMES = (
    b"images.npy", b"images", b"../../x.npy", b"/etc/passwd", b"\xff\xfe.npy", b"", b".npy",
    b"a\0b.npy", b"x" * 65000 + b".npy", b"\x1b[2J.npy", b"arr_0.npy", b"dir/",
)  # fmt: skip


def _name(chance: Random, members: list[Member]) -> None:
    member = chance.choice(members)
    name = chance.choice(MEMBER_NAMES)
    if chance.random() < 0.3:
        member.local_name = name
    else:
        member.name = name
    member.flags |= chance.choice((0, 0x800))


def _field(chance: Random, members: list[Member]) -> None:
    member, value = chance.choice(members), chance.choice(INTEGERS)
    match chance.randrange(5):
        case 0:
            member.flags = chance.choice((1, 8, 0x20, 0x40, 0x800, 0xFFFF))
        case 1:
            member.unpacked = value
        case 2:
            member.packed = value
        case 3:
            member.crc = value & 0xFFFFFFFF
        case _:
            member.extra = chance.choice(
                (b"\1\0\x10\0" + bytes(16), b"\1\0\xff\xff", b"\x99\x99", bytes(60_000))
            )


def _number(chance: Random, members: list[Member]) -> None:
    """Repeat, remove or multiply members of the archive."""
    match chance.randrange(4):
        case 0:
            members.append(chance.choice(members))
        case 1:
            members.remove(chance.choice(members))
        case 2:
            members.insert(0, stored(f"more{chance.random()}.npy", b"x"))
        case _:
            members += [stored(f"{index}.npy", b"") for index in range(chance.choice((30, 1000)))]


def _damage(chance: Random, members: list[Member]) -> None:
    member = chance.choice(members)
    member.data = chance.choice((_flip, _flip, _shorter))(chance, member.data or b"x")


MEMBERS = (_explode, _method, _name, _field, _number, _damage, _damage)


def end(chance: Random, directory: Directory) -> None:
    value = chance.choice(INTEGERS)
    match chance.randrange(5):
        case 0:
            directory.count = value
        case 1:
            directory.size = value
        case 2:
            directory.offset = value
        case 3:
            directory.comment = chance.randbytes(chance.choice((1, 60_000)))
        case _:
            directory.prefix = chance.choice((b"\x93NUMPY", b"junk", bytes(2 << 20)))


def damaged(chance: Random, content: bytes) -> bytes:
    match chance.randrange(4):
        case 0:
            return content[: chance.randrange(len(content) + 1)]
        case 1:
            return content[chance.randrange(len(content)) :]
        case 2:
            at = chance.randrange(len(content))
            return content[:at] + chance.randbytes(chance.randrange(1, 100)) + content[at:]
        case _:
            return _flip(chance, content)
