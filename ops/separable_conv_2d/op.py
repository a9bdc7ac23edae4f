"""SeparableConv2D: a depthwise convolution of int8 and a 1x1 convolution of it, on a device."""

from opsmith.ir import Quantization
from opsmith.op import *
from runtimes.families.convolution import CONVOLUTION, CONVOLUTION_ATTRIBUTES, groups, int8_problems
from runtimes.families.depthwise import DEPTHWISE
from runtimes.families.layer_variants import integers

from .parts import WINDOW, depthwise, pointwise


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: [batches, height and width of the inner tensor, channels of the filter]."""
    x, first, last = (node[name] for name in ("x", "depthwise_filter", "filter"))
    if any(len(each.shape) != 4 for each in (x, first, last)) or first.shape[0] != 1:
        raise OpError(f"x {x.type}, filters {first.type} and {last.type} do not go together")
    if first.shape[3] % x.shape[3] or last.shape[1:] != (1, 1, first.shape[3]):
        raise OpError(f"x {x.type}, filters {first.type} and {last.type} do not go together")
    return [TensorType(x.dtype, (*depthwise(node)["y"].shape[:3], last.shape[0]))]


def check(node: NodeView) -> Iterator[str]:
    """Problems of the quantisation of each part."""
    yield from int8_problems(DEPTHWISE, depthwise(node))
    yield from int8_problems(CONVOLUTION, pointwise(node))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y in numpy: the depthwise part, then the pointwise part."""
    inner = integers(DEPTHWISE, depthwise(node), inputs[:1])
    return integers(CONVOLUTION, pointwise(node), inner)


def macs(node: NodeView) -> int:
    """Multiplications of both parts, each counted once."""
    return DEPTHWISE.macs(depthwise(node)) + CONVOLUTION.macs(pointwise(node))


def find(node: NodeView, graph: GraphReader) -> Matched | None:
    """Match of a 1x1 convolution after a depthwise one of equal rule, or None."""
    first = graph.producer(node["x"], "depthwise_conv_2d")
    if first is None or first.numerics != node.numerics or not _is_pointwise(node):
        return None
    parts = {"depthwise_": first, "": node}
    constants = {f"{prefix}{n}": part.get(n) for prefix, part in parts.items() for n in CONSTANTS}
    inputs = {name: tensor.id for name, tensor in constants.items() if tensor is not None}
    return Matched(
        nodes=(first.name, node.name),
        inputs={"x": first["x"].id, **inputs},
        outputs={"y": node["y"].id},
        attributes={**_attributes(first), **{n: node.attributes[n] for n in CLAMP}},
    )


def _is_pointwise(node: NodeView) -> bool:
    shapes = node["x"].shape[:3] == node["y"].shape[:3] and node["filter"].shape[1:3] == (1, 1)
    strides = all(node.attributes[f"stride_{along}"] == 1 for along in ("height", "width"))
    return shapes and strides and groups(node) == 1 and node.attributes["border"] in ((), (0,) * 4)


def _attributes(first: NodeView) -> dict[str, Any]:
    """Attributes of the depthwise part, under the names of this op."""
    found = {name: first.attributes[name] for name in WINDOW}
    found |= {f"inner_{name}": first.attributes[name] for name in CLAMP}
    quantised = first["y"].quantization or NOT_QUANTISED
    scale, zero_point = quantised.scales[0], quantised.zero_points[0]
    return {**found, "inner_scale": scale, "inner_zero_point": zero_point}


CONSTANTS = ("filter", "bias")
NOT_QUANTISED = Quantization((1.0,), (0,))  # floats: no variant is of their type
CLAMP = tuple(attribute.name for attribute in CLAMP_ATTRIBUTES)
OP = Op(
    name="separable_conv_2d",
    inputs=(
        Input("x", "T"),
        Input("depthwise_filter", "F", constant=True),
        Input("filter", "F", constant=True),
        Input("bias", "B", constant=True),
        Input("depthwise_bias", "B", constant=True, optional=True),
    ),
    attributes=(
        *CONVOLUTION_ATTRIBUTES,
        Attribute("inner_activation", str, default="NONE", choices=CLAMP_ATTRIBUTES[0].choices),
        Attribute("inner_clamp", CLAMP_ATTRIBUTES[1].type, default=()),
        Attribute("inner_scale", float),
        Attribute("inner_zero_point", int),
    ),
    infer=infer,
    evaluate=evaluate,
    match=Match("conv_2d", find, on_device=True),
    hooks=Hooks(macs=macs),
    variants=(
        Variant(
            types={"T": i8, "F": i8, "B": i32},
            kernels=(),
            check=check,
            examples=(
                Example.of(
                    {
                        "padding": "SAME",
                        "stride_height": 2,
                        "stride_width": 2,
                        "inner_scale": 0.1,
                        "inner_zero_point": -5,
                    },
                    x=ExampleTensor(i8, (1, 5, 4, 8), scale=0.05, zero_point=-3),
                    depthwise_filter=ExampleTensor(
                        i8, (1, 3, 3, 8), scale=0.01, data=np.arange(72) % 50
                    ),
                    filter=ExampleTensor(i8, (6, 1, 1, 8), scale=0.02, data=np.arange(48)),
                    bias=ExampleTensor(i32, (6,), scale=0.002, data=np.arange(6)),
                    y=ExampleTensor(i8, (1, 3, 2, 6), scale=0.3, zero_point=4),
                ),
            ),
        ),
    ),
)
