"""Reads npz files from untrusted sources: nothing is unpacked before its header is checked.

numpy.load would evaluate pickles, trust any header and unpack everything that a member claims to
hold. Here reading is bounded by what the caller expects, and every defect raises Damaged.
"""

import ast
import math
import os
import stat
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from opsmith.text import escaped

DTYPES = frozenset(
    {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"}
    | {"float16", "float32", "float64"}
)
_STRUCTURE = 1 << 20  # bytes of a zip's structure beside its data; 2,000 arrays take half of it
_LONGEST_HEADER = 10_000  # numpy's own limit
_MOST_DIMENSIONS = 64
_MAGIC = b"\x93NUMPY"
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # methods that numpy writes
_ENCRYPTED = 1  # flag of a member
_TYPES = {np.dtype(name).str[1:]: name for name in DTYPES}
_UNREADABLE = (
    OSError, ValueError, RuntimeError, EOFError, KeyError, IndexError, TypeError, OverflowError,
    struct.error, zlib.error, zipfile.BadZipFile, zipfile.LargeZipFile,
)  # fmt: skip


class Damaged(Exception):
    """Raised for a file that is no readable npz file; the text says why, escaped."""


@dataclass(frozen=True)
class Header:
    """Claimed type and shape of a member. `dtype` is numpy's name, or the file's text if that is no
    type.
    """

    dtype: str
    shape: tuple[int, ...]
    fortran: bool

    @property
    def bytes(self) -> int:
        """Size of the member's data in bytes; 0 for an unsupported type."""
        known = self.dtype in DTYPES
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize if known else 0

    def __str__(self) -> str:
        sizes = ", ".join(map(str, self.shape[:8])) + (", …" if len(self.shape) > 8 else "")
        return f"{self.dtype}[{sizes}]"


class NpzArchive:
    """An open npz file."""

    def __init__(self, archive: zipfile.ZipFile):
        self._archive = archive
        self._members = _members(archive)

    @property
    def names(self) -> list[str]:
        """Names of the archive's arrays, in order."""
        return list(self._members)

    def header(self, name: str) -> Header:
        """Claimed type and shape of an array, of which nothing else is read. Raises Damaged."""
        with _damage(name), self._archive.open(self._members[name]) as member:
            return _header(member)

    def read(self, name: str) -> NDArray[Any]:
        """Read the array, whose header the caller has accepted. Raises Damaged."""
        with _damage(name), self._archive.open(self._members[name]) as member:
            header = _header(member)
            if header.dtype not in DTYPES:
                raise Damaged(f"it is {header}")
            data = member.read(header.bytes)
            if len(data) != header.bytes or member.read(1):
                raise Damaged(f"it does not hold the {header.bytes} bytes of {header}")
            if header.dtype == "bool" and max(data, default=0) > 1:
                raise Damaged("a bool is neither 0 nor 1")
        return _array(data, header)

    def rows(self, name: str) -> Iterator[NDArray[Any]]:
        """Rows of an array one by one, so that the whole need not fit in memory. Raises Damaged."""
        with self._archive.open(self._members[name]) as member:
            with _damage(name):
                header = _header(member)
                if header.dtype not in DTYPES or header.fortran or not header.shape:
                    raise Damaged(f"it is {header}, not rows in C's order")
            row = Header(header.dtype, header.shape[1:], False)
            for _ in range(header.shape[0]):
                with _damage(name):
                    data = member.read(row.bytes)
                    if len(data) != row.bytes:
                        raise Damaged(f"it does not hold the {header.bytes} bytes of {header}")
                    found = _array(data, row)
                yield found


@contextmanager
def opened(path: Path, data: int) -> Iterator[NpzArchive]:
    """Open an npz file, from which not much more than `data` bytes are read. Raises Damaged."""
    with _damage(), _regular(path) as file:
        bounded: Any = _Bounded(file, 2 * data + _STRUCTURE)
        if bounded.read(len(_MAGIC)) == _MAGIC:
            raise Damaged("it is a single array (.npy), not an npz file")
        with zipfile.ZipFile(bounded) as archive:
            yield NpzArchive(archive)


class _Bounded:
    """A file that raises Damaged when reads exceed a budget."""

    def __init__(self, file: IO[bytes], budget: int):
        self._file, self._left = file, budget
        self.seek, self.tell, self.close = file.seek, file.tell, file.close
        self.seekable = file.seekable

    def read(self, size: int = -1) -> bytes:
        """Read as from any file. Raises Damaged once the budget is exhausted."""
        found = self._file.read(self._left + 1 if size < 0 else min(size, self._left + 1))
        self._left -= len(found)
        if self._left < 0:
            raise Damaged("it is larger than the arrays that it should hold")
        return found


@contextmanager
def _regular(path: Path) -> Iterator[IO[bytes]]:
    """Open a path if it is a regular file, since opening a FIFO would wait for its writer."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise Damaged("it is not a regular file")
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        yield file


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the members by the names of their arrays."""
    members: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        name = member.filename.removesuffix(".npy")
        shown = f"member '{escaped(member.filename)[:80]}'"
        if name == member.filename:
            raise Damaged(f"{shown} is not an array (.npy)")
        if name in members:
            raise Damaged(f"{shown} is there twice")
        if member.flag_bits & _ENCRYPTED:
            raise Damaged(f"{shown} is encrypted")
        if member.compress_type not in _METHODS:
            raise Damaged(f"{shown} is compressed by method {member.compress_type}, not by deflate")
        members[name] = member
    return members


def _header(member: IO[bytes]) -> Header:
    """Parse numpy's header; the member is then positioned at the array's data."""
    start = member.read(8)
    if len(start) != 8 or start[:6] != _MAGIC:
        raise Damaged("it is not an array (.npy)")
    if start[6] not in (1, 2, 3):
        raise Damaged(f"its format is version {start[6]}")
    size = "<H" if start[6] == 1 else "<I"
    (length,) = struct.unpack(size, member.read(struct.calcsize(size)))
    if length > _LONGEST_HEADER:
        raise Damaged(f"its header has {length} bytes")
    text = member.read(length)
    if len(text) != length:
        raise Damaged("it ends within its header")
    return _parsed(_evaluated(text.decode("utf-8" if start[6] == 3 else "latin-1")))


def _evaluated(text: str) -> Mapping[str, Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about a user's literals
            found = ast.literal_eval(text.strip())
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        raise Damaged("its header is malformed") from error
    if not isinstance(found, dict) or set(found) != {"descr", "fortran_order", "shape"}:
        raise Damaged("its header is malformed")
    return found


def _parsed(fields: Mapping[str, Any]) -> Header:
    descr, fortran, shape = fields["descr"], fields["fortran_order"], fields["shape"]
    sizes = shape if isinstance(shape, tuple) and len(shape) <= _MOST_DIMENSIONS else (None,)
    if not all(type(size) is int and 0 <= size < 2**63 for size in sizes):
        raise Damaged(f"its shape is {escaped(repr(shape))[:80]}")
    if not isinstance(fortran, bool):
        raise Damaged("its header is malformed")
    if not isinstance(descr, str):
        return Header("a structured type", sizes, fortran)
    if "O" in descr:
        raise Damaged("it holds Python objects, which are pickles")
    name = _TYPES.get(descr[1:]) if descr[:1] in ("<", "|", "=") else None
    return Header(name or f"type '{escaped(descr)[:40]}'", sizes, fortran)


def _array(data: bytes, header: Header) -> NDArray[Any]:
    dtype = np.dtype(header.dtype).newbyteorder("<")
    flat = np.frombuffer(data, dtype).astype(np.dtype(header.dtype))
    if header.fortran:
        return np.array(flat.reshape(header.shape[::-1]).T, order="C")
    return flat.reshape(header.shape)


@contextmanager
def _damage(name: str = "") -> Iterator[None]:
    """Context that turns any error inside it into Damaged."""
    prefix = f"array '{escaped(name)[:80]}': " if name else ""
    try:
        yield
    except Damaged as error:
        raise Damaged(f"{prefix}{error}") from error
    except _UNREADABLE as error:
        reason = error.strerror if isinstance(error, OSError) else None
        what = escaped(" ".join(str(reason or error).split()))[:200]
        raise Damaged(f"{prefix}{what or type(error).__name__}") from error
