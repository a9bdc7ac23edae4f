"""Copy: the same elements in another tensor.

READ_VARIABLE and ASSIGN_VARIABLE become this, with the variable for x or y, and so do the values
that enter and leave the bodies of IF and WHILE.
"""

from opsmith.op import *
from opsmith.runtimes.families.movement import EVERY_TYPE, HEADER, example, movement
from opsmith.runtimes.families.view import CopyParams


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """x in numpy: another array, since a variable may change."""
    return [inputs[0].copy()]


def overlap(node: NodeView) -> Mapping[str, Distance]:
    """Where both are one place there is nothing to do."""
    return {"x": Distance(in_place=True)}


def params(node: NodeView) -> CopyParams:
    """How much is copied."""
    return CopyParams(node["x"].bytes)


KERNEL = Kernel(
    "reference",
    CopyParams,
    every_node(params, overlap=overlap),
    header=HEADER,
    function="opsmith::movement::copy",
    arguments=("p", "in.x", "out.y"),
)
OP = movement(
    "copy",
    (Rename("tflite.ASSIGN_VARIABLE"), Rename("tflite.READ_VARIABLE", as_stored=True)),
    lambda node: [node["x"].shape],
    KERNEL,
    EVERY_TYPE,
    example(x=(4, 6), y=(4, 6)),
    evaluate=evaluate,
    traits={"view"},
)
