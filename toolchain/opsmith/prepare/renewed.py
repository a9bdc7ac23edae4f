"""A float model as ai-edge-quantizer takes it: older converters wrote no signature, by which it
calls a model, and operators' codes in another field alone, so that it takes them for ADD.
"""

from typing import Any

import flatbuffers
from ai_edge_litert import schema_py_generated as schema

KEY = "serving_default"


def renewed(content: bytes) -> bytes:
    """Content of a .tflite with operators' codes in today's field and a signature, its own or one
    with the names of its inputs and outputs. The content has been checked.
    """
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content))
    old = [each for each in model.operatorCodes or () if each.builtinCode < _old_code(each)]
    if model.signatureDefs and not old:
        return content
    for each in old:
        each.builtinCode = _old_code(each)
    model.signatureDefs = model.signatureDefs or [_signature(model.subgraphs[0])]
    builder = flatbuffers.Builder(len(content))
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _old_code(code: Any) -> int:
    """Code of an operator in the field of one byte, which newer files fill with at most 127."""
    return int(code.deprecatedBuiltinCode)


def _signature(graph: Any) -> Any:
    """Signature of the first function."""
    found = schema.SignatureDefT()
    found.signatureKey, found.subgraphIndex = KEY, 0
    found.inputs, found.outputs = _named(graph, graph.inputs), _named(graph, graph.outputs)
    return found


def _named(graph: Any, indices: Any) -> list[Any]:
    """Entry of a signature for each tensor, by its name; names that repeat get their position."""
    entries: dict[str, Any] = {}
    for position, index in enumerate(indices):
        name = bytes(graph.tensors[index].name or b"").decode("utf-8", "replace")
        entry = schema.TensorMapT()
        entry.name = name if name and name not in entries else f"{name}:{position}"
        entry.tensorIndex = int(index)
        entries[entry.name] = entry
    return [*entries.values()]
