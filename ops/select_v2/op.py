"""SelectV2: elements of a tensor where a condition holds, else of another; all three broadcast."""

from opsmith.op import *
from runtimes.families.broadcast import repeated_first
from runtimes.families.selection import selection

OP = selection(
    "select_v2",
    Rename("tflite.SELECT_V2", versions=range(1, 3)),
    lambda node: node["condition"].shape,
    traits={"elementwise"},
    decompose=repeated_first("condition", "a", "b"),
)
