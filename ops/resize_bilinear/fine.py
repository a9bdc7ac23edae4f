"""ResizeBilinear of int8 by fine.h: places in 1/2048 pixels, as in XNNPACK."""

from opsmith.op import *
from runtimes.families.resize import sizes

from .op import geometry
from .places import fine_places


@dataclass(frozen=True)
class FineParams:
    """Sizes; tables have the places of pixels."""

    batches: int
    x_size: tuple[int, int]  # height and width
    y_size: tuple[int, int]
    channels: int


@dataclass(frozen=True)
class FinePlace:
    """Place in x of a row or column of y: between two, in 1/2048 pixels beyond the first."""

    low: Annotated[int, i16]
    high: Annotated[int, i16]
    beyond: Annotated[int, i16]


@dataclass(frozen=True)
class FineTables:
    """Places in x of the rows and columns of y."""

    rows: tuple[FinePlace, ...]
    columns: tuple[FinePlace, ...]


def fine_plan(node: NodeView) -> Plan:
    """Plan with sizes, and tables of places."""
    return Plan(FineParams(*geometry(node)[:4]), partial(_fine_tables, node))


def _fine_tables(node: NodeView) -> FineTables:
    rows, columns = (
        tuple(
            FinePlace(*map(int, each))
            for each in zip(places.low, places.high, places.beyond, strict=True)
        )
        for places in (fine_places(node, *each) for each in sizes(node))
    )
    return FineTables(rows, columns)


FINE_PLACES = Kernel(
    "fine", FineParams, fine_plan, FineTables, numerics=OTHER_RULES, cost=per_element(25.0)
)
KERNELS = (KernelsFor({"T": i8}, (FINE_PLACES,)),)
