"""Pooling of NHWC images over windows: ops that differ only in how a window is reduced."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from opsmith.ir import Array, DType, TensorType
from opsmith.ir.types import f32, i16
from opsmith.op.border import bordered
from opsmith.op.channels import Masks, Range, Ranges, tied
from opsmith.op.clamp import CLAMP_ATTRIBUTES, clamp_range
from opsmith.op.declare import Attribute, Example, ExampleTensor, Input, OpError, Rename
from opsmith.op.describe import Kind, Op, Variant
from opsmith.op.hooks import Channels, Hooks
from opsmith.op.kernel import Kernel, every_node, refusing
from opsmith.op.lines import EXCHANGED, ImageAxes, Turned, exchanged
from opsmith.op.view import NodeView
from runtimes.core.notebook import OF_FLOATS, unlike
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.pool_windows import (
    PoolParams,
    RealPoolParams,
    pool_axes,
    pool_geometry,
    pool_overlap,
    pool_params,
    real_pool_params,
)
from runtimes.families.window import OPTIONS, STRIDES, inside_along, output_size

MAX_WINDOW = 1 << 23  # pixels: a sum of as many bytes fits 32 bits
MAX_WINDOW_16 = 1 << 15  # of int16

Evaluate = Callable[[NodeView, Sequence[Array]], Sequence[Array]]
NO_HOOKS = Hooks()
EXAMPLE = {
    "padding": "SAME",
    "window_height": 2,
    "window_width": 2,
    "stride_height": 1,
    "stride_width": 1,
}
WINDOWS = {"filter_height": "window_height", "filter_width": "window_width"}
POOL_OPTIONS = {**OPTIONS, **WINDOWS}  # TFLite's option -> attribute
POOL_ATTRIBUTES = (
    *STRIDES,
    Attribute("window_height", int),
    Attribute("window_width", int),
    *CLAMP_ATTRIBUTES,
)


def pool_kernel(
    name: str,
    cost: Callable[[NodeView], float],
    *problems: Callable[[NodeView], str],
    **others: Any,
) -> Kernel:
    """Kernel that writes a channel once its window is read, for nodes without a problem."""
    plan = refusing(every_node(pool_params, overlap=pool_overlap), *problems)
    return Kernel(name, PoolParams, plan, cost=cost, **others)


def integer_pool(
    dtype: DType, kernels: tuple[Kernel, ...], evaluate: Evaluate, function: str
) -> Variant:
    """Variant of quantised elements; the last kernel is the op's reference.h, and `function` is the
    pool's name for backends.
    """
    zero_point = 0 if dtype == i16 else 4
    x = ExampleTensor(dtype, (1, 7, 6, 4), scale=0.1, zero_point=zero_point)
    return Variant(
        {"T": dtype},
        kernels,
        kind=Kind("pooling", "integers", {function: ""}),
        check=pool_problems,
        evaluate=evaluate,
        hooks=Hooks(channels=Channels(ranges=pooled_range)),
        examples=(Example({"x": x, "y": x}, EXAMPLE),),
    )


def real_pool(evaluate: Evaluate, function: str, cost: Callable[[NodeView], float]) -> Variant:
    """float32 variant at this cost in cycles; `function` is the pool's name for backends."""
    x = ExampleTensor(f32, (1, 7, 6, 8))
    plan = every_node(real_pool_params, overlap=pool_overlap)
    reference = Kernel("reference", RealPoolParams, plan, cost=cost)
    return Variant(
        {"T": f32},
        (reference,),
        kind=Kind("pooling", "floats", {function: "", "REAL": ""}),
        evaluate=evaluate,
        numerics={} if function == "MAX" else unlike(OF_FLOATS),
        examples=(Example({"x": x, "y": x}, EXAMPLE),),
    )


def pooling(
    name: str,
    source: str | Rename,
    variants: tuple[Variant, ...],
    hooks: Hooks = NO_HOOKS,
    attributes: tuple[Attribute, ...] = (),
    **others: Any,
) -> Op:
    """Pooling op. Attributes and hooks are added to those of every pooling op.

    The source is an operator of TFLite, or a Rename of another. `others` are states, decompose and
    match of Op.
    """
    if isinstance(source, str):
        source = Rename(source, range(1, 4), POOL_OPTIONS)
    return Op(
        name,
        inputs=(Input("x", "T", rank=4),),
        infer=pooled,
        variants=variants,
        legalize=(source,),
        attributes=(*POOL_ATTRIBUTES, *attributes),
        traits={"fuses_activation"},
        hooks=Hooks(channels=Channels(live=pool_channels), lines=_turned) | hooks,
        **others,
    )


def _turned(node: NodeView, axes: ImageAxes) -> Turned | None:
    """Window turned to other axes of its image, with its pixels in the same order."""
    return Turned(exchanged(node, "window", "stride")) if axes == EXCHANGED else None


def pooled(node: NodeView) -> Sequence[TensorType]:
    """Type of y. Raises OpError for an x or a window that cannot be pooled."""
    x, a = node["x"], node.attributes
    sizes = [bordered(node, axis)[1] for axis in (1, 2)]
    height = output_size(a["padding"], sizes[0], a["window_height"], a["stride_height"])
    width = output_size(a["padding"], sizes[1], a["window_width"], a["stride_width"])
    if a["window_height"] * a["window_width"] > (MAX_WINDOW_16 if x.dtype == i16 else MAX_WINDOW):
        raise OpError(f"a window of {a['window_height']}x{a['window_width']} is too large")
    return [TensorType(x.dtype, (x.shape[0], height, width, x.shape[3]))]


def pool_problems(node: NodeView) -> Iterator[str]:
    """Problems of quantisation with clamping: TFLite pools bytes, whatever their values in x."""
    yield from per_tensor_problems(node, "x", "y")


def pooled_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """Range of y: that of x, clamped, since a rounded mean and a maximum lie between the elements
    of their window.

    Every window has a pixel inside the image, and places outside do not count.
    """
    return [ranges[node["x"].id].clip(*clamp_range(node))]


def word_problem(node: NodeView) -> str:
    """Reason why the channels of a pixel do not fill whole words of int8."""
    channels = node["x"].shape[3]
    return f"{channels} channels, fewer than 4" if channels < 4 else ""


def eight_problem(node: NodeView) -> str:
    """Reason why a pixel has too few channels for groups of eight."""
    channels = node["x"].shape[3]
    return f"{channels} channels, fewer than 8" if channels < 8 else ""


def pool_area(node: NodeView) -> int:
    """Number of pixels of a window."""
    a = node.attributes
    return int(a["window_height"] * a["window_width"])


def larger_than(most: int) -> Callable[[NodeView], str]:
    """Problem of windows of more than `most` pixels, for kernels with that limit."""

    def problem(node: NodeView) -> str:
        pixels = pool_area(node)
        return f"a window has {pixels} pixels, more than {most}" if pixels > most else ""

    return problem


def pool_elements(node: NodeView) -> int:
    """Number of elements that windows cover, with places outside the image."""
    return node["y"].elements * pool_area(node)


def inside_cost(
    per_tap: float, per_row: float, per_window: float, block: int = 1
) -> Callable[[NodeView], float]:
    """Cost of a kernel that leaves out places beyond the image, in cycles for a block of channels,
    full or not: of each pixel, row of pixels and window.
    """

    def cost(node: NodeView) -> float:
        p = pool_geometry(node)
        down, right = map(inside_along, pool_axes(p))
        taps, rows = per_tap * down * right, per_row * down * p.output_width
        windows = per_window * p.output_height * p.output_width
        return p.batches * -(-p.channels // block) * (taps + rows + windows)

    return cost


def pool_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Channels that are needed: those of y for x, since each channel is pooled by itself."""
    return tied((node["x"], node["y"]), live)
