"""Single operators of a .tflite file as models of their own, which LiteRT runs one by one."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

BOTH_WAYS = ("BIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_RNN")
SEVERAL = ("STABLEHLO_COMPOSITE", *BOTH_WAYS)  # each becomes several nodes in the front end
APPLY = ("STABLEHLO_REDUCE_WINDOW", "STABLEHLO_SCATTER")  # these call subgraphs
_OFFSET = 1  # offset of a buffer with bytes behind the flatbuffer; 0 and 1 mean none


@dataclass(frozen=True)
class Alone:
    """A model of one operator; its tensors have numbers in its own subgraph and in the file's."""

    content: bytes
    tensors: Mapping[int, int]  # number in the file -> number in this model
    given: tuple[int, ...]  # numbers in the file of its inputs, without constants
    variables: tuple[int, ...]  # variables among the inputs, which the operator may change
    outputs: tuple[int, ...]  # numbers of its outputs in the file


class Operators:
    """Operators of a file, each of which can be made a model."""

    def __init__(self, content: bytes) -> None:
        self._schema: Any = importlib.import_module("ai_edge_litert.schema_py_generated")
        self._content = content
        self._model = self._schema.Model.GetRootAs(content, 0)
        codes = (self._model.OperatorCodes(i) for i in range(self._model.OperatorCodesLength()))
        apart = {getattr(self._schema.BuiltinOperator, name) for name in (*SEVERAL, *APPLY)}
        numbers = (max(each.BuiltinCode(), each.DeprecatedBuiltinCode()) for each in codes)
        self._apart = {i for i, number in enumerate(numbers) if number in apart}

    def writers(self, subgraph: int) -> dict[int, int]:
        """Number of the operator that writes each tensor of a subgraph, by tensor; without
        operators that cannot run alone or that the front end splits.
        """
        graph = self._model.Subgraphs(subgraph)
        return {
            int(tensor): number
            for number in range(graph.OperatorsLength())
            if graph.Operators(number).OpcodeIndex() not in self._apart
            for tensor in _numbers(graph.Operators(number).OutputsAsNumpy())
        }

    def alone(self, subgraph: int, number: int) -> Alone:
        """Model of the operator with the given number."""
        schema, graph = self._schema, self._model.Subgraphs(subgraph)
        operator = schema.OperatorT.InitFromObj(graph.Operators(number))
        code = schema.OperatorCodeT.InitFromObj(self._model.OperatorCodes(operator.opcodeIndex))
        read, written, inner = (
            [int(each) for each in _numbers(numbers)]
            for numbers in (operator.inputs, operator.outputs, operator.intermediates)
        )
        used = {
            each: schema.TensorT.InitFromObj(graph.Tensors(each))
            for each in (*read, *written, *inner)
            if each >= 0
        }
        place = self._with_scales(graph, used)
        tensors = [*used.values()]
        data = [self._data(tensor.buffer) for tensor in tensors]
        given = tuple(
            each for each in dict.fromkeys(read) if each >= 0 and data[place[each]] is None
        )
        variables = tuple(each for each in given if tensors[place[each]].isVariable)
        operator.opcodeIndex = 0
        operator.inputs, operator.outputs = (
            [place.get(n, -1) for n in ns] for ns in (read, written)
        )
        operator.intermediates = [place[each] for each in inner]
        content = self._packed(code, operator, tensors, data, [place[each] for each in given])
        return Alone(content, place, given, variables, tuple(written))

    def _with_scales(self, graph: Any, used: dict[int, Any]) -> dict[int, int]:
        """Add tensors of block scales to `used`; return the new position of each tensor."""
        details = [each.quantization.details for each in used.values() if each.quantization]
        blockwise = [d for d in details if isinstance(d, self._schema.BlockwiseQuantizationT)]
        for each in blockwise:
            tensor = self._schema.TensorT.InitFromObj(graph.Tensors(each.scales))
            used.setdefault(each.scales, tensor)
        place = {each: at for at, each in enumerate(used)}
        for each in blockwise:
            each.scales = place[each.scales]
        return place

    def _packed(
        self, code: Any, operator: Any, tensors: list[Any], data: list[Any], inputs: list[int]
    ) -> bytes:
        """Bytes of the model. Buffer 0 is empty, for all tensors without data."""
        schema, buffers = self._schema, [self._schema.BufferT()]
        for tensor, each in zip(tensors, data, strict=True):
            tensor.buffer = 0 if each is None else len(buffers)
            if each is not None:
                buffers.append(schema.BufferT())
                buffers[-1].data = each
        graph, model = schema.SubGraphT(), schema.ModelT()
        graph.tensors, graph.operators = tensors, [operator]
        graph.inputs, graph.outputs = inputs, operator.outputs
        model.version, model.operatorCodes = 3, [code]
        model.subgraphs, model.buffers = [graph], buffers
        builder = importlib.import_module("flatbuffers").Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def _data(self, number: int) -> Any:
        """Bytes of a buffer; None for a buffer without data."""
        buffer = self._model.Buffers(number)
        if buffer.DataLength():
            return buffer.DataAsNumpy()
        if buffer.Offset() > _OFFSET:
            end = buffer.Offset() + buffer.Size()
            return np.frombuffer(self._content[buffer.Offset() : end], np.uint8)
        return None


def _numbers(found: Any) -> Any:
    """Vector of numbers; flatbuffers returns 0 or None for an absent one, which becomes empty."""
    return found if isinstance(found, np.ndarray | list) else []
