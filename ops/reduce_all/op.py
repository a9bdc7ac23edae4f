"""ReduceAll: whether every element along any axes is true."""

from __future__ import annotations

import numpy as np

from runtimes.families.reduction import Folding, reduction
from toolchain.op import Rename, boolean

OP = reduction(
    "reduce_all",
    Rename("tflite.REDUCE_ALL"),
    (Folding(np.logical_and, lambda _: True, "BOTH").variant(boolean),),
    traits={"from_nothing"},
)
