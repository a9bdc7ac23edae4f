"""BatchMatMul: products of matrices, either of which may be transposed, in batches that broadcast.

Sums of int8 may also be the output, as int32; LiteRT then takes elements without their zero points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtimes.core.accumulator import LIMIT
from runtimes.core.narrow_requantization import LEFT, halved
from runtimes.core.narrow_requantization import LIMIT as WIDE_LIMIT
from runtimes.core.per_tensor import per_tensor_problems, symmetric_problems
from runtimes.core.rescaling import Narrow
from runtimes.families.broadcast import MAX_RANK, Pairs, broadcast_shape, walked
from runtimes.gpu.kernel import each_element, on_gpu
from toolchain.ir import DType
from toolchain.op import (
    Array,
    Attribute,
    Example,
    ExampleTensor,
    Hooks,
    Input,
    Kernel,
    NodeView,
    Op,
    OpError,
    Output,
    Rename,
    TensorType,
    Variant,
    every_node,
    f32,
    i8,
    i16,
    i32,
)
from toolchain.op.arithmetic import multiply_by_quantized_multiplier
from toolchain.op.cost import instructions

from .dsp import DSP
from .mve import MVE
from .narrow import DSP_NARROW, MVE_NARROW
from .operands import TRANSPOSED, depth, int8_bound, macs, multiplier, steps, turned


@dataclass(frozen=True, kw_only=True)
class Sums(Pairs):
    """Where the row of a and the column of b begin that each element of y is the product of."""

    depth: int  # elements of a row of a
    a_step: int  # from one of them to the next
    b_step: int  # and of a column of b


@dataclass(frozen=True, kw_only=True)
class NarrowSums(Sums):
    """The same for int16, and how sums are requantised."""

    multiplier: int  # Q15
    shift: int  # to the right
    activation_min: int = i16.limits[0]
    activation_max: int = i16.limits[1]


@dataclass(frozen=True, kw_only=True)
class LiftedSums(Sums):
    """The same for int8."""

    a_zero_point: int
    b_zero_point: int
    y_zero_point: int
    multiplier: int  # Q31
    shift: int  # to the left


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: the batches of a and b, broadcast, the rows of a, and the columns of b."""
    for name in TRANSPOSED:
        if not 2 <= len(node[name].shape) <= MAX_RANK:
            raise OpError(f"{name} {node[name].type} must have 2 to {MAX_RANK} dimensions")
    (*a, rows, depth), (*b, inner, columns) = (
        turned(node, name, node[name].shape) for name in "ab"
    )
    if depth != inner:
        raise OpError(f"rows of a have {depth} elements, columns of b {inner}")
    return [TensorType(node["y"].dtype, (*broadcast_shape(tuple(a), tuple(b)), rows, columns))]


def sums(node: NodeView) -> Sums:
    """The walk through a and b."""
    (*a, a_row, a_step), (*b, b_step, b_column) = (steps(node, name) for name in "ab")
    found = walked(node["y"].shape, (*a, a_row, 0), (*b, 0, b_column))
    return Sums(**vars(found), depth=depth(node), a_step=a_step, b_step=b_step)


def lifted_sums(node: NodeView) -> LiftedSums:
    """Those of int8."""
    scale, shift = multiplier(node)
    zero_points: dict[str, Any] = {f"{name}_zero_point": node[name].zero_point for name in "aby"}
    return LiftedSums(**vars(sums(node)), **zero_points, multiplier=scale, shift=shift)


def narrow_sums(node: NodeView) -> NarrowSums:
    """Those of int16."""
    scale, shift = (int(each) for each in halved(*np.array(multiplier(node))))
    return NarrowSums(**vars(sums(node)), multiplier=scale, shift=shift)


def int8_problems(node: NodeView) -> Iterator[str]:
    """What the arithmetic of int8 needs."""
    yield from (problems := list(per_tensor_problems(node, "a", "b", "y")))
    if not problems:
        yield from _overflow(int8_bound(node) > LIMIT, 32)


def plain_problems(node: NodeView) -> Iterator[str]:
    """What that of int8 with sums of int32 needs."""
    yield from _overflow(depth(node) << 14 > LIMIT, 32)


def int16_problems(node: NodeView) -> Iterator[str]:
    """What that of int16 needs."""
    yield from (problems := list(per_tensor_problems(node, "a", "b", "y")))
    if problems:
        return
    yield from symmetric_problems(node, "a", "b", "y")
    yield from _overflow(depth(node) << 30 >= WIDE_LIMIT, 48)
    if multiplier(node)[1] >= LEFT:
        yield "a.scale * b.scale / y.scale must be below 128"


def _overflow(possible: bool, bits: int) -> Iterator[str]:
    if possible:
        yield f"a sum may overflow {bits} bits"


def lifted(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of int8 in numpy."""
    p = lifted_sums(node)
    a, b = (
        x.astype(np.int64) - node[name].zero_point for name, x in zip("ab", inputs, strict=True)
    )
    scaled = multiply_by_quantized_multiplier(_products(node, a, b), p.multiplier, p.shift)
    return [np.clip(scaled + p.y_zero_point, *i8.limits).astype(np.int8)]


def plain(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The sums of int8 in numpy."""
    return [_products(node, *(x.astype(np.int32) for x in inputs))]


def narrow(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of int16 in numpy; what a sum is scaled to wraps at 32 bits."""
    p = narrow_sums(node)
    rescaled = Narrow(np.int16(p.multiplier).tobytes(), np.int8(p.shift).tobytes())
    scaled = rescaled(_products(node, *(x.astype(np.int64) for x in inputs))).astype(np.int32)
    return [np.clip(scaled, *i16.limits).astype(np.int16)]


def floats(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of float32 in numpy: products are added one by one."""
    a, b = _matrices(node, *inputs)
    y = np.zeros(node["y"].shape, np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(depth(node)):
            y = y + a[..., i : i + 1] * b[..., i : i + 1, :]
    return [y]


def _products(node: NodeView, a: Array, b: Array) -> Array:
    return np.asarray(np.matmul(*_matrices(node, a, b)))


def _matrices(node: NodeView, *inputs: Array) -> list[Array]:
    """a and b as they are multiplied."""
    return [
        np.swapaxes(x, -1, -2) if node.attributes[TRANSPOSED[name]] else x
        for name, x in zip("ab", inputs, strict=True)
    ]


def example(a: DType, b: DType, y: DType) -> tuple[Example, ...]:
    """Two batches by one."""
    shapes = {"a": (2, 3, 7), "b": (7, 5), "y": (2, 3, 5)}
    types = zip(shapes.items(), (a, b, y), strict=True)
    scales = {i8: 0.05, i16: 0.05}
    return (
        Example(
            {name: ExampleTensor(t, shape, scale=scales.get(t)) for (name, shape), t in types},
            {"adj_x": False, "adj_y": False},
        ),
    )


def kernels_of(
    params: type[Sums], plan: Callable[[NodeView], Sums], defines: Mapping[str, str]
) -> tuple[Kernel, Kernel]:
    """On a GPU, and the reference."""
    cost = instructions(macs, 8.0, 20.0)
    reference = Kernel("reference", params, every_node(plan), cost=cost)
    defines = {"Params": params.__name__, **defines}
    return on_gpu(reference, each_element, defines=defines), reference


NARROW = (MVE_NARROW, DSP_NARROW)
LIFTED = kernels_of(LiftedSums, lifted_sums, {"LIFTED": "", "SUM": "int"})
PLAIN = kernels_of(Sums, sums, {"SUM": "int"})
HALFWORDS = kernels_of(NarrowSums, narrow_sums, {"NARROW": "", "SUM": "long"})
FLOATS = kernels_of(Sums, sums, {"SUM": "float"})
OP = Op(
    "batch_matmul",
    inputs=(Input("a", "A"), Input("b", "B")),
    outputs=(Output("y", "Y"),),
    attributes=(
        Attribute("adj_x", bool, default=False),
        Attribute("adj_y", bool, default=False),
    ),
    # the option is of other element types
    legalize=(Rename("tflite.BATCH_MATMUL", range(1, 6), ignore=("asymmetric_quantize_inputs",)),),
    infer=infer,
    traits={"from_nothing"},
    hooks=Hooks(macs=macs),
    variants=tuple(
        Variant(
            {"A": a, "B": b, "Y": y},
            kernels,
            check=check,
            evaluate=evaluate,
            examples=example(a, b, y),
        )
        for a, b, y, check, evaluate, kernels in (
            (i8, i8, i8, int8_problems, lifted, (LIFTED[0], MVE, DSP, LIFTED[1])),
            (i8, i8, i32, plain_problems, plain, PLAIN),
            (i16, i16, i16, int16_problems, narrow, (HALFWORDS[0], *NARROW, HALFWORDS[1])),
            (i16, i8, i16, int16_problems, narrow, (HALFWORDS[0], *NARROW, HALFWORDS[1])),
            (f32, f32, f32, None, floats, FLOATS),
        )
    ),
)
