"""Reasons why a model's unclaimed operators cannot become ops that a folder declares."""

from collections.abc import Iterator

from opsmith.errors import Problem
from opsmith.ir import Graph, Node
from opsmith.ir.types import BY_NAME
from opsmith.legalize.kinds import foreign_kind, kind_of_type
from opsmith.legalize.refused import of_training
from opsmith.op.index import OpIndex


def undeclarable(graph: Graph, ops: OpIndex, model: str) -> Iterator[Problem]:
    """Problems OPS038 of needed nodes: reasons why adding a folder for each unclaimed operator
    would not make the model legal.
    """
    needed = graph.needed_nodes()
    nodes = [node for node in graph.nodes if node.name in needed]
    for node in nodes:
        yield from _strange_types(graph, node, f"{model}: {node.source}")
    counts: dict[str, set[int]] = {}
    for node in nodes:
        if node.op not in ops.by_source:
            yield from _unlike_ops(node, f"{model}: {node.source}")
            if not foreign_kind(node.op):
                counts.setdefault(node.op, set()).add(len(node.outputs))
    for op, found in counts.items():
        if len(found) > 1:
            name = op.removeprefix("tflite.")
            what = f"nodes of {name} have {min(found)} to {max(found)} outputs"
            fix = "export them alike, or, of one type, write an op whose last output is variadic"
            yield Problem("OPS038", what, model, fix)


def _strange_types(graph: Graph, node: Node, where: str) -> Iterator[Problem]:
    for name in (*node.inputs, *node.outputs):
        dtype = None if name is None else graph.tensors[name].dtype
        if dtype is not None and dtype.name not in BY_NAME:
            what = f"tensor '{name}' has type {dtype.name}"
            yield Problem("OPS038", what, where, kind_of_type(dtype).fix)


def _unlike_ops(node: Node, where: str) -> Iterator[Problem]:
    """Problem of a node for which no op can be declared, or none that would help."""
    if kind := foreign_kind(node.op) or of_training(node.op):
        yield Problem("OPS038", f"no op can be {kind.name}", where, kind.fix)
    if node.op.startswith("tflite.BUILTIN_"):
        what = f"{node.op.removeprefix('tflite.')} is newer than the schema"
        yield Problem("OPS038", what, where, "update the package tflite")
    given = [name for name in node.inputs if name is not None]
    if not given or not node.outputs:
        what = f"it has {len(given)} inputs and {len(node.outputs)} outputs"
        yield Problem("OPS038", what, where, "an op needs one of each")
