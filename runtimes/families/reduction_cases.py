"""Test cases of ops along axes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from opsmith.tflite.cases import Case, Rejected, refused
from opsmith.tflite.writer import ModelWriter

ZERO_POINTS = {"int8": 4, "uint8": 130, "int16": 0}  # of types that are quantised


@dataclass(frozen=True)
class Reduction:
    """Op along axes; calling it adds its node to a model."""

    source: str  # the name of TFLite
    x: Sequence[int] = (1, 5, 6, 8)
    axis: int | Sequence[int] = (1, 2)
    keep: bool = False
    x_scale: float | tuple[()] = 0.1  # scales and zero points where the type is quantised
    x_zero_point: int | None = None  # None: that of the type
    y_scale: float = 0.1
    y_zero_point: int | None = None
    y: Sequence[int] | None = None
    known: bool = True  # the axes, at build time
    dtype: str = "int8"
    version: int = 2

    def __call__(self, m: ModelWriter) -> None:
        x = m.input("x", self.x, self.dtype, *self._quantised(self.x_scale, self.x_zero_point))
        axes = np.array(self.axis, np.int32)
        axis = m.constant("axis", axes) if self.known else m.input("axis", axes.shape, "int32")
        quantised = self._quantised(self.y_scale, self.y_zero_point)
        y = m.tensor("y", self._y(), self.dtype, *quantised)
        m.node(self.source, [x, axis], [y], {"keep_dims": self.keep}, version=self.version)
        m.output(y)

    def _quantised(
        self, scale: float | tuple[()], zero_point: int | None
    ) -> tuple[float | tuple[()], int | None]:
        if self.dtype not in ZERO_POINTS:
            return (), None
        return scale, ZERO_POINTS[self.dtype] if zero_point is None else zero_point

    def _y(self) -> Sequence[int]:
        if self.y is not None:
            return self.y
        axes = {int(axis) % len(self.x) for axis in np.ravel(self.axis)} if self.x else ()
        if self.keep:
            return [1 if i in axes else size for i, size in enumerate(self.x)]
        return [size for i, size in enumerate(self.x) if i not in axes]


def fold_cases(plain: Reduction, dtypes: Sequence[str]) -> tuple[Case, ...]:
    """Cases of every choice of axes, spread over element types; the last is also folded whole."""
    shapes = {
        "image": plain,
        "rank_8": replace(plain, x=(2, 3, 2, 2, 3, 2, 2, 3), axis=(0, 2, 4, 6)),
        "image_keep": replace(plain, keep=True),
        "last": replace(plain, x=(4, 3, 5), axis=-1),
        "first": replace(plain, x=(4, 3, 17), axis=0),
        "ends": replace(plain, x=(4, 3, 5), axis=(0, 2), keep=True),
        "all": replace(plain, x=(4, 3, 5), axis=(0, -2, 2, 1)),
        "alternating": replace(plain, x=(2, 3, 2, 4, 3), axis=(3, 1)),
        "one_element": replace(plain, x=(1,), axis=0),
        "scalar": replace(plain, x=(), axis=0),
    }
    dealt = (
        Case(name, replace(build, dtype=dtypes[number % len(dtypes)]))
        for number, (name, build) in enumerate(shapes.items())
    )
    every = (Case(dtype, replace(plain, x=(7, 19), axis=1, dtype=dtype)) for dtype in dtypes)
    whole = Case("whole", replace(plain, x=(7, 9), axis=(0, 1), dtype=dtypes[-1]))
    # Of pairs that random floats make, some are of zeros of both signs, whose order matters.
    floats = [dtype for dtype in dtypes if dtype == "float32"]
    zeros = (Case("zeros", replace(plain, x=(1000, 2), axis=1, dtype=dtype)) for dtype in floats)
    across = (
        Case(f"across_{dtype}", replace(plain, x=(3, 21), axis=0, dtype=dtype)) for dtype in dtypes
    )
    return (*dealt, *every, whole, *zeros, *across)


def axis_refusals(plain: Reduction) -> tuple[Rejected, ...]:
    """Models with axes and outputs that no op along axes takes."""
    return (
        refused("axis_4", replace(plain, axis=(1, 4), y=(1, 6)), "has no axis 4"),
        refused("axis_minus_5", replace(plain, axis=-5, y=(1, 6)), "has no axis -5"),
        refused("axis_of_input", replace(plain, known=False), "'axis' must be a constant"),
    )


def fold_refusals(plain: Reduction) -> tuple[Rejected, ...]:
    """Models with uses that an op without rescaling must refuse."""
    if plain.dtype not in ZERO_POINTS:
        return axis_refusals(plain)
    sentence = "the same quantisation"
    return (
        *axis_refusals(plain),
        refused("scales", replace(plain, y_scale=0.2), sentence),
        refused("zero_points", replace(plain, y_zero_point=5), sentence),
    )
