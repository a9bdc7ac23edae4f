"""Test cases of ops that give positions along an axis."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from opsmith.ir import Array
from opsmith.tflite.cases import Case, Rejected, of_constants, refused
from opsmith.tflite.writer import ModelWriter

DTYPES = ("int8", "uint8", "int32", "float32", "bool")


@dataclass(frozen=True)
class Argument:
    """Node of the position of the best element; calling it adds it to a model."""

    source: str  # the name of TFLite
    x: Sequence[int] = (2, 3, 4)
    axis: int | Sequence[int] = -1
    dtype: str = "int8"
    index: str = "int32"
    y: Sequence[int] | None = None
    known: bool = True  # the axis, at build time

    def __call__(self, m: ModelWriter) -> None:
        x = m.input("x", self.x, self.dtype, *((0.1, 4) if self.dtype == "int8" else ()))
        axes = np.array(self.axis, np.int32)
        axis = m.constant("axis", axes) if self.known else m.input("axis", axes.shape, "int32")
        first = int(np.ravel(self.axis)[0]) % max(len(self.x), 1)
        y = (*self.x[:first], *self.x[first + 1 :]) if self.y is None else self.y
        m.node(
            self.source,
            [x, axis],
            [m.tensor("y", y, self.index)],
            {"output_type": self.index.upper()},
            version=2 if self.dtype in ("int8", "uint8") else 1,
        )
        m.output(m.content.tensors[-1])


def argument_cases(source: str) -> tuple[Case, ...]:
    """Case of every element type and type of position, and of every axis."""
    return (
        *(
            Case(f"{dtype}_{index}", Argument(source, (3, 7, 5), 1, dtype, index))
            for dtype in DTYPES
            for index in ("int32", "int64")
        ),
        Case("first", Argument(source, (4, 3, 5), 0)),
        Case("last_of_many", Argument(source, (2, 300), -1)),
        Case("last_few", Argument(source, (40, 5))),
        Case("last_words", Argument(source, (3, 2, 16), index="int64")),
        *(
            Case(f"last_{dtype}_{y}", Argument(source, (3, 303), -1, dtype, y))
            for dtype in ("uint8", "int32", "float32")
            for y in ("int32", "int64")
        ),
        Case("ties", Argument(source, (40, 9), [1], "bool")),
        Case("rank_1", Argument(source, (17,), 0, "float32")),
        Case("rank_6", Argument(source, (2, 1, 3, 2, 2, 2), -4, "int32")),
        Case("one_element", Argument(source, (1,), -1)),
        Case("of_constant", of_constants(Argument(source, (3, 4), 1, "int32"))),
    )


def argument_refusals(source: str) -> tuple[Rejected, ...]:
    """Models with uses of the operator that must be refused."""
    return (
        refused("axis_3", Argument(source, axis=3, y=(2, 3)), "has no axis 3"),
        refused("axis_minus_4", Argument(source, axis=-4, y=(2, 3)), "has no axis -4"),
        refused("axes", Argument(source, axis=(1, 2), y=(2,)), "must be one number"),
        refused("scalar", Argument(source, x=(), axis=0, y=()), "has no axis 0"),
        refused("axis_of_input", Argument(source, known=False), "'axis' must be a constant"),
    )


def nan_at_each_place(source: str) -> tuple[list[Case], list[list[Array]]]:
    """Case and inputs with a NaN at each place of rows so long that kernels compare vectors."""
    x = np.tile(np.arange(21, dtype=np.float32) % 7, (21, 1))
    np.fill_diagonal(x, np.nan)
    return [Case("nan", Argument(source, x.shape, 1, "float32"))], [[x]]


def with_nan(source: str) -> tuple[list[Case], list[list[Array]]]:
    """Case and inputs in which some elements are NaN: before, between and after numbers."""
    nan, infinite = np.nan, np.inf
    x = np.array(
        [
            [nan, 1, 2],
            [1, nan, 3],
            [3, 2, nan],
            [nan, nan, nan],
            [nan, -infinite, -infinite],
            [nan, infinite, infinite],
        ],
        np.float32,
    )
    return [Case("nan", Argument(source, x.shape, 1, "float32"))], [[x]]
