"""StablehloPad: a border of one element around x, and as many between neighbours as each axis says.

A border of negative size crops x and the elements between its own.
"""

from opsmith.op import *
from runtimes.families.movement import QUANTISED, X
from runtimes.families.spread import SpreadAxis, spread
from runtimes.families.stablehlo import bordered
from runtimes.families.walk import MAX_AXES

NAMES = ("edge_padding_low", "edge_padding_high", "interior_padding")


def along(node: NodeView) -> Sequence[SpreadAxis]:
    """Positions of x that are not cropped, along each axis."""
    x, given = node["x"], [node.attributes[name] for name in NAMES]
    for name, numbers in zip(NAMES, given, strict=True):
        if len(numbers) != len(x.shape):
            raise OpError(f"{name} {numbers} must have one number per axis of x {x.type}")
    return [bordered(*each) for each in zip(x.shape, *given, strict=True)]


def into(node: NodeView, builder: GraphBuilder) -> None:
    """Add the pad that a node with only a border becomes, which layers can absorb."""
    rows = [*zip(*(node.attributes[name] for name in NAMES[:2]), strict=True)]
    paddings = builder.tensor("paddings", i32, (len(rows), 2), data=np.array(rows))
    builder.node("pad", [node["x"], paddings, node["value"]], [node["y"]])


def is_border(node: NodeView) -> bool:
    """True if the node is a border alone: nothing lies between elements, and nothing is cropped."""
    given = [node.attributes[name] for name in NAMES]
    alike = node["x"].quantization == node["y"].quantization == node["value"].quantization
    known = node["value"].constant is not None and (alike or node["x"].dtype not in QUANTISED)
    return known and not any(given[2]) and min(min(each) for each in given[:2]) >= 0


OP = spread(
    "stablehlo_pad",
    Rename("tflite.STABLEHLO_PAD"),
    along,
    "value",
    inputs=(replace(X, rank=range(1, MAX_AXES + 1)), Input("value", "T")),
    attributes=tuple(Attribute(name, ListOf(int)) for name in NAMES),
    decompose=Decompose(into, when=is_border),
    examples=(
        Example.of(
            dict(zip(NAMES, [(1, -1), (0, 1), (0, 1)], strict=True)), x=(2, 3), value=(), y=(3, 5)
        ),
    ),
)
