"""Sub: the element-wise difference of two tensors that broadcast, with a fused activation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runtimes.families.binary import activated, floats, integers
from runtimes.families.sums import quantised_sum
from toolchain.op import Affine, Attribute, Hooks, NodeView, Rename, i8, i16
from toolchain.op.channel_affine import ChannelAffine, channel_constant

REFERENCE_COST = 63.0  # instructions per element


def check_i16(node: NodeView) -> Iterator[str]:
    """What the arithmetic of int16 needs."""
    if node.attributes["pot_scale_int16"]:
        yield "pot_scale_int16 is set: int16 with scales that are powers of two is not supported"


def affine(node: NodeView) -> ChannelAffine | None:
    """Where b is a constant of each channel: a - b is a + (-b) also where it is rounded."""
    found = channel_constant(node, "b")
    return None if found is None else ChannelAffine("a", addend=-found)


OP = activated(
    "sub",
    Rename("tflite.SUB", versions=range(1, 6)),
    variants=(
        quantised_sum(i8, (1, -1), REFERENCE_COST),
        quantised_sum(
            i16, (1, -1), REFERENCE_COST, check_i16, attributes={"pot_scale_int16": False}
        ),
        integers(np.subtract, REFERENCE_COST),
        floats(np.subtract, REFERENCE_COST),
    ),
    # TFLite's option is set where a model does not say
    attributes=(Attribute("pot_scale_int16", bool, default=True),),
    hooks=Hooks(affine=Affine(applies=affine)),
)
