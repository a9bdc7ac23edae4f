"""Tensors as TensorFlow Lite Micro's TFLM_DECODE reads them, encoded here by the format's words."""

import heapq
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsmith.tflite.writer import ModelWriter

Array = NDArray[Any]
LUT, HUFFMAN, PRUNE = 0, 1, 2
TYPES = ("bool", "float32", "int8", "int16", "int32", "int64")


@dataclass(frozen=True)
class Compressed:
    """Compressed tensor: the elements, the quantisation, and the bytes that encode it."""

    array: Array
    encoded: bytes
    ancillary: bytes
    quantisation: Mapping[str, Any] = field(default_factory=dict)


def header(kind: int, *parameters: int) -> bytes:
    """Header of an encoded tensor, of the current versions."""
    return bytes([kind, 1, 0, 0, 1, *parameters]).ljust(16, b"\0")


def packed(bits: str) -> bytes:
    """Bytes of a string of bits, from the highest bit of each byte on."""
    return int(bits.ljust(-(-len(bits) // 8) * 8, "0") or "0", 2).to_bytes(
        -(-len(bits) // 8), "big"
    )


def quantised(channels: int, axis: int, zeros: Sequence[int] = ()) -> dict[str, Any]:
    """Quantisation with N scales along an axis."""
    points = list(zeros) or [0] * channels
    return {"scale": [0.5] * channels, "zero_point": points, "axis": axis}


def by_tables(array: Array, axis: int | None, named: int, given: Mapping[str, Any]) -> Compressed:
    """Encoding by indices into one table, or into a table for each channel of the axis."""
    slices = [array] if axis is None else np.moveaxis(array, axis, 0)
    tables = [np.unique(each) for each in slices]
    size = max(len(each) for each in tables)
    width = max((size - 1).bit_length(), 1)
    indices = [np.searchsorted(*pair) for pair in zip(tables, slices, strict=True)]
    placed = indices[0] if axis is None else np.moveaxis(np.stack(indices), 0, axis)
    values = b"".join(np.pad(each, (0, size - len(each))).tobytes() for each in tables)
    encoded = packed("".join(f"{each:0{width}b}" for each in placed.reshape(-1).tolist()))
    return Compressed(array, encoded, header(LUT, named << 4 | width, size) + values, given)


def pruned(array: Array, zeros: Array, given: Mapping[str, Any]) -> Compressed:
    """Encoding by a bitmap of elements that differ from zero points, and their values."""
    kept = (array != zeros).reshape(-1)
    bits = packed("".join("01"[each] for each in kept.tolist()))
    return Compressed(array, bits, header(PRUNE) + array.reshape(-1)[kept].tobytes(), given)


def by_huffman(array: Array, first: int, wide: bool) -> Compressed:
    """Encoding by Huffman codes, and their tables: the first of 2^`first` entries, others as
    needed.
    """
    codes = _codes(array.reshape(-1).tolist())
    entries = _entries(codes, first, 27 if wide else 11)
    table = np.array(entries, np.uint32 if wide else np.uint16).tobytes()
    encoded = packed("".join(codes[each] for each in array.reshape(-1).tolist()))
    encoded = encoded.ljust(-(-len(encoded) // 4) * 4, b"\0")  # whole words
    return Compressed(array, encoded, header(HUFFMAN, first - 1 << 4 | wide) + table)


def _codes(symbols: Sequence[int]) -> dict[int, str]:
    heap = [(count, number, {each: ""}) for number, (each, count) in enumerate(
        sorted(Counter(symbols).items())
    )]  # fmt: skip
    heap = [*heap, *([(0, -1, {2**20: ""})] if len(heap) == 1 else [])]
    heapq.heapify(heap)
    while len(heap) > 1:
        (a, _, left), (b, number, right) = heapq.heappop(heap), heapq.heappop(heap)
        both = {s: f"0{c}" for s, c in left.items()} | {s: f"1{c}" for s, c in right.items()}
        heapq.heappush(heap, (a + b, number + 1000, both))
    return heap[0][2]


def _entries(codes: Mapping[int, str], first: int, shift: int) -> list[int]:
    """Entries of the tables of codes: a symbol and its bits, or the next table's place and bits."""
    entries: list[int] = []
    waiting = [(codes, first, -1)]
    while waiting:
        some, width, origin = waiting.pop(0)
        if origin >= 0:
            entries[origin] = (width - 1) << shift | (len(entries) - origin)
        start = len(entries)
        entries += [0] * (1 << width)
        longer: dict[str, dict[int, str]] = {}
        for symbol, code in some.items():
            if len(code) > width:
                longer.setdefault(code[:width], {})[symbol] = code[width:]
                continue
            rest = width - len(code)
            for i in range(1 << rest):
                value = symbol & ((1 << (16 if shift == 27 else 8)) - 1)
                found = 1 << (shift + 4) | len(code) << shift | value
                entries[start + (int(code or "0", 2) << rest | i)] = found
        for prefix, inner in longer.items():
            most = max(map(len, inner.values()))
            waiting.append((inner, min(most, 3), start + int(prefix, 2)))
    return entries


def drawn(chance: random.Random) -> Compressed:
    """Random compressed tensor of any type, shape and encoding."""
    shape = tuple(chance.randint(1, 6) for _ in range(chance.randint(1, 4)))
    dtype = chance.choice(TYPES)
    values = np.random.default_rng(chance.randrange(2**31))
    kind = chance.choice([LUT, HUFFMAN, PRUNE])
    if kind == HUFFMAN:
        wide = chance.random() < 0.5
        pool = values.integers(-128, 128, chance.randint(1, 40))
        array = values.choice(pool, shape).astype("int16" if wide and dtype != "int8" else "int8")
        return by_huffman(array, chance.randint(1, 5), wide)
    pool = values.integers(-100, 101, chance.randint(1, 30)).astype(dtype)
    array = values.choice(pool, shape)
    axis = chance.choice([0, len(shape) - 1, None])
    axis = 0 if axis and shape[axis] == 1 else axis  # which that runtime takes for one scale
    channels = 1 if axis is None else shape[axis]
    if kind == LUT:
        named = chance.choice([15 if axis is None else axis, 0])
        given = quantised(channels, axis or 0) if axis is not None else {}
        return by_tables(array, axis, named, given)
    zeros = values.integers(-9, 10, channels) if dtype == "int8" else np.zeros(channels, np.int64)
    along = [-1 if axis == i else 1 for i in range(len(shape))]
    at = np.broadcast_to(zeros.reshape(along if axis is not None else 1), shape)
    array = np.where(values.random(shape) < 0.6, at, array).astype(dtype)
    return pruned(array, at, quantised(channels, axis or 0, zeros.tolist()))


def model(given: Compressed, outputs: int = 1, custom: str = "TFLM_DECODE") -> bytes:
    """Model without inputs that decodes the tensor N times."""
    m = ModelWriter()
    read, made = [], []
    for number in range(outputs):
        for name, data in (("encoded", given.encoded), ("ancillary", given.ancillary)):
            read.append(m.tensor(f"{name}{number}", (len(data),), "uint8", data=data))
        dtype = given.array.dtype
        made.append(m.tensor(f"y{number}", given.array.shape, dtype, **given.quantisation))
    m.node("CUSTOM", read, made, custom=custom)
    m.output(*made)
    return m.bytes()
