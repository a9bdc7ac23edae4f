"""L2Pool2D: windows, padding and activations against LiteRT."""

from opsmith.testing.op_tests import *
from runtimes.families.pooling_cases import Pool

pool = partial(Pool, "L2_POOL_2D", dtype="float32", version=1)


class TestL2Pool2d(OpTests):
    cases = (
        Case("same", pool(x=(2, 5, 4, 5), window=(3, 2))),
        Case("valid", pool(padding="VALID", stride=(2, 1))),
        Case("one_element", pool(x=(1, 1, 1, 1), window=(1, 1))),
        Case("relu6", pool(activation="RELU6")),
        Case("relu_n1_to_1", pool(activation="RELU_N1_TO_1")),
        Case("whole_image", pool(x=(1, 9, 7, 3), window=(9, 7), padding="VALID")),
    )
    rejected = (
        refused("stride_0", pool(stride=(0, 1)), "must be positive"),
        refused("rank_3", pool(x=(7, 6, 4)), "must have 4 dimensions"),
    )
