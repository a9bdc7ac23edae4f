"""Add: the element-wise sum of two tensors that broadcast, with a fused activation."""

from __future__ import annotations

import numpy as np

from runtimes.families.binary import by_channel
from runtimes.families.sums import sum_of_two
from toolchain.op import Rename

OP = sum_of_two(
    "add",
    Rename("tflite.ADD", versions=range(1, 6)),
    np.add,
    signs=(1, 1),
    hooks=by_channel("addend"),
)
