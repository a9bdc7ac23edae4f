"""Parts of a separable convolution as nodes for the functions of their layers."""

from opsmith.ir import Quantization
from opsmith.op import *
from runtimes.families.convolution import filtered_size

WINDOW = (
    "padding",
    "border",
    "stride_height",
    "stride_width",
    "dilation_height",
    "dilation_width",
)  # attributes of the depthwise part
POINT = {  # attributes of a 1x1 convolution
    "padding": "VALID",
    "border": (),
    "stride_height": 1,
    "stride_width": 1,
    "dilation_height": 1,
    "dilation_width": 1,
}


def depthwise(node: NodeView) -> NodeView:
    """Depthwise part, whose y is the inner tensor."""
    x, weights, a = node["x"], node["depthwise_filter"], node.attributes
    tensors = {"x": x, "filter": weights, "bias": node.get("depthwise_bias")}
    attributes = {name: a[name] for name in WINDOW}
    attributes |= {"activation": a["inner_activation"], "clamp": a["inner_clamp"]}
    seen = NodeView(node.name, "depthwise_conv_2d", tensors, attributes, numerics=node.numerics)
    shape = (x.shape[0], *filtered_size(seen), weights.shape[3])
    quantization = Quantization((a["inner_scale"],), (a["inner_zero_point"],))
    inner = Tensor("inner", "inner", x.dtype, shape, quantization)
    return replace(seen, tensors={**tensors, "y": inner})


def pointwise(node: NodeView) -> NodeView:
    """Pointwise part, whose x is the inner tensor."""
    inner, bias = depthwise(node)["y"], node.get("bias")
    tensors = {"x": inner, "filter": node["filter"], "bias": bias, "y": node["y"]}
    attributes = {name: node.attributes[name] for name in ("activation", "clamp")}
    attributes = {**POINT, **attributes}
    return NodeView(node.name, "conv_2d", tensors, attributes, numerics=node.numerics)
