"""Copy: the same elements in another tensor.

READ_VARIABLE and ASSIGN_VARIABLE become this, with the variable for x or y, and so do the values
that enter and leave the bodies of IF and WHILE.
"""

from opsmith.op import *
from runtimes.families.movement import EVERY_TYPE, movement
from runtimes.families.view import copying


def overlap(node: NodeView) -> Mapping[str, Distance]:
    """Distance of y from x, which may be one place: then there is nothing to do."""
    return {"x": Distance(in_place=True)}


OP = movement(
    "copy",
    (Rename("tflite.ASSIGN_VARIABLE"), Rename("tflite.READ_VARIABLE", as_stored=True)),
    lambda node: [node["x"].shape],
    (copying(overlap),),
    EVERY_TYPE,
    Example.of(x=(4, 6), y=(4, 6)),
    evaluate=lambda node, inputs: [inputs[0].copy()],  # a copy, since a variable may change
    traits={"view"},
)
