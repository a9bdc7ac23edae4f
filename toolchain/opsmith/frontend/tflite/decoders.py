"""Decoders of TensorFlow Lite Micro's TFLM_DECODE: look-up tables, Huffman codes, bitmaps of pruned
elements.

An ancillary tensor describes the encoding: a header of 16 bytes, then tables. Bits count from the
highest one of each byte.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Array, DType
from opsmith.ir.types import boolean, f32, i8, i16, i32, i64

HEADER = 16  # bytes
_VERSION = 1  # version of the header, and of each of the three encodings
_CUSTOM = 128  # larger numbers of types belong to applications
_TYPES = (boolean, f32, i8, i16, i32, i64)
_MOST_VALUES = 128  # values per look-up table
_ONE_TABLE = 15  # stands for no axis: one table for all
Bytes = NDArray[np.uint8]


class DecodeError(Exception):
    """Raised for encoded bytes that do not describe a tensor; the text is a clause."""


@dataclass(frozen=True)
class ChannelScales:
    """Channels of the decoded tensor: count, axis and zero points, which the encoding needs."""

    count: int = 1
    axis: int = 0
    zero_points: tuple[int, ...] = ()


@dataclass(frozen=True)
class Encoded:
    """A tensor before decoding: bytes, header, tables, and the type and shape of the result."""

    stored: Bytes
    header: Bytes
    tables: Bytes  # bytes after the header
    dtype: DType  # of the decoded tensor
    shape: tuple[int, ...]
    channels: ChannelScales

    @property
    def elements(self) -> int:
        """Number of elements of the decoded tensor."""
        return math.prod(self.shape)

    def channel(self, channels: ChannelScales) -> NDArray[np.int64]:
        """Channel of each element. Raises DecodeError where channels do not fit the shape."""
        count, axis = channels.count, channels.axis
        if count == 1:
            return np.zeros(self.elements, np.int64)
        if self.shape[axis : axis + 1] != (count,) or axis not in (0, len(self.shape) - 1):
            raise DecodeError(f"{count} channels are not the first or the last of {self.shape}")
        along = [1] * len(self.shape)
        along[axis] = count
        found = np.arange(count, dtype=np.int64).reshape(along)
        return np.broadcast_to(found, self.shape).reshape(-1)

    def values(self, count: int) -> Array:
        """First `count` values of the tables. Raises DecodeError if the tables have fewer."""
        size = count * self.dtype.size
        if len(self.tables) < size:
            what = f"tables of {len(self.tables)} bytes hold no {count} {self.dtype.name}"
            raise DecodeError(what)
        return np.frombuffer(self.tables[:size].tobytes(), self.dtype.numpy)

    def bits(self, count: int) -> Bytes:
        """First `count` encoded bits. Raises DecodeError if there are fewer."""
        if 8 * len(self.stored) < count:
            raise DecodeError(f"{len(self.stored)} encoded bytes hold no {count} bits")
        return np.unpackbits(self.stored[: -(-count // 8)])[:count]


def decoded(
    stored: Bytes, ancillary: Bytes, dtype: DType, shape: tuple[int, ...], channels: ChannelScales
) -> Array:
    """Elements of the decoded tensor, in its shape. Raises DecodeError."""
    if len(ancillary) < HEADER:
        raise DecodeError(f"its header has {len(ancillary)} bytes instead of {HEADER}")
    header, tables = ancillary[:HEADER], ancillary[HEADER:]
    kind, version = int(header[0]), int(header[1])
    if version != _VERSION:
        raise DecodeError(f"its header has version {version}, not {_VERSION}")
    if kind >= _CUSTOM:
        raise DecodeError(f"type {kind} is an application's own")
    if kind not in _DECODERS:
        raise DecodeError(f"there is no type {kind}")
    if header[4] != _VERSION:
        raise DecodeError(f"type {kind} has version {header[4]}, not {_VERSION}")
    if dtype not in _TYPES:
        raise DecodeError(f"its output is {dtype.name}")
    values = _DECODERS[kind](Encoded(stored, header, tables, dtype, shape, channels))
    if dtype == boolean and values.view(np.uint8).max(initial=0) > 1:
        raise DecodeError("a boolean is neither 0 nor 1")
    return values.reshape(shape)


def _looked_up(given: Encoded) -> Array:
    """Elements decoded by their index in the table of their channel."""
    width, size = int(given.header[5]) & 7, int(given.header[6])
    if not width:
        raise DecodeError("its indices have no bits")
    if size > _MOST_VALUES:
        raise DecodeError(f"its tables have {size} values, more than {_MOST_VALUES}")
    bits = given.bits(given.elements * width).reshape(-1, width)
    index = np.zeros(given.elements, np.int64)
    for each in bits.T:
        index = 2 * index + each
    most = int(index.max(initial=-1))
    if most >= size:
        raise DecodeError(f"index {most} is beyond a table of {size}")
    channels = _tables(given, size * given.dtype.size)
    table = given.values(channels.count * size)
    return np.asarray(table[given.channel(channels) * size + index])


def _tables(given: Encoded, size: int) -> ChannelScales:
    """Channels that have tables of `size` bytes each. Raises DecodeError.

    The header names the axis of channels since 2026. Before, it was that of the quantisation: where
    the header has 0, the length of all tables decides.
    """
    axis = int(given.header[5]) >> 4
    if axis == _ONE_TABLE:
        return ChannelScales()
    along = ChannelScales(given.shape[axis], axis) if axis < len(given.shape) else None
    if axis:
        if along is None:
            raise DecodeError(f"its tables are along axis {axis} of {given.shape}")
        return along
    own = replace(given.channels, zero_points=())
    own = own if own.count > 1 else ChannelScales()
    fitting = {each for each in (along, own) if each and each.count * size == len(given.tables)}
    fitting = {each if each.count > 1 else ChannelScales() for each in fitting}
    if len(fitting) > 1:
        raise DecodeError(f"its tables may be along axis 0 or {own.axis}")
    if not fitting:
        raise DecodeError(f"tables of {len(given.tables)} bytes are not those of each channel")
    return fitting.pop()


def _pruned(given: Encoded) -> Array:
    """Values where the bitmap has ones, and zeros elsewhere: the zero point for int8."""
    kept = given.bits(given.elements).astype(bool)
    zeros = np.array(given.channels.zero_points or (0,), np.int64)
    if given.dtype != i8 and zeros.any():
        raise DecodeError(f"{given.dtype.name} has a zero point")
    if len(zeros) not in (1, given.channels.count):
        raise DecodeError(f"it has {len(zeros)} zero points for {given.channels.count} channels")
    found = zeros[given.channel(given.channels) % len(zeros)].astype(given.dtype.numpy)
    found[kept] = given.values(int(kept.sum()))
    return found


def _by_huffman(given: Encoded) -> Array:
    """Elements decoded from Huffman codes, each found by tables that follow each other."""
    wide = bool(given.header[5] & 1)
    types = (i8, i16) if wide else (i8,)
    if given.dtype not in types:
        raise DecodeError(f"{given.dtype.name} has no Huffman codes of {32 if wide else 16} bits")
    if given.elements > 8 * len(given.stored):
        raise DecodeError(f"{len(given.stored)} encoded bytes hold no {given.elements} codes")
    size = 4 if wide else 2
    entries = np.frombuffer(
        given.tables[: len(given.tables) // size * size].tobytes(), f"<u{size}"
    ).tolist()
    symbols = _symbols(given, entries, 8 * size)
    mask = (1 << 8 * given.dtype.size) - 1
    unsigned = np.array([symbol & mask for symbol in symbols], f"<u{given.dtype.size}")
    return unsigned.view(given.dtype.numpy)


def _symbols(given: Encoded, entries: list[int], width: int) -> list[int]:
    """Entry of each symbol, whose lowest bits are the symbol. Raises DecodeError."""
    shift, first = width - 5, (int(given.header[5]) >> 4) + 1
    stored, end = given.stored.tobytes(), 8 * len(given.stored)
    whole = stored + bytes(16)  # bits that are read ahead may lie beyond the end
    found, at = [], 0
    for _ in range(given.elements):
        start, used, place = at, first, 0
        while True:
            if at + used > end + 32:
                raise DecodeError("its codes end before its elements do")
            seven = int.from_bytes(whole[at >> 3 : (at >> 3) + 7], "big")
            place += seven >> (56 - (at & 7) - used) & ((1 << used) - 1)
            at += used
            if place >= len(entries):
                raise DecodeError(f"a code leads to entry {place} of {len(entries)}")
            entry = entries[place]
            count = entry >> shift & 15
            if entry >> (width - 1):
                break
            used, place = count + 1, place + (entry & ((1 << shift) - 1))
        at -= max(used - count, 0)
        if not start < at <= end:
            raise DecodeError("a code has no bits, or ends behind the encoded bytes")
        found.append(entry)
    return found


_DECODERS: Mapping[int, Callable[[Encoded], Array]] = {0: _looked_up, 1: _by_huffman, 2: _pruned}
