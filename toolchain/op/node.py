"""A node against its op: its view, its domain variables, its inferred types."""

from __future__ import annotations

from collections.abc import Iterator

from toolchain.errors import Problem
from toolchain.ir import DType, Graph, Node, TensorType
from toolchain.op.describe import Input, Op, OpError, Output
from toolchain.op.view import NodeView, Present


def named_inputs(op: Op, node: Node) -> Iterator[tuple[Input, str | None]]:
    """Each tensor that the node reads, with the declared input that it is."""
    last = op.inputs[-1] if op.inputs and op.inputs[-1].variadic else None
    declared = list(op.inputs)
    if last is not None:
        declared += [last] * (len(node.inputs) - len(declared))
        declared = declared[: len(node.inputs)]
    return iter(zip(declared, node.inputs, strict=True))


def named_outputs(op: Op, node: Node) -> Iterator[tuple[Output, str]]:
    """Each tensor that the node writes, with the declared output that it is."""
    declared = list(op.outputs)
    if declared and declared[-1].variadic:
        declared += [declared[-1]] * (len(node.outputs) - len(declared))
    return iter(zip(declared, node.outputs, strict=True))


def view(graph: Graph, node: Node, op: Op) -> NodeView:
    """The node as the op's functions see it."""
    tensors: dict[str, Present] = {value.name: () for value in op.inputs if value.variadic}
    for value, name in named_inputs(op, node):
        tensor = None if name is None else graph.tensors[name]
        before = tensors.get(value.name)
        if value.variadic and tensor is not None:
            tensors[value.name] = (*(before if isinstance(before, tuple) else ()), tensor)
        elif not value.variadic:
            tensors[value.name] = tensor
    for output, name in named_outputs(op, node):
        made, several = graph.tensors[name], tensors.get(output.name, ())
        several = several if isinstance(several, tuple) else ()
        tensors[output.name] = (*several, made) if output.variadic else made
    return NodeView(node.name, op.name, tensors, node.attributes, node.reversed)


def bind_domains(graph: Graph, node: Node, op: Op) -> tuple[dict[str, DType], list[str]]:
    """Domain variable -> element type, and sentences about tensors that do not fit."""
    bound: dict[str, DType] = {}
    complaints = []
    pairs: list[tuple[Input | Output, str | None]] = [*named_inputs(op, node)]
    pairs += named_outputs(op, node)
    for value, name in pairs:
        if name is None:
            continue
        dtype = graph.tensors[name].dtype
        allowed = op.domains[value.type] if isinstance(value.type, str) else (value.type,)
        if dtype not in allowed:
            known = ", ".join(other.name for other in allowed)
            complaints.append(f"'{value.name}' is {dtype.name}; {op.name} takes {known}")
        elif isinstance(value.type, str) and bound.setdefault(value.type, dtype) != dtype:
            other = bound[value.type].name
            complaints.append(f"'{value.name}' is {dtype.name} where other tensors are {other}")
    return {name: bound[name] for name in op.domains if name in bound}, complaints


def node_problems(graph: Graph, node: Node, op: Op, where: str) -> list[Problem]:
    """What keeps this node from being a use of this op: types, constants, shapes, quantisation."""
    problems = operand_problems(graph, node, op, where)
    if problems:
        return problems
    return [_export_again(op, text, where) for text in _shape_complaints(graph, node, op)]


def operand_problems(graph: Graph, node: Node, op: Op, where: str) -> list[Problem]:
    """What is wrong with the types of its tensors, and what must be constant or state and is not.

    Where nothing is, an op's functions may look at the node.
    """
    _, complaints = bind_domains(graph, node, op)
    if complaints:
        fix = "convert the model to these types, or extend the op's domains"
        return [Problem("MDL012", text, where, fix) for text in complaints]
    for value, name in named_inputs(op, node):
        if value.constant and name is not None and graph.tensors[name].constant is None:
            complaints.append(f"'{value.name}' must be a constant")
        if value.state and name is not None and not graph.tensors[name].variable:
            complaints.append(f"'{value.name}' must be a variable tensor")
    return [_export_again(op, text, where) for text in complaints]


def _export_again(op: Op, text: str, where: str) -> Problem:
    return Problem("MDL014", f"{op.name}: {text}", where, "export the model again")


def _shape_complaints(graph: Graph, node: Node, op: Op) -> list[str]:
    seen = view(graph, node, op)
    try:
        inferred: tuple[TensorType, ...] = tuple(op.infer(seen))
        if len(inferred) != len(node.outputs):
            return [f"infer gives {len(inferred)} types for {len(node.outputs)} outputs"]
        complaints = [
            f"'{value.name}' is {graph.tensors[name].type} where {wanted} follows from the inputs"
            for (value, name), wanted in zip(named_outputs(op, node), inferred, strict=True)
            if graph.tensors[name].type != wanted
        ]
        if not complaints and op.check is not None:
            complaints = list(op.check(seen))
        if not complaints:  # what the kernels will be told must be computable, too
            op.params(seen)
    except OpError as error:
        return [str(error)]
    return complaints
