"""UnsortedSegmentSum: the sum of the rows of x with each id, in any order."""

from opsmith.op import *
from runtimes.families.segments import unsorted

OP = unsorted("unsorted_segment_sum", "tflite.UNSORTED_SEGMENT_SUM", np.add, lambda _: 0)
