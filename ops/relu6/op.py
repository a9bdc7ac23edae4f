"""ReLU6: elements are clamped to [0, 6]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolchain.op import (
    Array,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    NodeView,
    Op,
    Output,
    Rename,
    TensorType,
    i8,
)
from toolchain.op.affine_rows import element_rows
from toolchain.op.cost import per_element
from toolchain.op.per_tensor import per_tensor_problems
from toolchain.op.requantize import (
    Params,
    float_ratio,
    requantize,
    requantize_params,
)


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: as x."""
    return [node["x"].type]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from per_tensor_problems(node, "x", "y")


def params(node: NodeView) -> Params:
    """The change of quantisation, and the bounds at that of y."""
    return requantize_params(node, float_ratio(node), "RELU6")


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The clamped elements in numpy."""
    return requantize(params(node), node, inputs)


def clamp(node: NodeView) -> str | None:
    """The activation, where that is all this node does to the elements."""
    return "RELU6" if node["x"].quantization == node["y"].quantization else None


OP = Op(
    name="relu6",
    legalize=(Rename("tflite.RELU6", versions=range(1, 3)),),
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "T"),),
    domains={"T": (i8,)},
    traits={"elementwise", "clamps"},
    infer=infer,
    check=check,
    params=params,
    evaluate=evaluate,
    clamp=clamp,
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (200,), scale=0.05, zero_point=3),
                "y": ExampleTensor(i8, (200,), scale=0.05, zero_point=3),
            }
        ),
    ),
    kernels=(*element_rows(evaluate), Kernel("reference.h", cost=per_element(26.0))),
)
