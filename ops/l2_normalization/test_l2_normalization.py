"""L2Normalization: LiteRT's inverse root, for every type, depth and size of the sum."""

from opsmith.testing.op_tests import *


def signed(
    x: Sequence[int] = (3, 19),
    x_zero_point: int = 4,
    dtype: str = "int8",
    scale: float | tuple[()] = 0.1,
    y_scale: float = 1 / 128,
    y_zero_point: int = 0,
    activation: str = "NONE",
) -> Build:
    """Normalisation of bytes to build."""
    given, made = (x, dtype, scale, x_zero_point), (x, dtype, y_scale, y_zero_point)
    options = {"fused_activation_function": activation}
    return one_node("L2_NORMALIZATION", {"x": given}, {"y": made}, options, version=2)


unsigned = partial(signed, dtype="uint8", x_zero_point=130, y_zero_point=128)


def real(x: Sequence[int]) -> Build:
    """Normalisation of float32 to build."""
    return one_node("L2_NORMALIZATION", {"x": (x, "float32")}, {"y": (x, "float32")})


class TestL2Normalization(OpTests):
    cases = (
        Case("plain", signed()),
        Case("one_element", signed((1,))),
        Case("pairs", signed((40, 2), x_zero_point=-128)),
        Case("rank_4", signed((2, 3, 2, 5), x_zero_point=127)),
        Case("depth_9000", signed((9000,), x_zero_point=-128)),
        Case("sum_of_2_to_29", signed((1 << 15,), x_zero_point=0)),  # of the least elements
        Case("uint8", unsigned()),
        Case("uint8_pairs", unsigned((40, 2), x_zero_point=0)),
        Case("uint8_one_element", unsigned((5, 1), x_zero_point=255)),
        Case("float32", real((3, 19))),
        Case("float32_one_element", real((7, 1))),
        Case("of_constant", of_constants(signed((2, 12)))),
    )
    rejected = (
        refused("scalar", signed(()), "at least one dimension"),
        refused("too_deep", signed((33026,)), "larger than 33025"),
        refused("y_scale", signed(y_scale=1 / 256), "scale 1/128"),
        refused("y_zero_point", signed(y_zero_point=1), "zero point 0"),
        refused("uint8_y_zero_point", unsigned(y_zero_point=0), "zero point 128"),
        refused("unquantised", signed(scale=()), "x must be quantised per tensor"),
        refused("activation", signed(activation="RELU"), "RELU", "MDL013"),
    )
