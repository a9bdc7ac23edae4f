"""Pad: borders along every axis, with zero points and with given values."""

from opsmith.op.node import view
from opsmith.testing.known_ops import known_ops
from opsmith.testing.legal import legal
from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import Shape, moving, numbers


def pad(
    x: Shape,
    borders: Sequence[Shape],
    value: float | Sequence[int] | None = None,
    *,
    dtype: str = "int8",
    y: Shape | None = None,
    zero_point: int = -7,
    wide: bool = False,
    **others: Any,
) -> Build:
    """PAD to build, or PADV2 if it has a value; paddings are int64 if `wide`."""
    paddings = np.array(borders, np.int64) if wide else numbers(borders)
    given: dict[str, Shape | Array] = {"x": x, "paddings": paddings}
    if value is not None:
        given["value"] = np.array(value, dtype)
    source = "PAD" if value is None else "PADV2"
    made = (
        [size + sum(border) for size, border in zip(x, borders, strict=False)] if y is None else y
    )
    return moving(source, given, [made], dtype=dtype, zero_point=zero_point, **others)


NONE = (0, 0)
TYPES = (("bool", 1), ("uint8", 200), ("int16", -300), ("int32", -70000), ("int64", 2**40 + 3),
         ("float32", -1.1))  # fmt: skip
BORDERS = ((1, 0), (0, 1), (2, 1), (1, 2))


class TestPad(OpTests):
    cases = (
        *(Case(t, pad((2, 1, 2, 3), BORDERS, dtype=t, zero_point=0)) for t, _ in TYPES),
        *(
            Case(f"value_{t}", pad((2, 1, 2, 3), BORDERS, v, dtype=t, zero_point=0))
            for t, v in TYPES
        ),
        Case("int16_scalars", pad((3,), ((1, 2),), -257, dtype="int16", zero_point=0)),
        Case("zero_point_uint8", pad((2, 3), ((1, 1), (1, 1)), dtype="uint8", zero_point=131)),
        Case("image", pad((1, 4, 5, 3), (NONE, (1, 1), (2, 2), NONE))),
        Case("image_unequal", pad((1, 4, 5, 3), (NONE, (0, 1), (3, 0), NONE))),
        Case("image_and_channels", pad((1, 4, 5, 3), (NONE, (1, 1), (2, 2), (1, 2)))),
        Case("channels", pad((1, 4, 5, 3), (NONE, NONE, NONE, (2, 1)))),
        Case("batches", pad((2, 4, 5, 3), ((1, 2), (1, 0), NONE, NONE))),
        Case("nothing", pad((2, 3), (NONE, NONE))),
        Case("one_element", pad((1,), ((1, 1),))),
        Case("rank_1", pad((5,), ((2, 3),))),
        Case("rank_2", pad((2, 3), ((1, 2), (3, 4)))),
        Case("rank_3", pad((2, 3, 4), ((1, 0), NONE, (0, 1)))),
        Case("rank_5", pad((2, 1, 3, 2, 3), ((1, 0), (0, 1), NONE, (2, 1), (1, 1)))),
        Case("wide", pad((1, 1, 40, 16), (NONE, (4, 5), (1, 1), NONE))),
        Case("least_zero_point", pad((2, 3), ((1, 1), (1, 1)), zero_point=-128)),
        Case("greatest_zero_point", pad((2, 3), ((1, 1), (1, 1)), zero_point=127)),
        Case("int64_paddings", pad((2, 3), ((1, 0), (0, 2)), wide=True)),
        Case("value", pad((1, 4, 5, 3), (NONE, (1, 1), (2, 2), NONE), 99)),
        Case("value_in_a_vector", pad((2, 3), ((1, 1), (1, 1)), [-128])),
    )
    rejected = (
        refused("negative", pad((4, 5), (NONE, (-1, 0))), "a border is negative"),
        refused("few_rows", pad((4, 5), (NONE,), y=(4, 5)), "paddings i32[1x2] must be 2x2"),
        refused("columns", pad((4,), ((1, 1, 1),), y=(6,)), "paddings i32[1x3] must be 1x2"),
        refused("rank", pad((1,) * 6, (NONE,) * 6), "must have 1 to 5 dimensions"),
        refused("scalar", pad((), (NONE,), y=()), "must have 1 to 5 dimensions"),
        refused("huge", pad((4,), ((2**31 - 1, 2**31 - 1),), y=(4,)), "takes more than", "MDL003"),
        refused(
            "unquantised", pad((4,), ((1, 1),), scale={"x": ()}), "x must be quantised per tensor"
        ),
        refused("two_values", pad((4,), ((1, 1),), [1, 2]), "must be one element"),
        refused("value_scale", pad((4,), ((1, 1),), 1, scale={"value": 0.25}), "quantised as y is"),
    )

    def test_borders_of_int8_alone_are_offered(self) -> None:
        for dtype, offered in (("int8", True), ("int16", False), ("float32", False)):
            case = Case("pad", pad((2, 3), ((1, 0), (0, 1)), dtype=dtype, zero_point=0))
            ops = known_ops([self.folder])
            graph = legal(merged_model([case]), ops)
            seen = view(graph, graph.nodes[0], ops["pad"])
            border = ops["pad"].hooks.borders.adds
            assert border is not None
            assert (border(seen) is not None) == offered
