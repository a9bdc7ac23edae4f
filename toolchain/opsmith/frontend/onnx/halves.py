"""Tensors of float16 in .onnx files: constants before a Cast to float32 are widened; a model that
computes with float16 is refused.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from opsmith.errors import Problem
from opsmith.frontend.names import shown

CONSTANT = "Constant"
_SHOWN = 2  # names of tensors


def widened(onnx: Any, graph: Any) -> dict[int, str]:
    """Names of float16 constants that Casts widen to float32, by index of the Cast."""
    half = onnx.TensorProto.FLOAT16
    halves = {each.name for each in graph.initializer if each.data_type == half}
    halves |= {n for each in graph.node if half in _held(each) for n in _constant(each)}
    return {
        index: node.input[0]
        for index, node in enumerate(graph.node)
        if _cast(node) == onnx.TensorProto.FLOAT
        if len(node.input) == 1 and halves.issuperset(node.input)
    }


def half_problems(path: Path, onnx: Any, graph: Any, casts: Mapping[int, str]) -> Iterator[Problem]:
    """Problem about all tensors of float16 and bfloat16 except those that casts widen."""
    types = {onnx.TensorProto.FLOAT16: "float16", onnx.TensorProto.BFLOAT16: "bfloat16"}
    found: dict[str, str] = {}
    read = {n for i, each in enumerate(graph.node) if i not in casts for n in each.input}
    for each in (*graph.input, *graph.output):
        found[each.name] = types.get(each.type.tensor_type.elem_type, "")
    for each in graph.initializer:
        found[each.name] = types.get(each.data_type, "") if each.name in read else ""
    for node in graph.node:
        outputs = [n for n in node.output if not _constant(node) or n in read]
        for number in (_cast(node), *_held(node)):
            found |= dict.fromkeys(outputs, types[number]) if number in types else {}
    found = {name: kind for name, kind in found.items() if kind}
    if not found:
        return
    names = ", ".join(f"'{shown(name)}'" for name in [*found][:_SHOWN])
    more = f" and {len(found) - _SHOWN} more are" if len(found) > _SHOWN else " are"
    kind = next(iter(found.values()))
    what = f"{kind} is not supported: {names}{more if len(found) > 1 else ' is'} of it"
    fix = "give the model from before it was converted to float16; weights alone may be float16"
    yield Problem("MDL012", what, str(path), f"{fix}, each before a Cast to float32")


def _constant(node: Any) -> list[str]:
    """Outputs of a Constant operator; empty for any other operator."""
    return list(node.output) if node.op_type == CONSTANT else []


def _held(node: Any) -> list[int]:
    """ONNX type numbers of the values that an operator holds."""
    return [a.t.data_type for a in node.attribute if a.name == "value" and a.HasField("t")]


def _cast(node: Any) -> int | None:
    """ONNX type number to which an operator casts; None if it is no Cast."""
    if node.op_type != "Cast":
        return None
    return next((int(a.i) for a in node.attribute if a.name == "to"), None)
