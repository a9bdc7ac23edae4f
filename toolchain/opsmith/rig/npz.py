"""Reads npz files of numbers that nobody vouches for: headers, whole arrays, or arrays by rows."""

import io
import math
import struct
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from opsmith.reading import UnreadableError, check_regular
from opsmith.text import escaped

DTYPES = frozenset(
    {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"}
    | {"float16", "float32", "float64"}
)
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_LONGEST_HEADER = 10_000  # bytes, numpy's own limit, which it checks after reading
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # methods that numpy writes
_UNREADABLE = (
    UnreadableError, OSError, ValueError, RuntimeError, EOFError, KeyError, IndexError,
    OverflowError, struct.error, zlib.error, zipfile.BadZipFile, zipfile.LargeZipFile,
)  # fmt: skip


class Damaged(Exception):
    """Raised for a file that is no readable npz file; the text says why, escaped."""


@dataclass(frozen=True)
class Header:
    """Type and shape of an array, as its file states them."""

    stored: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool

    @property
    def dtype(self) -> str:
        """Name of the elements' type, in any order of bytes."""
        return self.stored.name

    @property
    def bytes(self) -> int:
        """Size of the array's data in bytes."""
        return math.prod(self.shape) * self.stored.itemsize

    def __str__(self) -> str:
        sizes = ", ".join(map(str, self.shape[:8])) + (", …" if len(self.shape) > 8 else "")
        return f"{escaped(self.dtype)[:40]}[{sizes}]"


class NpzArchive:
    """An open npz file."""

    def __init__(self, archive: zipfile.ZipFile):
        self._archive = archive
        self.names = [_array_name(member) for member in archive.infolist()]
        for name, count in Counter(self.names).items():
            if count > 1:
                raise Damaged(f"array '{escaped(name)[:80]}' is there {count} times")

    def header(self, name: str) -> Header:
        """Type and shape of an array, of which nothing else is read. Raises Damaged."""
        with self._member(name) as member:
            return _header(member)

    def read(self, name: str) -> NDArray[Any]:
        """Read the array, whose header the caller has accepted. Raises Damaged."""
        with self._member(name) as member:
            header = _header(member)
            found = _elements(member, header.stored, math.prod(header.shape))
            if member.read(1):
                raise Damaged(f"it does not hold the {header.bytes} bytes of {header}")
            if header.fortran:
                return np.array(found.reshape(header.shape[::-1]).T, order="C")
            return found.reshape(header.shape)

    def rows(self, name: str) -> Iterator[NDArray[Any]]:
        """Rows of an array one by one, so that the whole need not fit in memory. Raises Damaged."""
        with self._member(name) as member:
            header = _header(member)
            if header.fortran or not header.shape:
                raise Damaged(f"it is {header}, not rows in C's order")
            count, *row = header.shape
            for _ in range(count):
                yield _elements(member, header.stored, math.prod(row)).reshape(row)

    @contextmanager
    def _member(self, name: str) -> Iterator[IO[bytes]]:
        """File of an array. Raises Damaged, with the array's name, for errors inside."""
        prefix = f"array '{escaped(name)[:80]}': "
        with _damage(prefix), self._archive.open(f"{name}.npy") as member:
            yield member


@contextmanager
def opened(path: Path) -> Iterator[NpzArchive]:
    """Open an npz file. Raises Damaged."""
    with _damage():
        check_regular(path, sys.maxsize)
    with _damage(), path.open("rb") as file:
        if file.read(len(npy.MAGIC_PREFIX)) == npy.MAGIC_PREFIX:
            raise Damaged("it is a single array (.npy), not an npz file")
        with zipfile.ZipFile(file) as archive:
            yield NpzArchive(archive)


def _array_name(member: zipfile.ZipInfo) -> str:
    shown = f"member '{escaped(member.filename)[:80]}'"
    if not member.filename.endswith(".npy"):
        raise Damaged(f"{shown} is not an array (.npy)")
    if member.compress_type not in _METHODS:
        raise Damaged(f"{shown} is compressed by method {member.compress_type}")
    return member.filename.removesuffix(".npy")


def _header(member: IO[bytes]) -> Header:
    """Parse numpy's header; the member is then positioned at the array's data."""
    start = io.BytesIO(member.read(_LONGEST_HEADER))
    read = _HEADERS.get(version := npy.read_magic(start))
    if read is None:
        raise Damaged(f"its format is version {version[0]}")
    try:
        shape, fortran, stored = read(start)
    except Exception as error:  # whatever Python's tokenizer and parser raise, MemoryError included
        raise Damaged(f"its header cannot be read: {_one_line(error)}") from error
    member.seek(start.tell())
    if any(type(size) is not int or size < 0 for size in shape):  # True is an integer to numpy
        raise Damaged(f"its shape is {shape}")
    return Header(stored, shape, fortran)


def _elements(member: IO[bytes], stored: np.dtype[Any], count: int) -> NDArray[Any]:
    """The next elements of a member, in the order of bytes of this machine."""
    if stored.name not in DTYPES:
        raise Damaged(f"its elements are {escaped(stored.name)[:40]}")
    size = count * stored.itemsize
    data = member.read(size)
    if len(data) != size:
        raise Damaged(f"it ends within its data, {size - len(data)} bytes early")
    if stored.name == "bool" and max(data, default=0) > 1:
        raise Damaged("a bool is neither 0 nor 1")
    return np.frombuffer(data, stored).astype(stored.newbyteorder("="))


@contextmanager
def _damage(prefix: str = "") -> Iterator[None]:
    """Context that turns errors of reading inside it into Damaged."""
    try:
        yield
    except Damaged as error:
        raise Damaged(f"{prefix}{error}") from error
    except _UNREADABLE as error:
        raise Damaged(f"{prefix}{_one_line(error)}") from error


def _one_line(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) else None
    return escaped(" ".join(str(reason or error).split()))[:200] or type(error).__name__
