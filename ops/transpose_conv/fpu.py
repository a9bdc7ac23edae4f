"""TransposeConv of float32 by fpu.h: four channels of up to four pixels at a time."""

from opsmith.op import *
from runtimes.cmsis.kernel import of_reference

from .geometry import macs

FOUR = 4  # channels that are computed together


def few_channels(node: NodeView) -> str:
    """Reason against too few channels for groups of four, or ""."""
    channels = node["y"].shape[3]
    return f"{channels} channels, fewer than {FOUR}" if channels < FOUR else ""


KERNELS = (
    KernelsFor(
        {"T": f32, "F": f32},
        (of_reference("fpu", instructions(macs, 2.5, 10.0), few_channels),),
    ),
)
