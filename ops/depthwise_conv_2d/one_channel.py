"""Depthwise convolutions of int8 images of one channel: plain convolutions, rewritten as such.

Kernels of plain convolutions compute several filters at a time from the pixels that they load.
"""

from opsmith.op import *


def has_several_filters(node: NodeView) -> bool:
    """True if several filters of int8 read the only channel of x."""
    x, weights = node["x"], node["filter"]
    several = x.shape[3] == 1 < weights.shape[3]
    return several and x.dtype == weights.dtype == i8 and not weights.packed


def as_convolution(node: NodeView, builder: GraphBuilder) -> None:
    """Add a plain convolution by these filters, which have the channels first."""
    weights = node["filter"]
    data = np.ascontiguousarray(weights.data.transpose(3, 1, 2, 0))
    quantization = weights.quantization and replace(weights.quantization, axis=0)
    filters = builder.tensor("filter", i8, data.shape, quantization, data)
    operands = [node["x"], filters, node.get("bias")]
    builder.node("conv_2d", operands, [node["y"]], **node.attributes)


ONE_CHANNEL = Decompose(as_convolution, when=has_several_filters, cheaper=True)
