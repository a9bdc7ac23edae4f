"""BatchToSpaceND: every type, with and without crops, of images and of sequences."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.movement_cases import EVERY_TYPE_NAME, Moving

merge = Moving("BATCH_TO_SPACE_ND", "x", "block_shape", "crops")
NONE = (0, 0)
IMAGE = ((4, 3, 2, 2), (1, 5, 3, 2), (2, 2), ((0, 1), (1, 0)))  # crops that differ


class TestBatchToSpaceNd(OpTests):
    cases = (
        *merge.of_types(EVERY_TYPE_NAME, *IMAGE),
        Case("no_crops", merge((12, 2, 2, 3), (2, 4, 6, 3), (2, 3), (NONE, NONE))),
        Case("large_crops", merge((6, 2, 3, 1), (1, 2, 2, 1), (3, 2), ((4, 0), (1, 3)))),
        Case("sequence", merge((8, 3, 5), (2, 7, 5), (4,), ((3, 2),), zero_point=9)),
        Case("one_element", merge((1, 1, 1), (1, 1, 1), (1,), (NONE,))),
    )
    rejected = (
        refused("batches", merge((3, 2, 3), (1, 4, 3), (2,), (NONE,)), "3 images, no multiple"),
        refused("crops", merge((2, 2, 3), (1, 1, 3), (2,), ((2, 2),)), "leave nothing of [4]"),
        refused("rank", merge((4, 3), (2, 2), (2,), (NONE,)), "must have 3 or 4 dimensions"),
        refused("axes", merge((2, 2, 3), (1, 4, 3), (2, 2), (NONE,)), "must have 1 sizes"),
        refused("negative", merge((2, 2, 3), (1, 4, 3), (2,), ((-1, 1),)), "not negative"),
        refused("scale", merge(*IMAGE, scale={"y": 0.25}), "quantised as x is"),
    )
