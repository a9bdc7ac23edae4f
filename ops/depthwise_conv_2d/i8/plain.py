"""DepthwiseConv2D of int8 by plain.h: a window at a time, on cores that have only Thumb."""

from opsmith.op import *
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.convolution import Packed, group_overlap
from runtimes.families.depthwise import DEPTHWISE
from runtimes.families.owning import owning, singling

from .params import Axis, ShiftParams, axes

MAX_WINDOW = 4096  # bytes of scratch


def plan(node: NodeView, params: type[ShiftParams] = ShiftParams) -> Plan | Refused:
    """Plan for limited scratch, and exact requantisation."""
    _, height, width, _ = node["filter"].shape
    if (window := height * width * node["x"].shape[3]) > MAX_WINDOW:
        return Refused(f"a window has {window} bytes, more than {MAX_WINDOW}")
    overlap = partial(group_overlap, node, 1)
    return DEPTHWISE.proved(node, params, tables, {"window": window}, overlap)


def tables(found: DspRequantization) -> Packed:
    """Filter in the model's order, [taps][channels]; requantisation constants."""
    return Packed(np.ascontiguousarray(found.weights.T), found.table)


def cost(node: NodeView) -> float:
    """The cost of products, of outputs, and of copied_windows()."""
    return DEPTHWISE.cost(4.6, 16.0)(node) + copied_windows(node)


def copied_windows(node: NodeView) -> float:
    """Cost of copying each window, tap by tap where it is dilated or reaches beyond the image."""
    batches, height, width, _ = node["y"].shape
    (down, right), channels = axes(node), node["x"].shape[3]
    whole = _rows_inside(down) * _whole_windows(right)
    pixels, rows = batches * height * width, batches * (height * width * down.filter - whole)
    copied = 0.9 * pixels * down.filter * right.filter * channels + 8.3 * rows * right.filter
    return 47.0 * pixels + copied


def _rows_inside(down: Axis) -> int:
    """Rows of all windows of a column that lie inside the image."""
    origins = np.arange(down.output)[:, None] * down.stride - down.padding
    at = origins + np.arange(down.filter) * down.dilation
    return int(((at >= 0) & (at < down.input)).sum())


def _whole_windows(right: Axis) -> int:
    """Windows of a row that are copied row by row."""
    at = np.arange(right.output) * right.stride - right.padding
    inside = (at >= 0) & (at + right.filter <= right.input)
    return int(inside.sum()) if right.dilation == 1 else 0


PLAIN = Kernel(
    "plain",
    ShiftParams,
    plan,
    Packed,
    scratch={"window": i8},
    numerics=ANY_RULE,
    requires={"thumb"},
    cost=cost,
    code=Code(instance=300, general=1410, slowdown=3.3),
)
PLAIN_SINGLE = singling("depthwise_conv_2d/i8", PLAIN, 38.0)
KERNELS = (PLAIN, owning("depthwise_conv_2d/i8", PLAIN), PLAIN_SINGLE)
