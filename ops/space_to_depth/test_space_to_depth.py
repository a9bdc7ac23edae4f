"""SpaceToDepth: every type, blocks of several sizes, and images that do not divide into them."""

from __future__ import annotations

from typing import Any

from runtimes.families.movement_cases import Build, Shape, moving
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, refused

TYPES = ("int8", "int32", "int64", "uint8", "float32")


def gathered(x: Shape, y: Shape, block: int, **others: Any) -> Build:
    """A space_to_depth to build."""
    return moving("SPACE_TO_DEPTH", {"x": x}, [y], {"block_size": block}, **others)


class TestSpaceToDepth(OpTests):
    cases = (
        *(Case(dtype, gathered((1, 6, 4, 2), (1, 3, 2, 8), 2, dtype=dtype)) for dtype in TYPES),
        Case("batches", gathered((2, 6, 9, 3), (2, 2, 3, 27), 3)),
        Case("one_channel", gathered((1, 10, 14, 1), (1, 5, 7, 4), 2)),
        Case("one_pixel", gathered((1, 4, 4, 1), (1, 1, 1, 16), 4)),
        Case("stays", gathered((1, 2, 3, 5), (1, 2, 3, 5), 1)),
        Case("other_scale", gathered((1, 2, 2, 1), (1, 1, 1, 4), 2, scale={"y": 0.25})),
    )
    rejected = (
        refused("height", gathered((1, 3, 4, 1), (1, 1, 2, 4), 2), "does not divide into blocks"),
        refused("width", gathered((1, 4, 3, 1), (1, 2, 1, 4), 2), "does not divide into blocks"),
        refused("rank", gathered((4, 4, 1), (2, 2, 4), 2), "must have 4 dimensions"),
        refused("none", gathered((1, 2, 2, 4), (1, 2, 2, 4), 0), "block_size is 0"),
        refused("bool", gathered((1, 2, 2, 1), (1, 1, 1, 4), 2, dtype="bool"), "bool", "MDL012"),
    )
