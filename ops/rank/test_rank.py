"""Rank: every element type, from a scalar to eight dimensions."""

from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import EVERY_TYPE_NAME


def rank(*x: int, dtype: str = "int8") -> Build:
    """RANK of an input to build."""
    return one_node("RANK", {"x": (x, dtype)}, {"y": ((), "int32")})


class TestRank(OpTests):
    cases = (
        *(Case(dtype, rank(2, 3, dtype=dtype)) for dtype in EVERY_TYPE_NAME),
        Case("scalar", rank()),
        Case("eight", rank(*[2] * 8)),
    )
