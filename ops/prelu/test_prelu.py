"""PReLU: factors of each channel, of each element, and one for all."""

from opsmith.testing.op_tests import *

CHANNELS = (0.5,) * 5, (0,) * 5


def prelu(
    a: Sequence[int],
    b: Sequence[int],
    dtype: str = "int8",
    *,
    y: Sequence[int] | None = None,
    a_is: tuple[Any, ...] = (0.05, 3),
    b_is: tuple[Any, ...] = (0.02, 7),
    y_is: tuple[Any, ...] = (0.07, 20),
) -> Build:
    """PReLU to build; `a_is`, `b_is` and `y_is` are scales and zero points."""
    if dtype == "float32":
        a_is = b_is = y_is = ()
    inputs = {"a": (a, dtype, *a_is), "b": (b, "int8" if dtype == "int16" else dtype, *b_is)}
    return one_node("PRELU", inputs, {"y": (a if y is None else y, dtype, *y_is)})


class TestPrelu(OpTests):
    cases = (
        Case("int8_channels", prelu((1, 4, 3, 5), (1, 1, 5))),
        Case("int8_elements", prelu((3, 7), (3, 7), y_is=(0.05, 3))),
        Case("int8_scalar", prelu((33,), (1,), y_is=(1e-3, -100))),
        Case("int8_one_element", prelu((1,), (1,))),
        Case("int8_dead_scale", prelu((33,), (1,), y_is=(1e-12, 3))),
        Case("uint8_channels", prelu((1, 4, 3, 5), (1, 1, 5), "uint8", a_is=(0.05, 130))),
        Case("int16_channels", prelu((1, 4, 3, 5), (1, 1, 5), "int16", a_is=(0.05, 0))),
        Case("int16_elements", prelu((3, 7), (3, 7), "int16", y_is=(1e-3, 0))),
        Case("float32_channels", prelu((1, 4, 3, 5), (1, 1, 5), "float32")),
        Case("float32_elements", prelu((2, 31), (2, 31), "float32")),
    )
    rejected = (
        refused("larger", prelu((5,), (4, 5), y=(4, 5)), "b i8[4x5] is larger than a i8[5]"),
        refused("a_unquantised", prelu((5,), (5,), a_is=()), "a must be quantised per tensor"),
        refused("b_unquantised", prelu((5,), (5,), b_is=()), "b must be quantised per tensor"),
        refused("y_per_channel", prelu((5,), (5,), y_is=CHANNELS), "y must be quantised per"),
        refused("ratio", prelu((5,), (5,), a_is=(1e20, 0), y_is=(1e-20, 0)), "the scale ratio"),
    )
