"""MaxPool2D: windows, padding and activations against LiteRT."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.pooling_cases import pool_cases, refused_pools


class TestMaxPool2d(OpTests):
    cases = pool_cases("MAX_POOL_2D")
    rejected = refused_pools("MAX_POOL_2D")
