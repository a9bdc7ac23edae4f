"""Quantised matrices that rows are multiplied by: one scale, or one for each output channel."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from toolchain.op.view import NodeView


def matrix_problems(node: NodeView) -> Iterator[str]:
    """What is wrong with the quantisation of `weights` and with `bias`: sentences for the user."""
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


def matrix_zero_point(node: NodeView) -> int:
    """The zero point of `weights`."""
    quantization = node["weights"].quantization
    assert quantization is not None
    return 0 if quantization.per_channel else quantization.zero_points[0]


def matrix_scales(node: NodeView) -> NDArray[np.float64]:
    """What makes an element of y of a sum, x.scale * weights.scale / y.scale: [1] or [channels]."""
    quantization = node["weights"].quantization
    assert quantization is not None
    return node["x"].scale * np.array(quantization.scales, np.float64) / node["y"].scale
