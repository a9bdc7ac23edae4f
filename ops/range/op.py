"""Range: numbers from start on, each greater than the last by delta, as far as limit.

The number of elements must be known at build time, since tensors have fixed shapes: start, limit
and delta are constants, or computed from constants and shapes. Floats are added up one after the
other, as in LiteRT.
"""

from opsmith.op import *
from runtimes.families.of_shapes import known

OPERANDS = ("start", "limit", "delta")


def count(node: NodeView) -> int:
    """Number of elements before limit."""
    start, limit, delta = (node[name].data.item() for name in OPERANDS)
    if not ((start <= limit and delta > 0) or (start >= limit and delta < 0)):
        raise OpError(f"no steps of {delta} lead from {start} to {limit}")
    if node["start"].dtype == f32:
        with np.errstate(over="ignore"):
            steps = float(np.abs((np.float32(limit) - np.float32(start)) / np.float32(delta)))
        if not math.isfinite(steps):
            raise OpError(f"steps of {delta} from {start} to {limit} are too many")
        return math.ceil(steps)
    return int(-(abs(limit - start) // -abs(delta)))


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y, a vector."""
    return [TensorType(node["start"].dtype, (count(node),))]


def numbers(node: NodeView) -> Array:
    """Numbers of the range, in numpy."""
    start, _, delta = (node[name].data for name in OPERANDS)
    steps = np.full(count(node), delta)
    steps[:1] = start
    return np.add.accumulate(steps, dtype=steps.dtype)


TYPES = (i32, i64, f32)
OP = known(
    "range",
    Rename("tflite.RANGE", versions=range(1, 6)),
    OPERANDS,
    numbers,
    TYPES,
    infer=infer,
    rank=0,
    example=Example.of(start=1, limit=8, delta=3),
)
