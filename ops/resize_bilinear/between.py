"""ResizeBilinear of int8 by between.h, for scales such as two and four, and by columns.h."""

from opsmith.op import *
from runtimes.families.resize import sizes

from .fine import FineParams
from .op import geometry
from .places import FINE, UNIT, Places, fine_places, integer_places

MOST_BITS = 8  # of the sum of a pixel's weights: bytes times it fit 16 bits
ROW_BYTES, COLUMN_BYTES = 6, 4  # of tables


@dataclass(frozen=True)
class BetweenParams(FineParams):
    """Sizes, units of weights along both axes, and the rounding of halves."""

    one_down: int
    one_across: int
    halves_up: bool  # or away from zero


@dataclass(frozen=True)
class BetweenRow:
    """Place in x of a row of y: between two rows, some parts of one_down beyond the first."""

    low: Annotated[int, i16]
    high: Annotated[int, i16]
    beyond: Annotated[int, i16]


@dataclass(frozen=True)
class BetweenColumn:
    """Place in x of a column of y: between two neighbours, some parts beyond the first."""

    steps: Annotated[int, i16]  # columns of x since the last one
    beyond: Annotated[int, i16]  # parts of one_across


@dataclass(frozen=True)
class BetweenTables:
    """Places in x of the rows and columns of y."""

    rows: tuple[BetweenRow, ...]
    columns: tuple[BetweenColumn, ...]


@dataclass(frozen=True)
class PlacedAxes:
    """Places in x of y's rows and columns, and the bits of weights along both axes."""

    rows: Places
    columns: Places
    unit: int
    down: int
    across: int

    def row_places(self, one_down: int) -> tuple[BetweenRow, ...]:
        """Places of the rows of y, in parts of one_down."""
        beyond = self.rows.beyond * one_down // self.unit
        found = zip(self.rows.low, self.rows.high, beyond, strict=True)
        return tuple(BetweenRow(*map(int, each)) for each in found)


def placed(node: NodeView) -> PlacedAxes:
    """Places of a node's rows and columns, by its rule of numerics."""
    xnnpack = node.numerics == Numerics.NOTEBOOK
    places_of, unit = (fine_places, FINE) if xnnpack else (integer_places, UNIT)
    rows, columns = (places_of(node, *each) for each in sizes(node))
    return PlacedAxes(rows, columns, unit, _bits(rows, unit), _bits(columns, unit))


def params(node: NodeView, down: int, across: int) -> BetweenParams:
    """Params for weights of these bits along both axes, 8 in all."""
    halves_up = node.numerics == Numerics.NOTEBOOK
    return BetweenParams(*geometry(node)[:4], 1 << down, 1 << across, halves_up=halves_up)


def plan(node: NodeView) -> Plan | Refused:
    """Plan for weights whose common factors leave them few bits."""
    found = placed(node)
    bits = found.down + found.across
    if bits > MOST_BITS:
        return Refused(f"weights of a pixel have {bits} bits, more than {MOST_BITS}")
    of_node = params(node, found.down, MOST_BITS - found.down)
    return Plan(of_node, partial(_tables, found, of_node))


def _bits(places: Places, unit: int) -> int:
    """Bits of weights along an axis, in units of their greatest common divisor."""
    return int(np.log2(unit // int(np.gcd.reduce(np.append(places.beyond, unit)))))


def _tables(found: PlacedAxes, of_node: BetweenParams) -> BetweenTables:
    columns, across = found.columns, of_node.one_across
    # The first of two neighbours is never the last column, and beyond an edge is at it.
    inside = np.where(columns.low == columns.high, 0, columns.beyond * across // found.unit)
    last = (columns.low == columns.high.max()) & (columns.low > 0)
    steps = np.diff(columns.low - last, prepend=0)
    return BetweenTables(
        found.row_places(of_node.one_down),
        tuple(
            BetweenColumn(*map(int, c))
            for c in zip(steps, np.where(last, across, inside), strict=True)
        ),
    )


def cost(node: NodeView) -> float:
    """Instructions for each pixel of y, and each word, or byte, of its channels."""
    channels = node["y"].shape[3]
    return node["y"].elements / max(channels, 1) * (channels // 4 + channels % 4) * 35.7


def columns_plan(node: NodeView) -> Plan | Refused:
    """Plan for weights in 1/2048 pixels along both axes."""
    largest = max(map(max, sizes(node)))
    if largest > i16.limits[1]:
        return Refused(f"an axis has {largest} pixels, more than {i16.limits[1]}")
    of_node = replace(params(node, 0, 0), one_down=FINE, one_across=FINE)
    height, width = of_node.y_size
    # fine.h, the definition by XNNPACK's rule, has larger tables; the reference has none
    growth = 0 if of_node.halves_up else ROW_BYTES * height + COLUMN_BYTES * width
    return Plan(of_node, partial(_tables, placed(node), of_node), growth=growth)


def columns_cost(node: NodeView) -> float:
    """Instructions for each pixel of y, and each of its elements."""
    elements, channels = node["y"].elements, node["y"].shape[3]
    return elements / max(channels, 1) * 10.0 + elements * 14.5


BETWEEN = Kernel("between", BetweenParams, plan, BetweenTables, numerics=ANY_RULE, cost=cost)
COLUMNS = Kernel(
    "columns",
    BetweenParams,
    columns_plan,
    BetweenTables,
    numerics=ANY_RULE,
    cost=columns_cost,
    code=Code(instance=300, general=690),
)
KERNELS = (KernelsFor({"T": i8}, (BETWEEN, COLUMNS)),)
