"""Convolutions over volumes of depth, height and width, in float32."""

from typing import TypeVar

from opsmith.op import *
from runtimes.core.notebook import OF_FLOATS, unlike
from runtimes.families.layer import RealClamped
from runtimes.families.window import PADDINGS, padding_before

Three = tuple[int, int, int]  # along depth, height and width
LETTERS = "dhw"
WEIGHTS, BIAS = Input("weights", "T", rank=5), Input("bias", "T", optional=True)


@dataclass(frozen=True, kw_only=True)
class Volumes(RealClamped):
    """Geometry of filters over volumes, and bounds of y."""

    batches: int
    input_channels: int
    output_channels: int
    x_size: Three
    y_size: Three
    filter: Three
    stride: Three
    padding: Three  # before


V = TypeVar("V", bound=Volumes)


def volumes(
    name: str,
    source: str,
    inputs: tuple[Input, ...],
    infer: Callable[[NodeView], tuple[int, ...]],
    params: Callable[[NodeView], Volumes],
    evaluate: Callable[[NodeView, Sequence[Array]], Sequence[Array]],
    example: Example,
) -> Op:
    """Op with these inputs, weights and a bias among them, and a y of the shape from `infer`."""

    def macs(node: NodeView) -> int:
        p = params(node)
        moved = p.y_size if name == "conv_3d" else p.x_size
        channels = p.input_channels * p.output_channels
        return p.batches * math.prod(moved) * math.prod(p.filter) * channels

    def inferred(node: NodeView) -> Sequence[TensorType]:
        found, bias = infer(node), node.get("bias")
        if bias is not None and bias.elements != found[-1]:
            raise OpError(f"bias has {bias.elements} elements instead of {found[-1]}")
        return [TensorType(f32, found)]

    kernel = reference(params, cost=instructions(macs, 12.0, 30.0))
    return Op(
        name,
        legalize=(Rename(source, attributes=FUSED),),
        inputs=inputs,
        attributes=(
            Attribute("padding", str, choices=PADDINGS),
            *(Attribute(f"stride_{each}", int) for each in LETTERS),
            *(Attribute(f"dilation_{each}_factor", int, default=1) for each in LETTERS),
            *CLAMP_ATTRIBUTES,
        ),
        traits={"fuses_activation"},
        infer=inferred,
        hooks=Hooks(macs=macs),
        evaluate=evaluate,
        variants=(Variant({"T": f32}, (kernel,), examples=(example,), numerics=unlike(OF_FLOATS)),),
    )


def strides(node: NodeView) -> Three:
    """Strides of the filter along depth, height and width."""
    return _three(node, "stride_{}")


def dilations(node: NodeView) -> Three:
    """Distances of neighbouring taps along depth, height and width."""
    return _three(node, "dilation_{}_factor")


def _three(node: NodeView, name: str) -> Three:
    depth, height, width = (node.attributes[name.format(each)] for each in LETTERS)
    return depth, height, width


def geometry(
    kind: type[V],
    node: NodeView,
    channels: tuple[int, int],
    padded: Sequence[int],
    steps: Sequence[int],
    **more: Three,
) -> V:
    """Params for these channels of x and y, and a filter of `steps` steps over sizes `padded`."""
    x, y, weights = node["x"].shape, node["y"].shape, node["weights"].shape
    before = [
        padding_before(node.attributes["padding"], size, window, stride, dilation, count)
        for size, window, stride, dilation, count in zip(
            padded, weights, strides(node), dilations(node), steps, strict=False
        )
    ]
    low, high = real_clamp_range(node)
    first, second, third = before
    return kind(
        real_min=low,
        real_max=high,
        batches=x[0],
        input_channels=channels[0],
        output_channels=channels[1],
        x_size=(x[1], x[2], x[3]),
        y_size=(y[1], y[2], y[3]),
        filter=(weights[0], weights[1], weights[2]),
        stride=strides(node),
        padding=(first, second, third),
        **more,
    )
