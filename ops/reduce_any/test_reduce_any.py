"""ReduceAny: every choice of axes, against LiteRT."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.reduction_cases import Reduction, fold_cases, fold_refusals

EVERY = Reduction("REDUCE_ANY", dtype="bool", version=1)


class TestReduceAny(OpTests):
    cases = fold_cases(EVERY, ("bool",))
    rejected = fold_refusals(EVERY)
