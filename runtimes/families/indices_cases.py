"""Test cases of ops that look up by indices: constant indices, and indices computed at run time."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter
from runtimes.families.movement_cases import QUANTISED_NAME

Build = Callable[[ModelWriter], None]
Shape = Sequence[int]


def looking_up(
    source: str,
    x: Shape,
    indices: object,
    y: Shape,
    options: Mapping[str, OptionValue] = MappingProxyType({}),
    *,
    dtype: str = "int8",
    index_type: str = "int32",
    computed: bool = False,
    indices_first: bool = False,
    y_scale: float = 0.5,
) -> Build:
    """Node of a source op that looks up in x; `computed` indices are these numbers, or one more."""

    def build(m: ModelWriter) -> None:
        scale, other = (0.5, y_scale) if dtype in QUANTISED_NAME else ((), ())
        where = index_tensor(m, indices, index_type, computed=computed)
        inputs = [m.input("x", x, dtype, scale), where]
        made = m.tensor("y", y, dtype, other)
        m.node(source, inputs[::-1] if indices_first else inputs, [made], options)
        m.output(made)

    return build


def index_tensor(m: ModelWriter, indices: object, dtype: str, *, computed: bool) -> ModelTensor:
    """Tensor of indices: a constant, or `computed`, with 0 or 1 added as an input chooses."""
    if not computed:
        return m.constant("indices", np.array(indices, dtype))
    least = m.constant("least", np.array(indices, np.int32))
    choice = m.input("choice", least.shape, "bool")
    more, moved = (m.tensor(name, least.shape, "int32") for name in ("more", "moved"))
    where = m.tensor("indices", least.shape, dtype)
    m.node("CAST", [choice], [more])
    m.node("ADD", [least, more], [moved])
    m.node("CAST", [moved], [where])
    return where
