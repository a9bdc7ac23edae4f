"""ReduceAll: whether every element along any axes is true."""

from opsmith.op import *
from runtimes.families.reduction import Folding, reduction

OP = reduction(
    "reduce_all",
    Rename("tflite.REDUCE_ALL"),
    (Folding(np.logical_and, lambda _: True, "BOTH").variant(boolean),),
    traits={"from_nothing"},
)
