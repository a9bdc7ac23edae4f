"""Writes zip files that may lie in every field."""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Member:
    """Member of a zip file; fields that are None are right for its data."""

    name: bytes
    data: bytes  # as the archive holds it
    method: int = 0
    flags: int = 0
    unpacked: int | None = None
    packed: int | None = None
    crc: int = 0
    local_name: bytes | None = None
    extra: bytes = b""


@dataclass
class Directory:
    """Record at the end of the directory; fields that are None are right."""

    count: int | None = None
    size: int | None = None
    offset: int | None = None
    comment: bytes = b""
    prefix: bytes = field(default=b"")  # in front of the archive


def stored(name: str, content: bytes) -> Member:
    """Well-formed member, stored without compression."""
    return Member(name.encode(), content, unpacked=len(content), crc=zlib.crc32(content))


def deflated(name: str, content: bytes) -> Member:
    """Well-formed compressed member."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    data = packer.compress(content) + packer.flush()
    return Member(name.encode(), data, 8, unpacked=len(content), crc=zlib.crc32(content))


def archive(members: Sequence[Member], directory: Directory) -> bytes:
    """Bytes of a zip file."""
    content, central = directory.prefix, b""
    for member in members:
        place = len(content)
        name = member.name if member.local_name is None else member.local_name
        content += struct.pack("<4sHHHIIIIHH", b"PK\3\4", *_fields(member, name)) + name
        content += member.extra + member.data
        fields = _fields(member, member.name)
        central += struct.pack("<4sHHHHIIIIHHHHHII", b"PK\1\2", 20, *fields, 0, 0, 0, 0, place)
        central += member.name + member.extra
    count = _or(directory.count, len(members)) & 0xFFFF
    size = _or(directory.size, len(central)) & 0xFFFFFFFF
    offset = _or(directory.offset, len(content)) & 0xFFFFFFFF
    end = struct.pack(
        "<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, size, offset, len(directory.comment)
    )
    return content + central + end + directory.comment


def _fields(member: Member, name: bytes) -> tuple[int, ...]:
    packed = _or(member.packed, len(member.data)) & 0xFFFFFFFF
    unpacked = _or(member.unpacked, packed) & 0xFFFFFFFF
    return (
        20, member.flags, member.method, 0x21 << 16, member.crc, packed, unpacked,
        len(name) & 0xFFFF, len(member.extra) & 0xFFFF,
    )  # fmt: skip


def _or(value: int | None, default: int) -> int:
    return default if value is None else value
