"""Conv2D of int8 by kronecker.h: neighbours in a row, and taps, as polynomials in one integer.

Two pixels times two taps are four products of one multiplication whose coefficients have 22, 22 and
20 bits: an instruction in place of two. Coefficients are sums over as many inputs as fit, for which
the plan bounds them by the magnitudes of the weights.
"""

from opsmith.op import *
from runtimes.core.channel_packing import filled_up
from runtimes.core.dsp_requantization import DspRequantization, Shifts
from runtimes.families.convolution import CONVOLUTION, Packed, filter_padding, group_overlap, groups
from runtimes.families.layer import Padded
from runtimes.families.owning import listing, owning, with_ways

TAPS = 3  # of a row of the filter
UNIT = 8  # channels of x that are multiplied without a loop
BLOCK = 4  # outputs of a row that are computed at once
ROWS = 4  # whose last outputs are completed at once
WIDE, NARROW = 1 << 21, 1 << 19  # magnitudes of coefficients are below: of 1 and t, and of t^2
PIXELS = 128  # of y that taps, once unpacked, serve
LARGEST = 8192  # bytes of x: with more, room for polynomials may be what the arena lacks
LARGER = 4  # times x, in bytes, that polynomials take at most
LARGEST_LINES = 16384  # bytes of polynomials
MOST_UNITS = 48  # whose taps are unpacked at once: 160 bytes each
WORTH = 1e5  # instructions of a node that its code, which costs 2.7 KB of flash, has to save


@dataclass(frozen=True, kw_only=True)
class KroneckerParams(Shifts, Padded):
    """Sizes, bounds, requantisation, and strips of y."""

    input_height: int
    input_width: int
    input_channels: int
    filter_height: int
    output_height: int
    output_width: int
    output_channels: int
    padding_top: int
    padding_left: int
    rows: int  # of y, of a strip
    columns: int  # the same
    blocks: int  # in a row of a strip
    pairs: int  # of pixels of x, in a row of a strip
    line: int  # words of their polynomials
    last_alone: bool  # what tap 1 gives the last output of a row is computed by itself
    units: int  # of a window
    part: int  # of them, whose sums fit coefficients
    reversed: bool = False  # walk from the last strip to the first


def plan(node: NodeView, params: type[KroneckerParams] = KroneckerParams) -> Plan | Refused:
    """Plan: stride 1, rows of three taps, whole units, small images and exact requantisation."""
    if reason := _reason(node):
        return Refused(reason)
    seen, inputs = _seen(node), node["x"].shape[3]
    height, rows = seen["filter_height"], CONVOLUTION.rows(node)
    magnitudes = np.abs(rows.reshape(len(rows), height, TAPS, -1, UNIT).astype(np.int16))
    part = min(MOST_UNITS, part_of_units(magnitudes.sum(axis=4, dtype=np.int32)))
    strip = _strip(seen, inputs)
    known = {name: size for name, size in seen.items() if name != "filter_width"}
    more = {**known, **strip, "units": height * inputs // UNIT, "part": part}
    scratch = {
        "lines": (strip["rows"] + height - 1) * strip["line"],
        "taps": part * UNIT * 5,
        "ends": -(-strip["rows"] // ROWS) * ROWS * height * inputs // 2 * strip["last_alone"],
        "sums": 2 * strip["rows"] * (BLOCK * strip["blocks"] + 1),
        "border": inputs,
    }
    size = seen["output_height"] * seen["output_width"]
    starts = tuple(range(0, size, strip["rows"] * strip["columns"]))
    overlap = partial(group_overlap, node, starts)
    pack = partial(_tables, shape=(height, TAPS, inputs))
    return CONVOLUTION.proved(node, params, pack, scratch, overlap, more=more)


def part_of_units(magnitudes: NDArray[np.int32]) -> int:
    """Largest number of units of magnitudes [channel][filter row][tap][unit] whose sums fit
    coefficients.

    Inputs are at most 128 in magnitude. The coefficients of 1 and t are bounded by the sum of all
    taps, the coefficient of t^2, which has fewer bits, by the sum of tap 1. One unit always fits.
    """
    every, middle = (
        128 * each.reshape(len(magnitudes), -1)
        for each in (magnitudes.sum(axis=2), magnitudes[:, :, 1])
    )
    units = every.shape[1]
    for pieces in range(1, units):
        part = -(-units // pieces)
        starts = np.arange(0, units, part)
        sums = (np.add.reduceat(each, starts, axis=1) for each in (every, middle))
        if all(np.all(s < limit) for s, limit in zip(sums, (WIDE, NARROW), strict=True)):
            return part
    return 1


def _reason(node: NodeView) -> str:
    """Reason against a geometry that this kernel does not take, or ""."""
    x, seen = node["x"], _seen(node)
    if seen["filter_width"] != TAPS:
        return f"filter is {seen['filter_height']}x{seen['filter_width']}, not {TAPS} wide"
    for kind in ("stride", "dilation"):
        down, right = (node.attributes[f"{kind}_{axis}"] for axis in ("height", "width"))
        if (down, right) != (1, 1):
            return f"{kind} is {down}x{right}, not 1x1"
    if x.shape[0] != 1 or groups(node) != 1:
        return f"batch of {x.shape[0]} and {groups(node)} groups, not 1 and 1"
    if x.shape[3] % UNIT:
        return f"{x.shape[3]} input channels, not a multiple of {UNIT}"
    if x.elements > LARGEST:
        return f"x takes {x.elements} bytes, more than {LARGEST}"
    # what else is in scratch is bounded by that
    lines, room = 4 * _strip(seen, x.shape[3])["line"] * seen["filter_height"], _room(x.elements)
    if lines > room:
        return f"polynomials for a row of y take {lines} bytes, more than {room}"
    return ""


def _room(elements: int) -> int:
    """Bytes that polynomials may take beside an x of this size."""
    return min(LARGER * elements, LARGEST_LINES)


def _seen(node: NodeView) -> dict[str, int]:
    """Sizes as the kernel sees them: an image of one column is a row, as in memory."""
    column = node["x"].shape[2] == node["y"].shape[2] == node["filter"].shape[2] == 1
    axes = (2, 1) if column and not filter_padding(node, 2) else (1, 2)
    found: dict[str, int] = {}
    for name, before, axis in zip(("height", "width"), ("top", "left"), axes, strict=True):
        found[f"padding_{before}"] = filter_padding(node, axis)
        for of, tensor in (("input", "x"), ("filter", "filter"), ("output", "y")):
            found[f"{of}_{name}"] = node[tensor].shape[axis]
    return found


def _strip(seen: Mapping[str, int], inputs: int) -> dict[str, int]:
    """Sizes of strips: whole rows of y, or a part of its only row."""
    height, width = seen["output_height"], seen["output_width"]
    if height == 1 and width > PIXELS:
        rows, columns = 1, PIXELS - 2  # the last block is then whole
    else:
        rows, columns = min(height, -(-PIXELS // width)), width
    alone = columns % BLOCK == 0 and rows > 1
    blocks = columns // BLOCK if alone else -(-(columns // 2 + 1) // 2)
    pairs = columns // 2 + 1 if alone else 2 * blocks + 1
    room = _room(seen["input_height"] * seen["input_width"] * inputs)
    rows = max(1, min(rows, room // (4 * pairs * inputs) - seen["filter_height"] + 1))
    found = {"rows": rows, "columns": columns, "blocks": blocks, "pairs": pairs}
    return {**found, "line": pairs * inputs, "last_alone": alone}


def _tables(found: DspRequantization, shape: tuple[int, int, int]) -> Packed:
    """Filter [two channels][row][input], taps 0 and 1 of both channels, and tap 2 of both; and
    requantisation constants.
    """
    rows = filled_up_rows(found.weights)
    split = rows.reshape(-1, 2, *shape).transpose(0, 2, 4, 1, 3)
    pairs = split[..., :2].reshape(*split.shape[:3], 4)
    packed = np.concatenate([pairs, split[..., 2]], axis=3)
    return Packed(np.ascontiguousarray(packed, np.int8), filled_up(found.table, 2))


def filled_up_rows(weights: NDArray[np.int8]) -> NDArray[np.int8]:
    """Rows of weights, and a row of zeros after an odd number of rows."""
    rows = weights.reshape(len(weights), -1)
    return np.pad(rows, ((0, len(rows) % 2), (0, 0)))


def cost(node: NodeView) -> float:
    """Instructions of products and of the work per part, strip and output, and WORTH."""
    seen, inputs = _seen(node), node["x"].shape[3]
    strip, window = _strip(seen, inputs), seen["filter_height"] * inputs
    strips = -(-seen["output_height"] // strip["rows"])
    strips *= -(-seen["output_width"] // strip["columns"])
    lines = strips * strip["rows"]
    products = lines * strip["blocks"] * (window * 18.0 + 104)
    alone = strip["last_alone"] * lines / ROWS * (window * 8.5 + 104)
    taps = strips * window * 17
    pixels = strips * (strip["rows"] + seen["filter_height"] - 1) * strip["line"] * 5.2
    pairs = -(-node["y"].shape[3] // 2)
    return pairs * (products + alone + taps) + pixels + 14 * node["y"].elements + WORTH


KRONECKER = Kernel(
    "kronecker",
    KroneckerParams,
    plan,
    Packed,
    scratch={"lines": i32, "ends": i32, "taps": i32, "sums": i32, "border": i8},
    numerics=ANY_RULE,
    requires={"dsp"},
    cost=cost,
    paces={"dual_issue": 0.85},
    code=Code(instance=700, general=2800, slowdown=1.02, shared={"polynomials": 1370}),
    pixels=PIXELS,
)
KERNELS = with_ways("conv_2d/i8", KRONECKER, owning, listing)
