"""Facts about a graph for `opsmith show`: its nodes and tensors, and their costs."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

from opsmith.ir import Graph, Node, Numerics, Quantization, Tensor
from opsmith.ir.flow import Loop, blocks, branches_and_loops
from opsmith.legalize.numerics import departing
from opsmith.op.index import OpIndex
from opsmith.op.node import view
from opsmith.schedule.memory.blocks import lifetimes

_PREFIX = "tflite."


def described_source(graph: Graph) -> dict[str, Any]:
    """Facts about a graph in the names of its source, which need no op."""
    nodes = [_node(graph, node, node.op.removeprefix(_PREFIX), None) for node in graph.nodes]
    return {**_ends(graph), "parameter_bytes": _parameters(graph, graph.tensors), "nodes": nodes}


def described(graph: Graph, ops: OpIndex) -> dict[str, Any]:
    """Facts about a legal graph."""
    nodes = []
    for node in graph.nodes:
        op = ops.of(graph, node)
        macs = op.hooks.macs
        nodes.append(
            _node(graph, node, node.op, None if macs is None else macs(view(graph, node, op)))
        )
    return {
        **_ends(graph),
        "macs": sum(each["macs"] or 0 for each in nodes),
        "parameter_bytes": _parameters(graph, graph.tensors),
        "looped": _looped(graph),
        "alive": _alive(graph),
        "nodes": nodes,
        "agreement": list(_agreement(graph, ops)),
    }


def _ends(graph: Graph) -> dict[str, Any]:
    """Inputs and outputs of a graph."""
    return {
        "inputs": [_tensor(graph.tensors[name]) for name in graph.inputs],
        "outputs": [_tensor(graph.tensors[name]) for name in graph.outputs],
    }


def _node(graph: Graph, node: Node, op: str, macs: int | None) -> dict[str, Any]:
    inputs = [name for name in node.inputs if name is not None]
    moving = [name for name in inputs if graph.tensors[name].constant is None]
    return {
        "op": op,
        "source": node.source,
        "inputs": [_tensor(graph.tensors[name]) for name in moving],
        "constants": [_tensor(graph.tensors[name]) for name in inputs if name not in moving],
        "outputs": [_tensor(graph.tensors[name]) for name in node.outputs],
        "macs": macs,
        "parameter_bytes": _parameters(graph, inputs),
    }


def _tensor(tensor: Tensor) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "type": tensor.dtype.name,
        "shape": list(tensor.shape),
        "quantization": _quantization(tensor.quantization),
    }


def _quantization(found: Quantization | None) -> dict[str, Any] | None:
    if found is None:
        return None
    if not found.per_channel:
        return {"scale": _number(found.scales[0]), "zero_point": found.zero_points[0]}
    ends = [_number(min(found.scales)), _number(max(found.scales))]
    return {"channels": len(found.scales), "axis": found.axis, "scales": ends}


def _number(scale: float) -> float | str:
    """Scale as a JSON number, or as text if it is not finite, which a refused model may have."""
    return scale if math.isfinite(scale) else str(scale)


def _parameters(graph: Graph, names: Iterable[str]) -> int:
    """Bytes of the constants among named tensors, each counted once."""
    tensors = (graph.tensors[name] for name in dict.fromkeys(names))
    return sum(tensor.bytes for tensor in tensors if tensor.constant is not None)


def _looped(graph: Graph) -> int:
    """Number of nodes in loops, whose MACs and time are those of one pass."""
    loops = [item for item in branches_and_loops(graph.flow) if isinstance(item, Loop)]
    repeated = {block for loop in loops for block in blocks((loop,))}
    return sum(node.block in repeated for node in graph.nodes)


def _alive(graph: Graph) -> dict[str, Any]:
    """Greatest number of bytes of tensors alive at one node, and that node."""
    first, last = lifetimes(graph)
    change = [0] * (len(graph.nodes) + 1)
    for name, tensor in graph.tensors.items():
        if tensor.constant is None and (begin := first.get(name)) is not None:
            change[max(begin, 0)] += tensor.bytes
            change[min(last[name] + 1, len(graph.nodes))] -= tensor.bytes
    most, where, now = 0, "", 0
    for node, grown in zip(graph.nodes, change, strict=False):
        now += grown
        if now > most:
            most, where = now, node.source
    return {"bytes": most, "at": where}


def _agreement(graph: Graph, ops: OpIndex) -> Iterator[dict[str, Any]]:
    """Nodes whose elements may differ from those of each rule of `numerics=`, with the reasons."""
    for rule in Numerics:
        for node, why in departing(graph, rule, ops):
            yield {"numerics": rule.value, "op": node.op, "source": node.source, "why": why}
