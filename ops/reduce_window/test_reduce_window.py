"""ReduceWindow: every function and type, windows with strides and dilations, and NaN."""

from opsmith.testing.op_tests import *

TYPES = ("int8", "int16", "int32", "int64", "uint8", "float32", "bool")
FUNCTIONS = ("ADD", "MUL", "MINIMUM", "MAXIMUM", "ALL", "ANY")


def window(
    function: str = "MAXIMUM",
    dtype: str = "int32",
    x: Sequence[int] = (5, 7),
    shape: Sequence[int] = (2, 3),
    strides: Sequence[int] = (2, 1),
    dilations: Sequence[int] = (1, 2),
    first: Given = (),
) -> Build:
    """REDUCE_WINDOW to build; its first element is an input unless given."""
    sizes = zip(x, shape, strides, dilations, strict=False)
    y = [max(1, (n - (w - 1) * d - 1) // max(1, s) + 1) for n, w, s, d in sizes]
    numbers = {"shape": shape, "strides": strides, "dilations": dilations}
    given: dict[str, Given] = {name: np.array(each, np.int64) for name, each in numbers.items()}
    start = first if isinstance(first, np.ndarray) else (first, dtype)
    inputs: dict[str, Given] = {"x": (x, dtype), "first": start, **given}
    return one_node("REDUCE_WINDOW", inputs, {"y": (y, dtype)}, {"reduce_function": function})


class TestReduceWindow(OpTests):
    cases = (
        *(Case(f"{dtype}_maximum", window(dtype=dtype)) for dtype in TYPES),
        *(Case(f"bytes_{each.lower()}", window(each, "int8")) for each in FUNCTIONS),
        *(Case(f"real_{each.lower()}", window(each, "float32")) for each in FUNCTIONS),
        *(Case(f"int64_{each.lower()}", window(each, "int64")) for each in ("ADD", "MUL")),
        Case("all_of_bool", window("ALL", "bool")),
        Case("nan", window(dtype="float32", first=np.array(np.nan, np.float32))),
        Case("vector", window("ADD", "int16", (9,), (3,), (1,), (4,), first=(1,))),
        Case(
            "image", window("MINIMUM", "uint8", (1, 6, 5, 3), (1, 3, 2, 1), (1, 2, 1, 1), (1,) * 4)
        ),
        Case("rank_6", window("ADD", "int32", (2,) * 6, (1, 2) * 3, (1,) * 6, (1,) * 6)),
        Case("one_element", window("ADD", "float32", (1,), (1,), (1,), (1,))),
    )
    rejected = (
        refused("few", window(strides=(1,)), "window_strides i64[1] must have one number per axis"),
        refused("zero", window(dilations=(0, 1)), "dilations is [0, 1], which must be above 0"),
        refused("wide", window(shape=(6, 1)), "an axis of 5 has no window of 6 with dilation 1"),
        refused("firsts", window(first=(2,)), "first i32[2] must be one element"),
        refused("sums", window("ADD", "bool"), "sums of bool are not supported"),
        refused("rank_7", window("ADD", "int32", *((1,) * 7,) * 4), "must have 1 to 6 dimensions"),
        refused("none", window("UNSUPPORTED"), "'reduce_function' is 'UNSUPPORTED'", "MDL013"),
    )
