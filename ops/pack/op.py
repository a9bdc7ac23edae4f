"""Pack: tensors of one shape put together along a new axis."""

from opsmith.op import *
from runtimes.families.axes import new_axis_of, resized
from runtimes.families.side_by_side import put_together


def axis(node: NodeView) -> int:
    """Place of the new axis."""
    return new_axis_of(node.attributes["axis"], node.variadic("x")[0])


def shape(node: NodeView) -> tuple[int, ...]:
    """Shape of y: that of each tensor, with a new axis of as many positions as tensors."""
    first, *others = (x.shape for x in node.variadic("x"))
    count, stated = len(others) + 1, node.attributes["values_count"]
    for other in others:
        if other != first:
            raise OpError(f"shapes {first} and {other} differ")
    if stated != count:
        raise OpError(f"values_count is {stated} for {count} tensors")
    return (*first[: axis(node)], count, *first[axis(node) :])


def into(node: NodeView, builder: GraphBuilder) -> None:
    """Add views of the tensors with the new axis, and their concatenation, which for one row is
    views alone.
    """
    y, at = node["y"], axis(node)
    sizes = resized(y.shape, at, 1)
    parts = []
    for i, x in enumerate(node.variadic("x")):
        parts.append(builder.tensor(f"x_{i}", x.dtype, sizes, x.quantization))
        builder.node("reshape", [x], [parts[-1]], new_shape=sizes)
    builder.node("concatenation", parts, [y], axis=at)


OP = put_together(
    "pack",
    Rename("tflite.PACK", versions=range(1, 6)),
    axis,
    shape,
    Example.of({"axis": 1, "values_count": 2}, x=[(3, 2)] * 2, y=(3, 2, 2)),
    types=(i8, i16, i32, i64, u8, u32, f32),
    attributes=(Attribute("axis", int, default=0), Attribute("values_count", int)),
    decompose=Decompose(into),
)
