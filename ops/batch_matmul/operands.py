"""The operands of BatchMatMul: how their elements lie, and how sums of them are scaled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runtimes.families.axes import strides
from runtimes.families.broadcast import Pairs, walked
from toolchain.op import Array, NodeView
from toolchain.op.arithmetic import quantize_multiplier

TRANSPOSED = {"a": "adj_x", "b": "adj_y"}  # what says so


@dataclass(frozen=True, kw_only=True)
class Sums(Pairs):
    """Where the row of a and the column of b begin that each element of y is the product of."""

    depth: int  # elements of a row of a
    a_step: int  # from one of them to the next
    b_step: int  # and of a column of b


def turned(node: NodeView, name: str, axes: Sequence[int]) -> tuple[int, ...]:
    """What is known of each axis of a or b, with the last two swapped where it is transposed."""
    *batches, rows, columns = axes
    return (*batches, *((columns, rows) if node.attributes[TRANSPOSED[name]] else (rows, columns)))


def depth(node: NodeView) -> int:
    """How many products each sum has."""
    return turned(node, "a", node["a"].shape)[-1]


def steps(node: NodeView, name: str) -> tuple[int, ...]:
    """The strides of a or b along the batches of y, rows and columns."""
    shape = node[name].shape
    *batches, row, column = strides(shape)
    repeated = [0 if size == 1 else step for size, step in zip(shape, batches, strict=False)]
    missing = [0] * (len(node["y"].shape) - len(shape))
    return turned(node, name, (*missing, *repeated, row, column))


def sums(node: NodeView) -> Sums:
    """The walk through a and b."""
    (*a, a_row, a_step), (*b, b_step, b_column) = (steps(node, name) for name in "ab")
    found = walked(node["y"].shape, (*a, a_row, 0), (*b, 0, b_column))
    return Sums(**vars(found), depth=depth(node), a_step=a_step, b_step=b_step)


def matrices(node: NodeView, *inputs: Array) -> list[Array]:
    """a and b as they are multiplied."""
    return [
        np.swapaxes(x, -1, -2) if node.attributes[TRANSPOSED[name]] else x
        for name, x in zip("ab", inputs, strict=True)
    ]


def multiplier(node: NodeView) -> tuple[int, int]:
    """(multiplier, shift) of a.scale * b.scale / y.scale, whose product has single precision."""
    product = np.float32(node["a"].scale) * np.float32(node["b"].scale)
    return quantize_multiplier(float(product) / node["y"].scale)


def int8_bound(node: NodeView) -> int:
    """The largest magnitude of a sum of int8."""
    a, b = (max(127 - node[name].zero_point, node[name].zero_point + 128) for name in "ab")
    return a * b * depth(node)


def macs(node: NodeView) -> int:
    """Multiplications."""
    return node["y"].elements * depth(node)
