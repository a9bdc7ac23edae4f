"""Functions of two tensors that broadcast, element by element: ops of a and b that give y."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from runtimes.families.broadcast import Pairs, broadcast_shape, pairs, rank_problem
from toolchain.ir import DType
from toolchain.op import (
    Array,
    Attribute,
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
    every_node,
    f32,
    i32,
)
from toolchain.op.channel_affine import channel_constant
from toolchain.op.clamp import CLAMP_ATTRIBUTES, clamp_range, real_clamp_range, real_clamped
from toolchain.op.cost import per_element

Function = Callable[[Array, Array], Array]


def binary(
    name: str,
    source: Rename,
    variants: tuple[Variant, ...],
    check: Callable[[NodeView], Iterator[str]] | None = None,
    traits: frozenset[str] = frozenset(),
    **others: Any,
) -> Op:
    """An op of a and b, all of one type. `check` is besides the rank; `others`: fields of Op."""

    def problems(node: NodeView) -> Iterator[str]:
        if problem := rank_problem(node):
            yield problem
        if check is not None:
            yield from check(node)

    return Op(
        name,
        inputs=(Input("a", "T"), Input("b", "T")),
        outputs=(Output("y", "T"),),
        infer=_infer,
        variants=variants,
        legalize=(source,),
        check=problems,
        traits=traits | {"elementwise"},
        **others,
    )


def _infer(node: NodeView) -> Sequence[TensorType]:
    return [TensorType(node["a"].dtype, broadcast_shape(node["a"].shape, node["b"].shape))]


def activated(
    name: str,
    source: Rename,
    variants: tuple[Variant, ...],
    attributes: tuple[Attribute, ...] = (),
    **others: Any,
) -> Op:
    """The same with a fused activation, as TFLite's option says."""
    renamed = {**source.attributes, "fused_activation_function": "activation"}
    return binary(
        name,
        replace(source, attributes=renamed),
        variants,
        traits=frozenset({"fuses_activation"}),
        attributes=(*CLAMP_ATTRIBUTES, *attributes),
        **others,
    )


@dataclass(frozen=True)
class IntegerPairs(Pairs):
    """Two tensors of integers without quantisation, and the bounds of y."""

    activation_min: int
    activation_max: int


def integers(function: Function, cost: float | None = None) -> Variant:
    """The variant of int32: what the function gives wraps, and is then clamped."""

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        a, b = (each.astype(np.int64) for each in inputs)
        return [np.clip(function(a, b).astype(np.int32), *clamp_range(node))]

    return _defined(IntegerPairs, _integer_pairs, i32, cost, evaluate)


def _integer_pairs(node: NodeView) -> IntegerPairs:
    low, high = clamp_range(node)
    return IntegerPairs(**vars(pairs(node)), activation_min=low, activation_max=high)


@dataclass(frozen=True)
class FloatPairs(Pairs):
    """Two tensors of float32, and the bounds of y."""

    real_min: float  # float32
    real_max: float


def floats(function: Function, cost: float | None = None) -> Variant:
    """The variant of float32: what the function gives is clamped."""

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        with np.errstate(over="ignore", invalid="ignore"):
            return [real_clamped(node, function(*inputs))]

    return _defined(FloatPairs, _float_pairs, f32, cost, evaluate)


def _float_pairs(node: NodeView) -> FloatPairs:
    low, high = real_clamp_range(node)
    return FloatPairs(**vars(pairs(node)), real_min=low, real_max=high)


def _defined(
    params: type,
    plan: Callable[[NodeView], Any],
    dtype: DType,
    cost: float | None,
    evaluate: Callable[[NodeView, Sequence[Array]], Sequence[Array]],
) -> Variant:
    """A variant whose only kernel is the op's reference.h."""
    priced = None if cost is None else per_element(cost)
    return Variant(
        {"T": dtype},
        kernels=(Kernel("reference", params, every_node(plan), cost=priced),),
        evaluate=evaluate,
        examples=(_example(dtype),),
    )


def _example(dtype: DType) -> Example:
    """Rows, and one that repeats."""
    rows, row = ExampleTensor(dtype, (4, 5)), ExampleTensor(dtype, (5,))
    return Example({"a": rows, "b": row, "y": rows})


def channel_operand(node: NodeView) -> tuple[str, Array] | None:
    """Where a or b is a constant of each channel: the name of the other one, and that constant."""
    for x, k in (("a", "b"), ("b", "a")):
        found = channel_constant(node, k)
        if found is not None:
            return x, found
    return None
