"""Fill: every element type and rank, against LiteRT."""

from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import EVERY_TYPE_NAME


def fill(
    dims: Sequence[int] = (3, 7),
    dtype: str = "int8",
    y: Sequence[int] | None = None,
    value: Sequence[int] = (),
    scales: tuple[float, float] = (0.5, 0.5),
) -> Build:
    """FILL to build with a value of an input."""
    of_value, of_y = [(each,) if dtype == "int8" else () for each in scales]
    given: dict[str, Given] = {"dims": np.array(dims, np.int32), "value": (value, dtype, *of_value)}
    made = {"y": (dims if y is None else y, dtype, *of_y)}
    return one_node("FILL", given, made, version=3)


def of_constant(m: ModelWriter) -> None:
    """Add a FILL of a constant value, which is folded at build time."""
    dims, value = (
        m.constant("dims", np.array([2, 3], np.int32)),
        m.constant("value", np.array(7, np.float32)),
    )
    m.output(m.value("FILL", [dims, value], m.tensor("y", (2, 3), "float32")))


class TestFill(OpTests):
    cases = (
        *(Case(dtype, fill(dtype=dtype)) for dtype in EVERY_TYPE_NAME),
        Case("one_element", fill((1,), "float32")),
        Case("rank_6", fill((2, 1, 3, 2, 1, 2))),
        Case("of_constant", of_constant),
    )
    rejected = (
        refused("size_below_0", fill((3, -1), y=(3, 1)), "sizes must not be negative"),
        refused("value", fill(value=(1,)), "must be one number"),
        refused("scales", fill(scales=(0.5, 0.25)), "value must be quantised as y is"),
    )
