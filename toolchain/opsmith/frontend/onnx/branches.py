"""Operators If whose conditions are constant once shapes are known: the operators of the branch
that is taken stand in their place. Exporters write them for squeezed axes of open sizes.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from opsmith.frontend.onnx.file import Content, Operator, operators_of
from opsmith.frontend.onnx.qoperators import as_qdq
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import refuse

Names = Mapping[str, str]  # tensor -> its new name
MOST = 100  # reads of a model, one more than its If operators


class TakenError(Exception):
    """Raised to read a model anew with a branch in the place of its If."""

    def __init__(self, operator: Operator, branch: str) -> None:
        super().__init__(operator.name)
        self.operator, self.branch = operator, branch


def condition(reader: Reader, operator: Operator) -> None:
    """Raise TakenError with the branch that an If takes; MDL013 if its condition is no constant."""
    found = reader.weights.get(operator.inputs[0])
    if found is None or found.array.size != 1:
        raise refuse(operator, "which of its branches is taken depends on elements")
    raise TakenError(operator, "then_branch" if found.array.any() else "else_branch")


def with_branch(path: Path, content: Content, taken: TakenError, known: frozenset[str]) -> Content:
    """Content with the operators and constants of a branch in the place of its If. The tensors of
    the branch get names of their own, since other branches may have those of the file.
    """
    whole = taken.operator
    graph: Any = whole.attributes.get(taken.branch)
    if not hasattr(graph, "initializer"):
        raise refuse(whole, f"its {taken.branch} is no graph", "MDL006")
    operators, constants = operators_of(path, graph, known, f"{whole.name}: ")
    own = {*constants, *(name for each in operators for name in each.outputs if name)}
    names = {name: f"{whole.name}: {name}" for name in own}
    operators = [_renamed(each, names) for each in operators]
    constants = {names[name]: each for name, each in constants.items()}
    outputs = [names.get(each.name, each.name) for each in graph.output]
    if len(outputs) != len(whole.outputs):
        raise refuse(whole, f"its {taken.branch} does not fit the model", "MDL006")
    found: list[Operator] = []
    for each in content.operators:
        if each.name != whole.name:
            found.append(each)
            continue
        found += as_qdq(tuple(operators))
        for name, output in zip(outputs, whole.outputs, strict=True):
            called = f"{whole.name}: {output}"
            found.append(Operator(called, "Identity", (name,), (output,), {}))
    return replace(content, operators=tuple(found), constants={**content.constants, **constants})


def _renamed(operator: Operator, names: Names) -> Operator:
    """Operator that reads and writes the tensors of `names` by their new names."""
    for each in operator.attributes.values():
        if hasattr(each, "initializer"):
            _rename_within(each, names)
    inputs, outputs = (
        tuple(names.get(each, each) for each in which)
        for which in (operator.inputs, operator.outputs)
    )
    made = operator.made and {names.get(name, name): each for name, each in operator.made.items()}
    return replace(operator, inputs=inputs, outputs=outputs, made=made)


def _rename_within(graph: Any, names: Names) -> None:
    """Let a branch, and those within, read the tensors of the graph around it by new names."""
    own = {each.name for each in graph.initializer}
    own |= {name for node in graph.node for name in node.output}
    if any(name in names for name in own):
        names = {name: each for name, each in names.items() if name not in own}
    for node in graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        for each in node.attribute:
            if each.HasField("g"):
                _rename_within(each.g, names)
    for each in graph.output:
        each.name = names.get(each.name, each.name)
