"""Constants that replace TFLM_DECODE, which TensorFlow Lite Micro's compression puts before each
operator that reads a compressed tensor.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from opsmith.frontend.tflite.decoders import Bytes, ChannelScales, DecodeError, decoded
from opsmith.frontend.tflite.sparsity import MOST_BYTES
from opsmith.ir import Constant, Graph, Node, Tensor
from opsmith.ir.types import i8, u8
from opsmith.tflite.schema import SchemaReader
from opsmith.tflite.tables import quick

DECODE = "tflite.CUSTOM.TFLM_DECODE"
BEFORE_DECODE = "COMPRESSION_METADATA"  # name of a file's metadata about look-up tables
Quantised = Callable[[str], ChannelScales]  # tensor id -> its quantisation in the file


def channels_of(reader: SchemaReader, table: Any) -> ChannelScales:
    """Number, axis and zero points of the channels of a tensor in the file."""
    stored = quick(table.Quantization())
    if stored is None or not stored.ScaleLength():
        return ChannelScales()
    zero_points = reader.numbers(stored, "ZeroPoint")
    return ChannelScales(stored.ScaleLength(), stored.QuantizedDimension(), zero_points)


class Decoding:
    """A graph in which constants replace TFLM_DECODE operators."""

    def __init__(self, graph: Graph, reader: SchemaReader, quantised: Quantised) -> None:
        self.wrong: list[tuple[Node, str]] = []  # nodes that cannot be decoded, with reasons
        self._graph, self._reader, self._quantised = graph, reader, quantised
        tensors: dict[str, Tensor] = {}
        nodes: list[Node] = []
        for node in graph.nodes:
            try:
                tensors |= self._constants(node) if node.op == DECODE else {}
            except DecodeError as error:
                self.wrong.append((node, str(error)))
            nodes += [node] if node.op != DECODE else []
        self.graph = graph.with_nodes(tuple(nodes), **tensors)

    def _constants(self, node: Node) -> dict[str, Tensor]:
        encoded, ancillary = node.inputs[::2], node.inputs[1::2]
        if not node.outputs or not len(encoded) == len(ancillary) == len(node.outputs):
            count = f"{len(node.inputs)} inputs and {len(node.outputs)} outputs"
            raise DecodeError(f"{count} are not two inputs for each output")
        return {
            name: replace(self._graph.tensors[name], constant=self._constant(name, *given))
            for name, *given in zip(node.outputs, encoded, ancillary, strict=True)
        }

    def _constant(self, name: str, encoded: str | None, ancillary: str | None) -> Constant:
        made = self._graph.tensors[name]
        self._reader.dense += max(made.elements, 1) * max(made.dtype.size, 1)
        if self._reader.dense > MOST_BYTES:
            raise DecodeError(f"with those before it, it makes more than {MOST_BYTES} bytes")
        if made.variable:
            raise DecodeError("its output is a variable")
        stored, how = self._bytes(encoded), self._bytes(ancillary)
        values = decoded(stored, how, made.dtype, made.shape, self._quantised(name))
        return Constant(np.ascontiguousarray(values))

    def _bytes(self, name: str | None) -> Bytes:
        """Bytes of a constant input. Raises DecodeError."""
        tensor = None if name is None else self._graph.tensors[name]
        if tensor is None or tensor.constant is None or tensor.dtype not in (u8, i8):
            raise DecodeError(f"'{tensor.name if tensor else ''}' is no constant of bytes")
        return np.frombuffer(tensor.data.tobytes(), np.uint8)
