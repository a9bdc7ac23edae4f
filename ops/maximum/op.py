"""Maximum: the greater of two elements, of tensors that broadcast."""

from opsmith.op import *
from runtimes.families.comparison import comparison


def greater(a: Array, b: Array) -> Array:
    """Greater element of two; b where one of them is NaN."""
    return np.where(a > b, a, b)


OP = comparison("maximum", Rename("tflite.MAXIMUM", versions=range(1, 5)), greater)
