"""SpaceToBatchND: every type, with and without borders, of images and of sequences."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.movement_cases import EVERY_TYPE_NAME, Moving

spread = Moving("SPACE_TO_BATCH_ND", "x", "block_shape", "paddings")
NONE = (0, 0)
IMAGE = ((1, 5, 3, 2), (4, 3, 2, 2), (2, 2), ((0, 1), (1, 0)))  # borders that differ


class TestSpaceToBatchNd(OpTests):
    cases = (
        *spread.of_types(EVERY_TYPE_NAME, *IMAGE),
        Case("least_zero_point", spread(*IMAGE, zero_point=-128)),
        Case("greatest_zero_point", spread(*IMAGE, zero_point=255, dtype="uint8")),
        Case("no_border", spread((2, 4, 6, 3), (12, 2, 2, 3), (2, 3), (NONE, NONE))),
        Case("large_border", spread((1, 2, 2, 1), (6, 2, 3, 1), (3, 2), ((4, 0), (1, 3)))),
        Case("sequence", spread((2, 7, 5), (8, 3, 5), (4,), ((3, 2),), zero_point=9)),
        Case("one_element", spread((1, 1, 1), (1, 1, 1), (1,), (NONE,))),
    )
    rejected = (
        refused("rest", spread((1, 5, 3), (2, 2, 3), (2,), (NONE,)), "do not divide into blocks"),
        refused("rank", spread((5, 3), (2, 2), (2,), (NONE,)), "must have 3 or 4 dimensions"),
        refused("axes", spread((1, 4, 3), (2, 2, 3), (2, 2), (NONE,)), "must have 1 sizes"),
        refused("none", spread((1, 4, 3), (2, 2, 3), (0,), (NONE,)), "[0] must have 1 sizes"),
        refused("negative", spread((1, 4, 3), (2, 2, 3), (2,), ((-1, 1),)), "not negative"),
        refused(
            "int16", spread(*IMAGE, dtype="int16", zero_point=5), "zero point of int16 is 5, not 0"
        ),
        refused("scale", spread(*IMAGE, scale={"y": 0.25}), "quantised as x is"),
    )
