"""DepthwiseConv2D of int8 by mve_image.h, for Helium: vectors hold the image of a channel."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import (
    NOT_TO_THE_RIGHT,
    VECTOR,
    FourChannels,
    channel_blocks,
    right_shifts,
)
from runtimes.core.per_channel import bias_of
from runtimes.families.depthwise import DEPTHWISE, refused_multiplier

from .mve_lines import BLOCK, GROUP, whole_blocks
from .params import Axis, axes

MOST = 3  # vectors of an image
COLUMNS = 4  # of y that are computed at once
NONE = 255  # in place of a tap
ZERO_POINT = -128  # inputs less this have no sign


@dataclass(frozen=True)
class ImageParams:
    """Fields that select code; everything else is in a table, so that nodes share it."""

    vectors: int  # of an image of a channel
    stride: int  # along rows
    linear: bool  # outputs below the zero point are not all clamped to one
    clamps: bool  # to less than int8 holds


@dataclass(frozen=True)
class ImageGeometry:
    """Images, and buffers of weights: sizes and places in bytes."""

    batches: int
    channels: int
    input_bytes: int  # of an image
    output_bytes: int
    rows: int  # of x
    columns: int
    pitch: int  # from row to row of a plane
    output_rows: int
    output_columns: int
    taps: int  # of a channel
    window_vectors: int
    window: int  # place of the window
    origin: int  # place of the weights of the first output
    line_step: int  # from the weights of a line to those of the line above
    weights_bytes: int  # of a channel
    output_zero_point: int
    activation_min: int
    activation_max: int


@dataclass(frozen=True)
class ImageTables:
    """Geometry, weights that meet the image, and requantisation in blocks of channels."""

    geometry: ImageGeometry
    order: NDArray[np.uint8]  # [vectors][16]: tap at each place of a window, or NONE
    filter: NDArray[np.int8]  # [channels][taps]
    requantization: tuple[FourChannels, ...]


@dataclass(frozen=True)
class Reach:
    """Taps along an axis that meet the image from some output, and their distances from it."""

    axis: Axis

    @property
    def back(self) -> int:
        """Distance of the last output's place from the first."""
        return (self.axis.output - 1) * self.axis.stride

    @property
    def taps(self) -> NDArray[np.int64]:
        """Numbers of the taps."""
        at = self._all
        return np.flatnonzero((at >= -self.back) & (at < self.axis.input))

    @property
    def distances(self) -> NDArray[np.int64]:
        """Distance of each of these taps from its output."""
        return self._all[self.taps]

    @property
    def _all(self) -> NDArray[np.int64]:
        return np.arange(self.axis.filter) * self.axis.dilation - self.axis.padding


@dataclass(frozen=True)
class Layout:
    """Places of an image of a channel and of its weights."""

    down: Reach
    right: Reach

    @property
    def pitch(self) -> int:
        """Bytes from row to row, so that no tap meets the pixel of another row."""
        distances, width = self.right.distances, self.right.axis.input
        return int(max(width - distances[0], distances[-1] + self.right.back + 1, width))

    @property
    def vectors(self) -> int:
        """Vectors that hold an image."""
        return -(-((self.down.axis.input - 1) * self.pitch + self.right.axis.input) // VECTOR)

    @property
    def places(self) -> NDArray[np.int64]:
        """Place of each tap, [rows][columns], less that of the tap which meets the output."""
        return self.down.distances[:, None] * self.pitch + self.right.distances

    @property
    def order(self) -> NDArray[np.uint8]:
        """Tap at each place of the window."""
        places = self.places - self.places[0, 0]
        order = np.full(-(-(int(places[-1, -1]) + 1) // VECTOR) * VECTOR, NONE, np.uint8)
        order[places.ravel()] = np.arange(places.size)
        return order

    @property
    def origin(self) -> int:
        """Bytes in front of the weights of the first output: those of the last begin the buffer."""
        groups = -(-self.right.axis.output // COLUMNS)
        last = (groups * COLUMNS - 1) * self.right.axis.stride
        return self.down.back * self.pitch + last

    @property
    def weights_bytes(self) -> int:
        """Bytes of a channel's weights, with what is written after the window."""
        return self.origin + (MOST + 1) * VECTOR


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one filter for each channel, small images and right shifts."""
    if reason := refused_multiplier(node) or _refused(node):
        return reason
    requantization = right_shifts(node)
    if requantization is None:
        return Refused(NOT_TO_THE_RIGHT)
    layout = _layout(node)
    low, high = clamp_range(node)
    linear, clamps = low < node["y"].zero_point, (low, high) != (-128, 127)
    return Plan(
        ImageParams(layout.vectors, layout.right.axis.stride, linear, clamps),
        partial(_tables, node, requantization),
        {"planes": GROUP * MOST * VECTOR, "weights": 2 * layout.weights_bytes},
        partial(_overlap, node),
    )


def _refused(node: NodeView) -> Refused | None:
    if (zero := node["x"].zero_point) != ZERO_POINT:
        return Refused(f"the zero point of x is {zero}, not {ZERO_POINT}")
    layout = _layout(node)
    if layout.right.taps.size == 0 or layout.down.taps.size == 0:
        return Refused("no tap meets the image")
    if (vectors := layout.vectors) > MOST:
        return Refused(f"an image of a channel takes {vectors} vectors, more than {MOST}")
    if (stride := layout.right.axis.stride) > 2:
        return Refused(f"stride along rows is {stride}, more than 2")
    if (taps := layout.places.size) > NONE:
        return Refused(f"{taps} taps meet the image, more than {NONE}")
    channels = node["x"].shape[3]
    return (
        Refused(f"{channels} channels, of which places need 17 bits")
        if channels > 1 << 14
        else None
    )


def _layout(node: NodeView) -> Layout:
    down, right = axes(node)
    return Layout(Reach(down), Reach(right))


def _tables(node: NodeView, requantization: tuple[Array, Array]) -> ImageTables:
    layout, filter = _layout(node), node["filter"].data[0]
    met = filter[layout.down.taps][:, layout.right.taps]
    taps = np.ascontiguousarray(met.reshape(-1, filter.shape[2]).T)
    return ImageTables(
        _geometry(node, layout),
        layout.order,
        whole_blocks(taps),
        channel_blocks(FourChannels, bias_of(node), *requantization, np.arange(BLOCK)),
    )


def _geometry(node: NodeView, layout: Layout) -> ImageGeometry:
    return DEPTHWISE.params(
        ImageGeometry,
        node,
        rows=layout.down.axis.input,
        columns=layout.right.axis.input,
        pitch=layout.pitch,
        output_rows=layout.down.axis.output,
        output_columns=layout.right.axis.output,
        taps=layout.places.size,
        window_vectors=layout.order.size // VECTOR,
        window=layout.origin + int(layout.places[0, 0]),
        origin=layout.origin,
        line_step=layout.down.axis.stride * layout.pitch,
        weights_bytes=layout.weights_bytes,
    )


def _overlap(node: NodeView) -> dict[str, Distance]:
    """Distance of y from x, whose channels are copied before outputs of them are written."""
    x, y = node["x"], node["y"]
    kept = x.shape == y.shape or (x.shape[0] == 1 and y.elements <= x.elements)
    return {"x": Distance(in_place=True)} if kept else {}


def cost(node: NodeView) -> float:
    """Cycles of outputs by fours, of columns of these, of pairs of channels and of pixels that are
    copied, of a Cortex-M55.
    """
    layout, (batches, rows, columns, channels) = _layout(node), node["x"].shape
    across = -(-layout.right.axis.output // COLUMNS)
    fours = layout.down.axis.output * across * (17 * layout.vectors + 34)
    pair = fours + 37 * across + 8 * layout.order.size / VECTOR + 101
    copied = -(-channels // GROUP) * rows * (18 * columns + 5)
    return 180 + float(batches * (-(-channels // 2) * pair + copied))


MVE_IMAGE = Kernel(
    "mve_image",
    ImageParams,
    plan,
    ImageTables,
    scratch={"planes": i8, "weights": i8},
    requires={"mve"},
    cost=cost,
    code=Code(instance=900, general=2200, slowdown=1.1),
)
KERNELS = (MVE_IMAGE,)
