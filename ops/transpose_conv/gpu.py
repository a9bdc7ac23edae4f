"""TransposeConv kernels on a GPU: a convolution of x with empty pixels between its own.

The filter is turned around, so that pixels of x come in order.
"""

from opsmith.op import *
from runtimes.families.convolution import rescaling
from runtimes.families.dynamic_range import weight_scales
from runtimes.families.layer import weights_zero_point
from runtimes.gpu.layer_kernels import (
    Filters,
    NodeWeights,
    dynamic_kernel,
    integer_kernel,
    real_kernel,
)

from .geometry import FACTS, TransposedGeometry


def turned_kernel(variant: Variant) -> Kernel:
    """Kernel for the element types of a variant."""
    x, weights, bias = variant.types.values()
    if x != f32:
        return integer_kernel(turned, rescaling, wide=bias == i64)
    if weights == f32:
        return real_kernel(turned)
    return dynamic_kernel(
        turned,
        lambda node: weight_scales(node["filter"], node["y"].shape[3]),
        asymmetric=lambda node: True,
        one_by_one=lambda node: True,
        sums_floats=True,
    )


def turned(node: NodeView) -> NodeWeights:
    """Weights of the filter turned around, over pixels of x that are strides apart."""
    p, weights = of_facts(TransposedGeometry, node, FACTS), node["filter"]
    filters = Filters(
        batches=p.batches,
        input_height=p.input_height,
        input_width=p.input_width,
        input_channels=p.input_channels,
        filter_height=p.filter_height,
        filter_width=p.filter_width,
        filter_channels=p.input_channels,
        output_height=p.output_height,
        output_width=p.output_width,
        output_channels=p.output_channels,
        stride_height=1,
        stride_width=1,
        dilation_height=1,
        dilation_width=1,
        padding_top=p.filter_height - 1 - p.padding_top,
        padding_left=p.filter_width - 1 - p.padding_left,
        spacing_height=p.stride_height,
        spacing_width=p.stride_width,
    )
    zero_point = 0 if weights.quantization is None else weights_zero_point(weights)
    return NodeWeights(filters, weights.data[:, ::-1, ::-1], zero_point)


KERNELS = (turned_kernel,)
