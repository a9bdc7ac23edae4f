"""The greater or the lesser of two elements: ops of a and b that give one of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runtimes.cmsis.lanes import lane_kernels
from runtimes.families.binary import Function, binary
from runtimes.families.broadcast import Pairs, pairs
from toolchain.ir import DType
from toolchain.op import (
    Array,
    Channels,
    Example,
    ExampleTensor,
    Hooks,
    Kernel,
    NodeView,
    Op,
    Range,
    Ranges,
    Rename,
    Variant,
    every_node,
    f32,
    i8,
    i16,
    i32,
)
from toolchain.op.channels import channels_of
from toolchain.op.cost import per_element


def comparison(name: str, source: Rename, function: Function) -> Op:
    """An op whose function gives one of two elements, and the greater of both where it is given
    greater ones. Elements are compared as they are, whatever their quantisation, as TFLite does.
    """

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        return [function(*inputs)]

    def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
        a, b = (ranges[node[each].id].spread(channels_of(node["y"])) for each in ("a", "b"))
        return [Range(function(a.low, b.low), function(a.high, b.high))]

    def clamp(node: NodeView) -> tuple[int, int] | None:
        """The bounds, where b is one integer that is known."""
        b = node["b"]
        if b.constant is None or b.elements != 1 or not b.dtype.is_integer:
            return None
        low, high = function(np.array(b.dtype.limits), b.data.reshape(-1)).tolist()
        return low, high

    return binary(
        name,
        source,
        variants=tuple(map(_variant, (i8, i16, i32, f32))),
        evaluate=evaluate,
        hooks=Hooks(channels=Channels(ranges=value_range), clamp=clamp),
        examples=(_with_zero(),),
    )


def _variant(dtype: DType) -> Variant:
    reference = Kernel("reference", Pairs, every_node(pairs), cost=per_element(8.0))
    tensor = ExampleTensor(dtype, (2, 150))
    return Variant(
        {"T": dtype},
        kernels=(*(lane_kernels() if dtype == i8 else ()), reference),
        examples=(Example({"a": tensor, "b": tensor, "y": tensor}),),
    )


def _with_zero() -> Example:
    """A constant that repeats."""
    tensor, zero = ExampleTensor(f32, (64,)), ExampleTensor(f32, (), data=np.array([-0.0]))
    return Example({"a": tensor, "b": zero, "y": tensor})
