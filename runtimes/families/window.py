"""Sliding windows over an image: output size and padding as in TFLite (kernels/padding.h)."""

from functools import lru_cache

from opsmith.op import *
from opsmith.op.overlap import PixelWalk, Taps, window_walk

Spans = frozenset[tuple[int, int]]  # [first, end) of the taps that lie inside the image
PADDINGS = ("SAME", "VALID")
OPTIONS = {"stride_h": "stride_height", "stride_w": "stride_width", **FUSED}  # of TFLite
STRIDES = (
    Attribute("padding", str, choices=PADDINGS),
    Attribute("stride_height", int),
    Attribute("stride_width", int),
)
MAX_WINDOW = 1 << 12  # pixels along one axis, also of a step, unless the image has more


def output_size(padding: str, size: int, window: int, stride: int, dilation: int = 1) -> int:
    """Number of windows that fit along one axis. Raises OpError where none fits."""
    if stride < 1 or dilation < 1 or window < 1:
        raise OpError(f"stride {stride}, dilation {dilation} and window {window} must be positive")
    longest = max(size, MAX_WINDOW)
    effective = (window - 1) * dilation + 1
    found = -(-size // stride) if padding == "SAME" else -(-(size - effective + 1) // stride)
    if found < 1 or effective > longest:
        raise OpError(f"a window of {effective} does not fit an image of {size}")
    if max(stride, dilation) > longest:  # even of one window or one tap: kernels multiply by it
        raise OpError(f"stride {stride} or dilation {dilation} is more than {longest} pixels")
    return found


def padding_before(
    padding: str, size: int, window: int, stride: int, dilation: int, output: int
) -> int:
    """Pixels of padding before the first pixel along one axis."""
    if padding == "VALID":
        return 0
    effective = (window - 1) * dilation + 1
    return max((output - 1) * stride + effective - size, 0) // 2


@dataclass(frozen=True, kw_only=True)
class Geometry:
    """Geometry of a window, such as a filter, over images. Sizes in pixels and channels."""

    batches: int
    input_height: int
    input_width: int
    input_channels: int
    filter_height: int
    filter_width: int
    output_height: int
    output_width: int
    stride_height: int
    stride_width: int
    dilation_height: int
    dilation_width: int
    padding_top: int
    padding_left: int

    @property
    def axes(self) -> tuple[Taps, Taps]:
        """Geometry of the axes of rows and columns: (down, right)."""
        down, right = (
            Taps(
                getattr(self, f"input_{along}"),
                getattr(self, f"output_{along}"),
                getattr(self, f"filter_{along}"),
                getattr(self, f"stride_{along}"),
                getattr(self, f"dilation_{along}"),
                padding,
            )
            for along, padding in (("height", self.padding_top), ("width", self.padding_left))
        )
        return down, right


def inside(axis: Taps) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first tap of each window that is inside the image, and the end of those that are."""
    origins = np.arange(axis.output, dtype=np.int64) * axis.stride - axis.padding
    first = np.minimum(np.maximum(-(origins // axis.dilation), 0), axis.window)
    return first, np.clip(-((origins - axis.size) // axis.dilation), 0, axis.window)


def taps(image: Array, w: Geometry) -> Iterator[tuple[int, int, Array]]:
    """Taps (row, column) of the window, each with the pixels under it [batches, oh, ow, channels].

    The NHWC image is padded with zeros.
    """
    rows = (w.output_height - 1) * w.stride_height + 1  # from the first to the last window
    columns = (w.output_width - 1) * w.stride_width + 1
    bottom = max(rows + (w.filter_height - 1) * w.dilation_height - image.shape[1], 0)
    right = max(columns + (w.filter_width - 1) * w.dilation_width - image.shape[2], 0)
    batches, height, width, channels = image.shape
    down, across = w.padding_top + height, w.padding_left + width
    padded = np.zeros((batches, down + bottom, across + right, channels), image.dtype)
    padded[:, w.padding_top : down, w.padding_left : across] = image
    for row in range(w.filter_height):
        for column in range(w.filter_width):
            top, left = row * w.dilation_height, column * w.dilation_width
            down = slice(top, top + rows, w.stride_height)
            across = slice(left, left + columns, w.stride_width)
            yield row, column, padded[:, down, across]


def image_walk(w: Geometry) -> PixelWalk:
    """Pixels of x that each pixel of y needs, for kernels that go through y pixel by pixel."""
    return window_walk(w.batches, *w.axes)


def spans_inside(window: Geometry) -> tuple[Spans, Spans]:
    """Runs of taps that lie inside the image for some output, along both axes."""
    down, right = (_spans(axis) for axis in window.axes)
    return down, right


def taps_inside(window: Geometry) -> int:
    """Taps that lie inside the image, of all windows of one channel."""
    return window.batches * math.prod(map(inside_along, window.axes))


@lru_cache(maxsize=256)  # layers of one shape follow each other
def inside_along(axis: Taps) -> int:
    """The number of taps inside the image, of the windows along an axis."""
    first, end = inside(axis)
    return int((end - first).sum())


@lru_cache(maxsize=256)  # likewise
def _spans(axis: Taps) -> Spans:
    """The runs of taps of each window."""
    return frozenset(zip(*(each.tolist() for each in inside(axis)), strict=True))
