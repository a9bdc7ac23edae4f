"""Sums and differences of two quantised tensors: the variants of ADD and SUB for small integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from runtimes.cmsis.affine import dsp_pairs
from runtimes.cmsis.mve_elements import mve_pairs
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.affine_pairs import affine_pairs
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
    OpError,
    Range,
    Ranges,
    Tensor,
    Variant,
    every_node,
    i8,
    i16,
)
from toolchain.op.arithmetic import multiply_by_quantized_multiplier, quantize_multiplier
from toolchain.op.channels import channels_of
from toolchain.op.clamp import clamp_range
from toolchain.op.cost import per_element

LEFT_SHIFT = {i8: 20, i16: 15}  # bits of headroom: kLeftShift of binary.h
Signs = tuple[int, int]  # y = signs[0] * a + signs[1] * b


@dataclass(frozen=True)
class SumPairs(Pairs):
    """Two quantised tensors, their scales and that of y relative to a common one, and bounds."""

    a_zero_point: int
    b_zero_point: int
    y_zero_point: int
    a_multiplier: int  # Q31
    a_shift: int
    b_multiplier: int
    b_shift: int
    y_multiplier: int
    y_shift: int
    activation_min: int
    activation_max: int


def quantised_sum(
    dtype: DType,
    signs: Signs,
    cost: float,
    check: Callable[[NodeView], Iterator[str]] | None = None,
    kernels: tuple[Kernel, ...] = (),
    attributes: Mapping[str, Any] = MappingProxyType({}),
) -> Variant:
    """The variant of int8 or int16; `kernels` are those of the op's own, which win.

    The op's reference.h is the definition. `check` is asked where all are quantised per tensor, and
    `attributes` are those of examples that are not at default.
    """
    compute = partial(_evaluate, signs)
    proved = (mve_pairs(compute, signs), dsp_pairs(compute, signs), affine_pairs(compute, signs))
    reference = Kernel("reference", SumPairs, every_node(sum_pairs), cost=per_element(cost))

    def problems(node: NodeView) -> Iterator[str]:
        yield from (found := list(per_tensor_problems(node, "a", "b", "y")))
        if check is not None and not found:
            yield from check(node)

    return Variant(
        {"T": dtype},
        kernels=(*kernels, *(proved if dtype == i8 else ()), reference),
        check=problems,
        evaluate=compute,
        hooks=Hooks(channels=Channels(ranges=partial(_value_range, signs))),
        examples=tuple(_examples(dtype, attributes)),
    )


def sum_pairs(node: NodeView) -> SumPairs:
    """The params of a node. Both operands are scaled to twice the larger of their scales."""
    a, b, y = node["a"], node["b"], node["y"]
    low, high = clamp_range(node)
    common = 2.0 * max(a.scale, b.scale)
    a_multiplier, a_shift = _smaller_than_one(a.scale / common)
    b_multiplier, b_shift = _smaller_than_one(b.scale / common)
    y_multiplier, y_shift = _smaller_than_one(common / ((1 << LEFT_SHIFT[y.dtype]) * y.scale))
    return SumPairs(
        **vars(pairs(node)),
        a_zero_point=a.zero_point,
        b_zero_point=b.zero_point,
        y_zero_point=y.zero_point,
        a_multiplier=a_multiplier,
        a_shift=a_shift,
        b_multiplier=b_multiplier,
        b_shift=b_shift,
        y_multiplier=y_multiplier,
        y_shift=y_shift,
        activation_min=low,
        activation_max=high,
    )


def _smaller_than_one(ratio: float) -> tuple[int, int]:
    if not ratio < 1:
        raise OpError(f"the scale ratio {ratio} must be below 1")
    return quantize_multiplier(ratio)


def _evaluate(signs: Signs, node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    p, dtype = sum_pairs(node), node["y"].dtype

    def scaled(x: Array, tensor: Tensor, multiplier: int, shift: int) -> Array:
        lifted = (x.astype(np.int64) - tensor.zero_point) << LEFT_SHIFT[dtype]
        return multiply_by_quantized_multiplier(lifted, multiplier, shift)

    a = scaled(inputs[0], node["a"], p.a_multiplier, p.a_shift)
    b = scaled(inputs[1], node["b"], p.b_multiplier, p.b_shift)
    total = signs[0] * a + signs[1] * b
    y = multiply_by_quantized_multiplier(total, p.y_multiplier, p.y_shift) + p.y_zero_point
    return [np.clip(y, p.activation_min, p.activation_max).astype(dtype.numpy)]


def _value_range(signs: Signs, node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """Of the ends of both: of larger terms no sum is smaller."""
    a, b = (ranges[node[name].id].spread(channels_of(node["y"])) for name in ("a", "b"))
    terms = [(a.low, a.high)[:: signs[0]], (b.low, b.high)[:: signs[1]]]
    (low,), (high,) = (_evaluate(signs, node, end) for end in zip(*terms, strict=True))
    return [Range(low.astype(np.int64), high.astype(np.int64))]


def _examples(dtype: DType, attributes: Mapping[str, Any]) -> Iterator[Example]:
    """Equal shapes, one that repeats, and rows that fill no vector."""
    zeros = (-3, 7, 4) if dtype == i8 else (0, 0, 0)
    for a, b in (((4, 5), (4, 5)), ((1,), (4, 5)), ((7,), (7,))):
        yield Example(
            {
                "a": ExampleTensor(dtype, a, scale=0.05, zero_point=zeros[0]),
                "b": ExampleTensor(dtype, b, scale=0.03, zero_point=zeros[1]),
                "y": ExampleTensor(dtype, b, scale=0.07, zero_point=zeros[2]),
            },
            attributes,
        )
