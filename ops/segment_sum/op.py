"""SegmentSum: the sums of rows of x with each id. Ids begin with 0 and ascend in steps of 1.

Ids are constant, because the last id says how many rows y has.
"""

from opsmith.op import *
from runtimes.families.segments import segments


def count(node: NodeView) -> int:
    """Number of segments of a node: the last id plus one."""
    ids = node["ids"]
    if len(ids.shape) != 1 or not ids.elements:
        raise OpError(f"ids {ids.type} must be a vector")
    steps = np.diff(ids.data.astype(np.int64), prepend=0)
    if ids.data[0] != 0 or not np.isin(steps, (0, 1)).all():
        raise OpError("ids must begin with 0 and ascend in steps of 1")
    return int(ids.data[-1]) + 1


OP = segments(
    "segment_sum",
    "tflite.SEGMENT_SUM",
    count,
    np.add,
    lambda _: 0,
    known=True,
    inputs=(Input("x", "T"), Input("ids", i32, constant=True)),
    examples=(Example.of(x=(4, 3), ids=[0, 0, 1, 2], y=(3, 3)),),
)
