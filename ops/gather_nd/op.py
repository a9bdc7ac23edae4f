"""GatherND: elements of x at tuples of indices, along as many of the first axes as tuples have."""

from opsmith.op import *
from runtimes.families.indices import INDEX_TYPES, Tuples, looked_up


def tuples(node: NodeView) -> Tuples:
    """Axes that a tuple addresses: the first of x; y has all elements along the others."""
    x, indices = node["x"], node["indices"]
    if not indices.shape or not 1 <= indices.shape[-1] <= len(x.shape):
        raise OpError(f"the last axis of indices {indices.type} has no 1 to {len(x.shape)} indices")
    return Tuples(range(indices.shape[-1]), last_axis=True)


OP = looked_up(
    "gather_nd",
    Rename("tflite.GATHER_ND", versions=range(1, 7)),
    tuples,
    (boolean, i8, i16, i32, i64, u8, f32),
    Example.of(x=(4, 5, 6), indices=(3, 2), y=(3, 6)),
    index_types=(i16, *INDEX_TYPES),
)
