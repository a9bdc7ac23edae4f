"""ResizeBilinear of int8 by simd.h: as between.h, four words at a time."""

from opsmith.op import *
from runtimes.simd.instruction_sets import INSTRUCTION_SETS

from .between import BETWEEN


def cost(node: NodeView) -> float:
    """Instructions for each pixel of y, and each vector, word or byte of its channels."""
    channels = node["y"].shape[3]
    parts = channels // 16 + channels % 16 // 4 + channels % 4
    return node["y"].elements / max(channels, 1) * parts * 36.0


KERNELS = (
    KernelsFor(
        {"T": i8},
        tuple(
            replace(
                BETWEEN,
                name=each.name,
                requires={each.name},
                excludes=each.excludes,
                cost=cost,
                header="ops/resize_bilinear/simd.h",
                function="opsmith::resize_bilinear::four_words",
                arguments=("p", "in", "out", "tables"),
            )
            for each in INSTRUCTION_SETS
        ),
    ),
)
