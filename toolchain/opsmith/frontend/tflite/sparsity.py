"""Elements of tensors that a file stores sparsely: rows of indices, blocks, axes in any order.

A level of the encoding goes along one axis, or along an axis within blocks: it is dense, or lists
indices for each place that earlier levels have reached (compressed sparse rows).
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import tflite
from numpy.typing import NDArray

from opsmith.ir import Array
from opsmith.tflite.schema import SchemaReader
from opsmith.tflite.tables import quick

MOST_BYTES = 1 << 27  # limit of unpacked sparse tensors, as few bytes can stand for many
_VECTORS = {
    tflite.SparseIndexVector.Int32Vector: tflite.Int32Vector,
    tflite.SparseIndexVector.Uint16Vector: tflite.Uint16Vector,
    tflite.SparseIndexVector.Uint8Vector: tflite.Uint8Vector,
}
Places = NDArray[np.int64]


class SparsityError(Exception):
    """Raised for an encoding that does not describe a tensor; the text is a sentence."""


def dense(reader: SchemaReader, table: Any, stored: Array, shape: tuple[int, ...]) -> Array:
    """Dense tensor whose nonzero elements are stored sparsely. Raises SparsityError."""
    encoding = _Encoding(reader, table, shape)
    at = encoding.places(len(stored))
    if len(at) != len(stored):
        raise SparsityError(f"{len(stored)} elements are stored, and {len(at)} are indexed")
    found = np.zeros(math.prod(shape), stored.dtype)
    found[at] = stored
    return found.reshape(shape)


def in_order(reader: SchemaReader, table: Any) -> bool:
    """True if blocks are listed and traversed in the order of axes, as LiteRT 2.3.0 assumes."""
    blocked, order = reader.numbers(table, "BlockMap"), reader.numbers(table, "TraversalOrder")
    last = order[len(order) - len(blocked) :]
    return [*blocked] == sorted(blocked) and [*last] == sorted(last)


class _Encoding:
    """Axes of the levels of a sparse encoding, and the sizes along them."""

    def __init__(self, reader: SchemaReader, table: Any, shape: tuple[int, ...]) -> None:
        self._reader, self._shape = reader, shape
        self._order = reader.numbers(table, "TraversalOrder")
        self._blocked = reader.numbers(table, "BlockMap")
        self._levels = list(reader.items(table, "DimMetadata"))
        rank, blocks = len(shape), len(self._blocked)
        if len({*self._blocked} & {*range(rank)}) != blocks:
            raise SparsityError(f"its blocks are of axes {[*self._blocked]} of {rank}")
        first, last = self._order[:rank], self._order[rank:]
        wanted = [*range(rank)], [*range(rank, rank + blocks)]
        if (sorted(first), sorted(last)) != wanted or len(self._levels) != rank + blocks:
            what = f"{len(self._levels)} levels, in the order {[*self._order]}"
            raise SparsityError(f"it has {what}, of {rank} axes and {blocks} of blocks")
        self._sizes = self._sizes_of_axes()

    def _sizes_of_axes(self) -> list[int]:
        """Size of each axis in blocks, then size of each block."""
        rank = len(self._shape)
        levels = dict(zip(self._order, self._levels, strict=True))
        blocks = [int(levels[rank + i].DenseSize()) for i in range(len(self._blocked))]
        sizes = list(self._shape)
        for axis, block in zip(self._blocked, blocks, strict=True):
            if block < 1 or sizes[axis] % block:
                raise SparsityError(
                    f"blocks of {block} do not fill {sizes[axis]} along axis {axis}"
                )
            sizes[axis] //= block
        return sizes + blocks

    def places(self, stored: int) -> Places:
        """Positions of all stored elements in the flattened tensor, in stored order."""
        reached = np.zeros(1, np.int64)
        at = np.zeros(1, np.int64)
        strides = self._strides()
        for axis, level in zip(self._order, self._levels, strict=True):
            if level.Format() == tflite.DimensionType.DENSE:
                parents, reached, index = self._each(level, reached, self._sizes[axis])
            else:
                parents, reached, index = self._listed(level, reached, self._sizes[axis])
            at = at[parents] + index * strides[axis]
        return at

    def _strides(self) -> list[int]:
        """Distance between neighbours along each axis, or each axis of a block, in elements."""
        rank = len(self._shape)
        inner = [math.prod(self._shape[axis + 1 :]) for axis in range(rank)]
        of_blocks = dict(zip(self._blocked, self._sizes[rank:], strict=True))
        outer = [inner[axis] * of_blocks.get(axis, 1) for axis in range(rank)]
        return outer + [inner[axis] for axis in self._blocked]

    def _each(self, level: Any, reached: Places, size: int) -> tuple[Places, Places, Places]:
        """Indices of a dense level for each place reached by earlier levels."""
        if level.DenseSize() != size:
            raise SparsityError(f"a dense level has {level.DenseSize()} indices instead of {size}")
        # Each place needs an index or an element in the file.
        if len(reached) * size > len(self._reader.data):
            raise SparsityError("it has more levels than elements are stored")
        parents = np.repeat(np.arange(len(reached)), size)
        index = np.tile(np.arange(size), len(reached))
        return parents, reached[parents] * size + index, index

    def _listed(self, level: Any, reached: Places, size: int) -> tuple[Places, Places, Places]:
        """Indices that a sparse level lists for each place reached by earlier levels."""
        starts = self._vector(level.ArraySegmentsType(), level.ArraySegments())
        indices = self._vector(level.ArrayIndicesType(), level.ArrayIndices())
        if len(starts) < reached.max(initial=-1) + 2 or (np.diff(starts) < 0).any():
            raise SparsityError(f"{len(starts)} ascending numbers do not part a level in rows")
        if len(starts) and not 0 <= starts[0] <= starts[-1] <= len(indices):
            raise SparsityError(f"a row ends at {starts[-1]} of {len(indices)} indices")
        lengths = starts[reached + 1] - starts[reached]
        parents = np.repeat(np.arange(len(reached)), lengths)
        before = np.cumsum(lengths) - lengths
        places = starts[reached][parents] + np.arange(len(parents)) - before[parents]
        index = indices[places]
        if ((index < 0) | (index >= size)).any():
            raise SparsityError(f"an index is not below {size}")
        return parents, places, index

    def _vector(self, kind: int, table: Any) -> Places:
        """Numbers of a vector of any of three types."""
        if kind not in _VECTORS or table is None:
            raise SparsityError("a sparse level lists no indices")
        vector = _VECTORS[kind]()
        vector.Init(table.Bytes, table.Pos)
        found: Sequence[int] = self._reader.numbers(quick(vector), "Values")
        return np.array(found, np.int64)
