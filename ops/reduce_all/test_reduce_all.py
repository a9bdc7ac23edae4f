"""ReduceAll: every choice of axes, against LiteRT."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.reduction_cases import Reduction, fold_cases, fold_refusals

EVERY = Reduction("REDUCE_ALL", dtype="bool", version=1)


class TestReduceAll(OpTests):
    cases = fold_cases(EVERY, ("bool",))
    rejected = fold_refusals(EVERY)
