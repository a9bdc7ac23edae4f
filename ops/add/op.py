"""Add: the element-wise sum of two tensors that broadcast, with a fused activation."""

from __future__ import annotations

import numpy as np

from runtimes.families.binary import activated, by_channel, floats, integers
from runtimes.families.sums import POT_SCALE, quantised_sum
from toolchain.op import Rename, i8, i16, i64, u8

REFERENCE_COST = 32.0  # instructions per element

OP = activated(
    "add",
    Rename("tflite.ADD", versions=range(1, 6)),
    variants=(
        *(quantised_sum(dtype, (1, 1), REFERENCE_COST) for dtype in (i8, u8, i16)),
        integers(np.add, REFERENCE_COST),
        integers(np.add, REFERENCE_COST, i64),
        floats(np.add, REFERENCE_COST),
    ),
    attributes=(POT_SCALE,),
    hooks=by_channel("addend"),
)
