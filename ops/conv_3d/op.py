"""Conv3D: a filter over volumes, with a bias and a fused activation.

Weights are [depth, height, width, channels of x, channels of y], and may be computed.
"""

from itertools import product

from opsmith.op import *
from runtimes.families.volumes import (
    BIAS,
    WEIGHTS,
    Three,
    Volumes,
    dilations,
    geometry,
    strides,
    volumes,
)
from runtimes.families.window import output_size


def shape(node: NodeView) -> tuple[int, ...]:
    """Shape of y, with a pixel for each position of the filter over x."""
    x, weights = node["x"].shape, node["weights"].shape
    if x[4] != weights[3]:
        raise OpError(f"x {node['x'].type} has {x[4]} channels, weights have {weights[3]}")
    along = zip(x[1:4], weights, strides(node), dilations(node), strict=False)
    return x[0], *(output_size(node.attributes["padding"], *each) for each in along), weights[4]


@dataclass(frozen=True, kw_only=True)
class DilatedVolumes(Volumes):
    """Geometry with dilations, and bounds of y."""

    dilation: Three


def params(node: NodeView) -> DilatedVolumes:
    """Geometry and bounds of a node."""
    x, y, dilation = node["x"].shape, node["y"].shape, dilations(node)
    return geometry(DilatedVolumes, node, (x[4], y[4]), x[1:4], y[1:4], dilation=dilation)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Sums of a convolution in numpy, tap by tap and channel by channel."""
    x, weights, *bias = inputs
    p = params(node)
    y = np.zeros(node["y"].shape, np.float32)
    with np.errstate(all="ignore"):
        for tap in product(*map(range, p.filter)):
            reads, writes = zip(*(_inside(p, axis, at) for axis, at in enumerate(tap)), strict=True)
            taken, into = x[:, *reads], y[:, *writes]
            for channel in range(p.input_channels):
                into += taken[..., channel, np.newaxis] * weights[tap][channel]
        return [real_clamped(node, y + (bias[0] if bias else np.float32(0)))]


def _inside(p: DilatedVolumes, axis: int, tap: int) -> tuple[slice, slice]:
    """Slices of x that a tap reads along an axis, and of y that it contributes to."""
    stride, first = p.stride[axis], tap * p.dilation[axis] - p.padding[axis]
    start = max(0, -(first // stride))
    stop = min(p.y_size[axis], (p.x_size[axis] - 1 - first) // stride + 1)
    stop = max(stop, start)
    begin, end = (each * stride + first for each in (start, stop))
    return slice(begin, max(end - stride + 1, begin), stride), slice(start, stop)


OP = volumes(
    "conv_3d",
    "tflite.CONV_3D",
    (Input("x", "T", rank=5), WEIGHTS, BIAS),
    shape,
    params,
    evaluate,
    Example.of(
        {"padding": "SAME", "stride_d": 1, "stride_h": 1, "stride_w": 1},
        x=(1, 4, 5, 6, 2),
        weights=(3, 2, 3, 2, 3),
        bias=(3,),
    ),
)
