"""Add: the element-wise sum of two tensors that broadcast, with a fused activation."""

from opsmith.op import *
from runtimes.families.binary import by_channel
from runtimes.families.stablehlo import of_pairs
from runtimes.families.sums import sum_of_two

OP = sum_of_two(
    "add",
    Rename("tflite.ADD", versions=range(1, 6)),
    np.add,
    signs=(1, 1),
    hooks=by_channel("addend"),
    also=(of_pairs("ADD", i32, i64),),
)
