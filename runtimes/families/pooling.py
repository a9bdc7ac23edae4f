"""Pooling of NHWC images over windows: the op, but for how a window is reduced."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from runtimes.core.per_tensor import same_quantization_problems
from runtimes.families.window import PADDINGS, output_size, padding_before
from toolchain.ir import Array, TensorType
from toolchain.ir.types import i8
from toolchain.op.border import bordered
from toolchain.op.channels import Masks, Range, Ranges, tied
from toolchain.op.clamp import CLAMP_ATTRIBUTES, clamp_range
from toolchain.op.cost import instructions
from toolchain.op.declare import Attribute, Example, ExampleTensor, Input, OpError, Output, Rename
from toolchain.op.describe import Op
from toolchain.op.hooks import Channels, Hooks
from toolchain.op.kernel import Kernel, Plan, Refused, every_node
from toolchain.op.overlap import Distance, Taps, channel_distance, window_walk
from toolchain.op.view import NodeView

MAX_WINDOW = 1 << 23  # pixels: a sum of so many int8 fits 32 bits

POOL_OPTIONS = {  # TFLite's option -> attribute
    "stride_h": "stride_height",
    "stride_w": "stride_width",
    "filter_height": "window_height",
    "filter_width": "window_width",
    "fused_activation_function": "activation",
}
POOL_ATTRIBUTES = (
    Attribute("padding", str, choices=PADDINGS),
    Attribute("window_height", int),
    Attribute("window_width", int),
    Attribute("stride_height", int),
    Attribute("stride_width", int),
    *CLAMP_ATTRIBUTES,
)
EXAMPLE = Example(
    {
        "x": ExampleTensor(i8, (1, 7, 6, 4), scale=0.1, zero_point=4),
        "y": ExampleTensor(i8, (1, 7, 6, 4), scale=0.1, zero_point=4),
    },
    {
        "padding": "SAME",
        "window_height": 2,
        "window_width": 2,
        "stride_height": 1,
        "stride_width": 1,
    },
)


@dataclass(frozen=True)
class PoolParams:
    """The windows over images, and the bounds of y. Sizes in pixels and channels."""

    batches: int
    input_height: int
    input_width: int
    channels: int
    window_height: int
    window_width: int
    output_height: int
    output_width: int
    stride_height: int
    stride_width: int
    padding_top: int
    padding_left: int
    activation_min: int
    activation_max: int


def pooling(name: str, source: str, hooks: Hooks, **others: Any) -> Op:
    """A pooling op with these hooks and fields besides, such as `variants`."""
    common: dict[str, Any] = {
        "legalize": (Rename(source, range(1, 4), POOL_OPTIONS),),
        "inputs": (Input("x", "T"),),
        "outputs": (Output("y", "T"),),
        "attributes": POOL_ATTRIBUTES,
        "traits": {"fuses_activation"},
        "infer": pooled,
        "check": pool_problems,
        "hooks": Hooks(channels=Channels(pooled_range, pool_channels)) | hooks,
        "examples": (EXAMPLE,),
    }
    return Op(name=name, **{**common, **others})


def pool_kernel(
    name: str,
    per_element: float,
    per_output: float,
    refused: Callable[[NodeView], Refused | None] | None = None,
    **others: Any,
) -> Kernel:
    """A kernel that writes a channel once it has read it, with its instructions; of every node, but
    for those that it is `refused`.
    """
    every = every_node(pool_params, overlap=pool_overlap)

    def plan(node: NodeView) -> Plan | Refused:
        return (refused(node) if refused is not None else None) or every(node)

    cost = instructions(pool_elements, per_element, per_output)
    return Kernel(name, PoolParams, every if refused is None else plan, cost=cost, **others)


def pooled(node: NodeView) -> Sequence[TensorType]:
    """The type of y. Raises OpError for an x or a window that cannot be pooled."""
    x, a = node["x"], node.attributes
    if len(x.shape) != 4:
        raise OpError(f"x {x.type} must have four dimensions")
    sizes = [bordered(node, axis)[1] for axis in (1, 2)]
    height = output_size(a["padding"], sizes[0], a["window_height"], a["stride_height"])
    width = output_size(a["padding"], sizes[1], a["window_width"], a["stride_width"])
    if a["window_height"] * a["window_width"] > MAX_WINDOW:
        raise OpError(f"a window of {a['window_height']}x{a['window_width']} is too large")
    return [TensorType(x.dtype, (x.shape[0], height, width, x.shape[3]))]


def pool_problems(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from same_quantization_problems(node, "x", "y")


def pool_params(node: NodeView) -> PoolParams:
    """The geometry of a node that `pooled` accepted."""
    x, y, a = node["x"], node["y"], node.attributes
    low, high = clamp_range(node)
    return PoolParams(
        batches=x.shape[0],
        input_height=x.shape[1],
        input_width=x.shape[2],
        channels=x.shape[3],
        window_height=a["window_height"],
        window_width=a["window_width"],
        output_height=y.shape[1],
        output_width=y.shape[2],
        stride_height=a["stride_height"],
        stride_width=a["stride_width"],
        padding_top=_padding(node, "height", axis=1),
        padding_left=_padding(node, "width", axis=2),
        activation_min=low,
        activation_max=high,
    )


def _padding(node: NodeView, along: str, axis: int) -> int:
    """Pixels of padding before the first one, along one axis."""
    y, a, (before, size) = node["y"], node.attributes, bordered(node, axis)
    window, stride = a[f"window_{along}"], a[f"stride_{along}"]
    return before + padding_before(a["padding"], size, window, stride, 1, y.shape[axis])


def pooled_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """As x, clamped: a mean, rounded, and a maximum lie between the elements of their window.

    Every window has a pixel inside the image, and those outside do not count.
    """
    return [ranges[node["x"].id].clip(*clamp_range(node))]


def refused_word(node: NodeView) -> Refused | None:
    """Why the channels of a pixel do not fill a word of int8."""
    channels = node["x"].shape[3]
    return Refused(f"{channels} channels, fewer than 4") if channels < 4 else None


def pool_area(node: NodeView) -> int:
    """Pixels of a window."""
    a = node.attributes
    return int(a["window_height"] * a["window_width"])


def pool_elements(node: NodeView) -> int:
    """How many elements are pooled, those outside of the image counted too."""
    return node["y"].elements * pool_area(node)


def pool_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Every channel is pooled by itself."""
    return tied((node["x"], node["y"]), live)


def pool_overlap(node: NodeView) -> dict[str, Distance]:
    """For kernels that go forward and write a channel once they have read it."""
    p = pool_params(node)
    rows = Taps(p.input_height, p.output_height, p.window_height, p.stride_height, 1, p.padding_top)
    columns = Taps(p.input_width, p.output_width, p.window_width, p.stride_width, 1, p.padding_left)
    found = channel_distance(window_walk(p.batches, rows, columns), p.channels)
    return {"x": Distance(found.forward)}


def pool_taps(p: PoolParams, x: Array) -> Iterator[tuple[tuple[slice, ...], Array]]:
    """For each place in the window: the outputs that have a pixel of x there, and these pixels."""
    rows = _taps(p.input_height, p.window_height, p.stride_height, p.padding_top, p.output_height)
    columns = _taps(p.input_width, p.window_width, p.stride_width, p.padding_left, p.output_width)
    for (y_out, y_in), (x_out, x_in) in itertools.product(rows, columns):
        yield (slice(None), y_out, x_out), x[:, y_in, x_in]


def _taps(
    size: int, window: int, stride: int, before: int, output: int
) -> Iterator[tuple[slice, slice]]:
    """Along one axis, for every place in the window: the outputs it serves, and from which inputs.

    Places that no output has inside the image are left out, so that a huge window costs nothing.
    """
    first = max(0, before - (output - 1) * stride)
    for offset in range(first - before, min(window - before, size)):
        low = max(0, -(offset // stride))
        high = min(output, (size - 1 - offset) // stride + 1)
        if low < high:
            last = (high - 1) * stride + offset
            yield slice(low, high), slice(low * stride + offset, last + 1, stride)
