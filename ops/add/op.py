"""Add: the element-wise sum of two tensors that broadcast, with a fused activation."""

from __future__ import annotations

import numpy as np

from runtimes.families.binary import activated, channel_operand, floats, integers
from runtimes.families.sums import quantised_sum
from toolchain.op import Affine, Hooks, NodeView, Rename, i8
from toolchain.op.channel_affine import ChannelAffine

REFERENCE_COST = 70.0  # instructions per element


def affine(node: NodeView) -> ChannelAffine | None:
    """Where one of both is a constant of each channel."""
    found = channel_operand(node)
    return None if found is None else ChannelAffine(found[0], addend=found[1])


OP = activated(
    "add",
    Rename("tflite.ADD", versions=range(1, 6), ignore=("pot_scale_int16",)),
    variants=(
        quantised_sum(i8, (1, 1), REFERENCE_COST),
        integers(np.add, REFERENCE_COST),
        floats(np.add, REFERENCE_COST),
    ),
    hooks=Hooks(affine=Affine(applies=affine)),
)
