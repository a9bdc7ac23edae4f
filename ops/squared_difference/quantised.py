"""SquaredDifference of quantised elements: squares at the scale of y."""

from opsmith.op import *
from runtimes.families import binary
from runtimes.families.binary import example
from runtimes.families.broadcast import pairs
from runtimes.families.sums import SumPairs, common_scale, common_scales, quantised_kind, rescaled

HEADROOM = {i8: 7, i16: 0}  # bits: kHeadroom of binary.h


def quantised(dtype: DType) -> Variant:
    """Variant of int8 or int16."""
    definition = reference(params, cost=per_element(40.0))
    kind = quantised_kind(SumPairs, dtype, "squared_difference", HEADROOM[dtype])
    shown = (example(dtype),)
    return binary.quantised(dtype, (definition,), evaluate, value_range, examples=shown, kind=kind)


def params(node: NodeView) -> SumPairs:
    """Walk and scales like a sum's, with a scale of y for squares."""
    y = node["y"]
    low, high = y.dtype.limits
    ratio = common_scale(node) ** 2 / ((1 << 2 * HEADROOM[y.dtype]) * y.scale)
    scales = common_scales(node, ratio, activation_min=low, activation_max=high)
    return SumPairs(**vars(pairs(node)), **vars(scales))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Squared differences of quantised elements, in numpy."""
    headroom = HEADROOM[node["y"].dtype]
    return [rescaled(params(node), headroom, squared_difference, node, inputs)]


def squared_difference(a: Array, b: Array) -> Array:
    """(a - b)² of elements without quantisation."""
    difference = a - b
    found: Array = difference * difference
    return found


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """Range of y: from no difference to the greatest, which is between two ends of the ranges."""
    a, b = (ranges[node[name].id].spread(channels_of(node["y"])) for name in "ab")
    ends = [evaluate(node, [x, y])[0] for x in (a.low, a.high) for y in (b.low, b.high)]
    greatest = np.maximum.reduce(ends).astype(np.int64)
    return [Range(np.full_like(greatest, node["y"].zero_point), greatest)]
