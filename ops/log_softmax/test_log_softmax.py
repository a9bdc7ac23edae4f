"""LogSoftmax: LiteRT's exponentials and logarithms, for every type, depth and scale."""

from opsmith.testing.op_tests import *


def signed(
    x: Sequence[int] = (1, 12),
    scale: float | tuple[()] = 0.1,
    dtype: str = "int8",
    y_scale: float = 1 / 16,
    y_zero_point: int = 127,
) -> Build:
    """Log-softmax of bytes to build."""
    given, made = (x, dtype, scale, 4), (x, dtype, y_scale, y_zero_point)
    return one_node("LOG_SOFTMAX", {"x": given}, {"y": made}, version=2)


unsigned = partial(signed, dtype="uint8", y_zero_point=255)


def real(x: Sequence[int]) -> Build:
    """Log-softmax of float32 to build."""
    return one_node("LOG_SOFTMAX", {"x": (x, "float32")}, {"y": (x, "float32")})


class TestLogSoftmax(OpTests):
    cases = (
        Case("plain", signed()),
        Case("rows", signed((7, 10), scale=0.05)),
        Case("one_element", signed((1,))),
        Case("rank_4", signed((2, 3, 2, 5))),
        Case("depth_511", signed((2, 511), scale=0.01)),
        Case("depth_4095", signed((1, 4095), scale=1e-4)),
        Case("scale_smallest", signed(scale=3.2e-8)),
        Case("scale_0_25", signed((3, 40), scale=0.25)),
        Case("scale_1", signed((3, 40), scale=1.0)),
        Case("scale_7", signed((3, 9), scale=7.0)),
        Case("scale_15", signed((3, 9), scale=15.5)),
        Case("scale_1000", signed((3, 9), scale=1000.0)),
        Case("uint8", unsigned((3, 19))),
        Case("uint8_scale_1", unsigned((3, 40), scale=1.0)),
        Case("float32", real((3, 19))),
        Case("float32_one_element", real((1,))),
        Case("of_constant", of_constants(signed((2, 12)))),
    )
    rejected = (
        refused("scalar", signed(()), "at least one dimension"),
        refused("too_deep", signed((1, 4096)), "larger than 4095"),
        refused("y_scale", signed(y_scale=1 / 8), "scale 1/16"),
        refused("y_zero_point", signed(y_zero_point=0), "zero point 127"),
        refused("uint8_y_zero_point", unsigned(y_zero_point=0), "zero point 255"),
        refused("scale_too_small", signed(scale=1e-8), "is not above 2^-25"),
        refused("unquantised", signed(scale=()), "x must be quantised per tensor"),
    )
