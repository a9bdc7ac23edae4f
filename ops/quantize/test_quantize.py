"""Quantize: from float32 and from another quantisation, with ties, extremes and NaN."""

from itertools import product

from opsmith.testing.op_tests import *
from runtimes.families.unary_cases import PROBLEM, Scale, Unary, ZeroPoint, rescaled_shapes


def quantize(scale: Scale, zero_point: ZeroPoint = 0, **others: Any) -> Unary:
    """QUANTIZE from float32 to build."""
    return Unary("QUANTIZE", (), 0, scale, zero_point, x_type="float32", **others)


def requantize(scale: Scale, zero_point: int, x_scale: Scale, x_zero_point: int = 0) -> Unary:
    """QUANTIZE from int8 to build."""
    return Unary("QUANTIZE", x_scale, x_zero_point, scale, zero_point)


OTHERS = (
    *product(["int8"], ["uint8", "int16"]),
    *product(["uint8"], ["int8", "uint8", "int16"]),
    *product(["int16"], ["int8", "int16", "int32"]),
    *product(["int32"], ["int8", "int16"]),
)


def between(x: str, y: str) -> Unary:
    """QUANTIZE from one type to another to build, at scales that suit the narrower type."""
    scales = {"int8": 0.07, "uint8": 0.05, "int16": 3e-4, "int32": 1e-8}
    zeros = {"int8": -20, "uint8": 131}
    plain = requantize(scales[y], zeros.get(y, 0), scales[x], zeros.get(x, 0))
    return plain.but(x_type=x, y_type=y)


def of_halfwords(x: str, y: str, x_zero_point: int, y_zero_point: int) -> Unary:
    """QUANTIZE from one type to another to build, with these zero points."""
    plain = between(x, y)
    return plain.but(x_zero_point=x_zero_point, y_zero_point=y_zero_point)


def flipped(x: str, y: str) -> Unary:
    """QUANTIZE between int8 and uint8 to build, at one scale and with equal zeros."""
    zeros = {"int8": -3, "uint8": 125}
    return requantize(0.5, zeros[y], 0.5, zeros[x]).but(x_type=x, y_type=y, shape=(1, 5, 7))


class TestQuantize(OpTests):
    cases = (
        Case("float_plain", quantize(0.0123, -5)),
        Case("float_ties", quantize(1.0, 3)),
        Case("float_ties_of_halves", quantize(0.25, -3)),
        Case("float_small_scale", quantize(0.001, 100)),
        Case("float_large_scale", quantize(3e4, 0)),
        Case("float_least_zero_point", quantize(0.1, -128)),
        Case("float_greatest_zero_point", quantize(0.1, 127)),
        Case("float_image", quantize(0.05, 1, shape=(1, 4, 5, 3))),
        Case("float_scalar", quantize(0.05, 1, shape=())),
        Case("same", requantize(0.5, 3, 0.5, 3)),
        Case("shifted", requantize(0.5, -128, 0.5, 127)),
        Case("doubled", requantize(0.25, 0, 0.5, 0)),
        Case("halved", requantize(0.5, 0, 0.25, 0)),
        Case("ratio", requantize(0.07, -20, 0.05, 11)),
        Case("vanishing", requantize(1e6, -20, 1e-6, 11)),
        Case("saturating", requantize(1e-4, 5, 10.0, -9)),
        Case("dead_scale", requantize(1e-30, 5, 10.0, -9)),
        *rescaled_shapes(requantize(0.07, -20, 0.05, 11)),
        Case("float_to_uint8", quantize(0.05, 131, y_type="uint8")),
        Case("float_to_int16", quantize(1e-3, y_type="int16")),
        *(Case(f"{x}_to_{y}", between(x, y)) for x, y in OTHERS),
        Case("flipped_to_int8", flipped("uint8", "int8")),
        Case("flipped_to_uint8", flipped("int8", "uint8")),
        # As after a softmax of int8 to int16.
        Case("int16_least_zero_point", of_halfwords("int16", "int8", -32768, -128)),
        Case("int16_greatest_zero_point", of_halfwords("int16", "int8", 32767, 5)),
        Case("to_int16_zero_point", of_halfwords("uint8", "int16", 131, -32768)),
    )
    beyond_litert = (Case("int8_to_int32", between("int8", "int32")),)
    rejected = (
        Rejected(
            Case("int16_zero_point", of_halfwords("int16", "int16", 5, 0)),
            "x is int16 with zero point 5, which must be 0",
        ),
        Rejected(
            Case("int32_zero_point", of_halfwords("int32", "int8", 5, 0)),
            "x is int32 with zero point 5, which must be 0",
        ),
        refused("y_unquantised", quantize(()), f"y {PROBLEM}"),
        refused("y_per_channel", quantize((0.5,) * 3, (0,) * 3, shape=(3,)), f"y {PROBLEM}"),
        refused("x_unquantised", requantize(0.5, 0, ()), f"x {PROBLEM}"),
        refused(
            "zero_point_beyond_32_bits",
            of_halfwords("uint8", "int16", 131, -32768).but(y_scale=1e-9),
            "elements of x leave 32 bits",
        ),
    )

    @pytest.mark.parametrize(
        ("real", "element"),
        [(np.inf, 127), (-np.inf, -128), (3e38, 127), (-3e38, -128), (np.nan, -128)],
    )
    def test_numbers_beyond_int32_saturate(self, real: float, element: int) -> None:
        """Checks saturation; TFLite's undefined conversion to int32_t is no oracle."""
        (y,) = self.in_numpy(quantize(0.5, 7, shape=(1,))).run([np.array([real], np.float32)])
        assert y.tolist() == [element]
