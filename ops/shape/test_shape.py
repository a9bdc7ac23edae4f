"""Shape: of every element type and rank, in 32 and 64 bits."""

from __future__ import annotations

from runtimes.families.movement import EVERY_TYPE
from runtimes.families.movement_cases import Build
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, refused
from toolchain.testing.tflite_writer import ModelWriter

OUT_TYPES = {"int32": 2, "int64": 4}  # as the schema numbers them


def sizes(*x: int, dtype: str = "int8", y: str = "int32") -> Build:
    """The shape of an input."""

    def build(m: ModelWriter) -> None:
        made = m.tensor("y", (len(x),), y)
        m.node("SHAPE", [m.input("x", x, dtype)], [made], {"out_type": OUT_TYPES.get(y, 0)})
        m.output(made)

    return build


class TestShape(OpTests):
    cases = (
        *(
            Case(f"{dtype.name}_{y}", sizes(2, 3, dtype=dtype.name, y=y))
            for dtype in EVERY_TYPE
            for y in OUT_TYPES
        ),
        Case("one", sizes(1)),
        Case("image", sizes(1, 49, 10, 3)),
        Case("rank_8", sizes(1, 2, 1, 3, 1, 2, 1, 2)),
    )
    rejected = (
        refused("float", sizes(2, 3, y="float32"), "'y' is float32; shape takes int32", "MDL012"),
    )
