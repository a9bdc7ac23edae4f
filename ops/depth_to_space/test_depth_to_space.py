"""DepthToSpace: every type, blocks of several sizes, and images that have none."""

from __future__ import annotations

from typing import Any

from runtimes.families.movement_cases import Build, Shape, moving
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, refused

TYPES = ("int8", "int32", "int64", "uint8", "float32")


def spread(x: Shape, y: Shape, block: int, version: int = 1, **others: Any) -> Build:
    """A depth_to_space to build."""
    options = {"block_size": block}
    return moving("DEPTH_TO_SPACE", {"x": x}, [y], options, version=version, **others)


class TestDepthToSpace(OpTests):
    cases = (
        *(Case(dtype, spread((1, 3, 2, 8), (1, 6, 4, 2), 2, dtype=dtype)) for dtype in TYPES),
        Case("batches", spread((2, 2, 3, 27), (2, 6, 9, 3), 3)),
        Case("one_channel", spread((1, 5, 7, 4), (1, 10, 14, 1), 2)),
        Case("one_pixel", spread((1, 1, 1, 16), (1, 4, 4, 1), 4)),
        Case("stays", spread((1, 2, 3, 5), (1, 2, 3, 5), 1, version=2)),
        Case("other_scale", spread((1, 1, 1, 4), (1, 2, 2, 1), 2, scale={"y": 0.25})),
    )
    rejected = (
        refused("channels", spread((1, 2, 2, 6), (1, 4, 4, 1), 2), "6 channels, no multiple"),
        refused("rank", spread((2, 2, 4), (4, 4, 1), 2), "must have 4 dimensions"),
        refused("none", spread((1, 2, 2, 4), (1, 2, 2, 4), 0), "block_size is 0"),
        refused("int16", spread((1, 1, 1, 4), (1, 2, 2, 1), 2, dtype="int16"), "int16", "MDL012"),
    )
