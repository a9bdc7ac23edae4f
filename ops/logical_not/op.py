"""LogicalNot: whether an element is false."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runtimes.families.params import Elements, by_name
from runtimes.families.unary import each, unary
from toolchain.op import (
    Array,
    Example,
    ExampleTensor,
    Kernel,
    NodeView,
    Rename,
    Variant,
    boolean,
    every_node,
)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The negations in numpy."""
    return [np.logical_not(inputs[0])]


KERNEL = Kernel("reference", Elements, every_node(by_name(Elements)))
X = ExampleTensor(boolean, (37,))
OP = unary(
    "logical_not",
    Rename("tflite.LOGICAL_NOT"),
    variants=(Variant({"T": boolean}, (each("LOGICAL_NOT")(KERNEL), KERNEL)),),
    evaluate=evaluate,
    examples=(Example({"x": X, "y": X}),),
)
