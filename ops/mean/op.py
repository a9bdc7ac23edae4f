"""Mean: the mean along any axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from toolchain.op import (
    Array,
    Attribute,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    Masks,
    NodeView,
    Op,
    OpError,
    Output,
    Range,
    Ranges,
    Rename,
    TensorType,
    i8,
    i32,
)
from toolchain.op.accumulator import overflow_problems
from toolchain.op.arithmetic import multiply_by_quantized_multiplier, quantize_multiplier
from toolchain.op.channels import all_live, channels_of, tied
from toolchain.op.cost import instructions
from toolchain.op.per_tensor import per_tensor_problems

MAX_RUNS = 4  # of axes that are kept, and of axes that are reduced: rank 8 has no more
Four = tuple[int, int, int, int]


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time. Neighbouring axes of one kind are taken as one."""

    kept: Four  # sizes of the axes that y has, padded with leading ones
    kept_stride: Four  # elements of x
    reduced: Four  # sizes of the axes that are averaged over
    reduced_stride: Four
    zero_point_sum: int  # what the zero point of x adds to a sum
    output_zero_point: int
    multiplier: int  # Q31: x.scale / y.scale / elements of a mean
    shift: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: x without the axes, or with 1 in their place."""
    x, axes = node["x"], _axes(node)
    if node.attributes["keep_dims"]:
        sizes = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
    else:
        sizes = [size for axis, size in enumerate(x.shape) if axis not in axes]
    return [TensorType(x.dtype, tuple(sizes))]


def _axes(node: NodeView) -> frozenset[int]:
    """The axes to reduce, each once and counted from the front."""
    rank = len(node["x"].shape)
    wanted = node["axis"].data.reshape(-1).tolist()
    for axis in wanted:
        if not -rank <= axis < rank:
            raise OpError(f"axis {axis} is none of x {node['x'].type}")
    return frozenset(axis % rank for axis in wanted)


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if not problems:
        low, high = node["x"].dtype.limits
        yield from overflow_problems(np.array([_elements(node) * (high - low)]), _scaling(node)[1])


def _elements(node: NodeView) -> int:
    """How many elements of x go into one of y."""
    return math.prod(node["x"].shape[axis] for axis in _axes(node))


def _scaling(node: NodeView) -> tuple[int, int]:
    """(multiplier, shift) for x.scale / y.scale / elements, divided as TFLite divides it."""
    multiplier, shift = quantize_multiplier(node["x"].scale / node["y"].scale)
    elements = _elements(node)
    headroom = min(elements.bit_length() - 1, 32, 31 + shift)
    return (multiplier << headroom) // elements, shift - headroom


def params(node: NodeView) -> Params:
    """The sizes and strides of both kinds of axes, and the scaling."""
    x = node["x"]
    kept, kept_stride = _runs(node, reduced=False)
    reduced, reduced_stride = _runs(node, reduced=True)
    multiplier, shift = _scaling(node)
    return Params(
        kept=kept,
        kept_stride=kept_stride,
        reduced=reduced,
        reduced_stride=reduced_stride,
        zero_point_sum=x.zero_point * _elements(node),
        output_zero_point=node["y"].zero_point,
        multiplier=multiplier,
        shift=shift,
    )


def _runs(node: NodeView, *, reduced: bool) -> tuple[Four, Four]:
    """Sizes and strides of the runs of axes that are all reduced, or all kept."""
    sizes, axes = node["x"].shape, _axes(node)
    found: list[tuple[int, int]] = []
    for kind, run in groupby(range(len(sizes)), lambda axis: axis in axes):
        members = list(run)
        if kind == reduced:
            behind = math.prod(sizes[members[-1] + 1 :])
            found.append((math.prod(sizes[axis] for axis in members), behind))
    found = [(1, 0)] * (MAX_RUNS - len(found)) + found
    (a, b, c, d), (e, f, g, h) = zip(*found, strict=True)
    return (a, b, c, d), (e, f, g, h)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The means in numpy."""
    p = params(node)
    means = _means(p, inputs[0].astype(np.int64).sum(axis=tuple(_axes(node))))
    return [means.astype(np.int8).reshape(node["y"].shape)]


def _means(p: Params, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """The elements of y for these sums; a larger sum never gives a smaller element."""
    lifted = sums - p.zero_point_sum
    means = multiply_by_quantized_multiplier(lifted, p.multiplier, p.shift) + p.output_zero_point
    return np.clip(means, *i8.limits)


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The means of nothing but least, and of nothing but greatest elements."""
    x, p, elements = ranges[node["x"].id], params(node), _elements(node)
    found = Range(_means(p, x.low * elements), _means(p, x.high * elements))
    if _keeps_channels(node):
        return [found]
    widest = Range(found.low.min(keepdims=True), found.high.max(keepdims=True))
    return [widest.spread(channels_of(node["y"]))]


def _keeps_channels(node: NodeView) -> bool:
    return len(node["x"].shape) - 1 not in _axes(node)


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """A mean along other axes is of a channel by itself; along channels it needs all of them."""
    tensors = (node["x"], node["y"])
    return tied(tensors, live) if _keeps_channels(node) else all_live(tensors)


def lanes_take(node: NodeView) -> bool:
    """Neighbours in x that are of neighbouring means, at least four, along one run of axes."""
    p = params(node)
    return p.kept_stride[3] == 1 and p.kept[3] >= 4 and p.reduced[:3] == (1, 1, 1)


def mve_takes(node: NodeView) -> bool:
    """Of these means those that are rescaled by a shift to the right."""
    return lanes_take(node) and -31 <= params(node).shift <= -1


def _averaged(node: NodeView) -> int:
    return node["x"].elements


OP = Op(
    name="mean",
    legalize=(Rename("tflite.MEAN", versions=range(1, 4)),),
    inputs=(Input("x", "T"), Input("axis", i32, constant=True)),
    outputs=(Output("y", "T"),),
    attributes=(Attribute("keep_dims", bool, default=False),),
    domains={"T": (i8,)},
    infer=infer,
    check=check,
    params=params,
    evaluate=evaluate,
    value_range=value_range,
    live_channels=live_channels,
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (1, 5, 6, 8), scale=0.1, zero_point=4),
                "axis": ExampleTensor(i32, (2,), data=np.array([1, 2])),
                "y": ExampleTensor(i8, (1, 8), scale=0.1, zero_point=4),
            }
        ),
    ),
    kernels=(
        Kernel(
            "cmsis_mve.h",
            requires={"mve"},
            cost=instructions(_averaged, 0.58, 2.5),
            when=mve_takes,
        ),
        Kernel(
            "cmsis_dsp.h",
            requires={"dsp"},
            cost=instructions(_averaged, 1.2, 41.0),
            when=lanes_take,
            copies=("memset",),
        ),
        Kernel("lanes.h", cost=instructions(_averaged, 2.2, 41.0), when=lanes_take),
        Kernel("reference.h", cost=instructions(_averaged, 3.9, 45.0)),
    ),
)
