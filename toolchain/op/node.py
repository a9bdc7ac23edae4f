"""A node against its op: its view, its domain variables, its inferred types."""

from __future__ import annotations

from toolchain.errors import Problem
from toolchain.ir import DType, Graph, Node
from toolchain.op.describe import Input, Op, OpError, Output
from toolchain.op.view import NodeView


def view(graph: Graph, node: Node, op: Op) -> NodeView:
    """The node as the op's functions see it."""
    names = [value.name for value in op.inputs] + [value.name for value in op.outputs]
    tensors = [None if n is None else graph.tensors[n] for n in (*node.inputs, *node.outputs)]
    return NodeView(node.name, dict(zip(names, tensors, strict=True)), node.attributes)


def bind_domains(graph: Graph, node: Node, op: Op) -> tuple[dict[str, DType], list[str]]:
    """Domain variable -> element type, and sentences about tensors that do not fit."""
    bound: dict[str, DType] = {}
    complaints = []
    values: tuple[Input | Output, ...] = (*op.inputs, *op.outputs)
    for value, name in zip(values, (*node.inputs, *node.outputs), strict=True):
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
    return bound, complaints


def node_problems(graph: Graph, node: Node, op: Op, where: str) -> list[Problem]:
    """What keeps this node from being a use of this op: types, constants, shapes, quantisation."""
    _, complaints = bind_domains(graph, node, op)
    if complaints:
        fix = "quantise the model to int8, or extend the op's domains"
        return [Problem("MDL012", text, where, fix) for text in complaints]
    for value, name in zip(op.inputs, node.inputs, strict=True):
        if value.constant and name is not None and graph.tensors[name].constant is None:
            complaints.append(f"'{value.name}' must be a constant")
    if not complaints:
        complaints = _shape_complaints(graph, node, op)
    return [
        Problem("MDL014", f"{op.name}: {text}", where, "export the model again")
        for text in complaints
    ]


def _shape_complaints(graph: Graph, node: Node, op: Op) -> list[str]:
    seen = view(graph, node, op)
    try:
        inferred = op.infer(seen)
        complaints = [
            f"'{value.name}' is {graph.tensors[name].type} where {wanted} follows from the inputs"
            for value, name, wanted in zip(op.outputs, node.outputs, inferred, strict=True)
            if graph.tensors[name].type != wanted
        ]
        if not complaints and op.check is not None:
            complaints = list(op.check(seen))
        if not complaints:  # what the kernels will be told must be computable, too
            op.shape(seen)
    except OpError as error:
        return [str(error)]
    return complaints
