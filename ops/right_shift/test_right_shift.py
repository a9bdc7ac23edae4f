"""RightShift: every type, shifts below 0 and beyond all bits, and broadcasts."""

from opsmith.testing.op_tests import *
from runtimes.families.binary_cases import of_plain, plain_cases, refusals

PLAIN = of_plain("RIGHT_SHIFT")
TYPES = ("int8", "int16", "int32", "uint8", "uint16", "uint32")
SHIFTS = (0, 1, 7, 8, 15, 16, 31, 32, 127)


class TestRightShift(OpTests):
    cases = (
        *plain_cases(PLAIN, *TYPES),
        *(
            Case(
                f"{dtype}_by",
                replace(PLAIN, a=(7, 9), b=(9,), dtype=dtype, constant="b", values=SHIFTS),
            )
            for dtype in TYPES
        ),
    )
    rejected = refusals(PLAIN)
