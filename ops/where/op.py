"""Where: the positions of what is not zero, one in each row.

How many there are must be known at build time, since tensors have fixed shapes: the condition is a
constant, or computed from constants and shapes.
"""

import numpy as np

from opsmith.op import *
from opsmith.runtimes.families.of_shapes import copied


def positions(node: NodeView) -> Array:
    """Those of the elements that are not zero, in their order."""
    return np.argwhere(node["condition"].data != 0)


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: a row for each position, with an index for each axis."""
    if not node["condition"].shape:
        raise OpError("condition is one number, which has no positions")
    return [TensorType(i64, positions(node).shape)]


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The positions in numpy."""
    return [positions(node)]


TYPES = (boolean, i8, u8, i32, i64, u32, f32)
CONDITION = ExampleTensor(i8, (2, 3), data=np.array([[0, 1, 2], [0, 0, 3]]))
OP = Op(
    "where",
    legalize=(Rename("tflite.WHERE"),),
    inputs=(Input("condition", "T", constant=True),),
    outputs=(Output("y", i64),),
    infer=infer,
    evaluate=evaluate,
    variants=tuple(
        Variant({"T": t}, (copied(positions),)) for t in (boolean, i8, u8, i32, i64, u32, f32)
    ),
    examples=(Example({"condition": CONDITION, "y": ExampleTensor(i64, (3, 2))}),),
)
