"""Conv3DTranspose: each element of x adds a filter to volumes, with a bias and an activation.

Weights are [depth, height, width, channels of y, channels of x], and may be computed.
"""

from itertools import product

from opsmith.op import *
from runtimes.families.volumes import BIAS, WEIGHTS, Volumes, dilations, geometry, strides, volumes
from runtimes.families.window import output_size


def shape(node: NodeView) -> tuple[int, ...]:
    """Shape of y, which `sizes` holds. Raises OpError where the filter leads to another shape."""
    x, weights, sizes = node["x"].shape, node["weights"].shape, node["sizes"]
    if sizes.shape != (5,) or sizes.data.min() < 1:
        raise OpError(f"sizes {sizes.type} must be 5 numbers above 0")
    y = tuple(sizes.data.tolist())
    if dilations(node) != (1, 1, 1):
        raise OpError(f"dilations are {list(dilations(node))}; LiteRT knows 1 alone")
    if (y[0], y[4], x[4]) != (x[0], *weights[3:]):
        raise OpError(f"x {node['x'].type} and weights {node['weights'].type} do not fit {list(y)}")
    along = zip(y[1:4], weights, strides(node), strict=False)
    steps = tuple(output_size(node.attributes["padding"], *each) for each in along)
    if steps != x[1:4]:
        raise OpError(
            f"over sizes {list(y)} the filter has {list(steps)} positions, not those of x"
        )
    return y


def params(node: NodeView) -> Volumes:
    """Geometry and bounds of a node."""
    x, y = node["x"].shape, node["y"].shape
    return geometry(Volumes, node, (x[4], y[4]), y[1:4], x[1:4])


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Sums of a transposed convolution in numpy, element by element of x."""
    weights, x, *bias = inputs[-2:] if node.get("bias") is None else inputs[-3:]
    p = params(node)
    margins = [(0, 0), *((size, size) for size in p.filter), (0, 0)]
    y = np.pad(np.zeros(node["y"].shape, np.float32), margins)
    with np.errstate(all="ignore"):
        for d, h, w in product(*map(range, p.x_size)):
            corner = [
                slice(first := i * stride - before + size, first + size)
                for i, stride, before, size in zip(
                    (d, h, w), p.stride, p.padding, p.filter, strict=True
                )
            ]
            for channel in range(p.input_channels):
                given = x[:, d, h, w, channel].reshape(-1, 1, 1, 1, 1)
                y[:, *corner] += given * weights[..., channel]
        inside = [slice(size, size + of_y) for size, of_y in zip(p.filter, p.y_size, strict=True)]
        sums = y[:, *inside]
        return [real_clamped(node, sums + bias[0] if bias else sums)]


OP = volumes(
    "conv_3d_transpose",
    "tflite.CONV_3D_TRANSPOSE",
    (Input("sizes", i32, constant=True, shape_of="y"), WEIGHTS, Input("x", "T", rank=5), BIAS),
    shape,
    params,
    evaluate,
    Example.of(
        {"padding": "SAME", "stride_d": 2, "stride_h": 2, "stride_w": 2},
        sizes=[1, 4, 6, 6, 3],
        weights=(3, 2, 3, 3, 2),
        x=(1, 2, 3, 3, 2),
        bias=(3,),
    ),
)
