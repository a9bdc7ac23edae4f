"""Div: signs, broadcasts and activations against LiteRT, which fails where a divisor is 0."""

from opsmith.testing.op_tests import *
from runtimes.families.binary_cases import Binary
from runtimes.families.one_varies_cases import one_varies_cases

DIVISORS = (1, 2, 3, 7, 666, 2**30, 2**31 - 1, -2, -3, -641, -(2**31), 1000003)
PLAIN = Binary("DIV", (12,), (12,), dtype="int32", constant="b", values=DIVISORS, version=1)

REAL_DIVISORS = (0.1, -0.3, 7.0, 1e-3, -1e6, 1e20, 3.0, -1.0, 1e-40, -1e-38)
REAL = replace(PLAIN, a=(10,), b=(10,), dtype="float32", values=REAL_DIVISORS)
BYTES = (-128, -127, -1, 0, 1, 6, 8, 9, 40, 127)
WORDS = (-32768, -32767, -300, -1, 1, 2, 77, 1000, 20000, 32767)
UNSIGNED = (0, 1, 100, 134, 136, 137, 140, 170, 200, 255)
I8 = Binary("DIV", (200, 10), (10,), constant="b", values=BYTES, scales=(0.05, 0.03, 0.4))
REGULAR = replace(
    I8, a=(256, 10), scales=(0.0235, 0.0102, 0.0094)
)  # bits are shifted by 31 or less


def div(a: Sequence[int], b: Sequence[int], **changes: Any) -> Binary:
    """Division by constants to build, of these shapes."""
    return replace(PLAIN, a=a, b=b, **changes)


class TestDiv(OpTests):
    cases = (
        Case("each", div((12,), (12,))),
        Case("scalar", div((40,), (), values=666)),
        Case("one_element", div((1,), (1,))),
        Case("negative", div((3, 5), (), values=-7)),
        Case("minus_one", div((9,), (), values=-1)),  # -2^31 saturates
        Case("rows", div((5, 12), (12,))),
        Case("columns", div((12, 5), (12, 1))),
        Case("scalar_a", div((), (2, 6))),
        Case("both_ways", div((4, 1), (1, 12))),
        Case("rank_5", div((2, 1, 2, 1, 3), (1, 2, 1, 5, 1))),
        Case("rank_5_other", div((1, 4, 1, 5, 1), (2, 1, 2, 1, 3))),
        Case("six_axes", div((2, 1) * 3, (1, 2) * 3)),
        Case("relu", div((5, 12), (12,), activation="RELU")),
        Case("relu6", div((5, 12), (12,), activation="RELU6")),
        Case("relu_n1_to_1", div((5, 12), (12,), activation="RELU_N1_TO_1")),
        Case("int8", I8),
        Case("int8_saturates", replace(I8, scales=(0.5, 0.01, 0.03), activation="RELU6")),
        Case("int8_small", replace(I8, scales=(0.01, 0.5, 0.01))),
        Case("int8_large_ratio", replace(I8, a=(40, 10), scales=(3.0, 1e-3, 1e-3))),
        Case("int8_small_ratio", replace(I8, a=(40, 10), scales=(1e-9, 1.0, 3.0))),
        Case("int8_regular", REGULAR),
        Case("int8_regular_relu", replace(REGULAR, a=(40, 10), activation="RELU6")),
        Case("int8_regular_signs", replace(REGULAR, a=(256, 1), zero_points=(127, -20, -128))),
        Case("int8_powers_of_two", replace(REGULAR, scales=(1.0, 0.125, 0.0625))),
        Case("int8_far_scales", replace(REGULAR, a=(40, 10), scales=(3.0, 2e-3, 1e-3))),
        Case(
            "uint8_regular",
            replace(REGULAR, dtype="uint8", zero_points=(0, 135, 255), values=UNSIGNED),
        ),
        Case("uint8", replace(I8, dtype="uint8", zero_points=(125, 135, 132), values=UNSIGNED)),
        *one_varies_cases(Binary("DIV"), "uint8")[:3],  # the other divisors may be 0
        Case("int16", replace(I8, dtype="int16", zero_points=(0, 0, 0), values=WORDS)),
        Case("float32", REAL),
        Case("float32_scalar", replace(REAL, b=(), values=3.0)),
        Case("float32_zero", replace(REAL, a=(), constant="a", values=1.0)),  # infinity is clamped
        Case("float32_rows", replace(REAL, a=(4, 10), activation="RELU6")),
    )
    rejected = (
        refused("zero", div((2,), (2,), values=(0, 1)), "b is 0 in places"),
        refused("sizes", div((2, 3), (2, 4), y=(2, 4)), "do not broadcast"),
        refused("byte", replace(I8, values=(7, 1)), "b is 0 in places"),
        refused("ratio", replace(I8, scales=(1.0, 1e-4, 1e-4)), "a.scale / (b.scale * y.scale) is"),
        refused("unquantised", replace(I8, scales=((), 0.1, 0.1)), "a must be quantised"),
    )

    @pytest.mark.slow
    def test_what_litert_has_no_answer_for_is_as_numpy_says(self) -> None:
        """Compares divisors of an input, some of which are zero."""
        any_int32 = Case("int32", div((4, 9), (9,), constant=""))
        any_int8 = Case("int8", replace(I8, constant=""))
        regular = Case("regular", replace(REGULAR, b=(256, 10), constant=""))
        check_on_host(self.folder, (any_int32, any_int8, regular), oracle="numpy")
