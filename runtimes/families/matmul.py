"""Rows of x times a matrix of constant weights, [channels][depth]: what its variants share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.ir import TensorType
from toolchain.op.declare import OpError
from toolchain.op.overlap import Distance, pixel_distance, row_walk
from toolchain.op.view import NodeView


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """How many rows x has, and the sizes of the matrix."""

    rows: int
    depth: int  # elements of a row, and weights of an output channel
    channels: int  # output channels


def sizes(node: NodeView) -> Sizes:
    """The sizes of this node."""
    channels, depth = node["weights"].shape
    return Sizes(rows=node["x"].elements // depth, depth=depth, channels=channels)


def multiplied(node: NodeView, keeps_dimensions: bool) -> TensorType:
    """y: [rows, channels], or x's shape with its last size replaced. Raises OpError."""
    x, weights = node["x"], node["weights"]
    if len(weights.shape) != 2:
        raise OpError(f"weights {weights.type} must have two dimensions")
    channels, depth = weights.shape
    if keeps_dimensions:
        if not x.shape or x.shape[-1] != depth:
            raise OpError(f"the last sizes of x {x.type} and weights {weights.type} differ")
        return TensorType(x.dtype, (*x.shape[:-1], channels))
    if x.elements % depth:
        raise OpError(f"x {x.type} does not divide into rows of weights {weights.type}")
    return TensorType(x.dtype, (x.elements // depth, channels))


def macs(node: NodeView) -> int:
    """One multiplication for every weight and row of x."""
    return node["y"].elements * node["weights"].shape[1]


def row_overlap(node: NodeView, block: int = 1) -> dict[str, Distance]:
    """Row by row: a block of channels of y may need all of x's row after another was written."""
    p, width = sizes(node), node["x"].dtype.size
    walk = pixel_distance(row_walk(p.rows), p.depth * width, p.channels * width, block * width)
    return {"x": Distance(walk.forward)}


def copied_row(node: NodeView, elements: int) -> int:
    """Elements of a copy of a row, filled up to a multiple of so many; none of whole rows."""
    depth = node["weights"].shape[1]
    return -(-depth // elements) * elements if depth % elements else 0


def scales(node: NodeView) -> NDArray[np.float64]:
    """x.scale * weights.scale / y.scale: of each channel, or one for all."""
    quantization = node["weights"].quantization
    assert quantization is not None
    return node["x"].scale * np.array(quantization.scales, np.float64) / node["y"].scale


def operand_problems(node: NodeView) -> Iterator[str]:
    """Sentences about scales of weights and a bias that do not fit the channels."""
    quantization, bias = node["weights"].quantization, node.get("bias")
    channels = node["weights"].shape[0]
    if quantization is None or len(quantization.scales) not in (1, channels):
        yield f"weights must have 1 or {channels} scales"
    elif quantization.per_channel and quantization.axis != 0:
        yield "weights must be quantised along axis 0"
    elif quantization.per_channel and any(quantization.zero_points):
        yield "weights quantised along an axis must have zero points 0"
    if bias is not None and bias.elements != channels:
        yield f"bias has {bias.elements} elements instead of {channels}"


def half_away(scaled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rounded to the nearest whole number, halves away from zero: exact, as adding 0.5 is not."""
    whole = np.trunc(scaled)
    return np.asarray(whole + np.sign(scaled) * (np.abs(scaled - whole) >= 0.5), np.float64)
