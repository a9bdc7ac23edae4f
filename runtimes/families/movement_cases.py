"""Cases of ops that move elements: a model of one node, for any element type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from runtimes.families.movement import EVERY_TYPE
from toolchain.testing.tflite_options import OptionValue
from toolchain.testing.tflite_writer import ModelWriter

Build = Callable[[ModelWriter], None]
Shape = Sequence[int]
Given = Mapping[str, Shape | NDArray[np.int32]]  # inputs: shapes of tensors, or constants
EVERY_TYPE_NAME = tuple(dtype.name for dtype in EVERY_TYPE)


def scales(dtype: str, scale: float = 0.5) -> tuple[float, ...]:
    """The scales of a tensor: one for the types that are quantised."""
    return (scale,) if dtype in ("int8", "int16", "uint8") else ()


def numbers(values: object) -> NDArray[np.int32]:
    """A constant that says how elements go."""
    return np.array(values, np.int32)


def moving(
    source: str,
    given: Given,
    made: Sequence[Shape],
    options: Mapping[str, OptionValue] | None = None,
    *,
    dtype: str = "int8",
    scale: float = 0.5,
    version: int = 2,
) -> Build:
    """A node of a source op, whose tensors have this element type."""

    def build(m: ModelWriter) -> None:
        inputs = [
            m.constant(name, value)
            if isinstance(value, np.ndarray)
            else m.input(name, value, dtype, scales(dtype))
            for name, value in given.items()
        ]
        names = ["y"] if len(made) == 1 else [f"y{i}" for i in range(len(made))]
        outputs = [
            m.tensor(name, shape, dtype, scales(dtype, scale))
            for name, shape in zip(names, made, strict=True)
        ]
        m.node(source, inputs, outputs, options or {}, version=version)
        m.output(*outputs)

    return build
