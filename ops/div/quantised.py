"""Div of quantised elements, as LiteRT divides them on x86-64."""

from opsmith.op import *
from runtimes.core.exponential import reciprocal_of_one_plus
from runtimes.core.fixed_point import doubling_high_mul, quantize_multiplier
from runtimes.core.tflm import unlike_tflm
from runtimes.families import binary
from runtimes.families.binary import example, zero_points
from runtimes.families.broadcast import Pairs, pairs


@dataclass(frozen=True, kw_only=True)
class Quotients(Pairs):
    """Walk through pairs of quantised elements, and requantisation of their quotients."""

    a_zero_point: int
    b_zero_point: int
    y_zero_point: int
    multiplier: int  # Q31, of a.scale / (b.scale * y.scale)
    shift: int
    activation_min: int
    activation_max: int


def quantised(dtype: DType) -> Variant:
    """Variant for quantised elements of one type."""
    kernel = reference(params, cost=per_element(110.0))
    return binary.quantised(
        dtype,
        (kernel,),
        quotients,
        anything,
        problems,
        (example(dtype, y_scale=0.7),),
        numerics=unlike_tflm(),
    )


def params(node: NodeView) -> Quotients:
    """Walk and rescaling of a node; LiteRT computes the ratio of scales in single precision."""
    a, b, y = (np.float32(node[name].scale) for name in "aby")
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        multiplier, shift = quantize_multiplier(float(a / (b * y)))
    low, high = clamp_range(node)
    found: dict[str, Any] = {"multiplier": multiplier, "shift": shift, **zero_points(node)}
    return Quotients(**vars(pairs(node)), **found, activation_min=low, activation_max=high)


def problems(node: NodeView) -> Iterator[str]:
    """Sentences about a ratio of scales that is too large, and a known divisor of zero."""
    b = node["b"]
    if b.constant is not None and (b.data == b.zero_point).any():
        yield "b is 0 in places"
    least = 23 if node["a"].dtype.size == 1 else 16  # bits above any difference of two elements
    if params(node).shift > least:
        yield "a.scale / (b.scale * y.scale) is too large"


def anything(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """Range of y: the activation's bounds, as quotients near a divisor of zero have no others."""
    low, high = (np.full(channels_of(node["y"]), end, np.int64) for end in clamp_range(node))
    return [Range(low, high)]


def quotients(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Quotients of quantised elements in numpy, as `rescaled_quotient` in reference.h computes."""
    p = params(node)
    a, b = (x.astype(np.int64) for x in np.broadcast_arrays(*inputs))
    a, b = a - p.a_zero_point, b - p.b_zero_point
    a, divisor = np.where(b < 0, -a, a), np.maximum(np.abs(b), 1)
    bits = np.frexp(divisor)[1].astype(np.int64)
    inverse = reciprocal_of_one_plus((divisor << (32 - bits)) - (1 << 31))
    headroom = 31 - np.frexp(np.where(a < 0, -a - 1, a))[1].astype(np.int64)
    unscaled = doubling_high_mul(a << headroom, inverse)
    exponent = bits - 1 + headroom - p.shift
    scaled = shifted(doubling_high_mul(unscaled, p.multiplier), exponent)
    y = np.where(b == 0, 0, scaled) + p.y_zero_point
    return [np.clip(y, p.activation_min, p.activation_max).astype(node["y"].dtype.numpy)]


def shifted(x: Array, exponent: Array) -> Array:
    """x / 2^exponent, rounded; shifts that C++ does not define are x86's."""
    mask = ((np.int64(1) << (exponent & 63)) - 1).astype(np.int32).astype(np.int64)
    threshold = (mask >> 1) + (x < 0)
    return np.asarray((x >> (exponent & 31)) + ((x & mask) > threshold))
