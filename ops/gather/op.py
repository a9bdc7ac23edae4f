"""Gather: the positions along an axis that indices name, whose axes replace that axis in y.

The first `batch_dims` axes belong to x and to indices: each batch has its own indices.
"""

from opsmith.op import *
from runtimes.families.axes import stated_axis
from runtimes.families.indices import INDEX_TYPES, Tuples, looked_up


def tuples(node: NodeView) -> Tuples:
    """Axes that an index addresses: the one of attribute `axis`."""
    x, indices, given = node["x"], node["indices"], node.attributes["batch_dims"]
    axis, batches = stated_axis(node), given + len(indices.shape) * (given < 0)
    if not 0 <= batches <= min(axis, len(indices.shape)):
        raise OpError(f"batch_dims {given} does not fit axis {axis} and indices {indices.type}")
    if x.shape[:batches] != indices.shape[:batches]:
        raise OpError(f"x {x.type} and indices {indices.type} differ in their {batches} batch_dims")
    return Tuples(range(axis, axis + 1), batches)


OP = looked_up(
    "gather",
    Rename("tflite.GATHER", versions=range(1, 9)),
    tuples,
    (boolean, i8, i16, i32, i64, u8, f32),
    Example.of(x=(4, 6), indices=(3,), y=(3, 6)),
    index_types=(i16, *INDEX_TYPES),
    attributes=(Attribute("axis", int, default=0), Attribute("batch_dims", int, default=0)),
)
