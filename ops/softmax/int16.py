"""Softmax of int16: exponentials and the reciprocal of their sum by LiteRT's two tables."""

from functools import cache

from opsmith.op import *
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from runtimes.core.real_exponential import real_exponential
from runtimes.core.straight_lines import interpolated, straight_lines
from runtimes.core.tflm import by_tflm

LEAST, MOST = i16.limits
STEPS = 65535.0  # of the elements of int16
REACH = 10.0  # exp(-10) is as good as zero


@dataclass(frozen=True)
class ScaledRows(Rows):
    """Rows, and the scaling of a difference of elements to an index of the exponentials' table."""

    multiplier: int  # Q31, of beta * x.scale / (REACH / STEPS)
    shift: int


@dataclass(frozen=True)
class Lines:
    """Values in Q0.15 of every 128th element, between which kernels interpolate."""

    exponential: NDArray[np.int16]  # [513], of -REACH to 0
    reciprocal: NDArray[np.int16]  # [513], 1 / (1 + x) of 0 to 1


def params(node: NodeView) -> ScaledRows:
    """Rows and scaling of a node, which LiteRT computes partly in single precision."""
    multiplier, shift = quantize_multiplier(_step(node) / (REACH / STEPS))
    return by_name(ScaledRows, multiplier=lambda _: multiplier, shift=lambda _: shift)(node)


def _step(node: NodeView) -> float:
    return float(np.float32(node["x"].scale) * np.float32(node.attributes["beta"]))


def is_exact(node: NodeView) -> bool:
    """True if beta * x.scale is exact in float32: equal to TensorFlow Lite Micro's product."""
    return _step(node) == node["x"].scale * float(np.float32(node.attributes["beta"]))


@cache
def lines(rule: Numerics) -> Lines:
    """Tables of exponentials and reciprocals, equal for every node; TensorFlow Lite Micro makes
    these in single precision.
    """
    if rule == Numerics.TFLM:
        return _lines(np.float32, real_exponential)
    return _lines(np.float64, np.exp)


def _lines(real: type[np.floating[Any]], exponential: Callable[[Array], Array]) -> Lines:
    low, high = (real(2.0) / real(STEPS) * real(end) for end in i16.limits)
    return Lines(
        straight_lines(exponential, real(-REACH), real(0), low, high),
        straight_lines(lambda x: 1 / (1 + x), real(0), real(1), low, high),
    )


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Softmax of int16, in numpy."""
    p, x = params(node), inputs[0].astype(np.int64)
    tables = lines(node.numerics)
    differences = x - x.max(axis=-1, keepdims=True)
    scaled = multiply_by_quantized_multiplier(differences, p.multiplier, p.shift)
    at = np.clip(scaled + MOST, LEAST, MOST)
    exponentials = interpolated(tables.exponential, at).astype(np.int64)
    sums = exponentials.sum(axis=-1, keepdims=True)
    zeros = 32 - np.frexp(sums.astype(np.float64))[1].astype(np.int64)  # leading ones, of 32 bits
    digits = ((sums << (zeros - 1)) + (1 << 13)) >> 14
    fractions = np.minimum(digits - (1 << 16), (1 << 16) - 1) + LEAST
    scales = interpolated(tables.reciprocal, fractions).astype(np.int64)
    shift = 31 - zeros
    shares = (exponentials * scales + (1 << (shift - 1))) >> shift
    return [np.clip(shares, 0, MOST).astype(np.int16)]


def overlap(node: NodeView) -> dict[str, Distance]:
    """Distance of y from x, which may be one place: rows are done one by one, by elements."""
    return {"x": Distance(forward=0)}


EXAMPLE = Example.of(
    {"beta": 1.0},
    x=ExampleTensor(i16, (1, 12), scale=0.0003),
    y=ExampleTensor(i16, (1, 12), scale=1 / 32768),
)
PLAN = every_node(params, lambda node: lines(node.numerics), overlap)
REFERENCE = Kernel(
    "reference",
    ScaledRows,
    PLAN,
    Lines,
    numerics=ANY_RULE,
    cost=instructions(row_count, 100.0, 40.0),
)
INT16 = Variant(
    {"T": i16, "U": i16},
    (REFERENCE,),
    evaluate=evaluate,
    numerics=by_tflm(is_exact),
    examples=(EXAMPLE,),
)
