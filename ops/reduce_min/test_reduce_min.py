"""ReduceMin: every type and choice of axes, against LiteRT."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.reduction_cases import Reduction, fold_cases, fold_refusals

EVERY = Reduction("REDUCE_MIN")


class TestReduceMin(OpTests):
    cases = fold_cases(EVERY, ("int8", "uint8", "int16", "int32", "int64", "float32", "bool"))
    rejected = fold_refusals(EVERY)
