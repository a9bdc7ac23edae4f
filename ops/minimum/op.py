"""Minimum: the lesser of two elements, of tensors that broadcast."""

from opsmith.op import *
from runtimes.families.comparison import comparison


def lesser(a: Array, b: Array) -> Array:
    """Lesser element of two; b where one of them is NaN."""
    return np.where(a < b, a, b)


OP = comparison("minimum", Rename("tflite.MINIMUM", versions=range(1, 5)), lesser)
