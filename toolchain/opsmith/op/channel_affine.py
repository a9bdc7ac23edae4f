"""Factors and addends per channel, which a preceding convolution can absorb in its constants."""

import math
from dataclasses import dataclass

import numpy as np

from opsmith.ir import Array, Tensor
from opsmith.ir.types import f32
from opsmith.op.view import NodeView


@dataclass(frozen=True)
class ChannelAffine:
    """Operation y = activation(input * factor) or activation(input + addend), with one factor or
    addend per channel.
    """

    input: str  # declared name
    factor: Array | None = None  # float32, [channels]
    addend: Array | None = None  # float32, [channels]


def channel_constant(node: NodeView, name: str) -> Array | None:
    """Float32 input `name` as one number per channel of y; None if the input has another form.

    y must have the shape of all other inputs, so that none of them is broadcast.
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
