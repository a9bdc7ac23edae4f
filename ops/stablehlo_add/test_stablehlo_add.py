"""StablehloAdd: finite floats, infinite ones, NaN and -0."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.stablehlo_cases import pairs_cases, pairs_refusals


class TestStablehloAdd(OpTests):
    cases = pairs_cases("ADD", "float32")
    rejected = pairs_refusals("ADD", "int8")
