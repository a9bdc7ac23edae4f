"""Test cases of ops that join rows with equal ids in any order."""

from collections.abc import Sequence

import numpy as np

from opsmith.tflite.cases import Case, Rejected, refused
from opsmith.tflite.writer import ModelWriter
from runtimes.families.indices_cases import Build, index_tensor

IDS = (3, -1, 0, 3, 1, 1, 0)


def unsorted(
    source: str,
    x: Sequence[int] = (7, 5),
    ids: object = IDS,
    number: int | Sequence[int] = 5,
    dtype: str = "float32",
    *,
    computed: bool = False,
) -> Build:
    """Node of a source op to build; `computed` ids are these numbers, or each plus one."""

    def build(m: ModelWriter) -> None:
        given = index_tensor(m, ids, "int32", computed=computed)
        rows = number if isinstance(number, int) else number[0]
        made = (rows, *x[len(given.shape) :])
        y = m.tensor("y", made, dtype)
        m.node(
            source,
            [m.input("x", x, dtype), given, m.constant("n", np.array(number, np.int32))],
            [y],
        )
        m.output(y)

    return build


def unsorted_cases(source: str) -> list[Case]:
    """Cases of known and computed ids, rows of several axes, and single elements."""
    return [
        Case("float32", unsorted(source)),
        Case("float32_computed", unsorted(source, computed=True)),
        Case("int32", unsorted(source, dtype="int32", number=[4])),
        Case("int32_computed", unsorted(source, (7, 2, 3), dtype="int32", computed=True)),
        Case("elements", unsorted(source, (7,))),
        Case("table_of_ids", unsorted(source, (2, 3, 4), ((0, 2, 1), (2, -7, 2)), 3)),
        Case("one_element", unsorted(source, (1,), (0,), 1)),
    ]


def unsorted_refusals(source: str) -> list[Rejected]:
    """Models with ids and numbers of segments that no op takes."""
    return [
        refused("beyond", unsorted(source, number=3), "ids reach 3, which is none of 3 segments"),
        refused("few", unsorted(source, (8, 5)), "ids i32[7] must have the first sizes of x"),
        refused("numbers", unsorted(source, number=(5, 5)), "number i32[2] must be one number"),
        refused("int64", unsorted(source, dtype="int64"), "takes", "MDL012"),
    ]
