"""Conv2D of float32 by int8 filters: images are quantised at run time.

Where channels have different scales, or groups, LiteRT quantises images asymmetrically, and
multiplies sums by the scales of image and filter one after the other.
"""

from opsmith.op import *
from runtimes.families.convolution import (
    CONVOLUTION,
    FilterGeometry,
    groups,
    narrow_filter_problems,
)
from runtimes.families.dynamic_range import Dynamic, dynamic_variant, image_overlap, weight_scales
from runtimes.families.layer import RealClamped

WITH_FPU = 0.25  # of the cycles in soft floats, of which other kernels need few for an input


@dataclass(frozen=True, kw_only=True)
class Params(RealClamped, FilterGeometry):
    """Geometry, bounds of y, and the quantisation of images."""

    by_channel: bool  # asymmetrically, and multiplied by the scale of each channel first


@dataclass(frozen=True)
class Tables:
    """Filter in the model's order, and biases and scales."""

    filter: NDArray[np.int8]
    bias: NDArray[np.float32]  # [output channels]
    scale: NDArray[np.float32]  # [output channels]


def check(node: NodeView) -> Iterator[str]:
    """LiteRT's problems with groups, for which it reads scales of channels, and filters of int2."""
    yield from narrow_filter_problems(node)
    quantization = node["filter"].quantization
    if groups(node) > 1 and quantization is not None and len(quantization.scales) == 1:
        yield "a filter of float32 images with groups must have a scale for each channel"


def by_channel(node: NodeView) -> bool:
    """True if LiteRT rescales each channel by its own scale."""
    return (
        groups(node) > 1
        or len(set(weight_scales(node["filter"], node["filter"].shape[0]).tolist())) > 1
    )


def plan(node: NodeView) -> Plan:
    """Plan with scratch for a quantised image."""
    return Plan(
        CONVOLUTION.params(Params, node, by_channel=by_channel(node)),
        lambda: CONVOLUTION.params(
            Tables, node, scale=weight_scales(node["filter"], node["filter"].shape[0])
        ),
        {"image": node["x"].elements // node["x"].shape[0]},
        partial(image_overlap, node),
    )


def cost(node: NodeView) -> float:
    """Cost of products, taps and outputs, and of quantising images, in soft floats."""
    _, height, width, _ = node["filter"].shape
    sums = CONVOLUTION.cost(6.0, 20.0 + 3.0 * height * width)(node)
    return (sums + 36.0 * node["x"].elements + 400.0 * node["x"].shape[0]) / WITH_FPU


F32X8 = dynamic_variant(
    CONVOLUTION,
    Dynamic(asymmetric=by_channel, one_by_one=by_channel),
    Kernel(
        "reference",
        Params,
        plan,
        Tables,
        scratch={"image": i8},
        cost=cost,
        paces={"fpu": WITH_FPU},
    ),
    Example.of(
        {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        x=(1, 5, 6, 3),
        filter=ExampleTensor(i8, (4, 3, 3, 3), scale=0.01, data=np.arange(108)),
        bias=ExampleTensor(f32, (4,), data=np.array([0.5, -1, 2, 0])),
    ),
    Example.of(
        {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        x=(1, 4, 4, 8),
        filter=ExampleTensor(
            i8, (6, 3, 3, 4), scale=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6), data=np.arange(216) % 100
        ),
        bias=ExampleTensor(f32, (6,), data=np.array([0.5, -1, 2, 0, 1, 3])),
    ),
    check=check,
)
