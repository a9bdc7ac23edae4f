"""StablehloPad: every type, borders, elements between x's own, and cropping of both."""

from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import EVERY_TYPE_NAME


def pad(
    x: Sequence[int] = (3, 4),
    low: Sequence[int] = (1, -1),
    high: Sequence[int] = (0, 2),
    inner: Sequence[int] = (1, 2),
    dtype: str = "int32",
    value: Given = (),
) -> Build:
    """STABLEHLO_PAD to build; its element is an input unless given."""
    sizes = zip(x, low, high, inner, strict=False)
    y = [max(1, a + b + (size - 1) * (i + 1) + 1) for size, a, b, i in sizes]
    given = value if isinstance(value, np.ndarray) else (value, dtype)
    options = {"edge_padding_low": low, "edge_padding_high": high, "interior_padding": inner}
    return one_node("STABLEHLO_PAD", {"x": (x, dtype), "value": given}, {"y": (y, dtype)}, options)


ZERO, ONES = (0, 0), np.array(1, np.float32)


class TestStablehloPad(OpTests):
    cases = (
        *(Case(dtype, pad(dtype=dtype)) for dtype in EVERY_TYPE_NAME),
        Case("border", pad((2, 3), (1, 0), (0, 2), ZERO, "float32", ONES)),
        Case("computed_border", pad((2, 3), (1, 0), (0, 2), ZERO)),
        Case("cropped", pad((4, 5), (-1, -2), (-2, 0), ZERO, "int8")),
        Case("between_is_cropped", pad((3, 3), (-1, -4), (-2, -1), (2, 2))),
        Case("none_left", pad((2, 2), (-3, 0), (5, 0), ZERO)),
        Case("rank_1", pad((5,), (2,), (1,), (3,), value=(1,))),
        Case("rank_6", pad((2, 1, 2, 2, 1, 2), *((1, 0, -1, 0, 2, 0),) * 2, (0, 1, 1, 0, 0, 3))),
        Case("as_it_is", pad((2, 3), ZERO, ZERO, ZERO, "int8")),
        Case("one_element", pad((1,), (0,), (0,), (4,))),
    )
    rejected = (
        refused("few", pad(low=(1,)), "edge_padding_low (1,) must have one number per axis"),
        refused("negative", pad(inner=(0, -1)), "-1 elements between others are too few"),
        refused("nothing", pad((2, 2), (-3, 0), ZERO, ZERO), "has no elements left"),
        refused("values", pad(value=(2,)), "value i32[2] must be one element"),
        refused("scalar", pad((), (), (), ()), "must have 1 to 8 dimensions"),
    )
