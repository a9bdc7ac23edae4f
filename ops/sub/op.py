"""Sub: the element-wise difference of two tensors that broadcast, with a fused activation."""

from __future__ import annotations

import numpy as np

from runtimes.families.binary import activated, floats, integers
from runtimes.families.sums import POT_SCALE, quantised_sum
from toolchain.op import Affine, Hooks, NodeView, Rename, i8, i16, i64, u8
from toolchain.op.channel_affine import ChannelAffine, channel_constant

REFERENCE_COST = 32.0  # instructions per element


def affine(node: NodeView) -> ChannelAffine | None:
    """Where b is a constant of each channel: a - b is a + (-b) also where it is rounded."""
    found = channel_constant(node, "b")
    return None if found is None else ChannelAffine("a", addend=-found)


OP = activated(
    "sub",
    Rename("tflite.SUB", versions=range(1, 6)),
    variants=(
        *(quantised_sum(dtype, (1, -1), REFERENCE_COST) for dtype in (i8, u8, i16)),
        integers(np.subtract, REFERENCE_COST),
        integers(np.subtract, REFERENCE_COST, i64),
        floats(np.subtract, REFERENCE_COST),
    ),
    attributes=(POT_SCALE,),
    hooks=Hooks(affine=Affine(applies=affine)),
)
