"""LOGISTIC and TANH of int8 as TensorFlow Lite Micro's reference kernels compute them: values in
Q4.27, outputs in Q0.31, rounded to 1/256 and 1/128, whatever y's scale is
(tensorflow/lite/kernels/internal/reference/integer_ops/logistic.h and tanh.h).
"""

from opsmith.op import *
from runtimes.core.exponential import (
    ONE,
    exponential,
    one_minus_over_one_plus,
    reciprocal_of_one_plus,
)
from runtimes.core.fixed_point import (
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    rounding_divide_by_pot,
)

Ints = NDArray[np.int64]
_INTEGER_BITS = 4
_FARTHEST = (1 << _INTEGER_BITS) - 1 << 31 - _INTEGER_BITS  # in Q4.27


def reproduced(node: NodeView) -> bool:
    """True if the kernels can shift the scale of x."""
    return 2.0**-27 <= node["x"].scale < 8.0


def logistic(node: NodeView, x: Ints) -> Ints:
    """y of LOGISTIC, at scale 1/256 and zero point -128."""
    values, beyond = _values(node, x)
    positive = reciprocal_of_one_plus(exponential(-np.abs(values), _INTEGER_BITS))
    found = np.where(values < 0, ONE - positive, positive)
    found = np.where(values == 0, 1 << 30, found)
    return _elements(node, x, beyond, rounding_divide_by_pot(found, 31 - 8) - 128)


def tanh(node: NodeView, x: Ints) -> Ints:
    """y of TANH, at scale 1/128 and zero point 0."""
    values, beyond = _values(node, x)
    # twice as much is the same number with another integer bit
    positive = one_minus_over_one_plus(exponential(-np.abs(values), _INTEGER_BITS + 1))
    found = np.where(values == 0, 0, np.sign(values) * positive)
    return _elements(node, x, beyond, rounding_divide_by_pot(found, 31 - 7))


def _values(node: NodeView, x: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Real values of elements of x in Q4.27, and a mask of the elements beyond that format."""
    multiplier, shift = quantize_multiplier(node["x"].scale * (1 << 31 - _INTEGER_BITS))
    radius = math.floor(_FARTHEST / (1 << shift))
    lifted = x - node["x"].zero_point
    beyond = np.abs(lifted) >= radius
    inside = np.where(beyond, 0, lifted)
    return multiply_by_quantized_multiplier(inside, multiplier, shift), beyond


def _elements(node: NodeView, x: Ints, beyond: NDArray[np.bool_], rounded: Ints) -> Ints:
    """Elements of y: rounded values, or the least or greatest where x is beyond Q4.27."""
    ends = np.where(x < node["x"].zero_point, -128, 127)
    return np.where(beyond, ends, np.clip(rounded, -128, 127))
