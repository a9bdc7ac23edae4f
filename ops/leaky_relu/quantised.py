"""LeakyReLU of quantised elements: two factors, of negative elements and of others."""

from opsmith.op import *
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from runtimes.core.notebook import by_256ths, single_quotient, where
from runtimes.core.tflm import rescaled_otherwise, unlike_tflm
from runtimes.families.lookup import bytes_by
from runtimes.families.unary import by_reference, double_ratio, float_ratio


@dataclass(frozen=True)
class Params:
    """Number of elements, and Q31 multipliers from x to y: of negative elements, and of others."""

    elements: int
    sign: int  # of alpha: what negative ones become is rounded without it
    negative_multiplier: int
    negative_shift: int
    multiplier: int
    shift: int


def alpha_ratio(node: NodeView) -> float:
    """alpha * x.scale / y.scale, in single precision."""
    x, y = np.float32(node["x"].scale), np.float32(node["y"].scale)
    with np.errstate(over="ignore"):
        return float(x * np.float32(node.attributes["alpha"]) / y)


def params(node: NodeView) -> Params:
    """Params of a quantised node."""
    ratio = alpha_ratio(node)
    ratios = abs(ratio), float_ratio(node)
    negative, others = (quantize_multiplier(each, wraps=True) for each in ratios)
    return Params(node["x"].elements, -1 if ratio < 0 else 1, *negative, *others)


def of_integers(node: NodeView, x: Array) -> Array:
    """LeakyReLU of quantised elements, in numpy."""
    lifted = x.astype(np.int64) - node["x"].zero_point
    found = _RESCALED[node.numerics](node, lifted) + node["y"].zero_point
    return np.asarray(np.clip(found, *node["y"].dtype.limits))


def _by_q31(node: NodeView, lifted: NDArray[np.int64]) -> NDArray[np.int64]:
    p = params(node)
    return np.where(
        lifted < 0,
        multiply_by_quantized_multiplier(lifted, p.negative_multiplier, p.negative_shift) * p.sign,
        multiply_by_quantized_multiplier(lifted, p.multiplier, p.shift),
    )


def _by_256ths(node: NodeView, lifted: NDArray[np.int64]) -> NDArray[np.int64]:
    positive, negative = _single_ratios(node)
    return np.where(lifted < 0, by_256ths(lifted, negative), by_256ths(lifted, positive))


_RESCALED = {Numerics.REFERENCE: _by_q31, Numerics.NOTEBOOK: _by_256ths}


def _single_ratios(node: NodeView) -> tuple[float, float]:
    """x.scale / y.scale, and alpha times that ratio, in single precision."""
    positive = single_quotient(node["x"].scale, node["y"].scale)
    with np.errstate(over="ignore", under="ignore"):
        return positive, float(np.float32(positive) * np.float32(node.attributes["alpha"]))


def taken_by_xnnpack(node: NodeView) -> bool:
    """True if XNNPACK takes an int8 node."""
    positive, negative = _single_ratios(node)
    least, most = 1 / 256, 128.0
    small = abs(negative) < least or not least <= positive <= most
    return not small and -127.99609375 <= negative <= most


def ratio_differs(node: NodeView) -> bool:
    """True if a ratio in double precision would change y for some element of x."""
    low, high = (end - node["x"].zero_point for end in node["x"].dtype.limits)
    double = double_ratio(node)
    alpha = abs(alpha_ratio(node)), abs(double * node.attributes["alpha"])
    positive = rescaled_otherwise(node, float_ratio(node), double, 0, high)
    return positive or rescaled_otherwise(node, *alpha, low, 0)


BY_TFLM = unlike_tflm(ratio_differs)
I8 = bytes_by(of_integers, numerics={**where(taken_by_xnnpack), **BY_TFLM})
U8 = bytes_by(of_integers, u8)
I16 = by_reference(i16, of_integers, 30.0, Params, params, numerics=BY_TFLM)
