"""UnsortedSegmentProd: the product of the rows of x with each id, in any order."""

from opsmith.op import *
from runtimes.families.segments import unsorted

OP = unsorted("unsorted_segment_prod", "tflite.UNSORTED_SEGMENT_PROD", np.multiply, lambda _: 1)
