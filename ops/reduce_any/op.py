"""ReduceAny: whether some element along any axes is true."""

from opsmith.op import *
from runtimes.families.reduction import Folding, reduction

OP = reduction(
    "reduce_any",
    Rename("tflite.REDUCE_ANY"),
    (Folding(np.logical_or, lambda _: False, "EITHER").variant(boolean),),
    traits={"from_nothing"},
)
