"""Writes subgraphs, as plain values, into one .tflite flatbuffer."""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.tflite.options import OptionValue, members, options_table, schema, write_options

_BUFFER_ALIGNMENT = 16  # force_align of Buffer.data in the schema
_LAST_OLD_CODE = 127  # operator codes above it do not fit deprecated_builtin_code
CODES = ("both", "new", "old")  # fields in which an operator's code is written, if it fits


@dataclass(frozen=True)
class ModelTensor:
    """A tensor of one subgraph, as an argument of `node` and `output`."""

    index: int
    name: str
    shape: tuple[int, ...]
    dtype: str  # 'int8': a member of the schema's TensorType, in lower case
    scale: tuple[float, ...] = ()
    zero_point: tuple[int, ...] = ()
    axis: int = 0
    variable: bool = False
    signature: tuple[int, ...] = ()
    data: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class ModelNode:
    """A use of an op; tensors by number, -1 for an omitted input."""

    op: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: Mapping[str, OptionValue]
    code: tuple[int, str, int]  # builtin code, custom name and version
    custom_options: bytes | None
    intermediates: tuple[int, ...] = ()


@dataclass
class ModelSubgraph:
    """A subgraph: tensors, nodes, inputs and outputs, in the order in which they were added."""

    name: str
    tensors: list[ModelTensor] = field(default_factory=list)
    nodes: list[ModelNode] = field(default_factory=list)
    signature: str = ""  # signature by which callers find it, with names of its tensors
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)


def emit(subgraphs: Sequence[ModelSubgraph], description: str, codes: str = "both") -> bytes:
    """Content of the .tflite file with the given subgraphs; the first is the main one."""
    return _Emitter(subgraphs, description, codes).emit()


class _Emitter:
    """Writer of subgraphs into one flatbuffer. Flatbuffers are written children first."""

    def __init__(self, subgraphs: Sequence[ModelSubgraph], description: str, codes: str) -> None:
        self._builder: Any = importlib.import_module("flatbuffers").Builder(1024)
        self._subgraphs = subgraphs
        self._description = description
        self._written = codes
        nodes = [node for graph in subgraphs for node in graph.nodes]
        self._codes = list(dict.fromkeys(node.code for node in nodes))
        self._buffers: list[bytes] = [b""]  # buffer 0 is empty: it means "no data"

    def emit(self) -> bytes:
        """Content of the finished file."""
        graphs = self._offsets([self._subgraph(each) for each in self._subgraphs])
        codes = self._offsets([self._code(*each) for each in self._codes])
        buffers = self._offsets([self._buffer(each) for each in self._buffers])
        numbered = [(i, each) for i, each in enumerate(self._subgraphs) if each.signature]
        signatures = self._offsets([self._signature(*each) for each in numbered])
        model = self._table(
            "Model",
            Version=3,
            OperatorCodes=codes,
            Subgraphs=graphs,
            Description=self._builder.CreateString(self._description),
            Buffers=buffers,
            **({"SignatureDefs": signatures} if numbered else {}),
        )
        self._builder.Finish(model, file_identifier=b"TFL3")
        return bytes(self._builder.Output())

    def _subgraph(self, graph: ModelSubgraph) -> int:
        return self._table(
            "SubGraph",
            Tensors=self._offsets([self._tensor(each) for each in graph.tensors]),
            Inputs=self._vector(graph.inputs, np.int32),
            Outputs=self._vector(graph.outputs, np.int32),
            Operators=self._offsets([self._operator(each) for each in graph.nodes]),
            Name=self._builder.CreateString(graph.name),
        )

    def _signature(self, number: int, graph: ModelSubgraph) -> int:
        return self._table(
            "SignatureDef",
            Inputs=self._offsets([self._named(graph, index) for index in graph.inputs]),
            Outputs=self._offsets([self._named(graph, index) for index in graph.outputs]),
            SignatureKey=self._builder.CreateString(graph.signature),
            SubgraphIndex=number,
        )

    def _named(self, graph: ModelSubgraph, index: int) -> int:
        name = self._builder.CreateString(graph.tensors[index].name)
        return self._table("TensorMap", Name=name, TensorIndex=index)

    def _tensor(self, tensor: ModelTensor) -> int:
        fields = {
            "Shape": self._vector(tensor.shape, np.int32),
            "Type": members("TensorType")[tensor.dtype.upper()],
            "Buffer": self._place(tensor.data),
            "Name": self._builder.CreateString(tensor.name),
            "IsVariable": tensor.variable,
        }
        if tensor.scale:
            fields["Quantization"] = self._quantization(tensor)
        if tensor.signature:
            fields["ShapeSignature"] = self._vector(tensor.signature, np.int32)
        return self._table("Tensor", **fields)

    def _quantization(self, tensor: ModelTensor) -> int:
        return self._table(
            "QuantizationParameters",
            Scale=self._vector(tensor.scale, np.float32),
            ZeroPoint=self._vector(tensor.zero_point, np.int64),
            QuantizedDimension=tensor.axis,
        )

    def _operator(self, node: ModelNode) -> int:
        fields = {
            "OpcodeIndex": self._codes.index(node.code),
            "Inputs": self._vector(node.inputs, np.int32),
            "Outputs": self._vector(node.outputs, np.int32),
        }
        table = options_table(node.op)
        if table is not None:
            fields[f"{table.union}Type"] = table.tag
            fields[table.union] = write_options(self._builder, node.op, table, node.options)
        elif node.options:
            raise ToolchainError.of(
                "RIG025", f"{node.op} has no options", where=node.op, fix="give none"
            )
        if node.intermediates:
            fields["Intermediates"] = self._vector(node.intermediates, np.int32)
        if node.custom_options is not None:
            fields["CustomOptions"] = self._data(node.custom_options)
        return self._table("Operator", **fields)

    def _code(self, builtin: int, custom: str, version: int) -> int:
        old = self._written == "old" and builtin < _LAST_OLD_CODE
        fields = {
            "DeprecatedBuiltinCode": 0 if self._written == "new" else min(builtin, _LAST_OLD_CODE),
            "BuiltinCode": 0 if old else builtin,
            "Version": version,
        }
        if custom:
            fields["CustomCode"] = self._builder.CreateString(custom)
        return self._table("OperatorCode", **fields)

    def _place(self, data: bytes | None) -> int:
        """Number of the buffer that holds `data`; 0 for None."""
        if data is None:
            return 0
        self._buffers.append(data)
        return len(self._buffers) - 1

    def _buffer(self, data: bytes) -> int:
        return self._table("Buffer", Data=self._data(data)) if data else self._table("Buffer")

    def _data(self, data: bytes) -> int:
        """Offset of a byte vector at the alignment that the schema requires for buffers."""
        self._builder.StartVector(1, len(data), _BUFFER_ALIGNMENT)
        head = self._builder.head = self._builder.Head() - len(data)
        self._builder.Bytes[head : head + len(data)] = data
        return int(self._builder.EndVector())

    def _vector(self, values: Sequence[int] | Sequence[float], dtype: type[np.generic]) -> int:
        return int(self._builder.CreateNumpyVector(np.array(values, dtype)))

    def _offsets(self, offsets: Sequence[int]) -> int:
        """Offset of a vector of tables that have already been written."""
        self._builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self._builder.PrependUOffsetTRelative(offset)
        return int(self._builder.EndVector())

    def _table(self, name: str, **fields: int) -> int:
        """Offset of a table of the schema; values are numbers or offsets of written objects."""
        getattr(schema(), f"{name}Start")(self._builder)
        for key, value in fields.items():
            getattr(schema(), f"{name}Add{key}")(self._builder, value)
        return int(getattr(schema(), f"{name}End")(self._builder))
