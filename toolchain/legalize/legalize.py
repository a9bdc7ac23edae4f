"""Turn source operators into ops, as the op folders say; report all that cannot be at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from toolchain.errors import Problem, did_you_mean, raise_all
from toolchain.ir import Graph, Node
from toolchain.ir.types import BY_NAME
from toolchain.op.describe import Attribute, Op, Rename
from toolchain.op.discover import OpIndex
from toolchain.op.node import node_problems


def legalize(graph: Graph, ops: OpIndex, where: str) -> Graph:
    """The graph with op names and typed attributes. Raises MDL01x, all problems at once."""
    problems: list[Problem] = []
    nodes = []
    for node in graph.nodes:
        at = f"{where}: {node.source}"
        found = list(_unsupported(graph, node, ops, at))
        if not found:
            op, rename = ops.by_source[node.op][0].op, ops.by_source[node.op][1]
            node, found = _rename(node, op, rename, at)
            found += [] if found else node_problems(graph, node, op, at)
        problems += found
        nodes.append(node)
    raise_all(dict.fromkeys(problems))
    return replace(graph, nodes=tuple(nodes))


def used_ops(graph: Graph, ops: OpIndex) -> list[str]:
    """The names of the ops that a legal graph uses, sorted."""
    return sorted({node.op for node in graph.nodes})


def _unsupported(graph: Graph, node: Node, ops: OpIndex, where: str) -> Iterator[Problem]:
    source = node.op.removeprefix("tflite.")
    if node.op not in ops.by_source:
        fix = f'add an op folder with Rename("{node.op}"); every folder of ops= is searched'
        yield Problem(
            "MDL010", f"no op claims {source}{did_you_mean(node.op, ops.by_source)}", where, fix
        )
        return
    rename = ops.by_source[node.op][1]
    if node.version not in rename.versions:
        known = f"{rename.versions.start} to {rename.versions.stop - 1}"
        yield Problem(
            "MDL011",
            f"version {node.version} of {source} is not known (known: {known})",
            where,
            "convert the model for an older runtime, or extend versions= of the op's Rename",
        )
    for name in (*node.inputs, *node.outputs):
        if name is not None and graph.tensors[name].dtype.name not in BY_NAME:
            kind = graph.tensors[name].dtype.name
            yield Problem(
                "MDL012",
                f"{name} has type {kind}, which is not supported",
                where,
                "quantise the model to int8",
            )


def _rename(node: Node, op: Op, rename: Rename, where: str) -> tuple[Node, list[Problem]]:
    attributes, complaints = _attributes(node, op, rename)
    inputs = node.inputs
    if rename.inputs is not None:
        inputs = tuple(node.inputs[i] if i < len(node.inputs) else None for i in rename.inputs)
    if len(inputs) > len(op.inputs) or len(node.outputs) != len(op.outputs):
        complaints.append(
            f"{len(inputs)} inputs and {len(node.outputs)} outputs, "
            f"where {op.name} has {len(op.inputs)} and {len(op.outputs)}"
        )
    inputs += (None,) * (len(op.inputs) - len(inputs))
    for value, name in zip(op.inputs, inputs, strict=False):
        if name is None and not value.optional:
            complaints.append(f"input '{value.name}' of {op.name} is absent")
    problems = [Problem("MDL013", text, where, "export the model again") for text in complaints]
    return replace(node, op=op.name, inputs=inputs, attributes=attributes), problems


def _attributes(node: Node, op: Op, rename: Rename) -> tuple[dict[str, Any], list[str]]:
    declared = {attribute.name: attribute for attribute in op.attributes}
    found: dict[str, Any] = {}
    complaints: list[str] = []
    for option, value in node.attributes.items():
        name = rename.attributes.get(option, option)
        if option in rename.ignore:
            continue
        if name in declared:
            complaints += _wrong(declared[name], value)
            found[name] = value
        elif value:  # an unknown option at the schema's default, 0 or False, changes nothing
            complaints.append(f"option {option}={value!r} is not known to {op.name}")
    for attribute in op.attributes:
        if attribute.name not in found and attribute.default is None:
            complaints.append(f"option for attribute '{attribute.name}' of {op.name} is missing")
        found.setdefault(attribute.name, attribute.default)
    return found, complaints


def _wrong(attribute: Attribute, value: Any) -> Iterator[str]:
    if not isinstance(value, attribute.type):
        yield f"attribute '{attribute.name}' is {value!r}, no {attribute.type.__name__}"
    elif attribute.choices and value not in attribute.choices:
        known = ", ".join(map(str, attribute.choices))
        yield f"attribute '{attribute.name}' is {value!r}; known are {known}"
