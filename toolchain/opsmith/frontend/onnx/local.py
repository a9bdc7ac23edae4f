"""Functions of a model, as exporters of PyTorch programs write, in the place of their calls."""

import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from opsmith.errors import ToolchainError
from opsmith.frontend.names import shown

MOST = 1 << 16  # operators of a model after that
DEEPEST = 50  # calls within calls
Functions = Mapping[str, Any]


def inlined(path: Path, model: Any) -> Any:
    """Model without functions. Raises MDL013 if they call themselves or make too many operators."""
    if not model.functions:
        return model
    functions = {_key(each, each.name): each for each in model.functions}
    if _count(functions, {}, model.graph.node, 0) > MOST:
        raise _refused(path, f"its functions make more than {MOST} operators")
    try:
        return importlib.import_module("onnx.inliner").inline_local_functions(model)
    except Exception as wrong:  # onnx raises several types
        why = shown(str(wrong).strip())
        raise _refused(path, f"its functions cannot be inlined: {why}") from wrong


def _key(each: Any, name: str) -> str:
    """Text by which onnx tells functions apart, for a function or the node that calls it."""
    domain = "" if each.domain == "ai.onnx" else each.domain
    return "::".join([domain, name, *filter(None, [each.overload])])


def _count(functions: Functions, known: dict[int, int], nodes: Iterable[Any], depth: int) -> int:
    """Number of operators that nodes and the functions called by them have, MOST + 1 at most.
    `known` has the numbers of functions whose calls are counted.
    """
    if depth > DEEPEST:
        return MOST + 1
    found = 0
    for node in nodes:
        found += 1
        bodies = [body.node for each in node.attribute for body in (each.g, *each.graphs)]
        if (called := functions.get(_key(node, node.op_type))) is not None:
            if id(called) not in known:
                known[id(called)] = _count(functions, known, called.node, depth + 1)
            found += known[id(called)]
        found += sum(_count(functions, known, body, depth + 1) for body in bodies)
        if found > MOST:
            return MOST + 1
    return found


def _refused(path: Path, what: str) -> ToolchainError:
    fix = "export without functions: onnx.inliner.inline_local_functions(model)"
    return ToolchainError.of("MDL013", what, where=str(path), fix=fix)
