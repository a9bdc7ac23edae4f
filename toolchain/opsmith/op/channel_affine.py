"""Factors and addends per channel, which a convolution in front may have in its constants."""

import math
from dataclasses import dataclass

import numpy as np

from opsmith.ir import Array, Tensor
from opsmith.ir.types import f32
from opsmith.op.view import NodeView


@dataclass(frozen=True)
class ChannelAffine:
    """y is this input times a factor, or plus an addend, of each channel, then activated."""

    input: str  # declared name
    factor: Array | None = None  # float32, [channels]
    addend: Array | None = None  # float32, [channels]


def channel_constant(node: NodeView, name: str) -> Array | None:
    """The float32 input of this name as one number for each channel of y; None if it is not that.

    y must have the shape of the other inputs, so that they do not repeat.
    """
    y, k = node["y"], node[name]
    others = [t for n, t in node.tensors.items() if n != name and isinstance(t, Tensor)]
    if y.dtype != f32 or k.constant is None or not y.shape:
        return None
    channels = k.shape[-1] if k.shape else 1
    plain = all(other.shape == y.shape and other.constant is None for other in others)
    if not plain or math.prod(k.shape[:-1]) != 1 or channels not in (1, y.shape[-1]):
        return None
    return np.resize(k.data.reshape(-1), y.shape[-1])
