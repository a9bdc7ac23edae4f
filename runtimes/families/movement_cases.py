"""Test cases of ops that move elements: models of one node, of any element type."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from opsmith.ir import Array
from opsmith.tflite.cases import Case
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter
from runtimes.families.movement import EVERY_TYPE, QUANTISED

Build = Callable[[ModelWriter], None]
Shape = Sequence[int]
Given = Mapping[str, Shape | Array]  # inputs: shapes of tensors, or constants
QUANTISED_NAME = tuple(dtype.name for dtype in QUANTISED)
EVERY_TYPE_NAME = tuple(dtype.name for dtype in EVERY_TYPE)


class Moving:
    """Source op that moves elements of `x`; further inputs and options have these names.

    Its call takes x, y, and values of the constants and then of options, and gives a node to build.
    y is left out where it follows from the others, or given by name.
    """

    def __init__(
        self,
        source: str,
        *inputs: str,
        options: Sequence[str] = (),
        y: Callable[..., Shape] | None = None,
        version: int = 2,
    ) -> None:
        self.source, self.inputs, self.options = source, inputs or ("x",), options
        self.follows, self.version = y, version

    def __call__(
        self,
        x: Shape,
        *values: Any,
        y: Shape | None = None,
        version: int | None = None,
        **others: Any,
    ) -> Build:
        """Node to build; `others` are as in `moving`. Several outputs are a list of shapes."""
        made, left = self._made(x, values, y)
        given = {name: x if name == "x" else numbers(next(left)) for name in self.inputs}
        options = dict(zip(self.options, left, strict=False))
        assert not list(left), f"{self.source}: more values than constants and options"
        version = version or self.version
        return moving(self.source, given, made, options, version=version, **others)

    def _made(
        self, x: Shape, values: tuple[Any, ...], y: Any
    ) -> tuple[Sequence[Shape], Iterator[Any]]:
        """Shapes of outputs, and the other values."""
        left = iter(values)
        if self.follows is None:
            y = next(left)
        elif y is None:
            y = self.follows(x, *values)
        several = isinstance(y, list) and y and isinstance(y[0], tuple)
        return y if several else [y], left

    def of_types(self, types: Sequence[str], *node: Any, **others: Any) -> list[Case]:
        """Case of this node for each element type, with its name."""
        return [Case(dtype, self(*node, dtype=dtype, **others)) for dtype in types]


def numbers(values: object) -> Array:
    """Constant that says how elements move: int32, unless the values have a type."""
    return values if isinstance(values, np.ndarray) else np.array(values, np.int32)


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
    """Node of a source op to build. Tensors of these shapes have type `dtype`; arrays are
    constants, or inputs where not `known`. The scale is 0.5 unless `scale` names the tensor.
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
