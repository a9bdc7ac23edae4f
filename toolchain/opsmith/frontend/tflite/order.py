"""Inputs and outputs of a graph, and the order in which its operators write tensors."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from opsmith.errors import Problem
from opsmith.frontend.tflite.problems import wrong
from opsmith.ir import Graph, Tensor

_NEVER = ("and never written", "export the model with it as an input, or with its value")
_INPUTS = "export the model with each input once, and none that has a value"
_OUTPUTS = "export the model with outputs that operators write"


def order_problems(path: Path, graph: Graph, unknown: set[str]) -> Iterator[Problem]:
    """Problems of tensors that are read before they are written, or written twice or never."""
    tensors = graph.tensors.values()
    constant = {tensor.id for tensor in tensors if tensor.constant is not None}
    known = constant | {*graph.inputs, *unknown} | {t.id for t in tensors if t.variable}
    yield from _input_problems(path, graph, constant)
    written = {name for node in graph.nodes for name in node.outputs}
    done = constant | {*graph.inputs}
    for node in graph.nodes:
        for name in node.inputs:
            if name is not None and name not in known:
                when, fix = ("before it is written", "") if name in written else _NEVER
                yield disorder(path, f"{name} is read {when}", node.source, fix)
        for name in node.outputs:
            if name in done:
                yield disorder(path, f"{name} is written a second time", node.source)
            done.add(name)
        known.update(node.outputs)
    for name in graph.outputs:
        if name not in known:
            yield disorder(path, f"{name} is never written", "graph outputs", _OUTPUTS)


def _input_problems(path: Path, graph: Graph, constant: set[str]) -> Iterator[Problem]:
    for name in dict.fromkeys(graph.inputs):
        if graph.inputs.count(name) > 1:
            yield disorder(path, f"{name} is listed twice", "graph inputs", _INPUTS)
        if name in constant:
            yield disorder(path, f"{name} is a constant", "graph inputs", _INPUTS)


def disorder(path: Path, what: str, where: str, fix: str = "") -> Problem:
    """Problem MDL007 about a part of a model."""
    return wrong(path, "MDL007", what, where, fix).problems[0]


def given_inputs(listed: Sequence[str], tensors: Sequence[Tensor]) -> tuple[str, ...]:
    """Listed graph inputs that the application supplies, each once; constants are left out."""
    constant = {tensor.id for tensor in tensors if tensor.constant is not None}
    return tuple(name for name in dict.fromkeys(listed) if name not in constant)


def not_given(listed: Sequence[str], tensors: Sequence[Tensor]) -> Iterator[str]:
    """Sentences about listed inputs that the application does not supply."""
    constant = {tensor.id: tensor for tensor in tensors if tensor.constant is not None}
    for name in dict.fromkeys(listed):
        if name in constant:
            why = "a constant" if constant[name].elements else "without elements"
            yield f"input '{name}' is {why}: firmware takes no such input"
        elif listed.count(name) > 1:
            yield f"input '{name}' is listed {listed.count(name)} times: firmware takes it once"
