"""UnsortedSegmentMax: the greatest elements of the rows of x with each id, in any order."""

from opsmith.op import *
from runtimes.families.segments import least, unsorted


def greater(a: Array, b: Array) -> Array:
    """Greater elements; those of a where one is NaN."""
    return np.where(a < b, b, a)


OP = unsorted("unsorted_segment_max", "tflite.UNSORTED_SEGMENT_MAX", greater, least)
