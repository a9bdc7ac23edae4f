"""Conv2D of int16 with int8 filters and a bias of int64 or int32.

All tensors are symmetric: zero points are 0. As in LiteRT, sums with a bias of int64 have 64 bits,
and are requantised by a multiplier of 16 bits and one rounding; sums with a bias of int32 have 32
bits, wrap, and are requantised as in int8.
"""

from opsmith.op import *
from runtimes.core import per_channel
from runtimes.core.narrow_requantization import Tables
from runtimes.core.notebook import OPTIMISED
from runtimes.core.per_tensor import zero_problems
from runtimes.families.convolution import (
    CONVOLUTION,
    geometry,
    int16_problems,
    narrow_filter_problems,
    pixel_overlap,
)
from runtimes.families.image_filter import BY_ROWS
from runtimes.families.layer_variants import int16_variant
from runtimes.families.window import taps_inside

from .params import Params


class Tables32(per_channel.Tables):
    """Filter, and bias, Q31 multiplier and shift of each channel, for 32-bit sums."""


def check_64(node: NodeView) -> Iterator[str]:
    """Problems of quantisation with 64-bit sums, and of filters that LiteRT cannot run."""
    yield from int16_problems(CONVOLUTION, node)
    yield from narrow_filter_problems(node)


def check_32(node: NodeView) -> Iterator[str]:
    """Problems of quantisation with 32-bit sums."""
    yield from (problems := list(per_channel.per_channel_problems(node, CONVOLUTION.axis)))
    if not problems:
        yield from zero_problems(node, "x", "y")
    yield from narrow_filter_problems(node)


def example(bias: DType, said: str) -> Example:
    """Example of a filter of four channels."""
    return Example.of(
        {
            "padding": "VALID",
            "stride_height": 1,
            "stride_width": 1,
            "quantized_bias_type": said,
        },
        x=ExampleTensor(i16, (1, 5, 6, 3), scale=0.001),
        filter=ExampleTensor(i8, (4, 3, 3, 3), scale=0.01, data=np.arange(108)),
        bias=ExampleTensor(bias, (4,), data=np.array([500, -1000, 2000, 0])),
        y=ExampleTensor(i16, (1, 3, 4, 4), scale=0.002),
    )


def reference_cost(node: NodeView) -> float:
    """Cost of products by pixels of x, and of taps that lie beyond it, which are left out."""
    _, height, width, inputs = node["filter"].shape
    every, inside = height * width * node["y"].elements, taps_inside(geometry(node))
    inside *= node["y"].shape[3]
    return 20.0 * node["y"].elements + 7.5 * inside * inputs + 5.0 * (every - inside)


REFERENCE = replace(CONVOLUTION.reference(Params, Tables, pixel_overlap), cost=reference_cost)
REFERENCE_32 = CONVOLUTION.reference(Params, Tables32, pixel_overlap)
I16X8 = int16_variant(
    CONVOLUTION,
    check_64,
    REFERENCE,
    example(i64, "INT64"),
    hooks=BY_ROWS,
)
I16X8_32 = replace(
    int16_variant(
        CONVOLUTION, check_32, REFERENCE_32, example(i32, "INT32"), bias=i32, hooks=BY_ROWS
    ),
    numerics=OPTIMISED,
)
