"""StablehloMultiply: finite floats, infinite ones, NaN and -0."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.stablehlo_cases import pairs_cases, pairs_refusals


class TestStablehloMultiply(OpTests):
    cases = pairs_cases("MULTIPLY", "float32")
    rejected = pairs_refusals("MULTIPLY", "int8")
