"""Reshape: the same elements under another shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toolchain.op import (
    Array,
    Attribute,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    NodeView,
    Op,
    OpError,
    Output,
    Rename,
    TensorType,
    f32,
    i8,
    i16,
    i32,
)
from toolchain.op.describe import ListOf


@dataclass(frozen=True)
class Shape:
    """What a kernel may know at compile time."""

    elements: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: as `shape` or else `new_shape` says; -1 stands for what is left."""
    x, wanted = node["x"], _wanted(node)
    if any(size < -1 for size in wanted) or wanted.count(-1) > 1:
        raise OpError(f"{list(wanted)} is no shape")
    known = math.prod(size for size in wanted if size != -1)
    if -1 in wanted and known > 0:
        wanted = tuple(x.elements // known if size == -1 else size for size in wanted)
    if math.prod(wanted) != x.elements:
        raise OpError(f"x {x.type} does not have the elements of shape {list(wanted)}")
    return [TensorType(x.dtype, wanted)]


def _wanted(node: NodeView) -> tuple[int, ...]:
    """The shape as the model says it; of a `shape` that is no vector TFLite takes no notice."""
    given = node.get("shape")
    if given is not None and len(given.shape) == 1:
        return tuple(int(size) for size in given.data)
    if given is None and node.attributes["new_shape"] == (0,):  # how old converters write a scalar
        return ()
    return tuple(node.attributes["new_shape"])


def shape(node: NodeView) -> Shape:
    """How much there is to copy."""
    return Shape(node["x"].elements)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The same elements in y's shape."""
    return [inputs[0].reshape(node["y"].shape)]


OP = Op(
    name="reshape",
    legalize=(Rename("tflite.RESHAPE"),),
    inputs=(Input("x", "T"), Input("shape", i32, constant=True, optional=True)),
    outputs=(Output("y", "T"),),
    attributes=(Attribute("new_shape", ListOf(int), default=()),),
    domains={"T": (i8, i16, i32, f32)},
    traits={"view"},
    infer=infer,
    shape=shape,
    evaluate=evaluate,
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (1, 4, 6), scale=0.5),
                "shape": ExampleTensor(i32, (2,), data=np.array([2, 12])),
                "y": ExampleTensor(i8, (2, 12), scale=0.5),
            }
        ),
    ),
    kernels=(Kernel("reference.h"),),
)
