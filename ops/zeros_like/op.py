"""ZerosLike: zeros, as many as x has elements; of int8, which LiteRT lacks, without zero point."""

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
    every_node,
    f32,
    i8,
    i32,
    i64,
)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The zeros in numpy."""
    return [np.zeros_like(inputs[0])]


X = ExampleTensor(f32, (3, 7))
KERNEL = Kernel("reference", Elements, every_node(by_name(Elements)))
OP = unary(
    "zeros_like",
    Rename("tflite.ZEROS_LIKE"),
    variants=tuple(
        Variant({"T": dtype}, (each("ZERO")(KERNEL), KERNEL)) for dtype in (i8, i32, i64, f32)
    ),
    evaluate=evaluate,
    examples=(Example({"x": X, "y": X}),),
)
