"""ReduceAny: every choice of axes, against LiteRT."""

from opsmith.runtimes.families.reduction_cases import Reduction, fold_cases, fold_refusals
from opsmith.testing.op_tests import OpTests

EVERY = Reduction("REDUCE_ANY", dtype="bool", version=1)


class TestReduceAny(OpTests):
    cases = fold_cases(EVERY, ("bool",))
    rejected = fold_refusals(EVERY)
