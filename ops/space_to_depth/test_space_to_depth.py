"""SpaceToDepth: every type, blocks of several sizes, and images that do not divide into them."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.movement_cases import Moving

gathered = Moving("SPACE_TO_DEPTH", options=("block_size",))
TYPES = ("int8", "int32", "int64", "uint8", "float32")


class TestSpaceToDepth(OpTests):
    cases = (
        *gathered.of_types(TYPES, (1, 6, 4, 2), (1, 3, 2, 8), 2),
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
    )
