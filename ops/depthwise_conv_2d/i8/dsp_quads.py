"""DepthwiseConv2D of int8 by dsp_quads.h: 3x3 filters, strides of two, four channels at a time."""

from opsmith.op import *
from opsmith.op.overlap import planes
from runtimes.core.dsp_requantization import DspRequantization, Excepted, Shifts
from runtimes.families.convolution import Packed
from runtimes.families.depthwise import DEPTHWISE, Geometry3x3, refused_3x3
from runtimes.families.layer import Padded
from runtimes.families.owning import among_thresholds, listing, with_ways

from .params import Axis, axes

CHANNELS = 4  # at once
PART_OF_IMAGE, PLANES = 6, 1536  # what planes may take of an image, and bytes
FARTHEST = 4095  # bytes that an instruction can have as a distance
MOST_ROWS = 127  # of a strip
INSTANCE = 1000  # bytes of code


@dataclass(frozen=True, kw_only=True)
class QuadParams(Shifts, Padded, Geometry3x3):
    """Geometry, bounds of y, and planes of halfwords of four channels for some rows of y."""

    strip_rows: int  # of y
    plane_pitch: int  # bytes of a row
    plane_bytes: int


def plan(node: NodeView, params: type[QuadParams] = QuadParams) -> Plan | Refused:
    """Plan: a 3x3 filter for each channel, windows two columns apart, and planes within reach."""
    if refused := refused_3x3(node) or _refused(node):
        return refused
    down, right = axes(node)
    strip, pitch = _strip(node), _pitch(right)
    plane = _rows(down, strip) * pitch
    found = DEPTHWISE.proved(
        node,
        params,
        tables,
        {"planes": CHANNELS * plane // 2},
        partial(_overlap, node, strip),
        more={"strip_rows": strip, "plane_pitch": pitch, "plane_bytes": plane},
        mixed=1,
    )
    if isinstance(found, Refused):
        return found
    is_rounded = found.params.right_shift == 0 and not isinstance(found.params, Excepted)
    if is_rounded and (right.output < 4 or right.output % 2):
        return Refused(f"outputs are rounded by twos, and y has {right.output} columns")
    code = Code(instance=INSTANCE, slowdown=1.55 + 8 / (down.output * right.output))
    return replace(found, code=code)


def _refused(node: NodeView) -> Refused | None:
    down, right = axes(node)
    channels = node["x"].shape[3]
    if channels < CHANNELS:
        return Refused(f"{channels} channels, fewer than {CHANNELS}")
    if right.stride != 2:
        return Refused(f"windows are {right.stride} columns apart, not two")
    if CHANNELS * channels > FARTHEST:
        return Refused(f"{channels} channels, of which four pixels are more than {FARTHEST} bytes")
    far = max(down.stride * _pitch(right), (CHANNELS - 1) * _rows(down, 1) * _pitch(right))
    if far > FARTHEST:
        return Refused(f"planes are {far} bytes long, more than {FARTHEST}")
    least, room = CHANNELS * _rows(down, 1) * _pitch(right), _room(node)
    return Refused(f"planes take {least} bytes, more than {room}") if least > room else None


def _pitch(right: Axis) -> int:
    """Bytes of a row of a plane: two columns for each window, of at least two, and two more."""
    return 4 * (max(right.output, 2) + 1)


def _rows(down: Axis, outputs: int) -> int:
    """Number of rows of a plane for `outputs` rows of y."""
    return (outputs - 1) * down.stride + 3


def _room(node: NodeView) -> int:
    """Bytes that planes may take: as many as one channel's plane, or a part of a small image."""
    down, right = axes(node)
    of_bytes = (2 * right.output + 2) * _rows(down, down.output)
    image = node["x"].elements // node["x"].shape[0]
    return max(of_bytes, min(image // PART_OF_IMAGE, PLANES))


def _strip(node: NodeView) -> int:
    """Number of rows of y for which planes have room."""
    down, right = axes(node)
    most = min(_room(node) // CHANNELS, FARTHEST // (CHANNELS - 1)) // _pitch(right)
    return min((most - 3) // down.stride + 1, down.output, MOST_ROWS)


def tables(found: DspRequantization) -> Packed:
    """Weights [channels][3][4] of each channel, a word for each row, in which the last weight
    precedes the middle one; and requantisation constants.
    """
    packed: Array = np.zeros((len(found.weights), 3, 4), found.weights.dtype)
    packed[..., :3] = found.weights.reshape(-1, 3, 3)[..., [0, 2, 1]]
    return Packed(packed, found.table)


def _overlap(node: NodeView, strip: int) -> dict[str, Distance]:
    """Distance of y from x: four channels of a strip's rows are copied before y is written."""
    (_, height, width, _), down = node["y"].shape, axes(node)[0]
    ends = range(strip, height, strip)  # of strips but the last, in rows
    inside = all(
        end * width <= max(end * down.stride - down.padding, 0) * node["x"].shape[2] for end in ends
    )
    return {"x": planes(node["x"].shape, node["y"].shape)} if inside else {}


def cost(node: NodeView) -> float:
    """Cost of pixels that are copied, of fours of outputs and outputs left, and of beginning each
    channel of a strip, with the excess of dsp's cost for short rows.
    """
    batches, height, width, channels = node["y"].shape
    down, right = axes(node)
    strip = _strip(node)
    strips = -(-height // strip)
    rows = min(_rows(down, height), down.input) + (strips - 1) * max(3 - down.stride, 0)
    copied = rows * (5 + 1.85 * min(right.input, 2 * width + 1))
    copied *= 1 + (channels % CHANNELS) * 0.6 / channels
    row = 61 * (width // 4) + (0, 18, 31, 44)[width % 4] + 3
    return float(batches * channels * (copied + height * row + strips * 100))


DSP_QUADS = Kernel(
    "dsp_quads",
    QuadParams,
    plan,
    Packed,
    scratch={"planes": i16},
    numerics=ANY_RULE,
    requires={"dsp"},
    cost=cost,
    code=Code(instance=INSTANCE, general=2700),
    pixels=0,
)
KERNELS = with_ways("depthwise_conv_2d/i8", DSP_QUADS, among_thresholds, listing)
