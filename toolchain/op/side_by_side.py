"""Tensors side by side along an axis of another: what ops that take apart or put together share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.ir import Tensor
from toolchain.ir.types import i32
from toolchain.op.describe import OpError
from toolchain.op.view import GraphBuilder


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time."""

    rows: int  # positions before the axis
    count: int  # tensors


@dataclass(frozen=True)
class Tables:
    """How many elements of a row each tensor has."""

    elements: NDArray[np.int32]


def axis_of(axis: int, rank: int) -> int:
    """The axis, counted from the first. Raises OpError where there is no such axis."""
    if not -rank <= axis < rank:
        raise OpError(f"axis {axis} is not one of {rank}")
    return axis % rank


def rows_before(shape: Sequence[int], axis: int) -> int:
    """The positions before an axis."""
    return math.prod(shape[:axis])


def row_elements(tensors: Sequence[Tensor], rows: int) -> Tables:
    """What each of these tensors has of a row."""
    return Tables(np.array([tensor.elements // rows for tensor in tensors], np.int32))


def slice_out(
    b: GraphBuilder, op: str, x: Tensor, axis: int, parts: Sequence[Tensor], **flags: int
) -> None:
    """Add a node of `op`, which takes x, begin, end and strides, for each part along an axis."""
    start, rows = 0, rows_before(x.shape, axis) * rows_before(x.shape[axis + 1 :], len(x.shape))
    for i, y in enumerate(parts):
        size = y.elements // rows
        begin, end = [0] * len(x.shape), list(x.shape)
        begin[axis], end[axis] = start, start + size
        bounds = [
            b.tensor(f"{name}_{i}", i32, (len(values),), data=np.array(values))
            for name, values in (("begin", begin), ("end", end), ("strides", [1] * len(begin)))
        ]
        b.node(op, [x, *bounds], [y], **flags)
        start += size
