"""Windows of a pool over images: params of kernels, a walk over pixels, and numpy."""

import itertools

from opsmith.op import *
from opsmith.op.border import bordered
from opsmith.op.clamp import bounds, real_clamp_range
from opsmith.op.overlap import Taps, channel_distance, pixel_distance, window_walk
from runtimes.families.window import padding_before


@dataclass(frozen=True)
class PoolGeometry:
    """Geometry of pool windows over images. Sizes in pixels and channels."""

    batches: int
    input_height: int
    input_width: int
    channels: int
    window_height: int
    window_width: int
    output_height: int
    output_width: int
    stride_height: int
    stride_width: int
    padding_top: int
    padding_left: int


@dataclass(frozen=True)
class PoolParams(PoolGeometry):
    """Geometry of pool windows over images of integers, and bounds of y."""

    activation_min: int
    activation_max: int


@dataclass(frozen=True)
class RealPoolParams(PoolGeometry):
    """Geometry of pool windows over images of float32, and bounds of y."""

    real_min: float  # a float32
    real_max: float


def pool_params(node: NodeView) -> PoolParams:
    """Geometry and bounds of a node of integers."""
    return PoolParams(**vars(pool_geometry(node)), **bounds(node))


def real_pool_params(node: NodeView) -> RealPoolParams:
    """Geometry and bounds of a node of float32."""
    low, high = real_clamp_range(node)
    return RealPoolParams(**vars(pool_geometry(node)), real_min=low, real_max=high)


def pool_geometry(node: NodeView) -> PoolGeometry:
    """Geometry of a node that `pooled` accepted."""
    (batches, input_height, input_width, channels), y = node["x"].shape, node["y"].shape
    names = ("window_height", "window_width", "stride_height", "stride_width")
    return PoolGeometry(
        batches=batches,
        input_height=input_height,
        input_width=input_width,
        channels=channels,
        output_height=y[1],
        output_width=y[2],
        padding_top=_padding(node, "height", axis=1),
        padding_left=_padding(node, "width", axis=2),
        **{name: node.attributes[name] for name in names},
    )


def _padding(node: NodeView, along: str, axis: int) -> int:
    """Pixels of padding before the first pixel, along one axis."""
    y, a, (before, size) = node["y"], node.attributes, bordered(node, axis)
    window, stride = a[f"window_{along}"], a[f"stride_{along}"]
    return before + padding_before(a["padding"], size, window, stride, 1, y.shape[axis])


def pool_axes(p: PoolGeometry) -> tuple[Taps, Taps]:
    """Axes that windows slide along: down and across an image."""
    return (
        Taps(p.input_height, p.output_height, p.window_height, p.stride_height, 1, p.padding_top),
        Taps(p.input_width, p.output_width, p.window_width, p.stride_width, 1, p.padding_left),
    )


def pool_overlap(node: NodeView, block: int = 1) -> dict[str, Distance]:
    """Distances for kernels that go forward and write a channel once its window is read.

    With blocks of channels that do not divide all channels, the last channels are read again.
    """
    p, size = pool_geometry(node), node["x"].dtype.size
    row, walk = p.channels * size, window_walk(p.batches, *pool_axes(p))
    again = p.channels % block
    found = pixel_distance(walk, row, row, block * size) if again else channel_distance(walk, row)
    return {"x": Distance(found.forward)}


def pool_taps(p: PoolGeometry, x: Array) -> Iterator[tuple[tuple[slice, ...], Array]]:
    """Slices of outputs and their pixels, for each place in a window: outputs whose pixel at that
    place lies in x.
    """
    for (y_out, y_in), (x_out, x_in) in itertools.product(*map(_taps, pool_axes(p))):
        yield (slice(None), y_out, x_out), x[:, y_in, x_in]


def pool_sums(node: NodeView, x: Array) -> tuple[Array, Array]:
    """Sums of the windows, and their numbers of pixels; places outside the image do not count."""
    p = pool_geometry(node)
    sums = np.zeros(node["y"].shape, x.dtype)
    counts = np.zeros((p.batches, p.output_height, p.output_width, 1), np.int64)
    for outputs, pixels in pool_taps(p, x):
        sums[outputs] += pixels
        counts[outputs] += 1
    return sums, counts


def _taps(axis: Taps) -> Iterator[tuple[slice, slice]]:
    """Slices of outputs and of their inputs along one axis, for each place in a window.

    Places that are outside the image for every output are left out, so that a huge window costs
    nothing.
    """
    before, stride = axis.padding, axis.stride
    first = max(0, before - (axis.output - 1) * stride)
    for offset in range(first - before, min(axis.window - before, axis.size)):
        low = max(0, -(offset // stride))
        high = min(axis.output, (axis.size - 1 - offset) // stride + 1)
        if low < high:
            last = (high - 1) * stride + offset
            yield slice(low, high), slice(low * stride + offset, last + 1, stride)
