"""DepthToSpace: every type, blocks of several sizes, and images that do not divide into blocks."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.movement_cases import Moving

spread = Moving("DEPTH_TO_SPACE", options=("block_size",), version=1)
TYPES = ("int8", "int32", "int64", "uint8", "float32")


class TestDepthToSpace(OpTests):
    cases = (
        *spread.of_types(TYPES, (1, 3, 2, 8), (1, 6, 4, 2), 2),
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
    )
