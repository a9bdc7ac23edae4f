"""Bucketize: how many boundaries each element has reached. NaN has reached all.

Integers are compared as float32, which the boundaries are.
"""

from opsmith.op import *
from runtimes.families.unary import unary


@dataclass(frozen=True)
class Params:
    """Numbers of elements and of boundaries."""

    elements: int
    boundaries: int


@dataclass(frozen=True)
class Tables:
    """Ascending boundaries."""

    boundaries: NDArray[np.float32]


def tables(node: NodeView) -> Tables:
    """Boundaries of a node, as a table."""
    return Tables(np.array(node.attributes["boundaries"], np.float32))


params = by_name(Params, boundaries=lambda node: len(node.attributes["boundaries"]))


def check(node: NodeView) -> Iterator[str]:
    """Sentence about boundaries that do not ascend."""
    given = tables(node).boundaries
    if not (given[:-1] <= given[1:]).all() or np.isnan(given).any():
        yield "boundaries must ascend"
    if not given.size:
        yield "boundaries are none"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Numbers of boundaries reached, in numpy."""
    x = inputs[0] if inputs[0].dtype.kind == "f" else inputs[0].astype(np.float32)
    boundaries = tables(node).boundaries.astype(x.dtype)
    return [np.searchsorted(boundaries, x, side="right").astype(np.int32)]


def cost(node: NodeView) -> float:
    """Instructions: for each element, and for each halving of the boundaries."""
    once, halving = COSTS[node["x"].dtype]
    return node["x"].elements * (once + halving * math.log2(params(node).boundaries + 1))


COSTS = {i32: (14.0, 13.5), i64: (42.0, 13.5), f32: (6.0, 13.5), f64: (6.0, 65.0)}
EXAMPLE = Example.of({"boundaries": (-1.5, 0.0, 2.0)}, x=(7,))
OP = unary(
    "bucketize",
    Rename("tflite.BUCKETIZE"),
    of_types({"T": COSTS}, reference(params, tables, cost=cost), examples=(EXAMPLE,)),
    y=i32,
    attributes=(Attribute("boundaries", ListOf(float), default=()),),
    check=check,
    evaluate=evaluate,
)
