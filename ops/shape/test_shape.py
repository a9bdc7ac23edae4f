"""Shape: every element type and rank, in 32 and 64 bits."""

from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import EVERY_TYPE_NAME

OUT_TYPES = {"int32": 2, "int64": 4}  # numbers of types in TFLite's schema


def sizes(*x: int, dtype: str = "int8", y: str = "int32") -> Build:
    """SHAPE of an input to build."""
    return one_node(
        "SHAPE", {"x": (x, dtype)}, {"y": ((len(x),), y)}, {"out_type": OUT_TYPES.get(y, 0)}
    )


class TestShape(OpTests):
    cases = (
        *(
            Case(f"{dtype}_{y}", sizes(2, 3, dtype=dtype, y=y))
            for dtype in EVERY_TYPE_NAME
            for y in OUT_TYPES
        ),
        Case("one", sizes(1)),
        Case("image", sizes(1, 49, 10, 3)),
        Case("rank_8", sizes(1, 2, 1, 3, 1, 2, 1, 2)),
    )
