"""UnsortedSegmentMin: the least elements of the rows of x with each id, in any order."""

from opsmith.op import *
from runtimes.families.segments import greatest, unsorted


def lesser(a: Array, b: Array) -> Array:
    """Lesser elements; those of a where one is NaN."""
    return np.where(b < a, b, a)


OP = unsorted("unsorted_segment_min", "tflite.UNSORTED_SEGMENT_MIN", lesser, greatest)
