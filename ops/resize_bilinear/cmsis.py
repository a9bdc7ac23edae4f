"""ResizeBilinear kernels of int8 for the DSP extension and Helium."""

from opsmith.op import *
from runtimes.cmsis.kernel import of_reference

from .between import BetweenParams, BetweenRow, PlacedAxes, params, placed

DOWN, ACROSS = 6, 2  # bits of weights; those along a row are 1 and 3


@dataclass(frozen=True)
class RowTables:
    """Places in x of the rows of y."""

    rows: tuple[BetweenRow, ...]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for a doubled width with columns a quarter from the nearest, and words of channels."""
    found = placed(node)
    if node["x"].shape[3] % 4:
        return Refused(f"{node['x'].shape[3]} channels are no words of four")
    if not _doubled(found, node["x"].shape[2]):
        return Refused("columns of y are not a quarter of a column from each of x")
    if found.down > DOWN:
        return Refused(f"weights of rows have {found.down} bits, more than {DOWN}")
    of_node = params(node, DOWN, ACROSS)
    return Plan(of_node, partial(_tables, found))


def _doubled(found: PlacedAxes, width: int) -> bool:
    """True if columns of y are the first, those at 1/4 and 3/4 between two, and the last."""
    columns, at = found.columns, np.arange(2 * width) * 2 - 1  # quarters
    if len(columns.low) != len(at):
        return False
    inside = slice(1, -1)
    weights = 4 * columns.beyond[inside] == found.unit * (at[inside] % 4)
    neighbours = (columns.low == np.clip(at // 4, 0, width - 1))[inside]
    next_ones = (columns.high == columns.low + 1)[inside]
    ends = columns.low[[0, -1]] == columns.high[[0, -1]]
    return bool((weights & neighbours & next_ones).all() and ends.all())


def _tables(found: PlacedAxes) -> RowTables:
    return RowTables(found.row_places(1 << DOWN))


def mve_cost(node: NodeView) -> float:
    """Instructions for each pixel of y, and each vector of four channels."""
    channels = node["y"].shape[3]
    return node["y"].elements / max(channels, 1) * (32.0 + 20.0 * -(-channels // 4))


DSP = Kernel(
    "dsp",
    BetweenParams,
    plan,
    RowTables,
    numerics=ANY_RULE,
    requires={"dsp"},
    cost=per_element(6.0),
    code=Code(instance=430, general=630),
)
KERNELS = (KernelsFor({"T": i8}, (of_reference("mve", mve_cost), DSP)),)
