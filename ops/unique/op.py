"""Unique: the distinct elements of x, and for each element of x the place of its equal.

The number of distinct elements must be known at build time, since tensors have fixed shapes: x is a
constant, or computed from constants and shapes.
"""

from opsmith.op import *
from runtimes.families.movement import copied


@dataclass(frozen=True)
class Params:
    """Sizes of both outputs, in bytes."""

    bytes: int
    place_bytes: int


@dataclass(frozen=True)
class Tables:
    """Bytes of both outputs."""

    y: NDArray[np.uint8]
    place: NDArray[np.uint8]


def infer(node: NodeView) -> Sequence[TensorType]:
    """Types of the distinct elements, and of a place for each element of x."""
    y, place = evaluate(node, ())
    return [TensorType(node["x"].dtype, y.shape), TensorType(node["place"].dtype, place.shape)]


def check(node: NodeView) -> Iterator[str]:
    """Sentences about NaN, in LiteRT perhaps equal to anything, and outputs of other shapes."""
    x, place = node["x"], node["place"]
    if x.dtype == f32 and np.isnan(x.data).any():
        yield "x has NaN, which equals no element"
    if node.attributes["idx_out_type"] != place.dtype.name.upper():
        yield f"idx_out_type is {node.attributes['idx_out_type']}, and place {place.type}"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Distinct elements in the order of their first occurrence, and places, in numpy."""
    x = node["x"].data
    _, first, inverse = np.unique(x, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.argsort(order)[inverse.reshape(-1)]
    return [x[first[order]], place.astype(node["place"].dtype.numpy)]


def params(node: NodeView) -> Params:
    """Sizes in bytes of a node's outputs."""
    return Params(node["y"].bytes, node["place"].bytes)


def tables(node: NodeView) -> Tables:
    """Bytes of the outputs, which the kernel copies."""
    y, place = evaluate(node, ())
    return Tables(y.view(np.uint8), place.view(np.uint8))


def cost(node: NodeView) -> float:
    """Instructions to copy both outputs."""
    return copied(1, node["y"].bytes) + copied(1, node["place"].bytes)


KERNEL = reference(params, tables, cost=cost)
OP = Op(
    "unique",
    legalize=(Rename("tflite.UNIQUE"),),
    inputs=(Input("x", "T", constant=True, rank=1),),
    outputs=(Output("y", "T"), Output("place", "I")),
    attributes=(Attribute("idx_out_type", str, default="INT32"),),
    infer=infer,
    check=check,
    evaluate=evaluate,
    variants=tuple(
        each
        for index in (i32, i64)
        for each in of_types(
            {"T": (i8, i16, i32, i64, u8, f32), "I": (index,)},
            KERNEL,
            untyped=True,
            examples=(Example.of({"idx_out_type": index.name.upper()}, x=[3, 1, 3, 3]),),
        )
    ),
)
