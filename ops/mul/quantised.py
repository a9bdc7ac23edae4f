"""Mul of int8 and int16: products at the scale of y, and the kernels that rescale them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.core.accumulator import LIMIT
from runtimes.core.per_tensor import per_tensor_problems, symmetric_problems
from runtimes.families.broadcast import Pairs, pairs, row_problem
from toolchain.ir import DType
from toolchain.op import (
    Array,
    Channels,
    Example,
    ExampleTensor,
    Hooks,
    Kernel,
    NodeView,
    Plan,
    Range,
    Ranges,
    Refused,
    Variant,
    every_node,
    i8,
    i16,
)
from toolchain.op.arithmetic import multiply_by_quantized_multiplier, quantize_multiplier
from toolchain.op.channels import channels_of
from toolchain.op.clamp import clamp_range
from toolchain.op.cost import per_element

REFERENCE_COST = 37.0  # instructions per element


@dataclass(frozen=True)
class ProductPairs(Pairs):
    """Two quantised tensors, the scale of their products, and the bounds of y."""

    a_zero_point: int
    b_zero_point: int
    y_zero_point: int
    multiplier: int  # Q31, of a.scale * b.scale / y.scale
    shift: int
    activation_min: int
    activation_max: int


def quantised(dtype: DType) -> Variant:
    """The variant of int8 or int16."""
    reference = Kernel(
        "reference", ProductPairs, every_node(params), cost=per_element(REFERENCE_COST)
    )
    return Variant(
        {"T": dtype},
        kernels=(*(KERNELS if dtype == i8 else ()), reference),
        check=check,
        evaluate=evaluate,
        hooks=Hooks(channels=Channels(ranges=value_range)),
        examples=tuple(examples(dtype)),
    )


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from (problems := list(per_tensor_problems(node, "a", "b", "y")))
    if node["y"].dtype == i16 and not problems:
        yield from symmetric_problems(node, "a", "b", "y")


def params(node: NodeView) -> ProductPairs:
    """Zero points and the scale of products; TFLite multiplies scales in single precision."""
    a, b, y = node["a"], node["b"], node["y"]
    with np.errstate(over="ignore", under="ignore"):
        ratio = np.float32(a.scale) * np.float32(b.scale) / np.float32(y.scale)
    multiplier, shift = quantize_multiplier(float(ratio))
    low, high = clamp_range(node)
    return ProductPairs(
        **vars(pairs(node)),
        a_zero_point=a.zero_point,
        b_zero_point=b.zero_point,
        y_zero_point=y.zero_point,
        multiplier=multiplier,
        shift=shift,
        activation_min=low,
        activation_max=high,
    )


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The product in numpy."""
    p = params(node)
    a, b = (each.astype(np.int64) for each in inputs)
    y = _requantized(p, (a - p.a_zero_point) * (b - p.b_zero_point))
    return [y.astype(node["y"].dtype.numpy)]


def _requantized(p: ProductPairs, products: NDArray[np.int64]) -> NDArray[np.int64]:
    y = multiply_by_quantized_multiplier(products, p.multiplier, p.shift) + p.y_zero_point
    return np.clip(y, p.activation_min, p.activation_max)


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The extreme products of bounds; a larger product gives no smaller element unless it wraps."""
    p, channels = params(node), channels_of(node["y"])
    a = ranges[node["a"].id].spread(channels) - p.a_zero_point
    b = ranges[node["b"].id].spread(channels) - p.b_zero_point
    products = np.stack([x * y for x in (a.low, a.high) for y in (b.low, b.high)])
    if (np.abs(products) << max(p.shift, 0) > LIMIT).any():
        return []
    ends = (_requantized(p, products.min(axis=0)), _requantized(p, products.max(axis=0)))
    return [Range(*ends)]


def plan_mve(node: NodeView) -> Plan | Refused:
    """Rows of neighbours, and shifts to the right."""
    return _shifted(node, range(-31, 0), row_problem(node))


def plan_dsp(node: NodeView) -> Plan | Refused:
    """Rows of neighbours, and shifts to the right that leave room for the zero point of y."""
    return _shifted(node, range(-22, 0), row_problem(node))


def plan_products(node: NodeView) -> Plan | Refused:
    """Shifts for which requantize_product of runtimes/core/requantize.h is exact."""
    return _shifted(node, range(-22, 1))


def _shifted(node: NodeView, shifts: range, problem: str = "") -> Plan | Refused:
    if problem:
        return Refused(problem)
    p = params(node)
    if p.shift not in shifts:
        return Refused(f"products are shifted by {p.shift}, not by {shifts[0]} to {shifts[-1]}")
    return Plan(p)


def examples(dtype: DType) -> Iterator[Example]:
    """A tensor times channels, and two of one shape."""
    zeros = (-3, 7, 4) if dtype == i8 else (0, 0, 0)
    channels = np.array([-50, -89, 120, 57, 123])
    for a, b, data in (((2, 3, 4, 5), (5,), channels), ((4, 5), (4, 5), None)):
        yield Example(
            {
                "a": ExampleTensor(dtype, a, scale=0.05, zero_point=zeros[0]),
                "b": ExampleTensor(dtype, b, scale=0.03, zero_point=zeros[1], data=data),
                "y": ExampleTensor(dtype, a, scale=0.1, zero_point=zeros[2]),
            }
        )


KERNELS = (
    Kernel("mve", ProductPairs, plan_mve, requires={"mve"}, cost=per_element(3.3)),
    Kernel("dsp", ProductPairs, plan_dsp, requires={"dsp"}, cost=per_element(9.0)),
    Kernel("products", ProductPairs, plan_products, cost=per_element(23.0)),
)
