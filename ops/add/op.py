"""Add: the element-wise sum of two tensors that broadcast, with a fused activation."""

from __future__ import annotations

import numpy as np

from runtimes.families.binary import activated, by_channel, floats, integers
from runtimes.families.sums import quantised_sum
from toolchain.op import Rename, i8

REFERENCE_COST = 70.0  # instructions per element


OP = activated(
    "add",
    Rename("tflite.ADD", versions=range(1, 6), ignore=("pot_scale_int16",)),
    variants=(
        quantised_sum(i8, (1, 1), REFERENCE_COST),
        integers(np.add, REFERENCE_COST),
        floats(np.add, REFERENCE_COST),
    ),
    hooks=by_channel("addend"),
)
