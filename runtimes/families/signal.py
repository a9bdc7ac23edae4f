"""Signal ops: custom ops of TensorFlow Lite Micro, of vectors and rows of integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from toolchain.ir import DType
from toolchain.op import (
    Array,
    Attribute,
    Convert,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    NodeView,
    Op,
    Output,
    Rename,
    TensorType,
    Variant,
)
from toolchain.op.options import flexbuffer

Shape = tuple[int, ...]


def signal(
    name: str,
    source: str,
    inputs: Mapping[str, DType],
    outputs: Mapping[str, DType],
    kernels: tuple[Kernel, ...],
    example: Mapping[str, Any],
    *,
    constants: Mapping[str, DType] | None = None,
    attributes: tuple[Attribute, ...] = (),
    converted: Mapping[str, Convert] | None = None,
    shapes: Callable[[NodeView], Sequence[Shape]] | None = None,
    **hooks: Any,
) -> Op:
    """An op of one combination of element types, whose options are a flexbuffer.

    Outputs have the shape of x, or those that `shapes` gives. `example` says which shape each
    tensor has, or which values if it is constant, and the attributes. `hooks` are further fields
    of Op.
    """
    fixed = constants or {}

    def infer(node: NodeView) -> Sequence[TensorType]:
        found = [node["x"].shape] * len(outputs) if shapes is None else shapes(node)
        return [TensorType(*each) for each in zip(outputs.values(), found, strict=True)]

    return Op(
        name,
        inputs=tuple(Input(*each) for each in inputs.items())
        + tuple(Input(*each, constant=True) for each in fixed.items()),
        outputs=tuple(Output(*each) for each in outputs.items()),
        infer=infer,
        variants=(Variant({}, kernels),),
        legalize=(
            Rename(f"tflite.CUSTOM.{source}", options=flexbuffer, attributes=converted or {}),
        ),
        attributes=attributes,
        examples=(_example({**inputs, **fixed, **outputs}, example),),
        **hooks,
    )


def _example(types: Mapping[str, DType], given: Mapping[str, Any]) -> Example:
    return Example(
        {name: _tensor(dtype, given[name]) for name, dtype in types.items()},
        {name: value for name, value in given.items() if name not in types},
    )


def _tensor(dtype: DType, given: Shape | Array) -> ExampleTensor:
    if isinstance(given, np.ndarray):
        return ExampleTensor(dtype, given.shape, data=given)
    return ExampleTensor(dtype, given)


def vector_problems(node: NodeView, *names: str, size: int | None = None) -> Iterator[str]:
    """A sentence for each of these tensors that is no vector, or none of this size."""
    for name in names:
        x = node[name]
        if len(x.shape) != 1 or size not in (None, x.elements):
            of = "" if size is None else f" of {size}"
            yield f"{name} {x.type} must be a vector{of}"


def range_problems(node: NodeView, end: int, *names: str) -> Iterator[str]:
    """A sentence for each of these attributes that is not from 0 to below `end`, a power of two."""
    for name in names:
        if not 0 <= node.attributes[name] < end:
            greatest = f"2^{end.bit_length() - 1} - 1" if end > 64 else end - 1
            yield f"{name} {node.attributes[name]} is not 0 to {greatest}"
