"""Models of one node, with tensors by name, for the cases of an op."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import Array, ModelWriter

Build = Callable[[ModelWriter], None]
Given = tuple[Any, ...] | Array  # arguments of ModelWriter.tensor after the name; or a constant


def one_node(
    op: str,
    inputs: Mapping[str, Given],
    outputs: Mapping[str, Given],
    options: Mapping[str, OptionValue] | None = None,
    *,
    version: int = 1,
) -> Build:
    """Builder of a node of a builtin op: the model's inputs or constants, and its outputs."""
    return _node(inputs, outputs, op=op, options=options, version=version)


def custom_node(
    custom: str,
    inputs: Mapping[str, Given],
    outputs: Mapping[str, Given],
    options: Mapping[str, Any] | bytes | None = None,
) -> Build:
    """Builder of a node of a CUSTOM op, whose options become a flexbuffer."""
    return _node(inputs, outputs, op="CUSTOM", custom=custom, custom_options=options)


def _node(inputs: Mapping[str, Given], outputs: Mapping[str, Given], **node: Any) -> Build:
    def build(m: ModelWriter) -> None:
        read = [
            m.constant(name, given) if isinstance(given, np.ndarray) else m.input(name, *given)
            for name, given in inputs.items()
        ]
        written = [m.tensor(name, *given) for name, given in outputs.items()]
        m.node(inputs=read, outputs=written, **node)
        m.output(*written)

    return build
