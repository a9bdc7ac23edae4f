"""UnsortedSegmentProd: known and computed ids, rows of several axes, and segments without a row."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.segments_cases import unsorted_cases, unsorted_refusals


class TestUnsortedSegmentProd(OpTests):
    cases = unsorted_cases("UNSORTED_SEGMENT_PROD")
    rejected = unsorted_refusals("UNSORTED_SEGMENT_PROD")
