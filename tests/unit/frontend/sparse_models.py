"""Models whose one constant is stored sparsely, in any encoding that the format has."""

import random
from dataclasses import dataclass
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

from opsmith.ir import Array
from opsmith.tflite.writer import ModelWriter

Kind = type[np.integer[Any]]
VECTORS: dict[Kind, str] = {
    np.int32: "Int32Vector",
    np.uint16: "Uint16Vector",
    np.uint8: "Uint8Vector",
}


@dataclass(frozen=True)
class Encoding:
    """Encoding of a sparsely stored array."""

    order: tuple[int, ...]  # of axes, then of those of blocks
    blocks: tuple[tuple[int, int], ...] = ()  # axis and size
    sparse: tuple[bool, ...] = ()  # of each level
    numbers: tuple[Kind, ...] = (np.int32,)  # in turn of each vector of indices


def drawn(chance: random.Random) -> tuple[Array, Encoding]:
    """An array of up to four axes, and an encoding of it that LiteRT reads."""
    shape = [chance.randint(1, 12) for _ in range(chance.randint(1, 4))]
    dtype = chance.choice((np.float32, np.float16, np.int8))
    numbers = np.random.default_rng(chance.randrange(2**32))
    values = numbers.integers(-9, 10, shape) * (numbers.random(shape) < chance.choice((0.1, 0.5)))
    values.reshape(-1)[0] = 7  # LiteRT has no constants without elements
    return values.astype(dtype), encoding(values.shape, chance)


def encoding(shape: tuple[int, ...], chance: random.Random) -> Encoding:
    """Random encoding for an array of the given shape that LiteRT reads."""
    rank = len(shape)
    axes = sorted(chance.sample(range(rank), chance.randint(0, min(rank, 2))))
    blocks = tuple(
        (axis, chance.choice([n for n in (1, 2, 3, 4) if shape[axis] % n == 0])) for axis in axes
    )
    order = (*chance.sample(range(rank), rank), *range(rank, rank + len(blocks)))
    sparse = (*(chance.random() < 0.6 for _ in range(rank)), *(False for _ in blocks))
    kinds = tuple(chance.choice([*VECTORS]) for _ in range(2 * rank))
    return Encoding(order, blocks, sparse, kinds)


def encoded(array: Array, how: Encoding) -> tuple[Any, Array]:
    """The table of an encoding, and the elements that are stored."""
    sizes, split = dict(how.blocks), list[int]()
    for axis, size in enumerate(array.shape):
        split += [size // sizes.get(axis, 1), sizes.get(axis, 1)]
    inner = [2 * axis + 1 for axis, _ in how.blocks]
    axes = [*(2 * axis for axis in range(array.ndim)), *inner]
    rest = [i for i in range(len(split)) if i not in axes]
    arranged = array.reshape(split).transpose([*(axes[i] for i in how.order), *rest])
    arranged = arranged.reshape(arranged.shape[: len(axes)])
    table, parts, kinds = schema.SparsityParametersT(), [arranged], iter(how.numbers)
    table.traversalOrder = np.array(how.order, np.int32)
    table.blockMap = np.array([axis for axis, _ in how.blocks], np.int32) if how.blocks else None
    table.dimMetadata = []
    for size, sparse in zip(arranged.shape, how.sparse, strict=True):
        level = schema.DimensionMetadataT()
        found = [[i for i in range(size) if not sparse or part[i].any()] for part in parts]
        if sparse:
            level.format = schema.DimensionType.SPARSE_CSR
            ends = np.cumsum([0, *map(len, found)])
            _list(level, "arraySegments", ends, next(kinds))
            _list(level, "arrayIndices", np.concatenate(found), next(kinds))
        else:
            level.denseSize = size
        table.dimMetadata.append(level)
        parts = [part[i] for part, each in zip(parts, found, strict=True) for i in each]
    return table, np.array(parts, array.dtype)


def _list(level: Any, field: str, numbers: Array, kind: Kind) -> None:
    kind = kind if numbers.max(initial=0) <= np.iinfo(kind).max else np.int32
    vector = getattr(schema, f"{VECTORS[kind]}T")()
    vector.values = numbers.astype(kind)
    setattr(level, field, vector)
    setattr(level, f"{field}Type", getattr(schema.SparseIndexVector, VECTORS[kind]))


def model(array: Array, table: Any, stored: Array, *, widened: bool = False) -> bytes:
    """Model that returns the array, stored by an encoding; as float32 where `widened`."""
    m = ModelWriter()
    scale = (0.5,) if array.dtype == np.int8 else ()
    w = m.tensor("w", array.shape, array.dtype, scale, data=stored.tobytes())
    y = m.value("DENSIFY", [w], m.tensor("y", array.shape, array.dtype, scale))
    if widened:
        wide = m.value("DEQUANTIZE", [y], m.tensor("wide", array.shape, "float32"), version=3)
        y = wide
    m.output(y)
    made = schema.ModelT.InitFromPackedBuf(m.bytes(), 0)
    made.subgraphs[0].tensors[0].sparsity = table
    builder = flatbuffers.Builder(1024)
    builder.Finish(made.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())
