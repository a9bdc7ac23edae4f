"""Read a .tflite file into a graph in TFLite's names. The file is untrusted, so all is checked."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import tflite

from toolchain.errors import ToolchainError
from toolchain.frontend.model import Model
from toolchain.frontend.names import identifiers, shown
from toolchain.frontend.tflite.options import options_of
from toolchain.frontend.tflite.schema import SchemaReader, enum_names, malformed, untrusted
from toolchain.ir import Array, Constant, DType, Graph, Node, Quantization, Tensor
from toolchain.ir.types import BY_NAME, boolean

_MAX_BYTES = 2**28 - 1  # of one tensor: more than any board has, and the passes can still hold
_MAX_LAST = 2**22  # size of the last axis, for whose every channel ranges are kept
_MAX_RANK = 8


def read_model(path: Path, name: str) -> Model:
    """The model in the file, with its graph called `name` (a C identifier). Raises MDL00x."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ToolchainError.of(
            "MDL002",
            f"cannot read the model: {error.strerror}",
            where=str(path),
            fix="name a .tflite file",
        ) from error
    if len(data) < 8 or data[4:8] != b"TFL3":
        raise malformed(path, "the file identifier TFL3 is missing")
    with untrusted(path):
        root = tflite.Model.GetRootAs(data, 0)
        reader = _GraphReader(path, data, root)
        if root.SubgraphsLength() < 1:
            raise malformed(path, "it has no subgraph")
        subgraphs = tuple(reader.text(sub.Name()) for sub in reader.items(root, "Subgraphs"))
        graph = reader.graph(root.Subgraphs(0), name)
    return Model(graph, hashlib.sha256(data).hexdigest(), subgraphs, reader.ids)


class _GraphReader(SchemaReader):
    """Builds the graph of one subgraph."""

    def __init__(self, path: Path, data: bytes, root: Any) -> None:
        super().__init__(path, data)
        self.root = root
        self.buffers = list(self.items(root, "Buffers"))
        self.codes = [self._code(code) for code in self.items(root, "OperatorCodes")]
        self.ids: tuple[str, ...] = ()

    def graph(self, subgraph: Any, name: str) -> Graph:
        """The graph of this subgraph; ids are identifiers made of the tensors' names."""
        tables = list(self.items(subgraph, "Tensors"))
        names = [self.text(table.Name()) for table in tables]
        read = [self._tensor(table, name) for table, name in zip(tables, names, strict=True)]
        self.ids = _ids_of(read)
        tensors = [replace(t, id=ident) for t, ident in zip(read, self.ids, strict=True)]
        nodes = [
            self._node(i, operator, tensors)
            for i, operator in enumerate(self.items(subgraph, "Operators"))
        ]
        inputs = self._ids(self.numbers(subgraph, "Inputs"), tensors, "graph input")
        outputs = self._ids(self.numbers(subgraph, "Outputs"), tensors, "graph output")
        self._check_order(tensors, nodes, inputs, outputs)
        empty = Graph(name, {tensor.id: tensor for tensor in tensors}, (), inputs, outputs)
        return empty.with_nodes(tuple(nodes))

    def _code(self, code: Any) -> tuple[str, int]:
        value = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
        name = enum_names(tflite.BuiltinOperator).get(value, f"BUILTIN_{value}")
        if name == "CUSTOM":
            name = f"CUSTOM.{self.text(code.CustomCode())}"
        return f"tflite.{name}", code.Version()

    def _tensor(self, table: Any, name: str) -> Tensor:
        """The tensor of this table, still without an id."""
        where = f"tensor '{shown(name)}'"
        shape = self.numbers(table, "Shape")
        if len(shape) > _MAX_RANK:
            raise self._bad("MDL003", f"{len(shape)} dimensions", where)
        dtype = self._dtype(table.Type())
        if any(size < 1 for size in shape):
            raise self._bad("MDL003", f"shape {shape} has a size below 1", where)
        if math.prod(shape) * max(dtype.size, 1) > _MAX_BYTES:
            raise self._bad("MDL003", f"shape {shape} takes more than {_MAX_BYTES} bytes", where)
        if shape and shape[-1] > _MAX_LAST:
            raise self._bad("MDL003", f"shape {shape} has more than {_MAX_LAST} channels", where)
        if table.Sparsity() is not None:
            raise self._bad("MDL004", "sparse tensors are not supported", where)
        quantization = self._quantization(table.Quantization(), dtype, shape, where)
        constant = self._constant(table.Buffer(), dtype, shape, where)
        if constant is not None and table.IsVariable():
            raise self._bad("MDL030", "a variable tensor has constant data", where)
        return Tensor("", name, dtype, shape, quantization, constant, bool(table.IsVariable()))

    def _dtype(self, code: int) -> DType:
        names = enum_names(tflite.TensorType)
        if code not in names:
            raise malformed(self.path, f"unknown tensor type {code}")
        name = names[code].lower()
        # A type that Opsmith does not have is reported by legalize, together with all others.
        return BY_NAME.get(name) or DType(name, name, "", 0)

    def _quantization(
        self, table: Any, dtype: DType, shape: tuple[int, ...], where: str
    ) -> Quantization | None:
        if table is None or table.ScaleLength() == 0:
            return None
        scales = self.numbers(table, "Scale")
        zero_points = self.numbers(table, "ZeroPoint") or (0,) * len(scales)
        axis = table.QuantizedDimension()
        if len(zero_points) != len(scales):
            raise self._bad(
                "MDL005", f"{len(scales)} scales but {len(zero_points)} zero points", where
            )
        if not all(math.isfinite(scale) and scale > 0 for scale in scales):
            raise self._bad("MDL005", "a scale is not a positive number", where)
        if dtype.is_integer and any(
            not dtype.limits[0] <= point <= dtype.limits[1] for point in zero_points
        ):
            raise self._bad("MDL005", f"a zero point does not fit {dtype.name}", where)
        if len(scales) > 1 and not (0 <= axis < len(shape) and shape[axis] == len(scales)):
            raise self._bad(
                "MDL005", f"{len(scales)} scales do not fit axis {axis} of {shape}", where
            )
        return Quantization(scales, zero_points, axis)

    def _constant(
        self, index: int, dtype: DType, shape: tuple[int, ...], where: str
    ) -> Constant | None:
        if not 0 <= index < max(len(self.buffers), 1):
            raise self._bad("MDL006", f"buffer {index} does not exist", where)
        data = self._buffer(index) if self.buffers else None
        if data is None or len(data) == 0:
            return None
        if dtype.size == 0:  # legalize reports the type
            return Constant(np.zeros(shape, np.uint8))
        expected = math.prod(shape) * dtype.size
        if len(data) != expected:
            raise self._bad(
                "MDL006", f"its buffer has {len(data)} bytes instead of {expected}", where
            )
        if dtype == boolean and data.max() > 1:
            raise self._bad("MDL032", "a boolean has a byte other than 0 and 1", where)
        return Constant(data.view(dtype.numpy).reshape(shape))

    def _buffer(self, index: int) -> Array | None:
        buffer = self.buffers[index]
        data = self.array(buffer, "Data")  # before what lies elsewhere, as in LiteRT
        if data is None and buffer.Offset() > 1:  # beyond the flatbuffer, for files over 2 GB
            end = buffer.Offset() + buffer.Size()
            if end > len(self.data):
                raise malformed(self.path, f"buffer {index} ends at byte {end}")
            return np.frombuffer(self.data, np.uint8, buffer.Size(), buffer.Offset())
        return data

    def _node(self, index: int, operator: Any, tensors: list[Tensor]) -> Node:
        if not 0 <= operator.OpcodeIndex() < len(self.codes):
            raise malformed(self.path, f"operator {index} has opcode {operator.OpcodeIndex()}")
        op, version = self.codes[operator.OpcodeIndex()]
        where = f"operator {index} ({shown(op.removeprefix('tflite.'))})"
        numbers = self.numbers(operator, "Inputs")
        inputs = tuple(None if n == -1 else self._ids((n,), tensors, where)[0] for n in numbers)
        outputs = self._ids(self.numbers(operator, "Outputs"), tensors, where)
        self._check_options(operator, op.removeprefix("tflite."), where)
        attributes = self.options(operator)
        if op.startswith("tflite.CUSTOM."):
            options = self.array(operator, "CustomOptions")
            attributes = {"custom_options": b"" if options is None else options.tobytes()}
        if operator.BuiltinOptions2Type():
            attributes["builtin_options_2"] = operator.BuiltinOptions2Type()
        return Node(
            outputs[0] if outputs else f"node_{index}",
            op,
            inputs,
            outputs,
            attributes,
            where,
            version,
        )

    def _check_options(self, operator: Any, name: str, where: str) -> None:
        """Refuse options that belong to another operator's type; runtimes ignore them."""
        own = options_of(name)
        kind = operator.BuiltinOptionsType()
        found = enum_names(tflite.BuiltinOptions).get(kind, f"type {kind}")
        if kind and own is not None and own != ("BuiltinOptions", found):
            raise self._bad("MDL031", f"its options are {found} instead of {own[1]}", where)

    def _ids(self, numbers: tuple[int, ...], tensors: list[Tensor], where: str) -> tuple[str, ...]:
        for number in numbers:
            if not 0 <= number < len(tensors):
                raise self._bad("MDL006", f"tensor {number} does not exist", where)
        return tuple(tensors[number].id for number in numbers)

    def _check_order(
        self,
        tensors: list[Tensor],
        nodes: list[Node],
        inputs: tuple[str, ...],
        outputs: tuple[str, ...],
    ) -> None:
        constant = {tensor.id for tensor in tensors if tensor.constant is not None}
        known = constant | set(inputs) | {tensor.id for tensor in tensors if tensor.variable}
        if len(set(inputs)) != len(inputs) or constant & set(inputs):
            raise self._bad("MDL007", "a graph input is constant or listed twice", "graph inputs")
        written = set(inputs) | constant
        for node in nodes:
            for name in node.inputs:
                if name is not None and name not in known:
                    raise self._bad("MDL007", f"{name} is read before it is written", node.source)
            for name in node.outputs:
                if name in written:
                    raise self._bad("MDL007", f"{name} is written a second time", node.source)
                written.add(name)
            known.update(node.outputs)
        for name in outputs:
            if name not in known:
                raise self._bad("MDL007", f"{name} is never written", "graph outputs")
        if not outputs:
            raise self._bad("MDL007", "the model has no output", "graph outputs")

    def _bad(self, code: str, what: str, where: str) -> ToolchainError:
        return ToolchainError.of(
            code,
            what,
            where=f"{self.path}: {where}",
            fix="export the model again, with fixed shapes",
        )


def _ids_of(tensors: Sequence[Tensor]) -> tuple[str, ...]:
    """An identifier for each tensor; where names collide, constants get the numbers."""
    order = sorted(range(len(tensors)), key=lambda i: tensors[i].constant is not None)
    found = identifiers(tensors[i].name for i in order)
    ids = dict(zip(order, found, strict=True))
    return tuple(ids[i] for i in range(len(tensors)))
