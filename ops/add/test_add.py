"""Add: every broadcast, type, quantisation and activation against LiteRT."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.binary_cases import Binary, sum_cases, sum_refusals
from runtimes.families.one_varies_cases import one_varies_cases
from runtimes.families.stablehlo_cases import pairs_cases, pairs_refusals

SHIFTED_ROWS = Binary(
    "ADD", (4, 5), (5,), dtype="int16", scales=(0.5, 0.5, 0.5), zero_points=(0, 0, 0)
)
THREE_TO_ONE = Binary(  # ties everywhere, and a constant
    "ADD",
    (2, 128),
    (1,),
    scales=(0.0117647061124444, 0.003921568859368563, 0.01568627543747425),
    zero_points=(-128, -128, -128),
    constant="b",
    values=127,
)


class TestAdd(OpTests):
    cases = (
        *sum_cases("ADD", (0.0364, 0.0293, 0.0402), (-128, -3, -128)),
        *one_varies_cases(Binary("ADD"), "uint8"),
        Case("three_to_one", THREE_TO_ONE),
        *pairs_cases("ADD", "int32", "int64"),
    )
    rejected = (
        *sum_refusals("ADD"),
        *pairs_refusals("ADD", "int8", "int16"),
        refused("shifts_rows", SHIFTED_ROWS, "a and b must have one shape"),
    )
