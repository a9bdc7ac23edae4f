"""QuantizeEven: halves, both ends, NaN, and a scale whose reciprocal is rounded."""

from opsmith.testing.op_tests import *


def quantized(
    scale: float, zero_point: int, shape: tuple[int, ...] = (3, 70), how: bytes = b"multiplied"
) -> Build:
    """Model from float32 to int8 to build."""
    x, y = (shape, "float32"), (shape, "int8", scale, zero_point)
    return custom_node("OpsmithQuantize", {"x": x}, {"y": y}, how)


SCALE, X = 0.003, 0.007500000298023224  # X / SCALE is 2.5, X * (1 / SCALE) is more


class TestQuantizeEven(OpTests):
    cases = (
        Case("divided", quantized(0.0123, -5, how=b"")),
        Case("multiplied", quantized(0.0123, -5)),
        Case("halves", quantized(1.0, 3)),
        Case("small", quantized(0.001, 100, how=b"")),
        Case("large", quantized(3e4, 0)),
        Case("least_zero_point", quantized(0.1, -128, (1, 4, 5, 3))),
        Case("most_zero_point", quantized(0.1, 127, (17,), how=b"")),
        Case("one", quantized(0.1, 0, (1,))),
        Case("scalar", quantized(0.1, 0, ())),
    )
    rejected = (
        refused("no_reciprocal", quantized(1e-39, 0), "so small that its reciprocal is no float32"),
    )
    oracle = "numpy"

    @pytest.mark.parametrize(
        ("real", "element"),
        [
            (0.25, 7),
            (0.75, 9),
            (-0.25, 7),
            (-0.75, 5),
            (np.inf, 127),
            (-3e38, -128),
            (np.nan, -128),
        ],
    )
    def test_halves_are_even_and_others_saturate(self, real: float, element: int) -> None:
        (y,) = self.in_numpy(quantized(0.5, 7, (1,))).run([np.array([real], np.float32)])
        assert y.tolist() == [element]

    @pytest.mark.parametrize(("how", "element"), [(b"", 2), (b"multiplied", 3)])
    def test_a_reciprocal_may_be_rounded(self, how: bytes, element: int) -> None:
        """Compares a quotient that is a half with a product beside that half."""
        (y,) = self.in_numpy(quantized(SCALE, 0, (1,), how)).run([np.array([X], np.float32)])
        assert y.tolist() == [element]
