"""Conv2D of int8 by winograd.h: filters of 3x3, with fewer products and larger weights.

F(2x2, 3x3) of A. Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks (2016), with
G doubled: its halves become integers, and every transformed weight, and each sum, four times as
large. Inputs are at most 512 and weights 1143 in magnitude once transformed.
"""

from opsmith.op import *
from runtimes.core.channel_packing import filled_up
from runtimes.core.dsp_requantization import ALL_SHIFTS, DspRequantization, Shifts
from runtimes.families.convolution import CONVOLUTION, groups
from runtimes.families.layer import Padded

from .params import Params

TILES = 4  # of 2x2 outputs that are computed at once
POSITIONS = 16  # of a transformed tile
LEAST_CHANNELS = 32  # of x: with fewer, transforms eat what products save
SHIFTS = ALL_SHIFTS[:-1]  # sums are four times too large
_G = np.array([[2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, 2]], np.int64)


@dataclass(frozen=True, kw_only=True)
class WinogradParams(Shifts, Padded):
    """Sizes, bounds of y, and requantisation."""

    input_height: int
    input_width: int
    input_channels: int
    output_height: int
    output_width: int
    output_channels: int
    padding_top: int
    padding_left: int
    line_bytes: int  # of the buffer: all columns that tiles of whole groups read


@dataclass(frozen=True)
class WinogradTables:
    """Transformed filter, and requantisation; zeros fill channels up to a multiple of two."""

    filter: NDArray[np.int16]  # [channels / 2][16][inputs / 4][half][2 channels][2 inputs]
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


def plan(node: NodeView, params: type[WinogradParams] = WinogradParams) -> Plan | Refused:
    """Plan for an image, a filter of 3x3 with stride 1, and channels that fill the loop."""
    if reason := _reason(node):
        return Refused(reason)
    p, inputs = CONVOLUTION.params(Params, node), node["x"].shape[3]
    line_bytes = (-(-p.output_width // (2 * TILES)) * 2 * TILES + 2) * inputs
    found = CONVOLUTION.proved(
        node,
        params,
        partial(_tables, inputs=inputs),
        {
            "lines": 4 * line_bytes,
            "inputs": POSITIONS * inputs // 2 * TILES,
            "sums": 2 * TILES * POSITIONS,
        },
        partial(_overlap, p),
        shifts=SHIFTS,
        growth=p.output_channels * inputs * (2 * POSITIONS - 9),  # over the bytes of dsp.h
        more={"line_bytes": line_bytes},
    )
    return found if isinstance(found, Refused) else replace(found, code=_code(found.params))


def _code(p: WinogradParams) -> Code:
    """Code size of an instance: rounding is longer than thresholds; products are shared."""
    return Code(590 if p.right_shift else 900, shared={"winograd's tiles::multiply": 598})


def _reason(node: NodeView) -> str:
    """Reason against a geometry that this kernel does not take, or ""."""
    (batches, _, _, inputs), (_, height, width, _) = node["x"].shape, node["filter"].shape
    if (height, width) != (3, 3):
        return f"filter is {height}x{width}, not 3x3"
    for kind in ("stride", "dilation"):
        down, right = (node.attributes[f"{kind}_{axis}"] for axis in ("height", "width"))
        if (down, right) != (1, 1):
            return f"{kind} is {down}x{right}, not 1x1"
    if batches != 1 or groups(node) != 1:
        return f"batch of {batches} and {groups(node)} groups, not 1 and 1"
    if inputs % 16 or inputs < LEAST_CHANNELS:
        return f"{inputs} input channels, not a multiple of 16 that is at least {LEAST_CHANNELS}"
    return ""


def _tables(found: DspRequantization, inputs: int) -> WinogradTables:
    """Transformed filter in the kernel's order, and requantisation constants."""
    weights = found.weights.reshape(-1, 3, 3, inputs).astype(np.int64)
    filled = np.pad(weights, ((0, len(weights) % 2), (0, 0), (0, 0), (0, 0)))
    positions = np.einsum("ij,cjkn,lk->cnil", _G, filled, _G)
    # [pair of channels][channel][four inputs][which two of them][half][position]
    split = positions.reshape(-1, 2, inputs // 4, 2, 2, POSITIONS)
    packed = np.ascontiguousarray(split.transpose(0, 5, 2, 4, 1, 3)).astype(np.int16)
    return WinogradTables(packed, filled_up(found.table, 2))


def _overlap(p: Params) -> dict[str, Distance]:
    """Distance of y from x: two rows of y are written once their four rows of x are copied."""
    rows = np.arange(0, p.output_height, 2)
    written = np.minimum(rows + 2, p.output_height) * p.output_width * p.output_channels
    unread = rows + 4 - p.padding_top
    waits = unread < p.input_height
    distance = written - unread * p.input_width * p.input_channels
    return {"x": Distance(int(np.max(distance[waits], initial=-(2**31))))}


def cost(node: NodeView) -> float:
    """Cost of products, of transforming inputs and of outputs, in whole groups of tiles."""
    _, height, width, channels = node["y"].shape
    inputs = node["x"].shape[3]
    tiles = -(-height // 2) * -(-width // (2 * TILES)) * TILES
    return float(tiles * (0.9 * POSITIONS * inputs * channels + 240 * inputs + 80 * channels))


WINOGRAD = Kernel(
    "winograd",
    WinogradParams,
    plan,
    WinogradTables,
    scratch={"lines": i8, "inputs": i32, "sums": i32},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memcpy", "memset"),  # rows of the image and its border
    cost=cost,
    code=Code(instance=750, general=2000),
    pixels=16,
)
KERNELS = (WINOGRAD,)
