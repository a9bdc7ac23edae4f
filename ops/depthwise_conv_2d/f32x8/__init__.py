"""DepthwiseConv2D of float32 by int8 filters: images are quantised at run time."""

from opsmith.op import *
from runtimes.families.depthwise import DEPTHWISE, DepthwiseGeometry, inside_cost
from runtimes.families.dynamic_range import Dynamic, dynamic_variant, image_overlap, weight_scales
from runtimes.families.layer import RealClamped


@dataclass(frozen=True, kw_only=True)
class Params(RealClamped, DepthwiseGeometry):
    """Geometry, and bounds of y."""


@dataclass(frozen=True)
class Tables:
    """Filter in the model's order, and biases and scales."""

    filter: NDArray[np.int8]
    bias: NDArray[np.float32]  # [output channels]
    scale: NDArray[np.float32]  # [output channels]


def check(node: NodeView) -> Iterator[str]:
    """Problem of a filter without a scale for each channel, which LiteRT would read."""
    quantization, channels = node["filter"].quantization, node["filter"].shape[3]
    if quantization is not None and len(quantization.scales) != channels:
        yield f"a filter of float32 images must have {channels} scales"


def plan(node: NodeView) -> Plan:
    """Plan with scratch for a quantised image."""
    return Plan(
        DEPTHWISE.params(Params, node),
        lambda: DEPTHWISE.params(
            Tables, node, scale=weight_scales(node["filter"], node["filter"].shape[3])
        ),
        {"image": node["x"].elements // node["x"].shape[0]},
        partial(image_overlap, node),
    )


def cost(node: NodeView) -> float:
    """Cost of taps inside the image and of outputs, and of quantising images."""
    return inside_cost(22.0, 100.0, 0.0)(node) + 45.0 * node["x"].elements


F32X8 = dynamic_variant(
    DEPTHWISE,
    Dynamic(asymmetric=lambda node: True),
    Kernel(
        "reference",
        Params,
        plan,
        Tables,
        scratch={"image": i8},
        cost=cost,
    ),
    Example.of(
        {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        x=(1, 7, 6, 4),
        filter=ExampleTensor(
            i8, (1, 3, 3, 4), scale=(0.1, 0.2, 0.3, 0.4), axis=3, data=np.arange(36)
        ),
        bias=ExampleTensor(f32, (4,), data=np.array([0.5, -1, 2, 0])),
    ),
    Example.of(
        {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        x=(1, 4, 3, 1),
        filter=ExampleTensor(i8, (1, 2, 2, 3), scale=(0.1, 0.2, 0.3), axis=3, data=np.arange(12)),
        bias=ExampleTensor(f32, (3,), data=np.array([0.5, -1, 2])),
    ),
    check=check,
)
