"""Softmax: LiteRT's exponentials and reciprocals, for every type, depth and scale."""

import math

from opsmith.testing.op_tests import *


def softmax(
    x: Sequence[int] = (1, 12),
    scale: float | tuple[()] = 0.1,
    beta: float = 1.0,
    y_scale: float = 1 / 256,
    y_zero_point: int = -128,
    dtype: str = "int8",
    x_zero_point: int = 4,
    y_type: str = "",
) -> Build:
    """Softmax of integers to build; y has the type of x unless given another."""
    given = (x, dtype, scale, x_zero_point)
    made = (x, y_type or dtype, y_scale, y_zero_point)
    return one_node("SOFTMAX", {"x": given}, {"y": made}, {"beta": beta}, version=2)


halfwords = partial(
    softmax, dtype="int16", scale=1e-4, x_zero_point=0, y_scale=1 / 32768, y_zero_point=0
)
unsigned = partial(softmax, dtype="uint8", y_zero_point=0)
widening = partial(softmax, y_type="int16", y_scale=1 / 65536, y_zero_point=-32768)


def real(x: Sequence[int], beta: float = 1.0) -> Build:
    """Softmax of float32 to build."""
    return one_node("SOFTMAX", {"x": (x, "float32")}, {"y": (x, "float32")}, {"beta": beta})


def of_constant(m: ModelWriter) -> None:
    """Add a softmax of a constant, which is folded at build time."""
    x = m.constant("x", np.arange(-12, 12, dtype=np.int8).reshape(2, 12), 0.1)
    y = m.tensor("y", (2, 12), "int8", 1 / 256, -128)
    m.node("SOFTMAX", [x], [y], {"beta": 1.0}, version=2)
    m.output(y)


class TestSoftmax(OpTests):
    cases = (
        Case("plain", softmax()),
        Case("depth_4", softmax(x=(1, 4))),
        Case("depth_8", softmax(x=(1, 8))),
        Case("depth_16", softmax(x=(1, 16))),
        Case("depth_tail", softmax(x=(1, 19))),
        Case("one_element", softmax(x=(1, 1))),
        Case("two", softmax(x=(1, 2), scale=0.004)),
        Case("depth_511", softmax(x=(1, 511), scale=0.01)),
        Case("rows", softmax(x=(7, 10))),
        Case("rank_1", softmax(x=(10,))),
        Case("rank_3", softmax(x=(2, 3, 10))),
        Case("rank_4", softmax(x=(2, 3, 2, 5))),
        Case("rank_5", softmax(x=(2, 1, 3, 2, 5))),
        Case("scale_tiny", softmax(scale=1e-4)),
        Case("scale_smallest", softmax(scale=1.6e-8)),
        Case("scale_0_25", softmax(scale=0.25)),  # multiples of the exponential's own step
        Case("scale_1", softmax(scale=1.0)),
        Case("scale_3", softmax(scale=3.0)),
        Case("scale_17", softmax(scale=17.0)),
        Case("scale_1000", softmax(scale=1000.0)),
        Case("beta_half", softmax(beta=0.5)),
        Case("beta_8", softmax(beta=8.0)),
        Case("y_scale_nearly", softmax(y_scale=1.0005 / 256)),
        Case("of_constant", of_constant),
        Case("uint8", unsigned(x=(3, 19))),
        Case("uint8_one_element", unsigned(x=(1,))),
        Case("uint8_scale_1", unsigned(x=(2, 40), scale=1.0)),
        Case("to_int16", widening(x=(3, 19))),
        Case("to_int16_one_element", widening(x=(1,))),
        Case("to_int16_depth_300", widening(x=(2, 300), scale=0.01, beta=0.5)),
        Case("to_int16_scale_17", widening(x=(4, 2), scale=17.0)),
        Case("uint8_to_int16", widening(x=(2, 40), dtype="uint8", scale=1.0)),
        Case("int16", halfwords(x=(3, 19))),
        Case("int16_one_element", halfwords(x=(1,))),
        Case("int16_two", halfwords(x=(4, 2), scale=3e-6)),
        Case("int16_depth_300", halfwords(x=(2, 300), scale=1e-3)),
        Case("int16_depth_65", halfwords(x=(3, 65), scale=7e-5)),  # differences become smaller
        Case("int16_scale_2", halfwords(x=(2, 64), scale=2.0)),
        Case("int16_scale_3", halfwords(x=(2, 64), scale=3.0)),
        Case("int16_scale_1", halfwords(x=(2, 9), scale=1.0)),
        Case("int16_scale_vanishes", halfwords(x=(2, 9), scale=1e-12)),
        Case("int16_words_scale_vanishes", halfwords(x=(1, 64), scale=4e-14)),
        Case("int16_beta_8", halfwords(beta=8.0)),
        Case("float32", real((3, 19))),
        Case("float32_one_element", real((1,))),
        Case("float32_rank_4", real((2, 3, 2, 5), beta=0.3)),
        Case("float32_beta_0", real((2, 9), beta=0.0)),
        Case("many_that_do_not_count", softmax(x=(2, 500), scale=0.06)),
        Case("to_int16_many_that_do_not_count", widening(x=(1, 300))),
    )
    rejected = (
        refused("scalar", softmax(x=()), "at least one dimension"),
        refused("too_deep", softmax(x=(1, 4096)), "larger than 4095"),
        refused("y_scale", softmax(y_scale=1 / 255), "scale 1/256"),
        refused("y_zero_point", softmax(y_zero_point=0), "zero point -128"),
        refused("beta_0", softmax(beta=0.0), "beta 0.0"),
        refused("beta_negative", softmax(beta=-1.0), "beta -1.0"),
        refused("beta_nan", softmax(beta=math.nan), "'beta' is nan, which is not"),
        refused("scale_too_small", softmax(scale=1e-8), "is not above 2^-26"),
        refused("unquantised", softmax(scale=()), "x must be quantised per tensor"),
        refused("to_int16_y_scale", widening(y_scale=1 / 32768), "scale 1/65536"),
        refused("to_int16_y_zero_point", widening(y_zero_point=0), "zero point -32768"),
        refused("int16_y_scale", halfwords(y_scale=1 / 256), "scale 1/32768"),
        refused("int16_y_zero_point", halfwords(y_zero_point=3), "zero point 0"),
        refused("int16_too_deep", halfwords(x=(65536,)), "larger than 65535"),
        refused("int16_beta_0", halfwords(beta=-1.0), "is not a positive number"),
        refused("float32_scalar", real(()), "at least one dimension"),
    )
