"""Sub: the element-wise difference of two tensors that broadcast, with a fused activation."""

from opsmith.op import *
from opsmith.op.channel_affine import ChannelAffine, channel_constant
from runtimes.families.sums import sum_of_two


def affine(node: NodeView) -> ChannelAffine | None:
    """Addends of a per-channel constant b: a - b is a + (-b), even rounded; None for other b."""
    found = channel_constant(node, "b")
    return None if found is None else ChannelAffine("a", addend=-found)


OP = sum_of_two(
    "sub",
    Rename("tflite.SUB", versions=range(1, 6)),
    np.subtract,
    signs=(1, -1),
    hooks=Hooks(affine=Affine(applies=affine)),
)
