"""Depthwise convolutions whose channels have several filters each, rewritten as convolutions.

Kernels of convolutions compute several filters of a group at a time from the pixels that they load.
Those of int8 do so faster where x has one channel.
"""

from opsmith.op import *


def has_several_filters(node: NodeView) -> bool:
    """True if several filters read each channel of x of float32, or the only one of int8."""
    x, weights = node["x"], node["filter"]
    several = x.shape[3] < weights.shape[3] and not weights.packed
    alike = x.dtype == weights.dtype
    return several and alike and (x.dtype == f32 or (x.dtype == i8 and x.shape[3] == 1))


def as_convolution(node: NodeView, builder: GraphBuilder) -> None:
    """Add a convolution by these filters, which have the channels first, of a group per channel."""
    weights = node["filter"]
    data = np.ascontiguousarray(weights.data.transpose(3, 1, 2, 0))
    quantization = weights.quantization and replace(weights.quantization, axis=0)
    filters = builder.tensor("filter", weights.dtype, data.shape, quantization, data)
    operands = [node["x"], filters, node.get("bias")]
    builder.node("conv_2d", operands, [node["y"]], **node.attributes)


SEVERAL_FILTERS = Decompose(as_convolution, when=has_several_filters, cheaper=True)
