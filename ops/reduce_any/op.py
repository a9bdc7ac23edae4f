"""ReduceAny: whether some element along any axes is true."""

from __future__ import annotations

import numpy as np

from runtimes.families.reduction import Folding, reduction
from toolchain.op import Rename, boolean

OP = reduction(
    "reduce_any",
    Rename("tflite.REDUCE_ANY"),
    (Folding(np.logical_or, lambda _: False, "EITHER").variant(boolean),),
    traits={"from_nothing"},
)
