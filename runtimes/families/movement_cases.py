"""Cases of ops that move elements: a model of one node, for any element type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from runtimes.families.movement import EVERY_TYPE, QUANTISED
from toolchain.ir import Array
from toolchain.testing.tflite_options import OptionValue
from toolchain.testing.tflite_writer import ModelWriter

Build = Callable[[ModelWriter], None]
Shape = Sequence[int]
Given = Mapping[str, Shape | Array]  # inputs: shapes of tensors, or constants
QUANTISED_NAME = tuple(dtype.name for dtype in QUANTISED)
EVERY_TYPE_NAME = tuple(dtype.name for dtype in EVERY_TYPE)


def numbers(values: object) -> Array:
    """A constant that says how elements go."""
    return np.array(values, np.int32)


def moving(
    source: str,
    given: Given,
    made: Sequence[Shape],
    options: Mapping[str, OptionValue] = MappingProxyType({}),
    *,
    dtype: str = "int8",
    scale: Mapping[str, float | tuple[()]] = MappingProxyType({}),
    zero_point: int | None = None,
    known: bool = True,
    version: int = 2,
) -> Build:
    """A node of a source op. Tensors of these shapes have this element type; arrays are constants,
    or inputs where they are not `known`. Where `scale` names no tensor it is 0.5.
    """

    def quantised(name: str, of: str) -> tuple[float | tuple[()], int | None]:
        found = scale.get(name, 0.5) if of in QUANTISED_NAME else ()
        return found, zero_point if found else None

    def build(m: ModelWriter) -> None:
        inputs = []
        for name, value in given.items():
            if not isinstance(value, np.ndarray):
                inputs.append(m.input(name, value, dtype, *quantised(name, dtype)))
            elif known:
                inputs.append(m.constant(name, value, *quantised(name, value.dtype.name)))
            else:
                inputs.append(m.input(name, value.shape, value.dtype.name))
        names = ["y"] if len(made) == 1 else [f"y{i}" for i in range(len(made))]
        outputs = [
            m.tensor(name, shape, dtype, *quantised(name, dtype))
            for name, shape in zip(names, made, strict=True)
        ]
        m.node(source, inputs, outputs, options, version=version)
        m.output(*outputs)

    return build
