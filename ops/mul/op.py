"""Mul: the element-wise product of two tensors that broadcast, with a fused activation."""

from __future__ import annotations

import numpy as np

from runtimes.families.binary import activated, channel_operand, floats, integers
from toolchain.op import Affine, Hooks, NodeView, Rename, i8, i16
from toolchain.op.channel_affine import ChannelAffine

from .quantised import REFERENCE_COST, quantised


def affine(node: NodeView) -> ChannelAffine | None:
    """Where one of both is a constant of each channel."""
    found = channel_operand(node)
    return None if found is None else ChannelAffine(found[0], factor=found[1])


OP = activated(
    "mul",
    Rename("tflite.MUL", versions=range(1, 8)),
    variants=(
        quantised(i8),
        quantised(i16),
        integers(np.multiply, REFERENCE_COST),
        floats(np.multiply, REFERENCE_COST),
    ),
    hooks=Hooks(affine=Affine(applies=affine)),
)
