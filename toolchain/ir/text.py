"""The graph as text, for dumps and for tests: one line per tensor and per node."""

from __future__ import annotations

import numpy as np

from toolchain.ir.graph import Graph, Node, Tensor


def graph_to_text(graph: Graph) -> str:
    """The whole graph, deterministic, weights as shape and a short digest of values."""
    lines = [f"graph {graph.name}"]
    lines += [f"  input  {graph.tensors[name].id}" for name in graph.inputs]
    lines += [f"  output {graph.tensors[name].id}" for name in graph.outputs]
    lines += ["tensors"]
    lines += [f"  {_tensor(graph, tensor)}" for tensor in graph.tensors.values()]
    lines += ["nodes"]
    lines += [f"  {i}: {_node(node)}" for i, node in enumerate(graph.nodes)]
    if graph.plan is not None:
        for memory, size in graph.plan.arenas.items():
            bound = graph.plan.lower_bounds[memory]
            lines += [f"plan: {memory} {size} bytes; lower bound {bound} bytes"]
    return "\n".join(lines) + "\n"


def _tensor(graph: Graph, tensor: Tensor) -> str:
    parts = [f"{tensor.id}: {tensor.type}"]
    if tensor.quantization is not None:
        q = tensor.quantization
        shown = f"scale {q.scales[0]:.9g} zero point {q.zero_points[0]}"
        parts.append(f"{len(q.scales)} scales on axis {q.axis}" if q.per_channel else shown)
    if tensor.constant is not None:
        values = ", ".join(str(v) for v in np.ravel(tensor.data)[:4])
        parts.append(f"constant {{{values}{', …' if tensor.elements > 4 else ''}}}")
    if tensor.variable:
        parts.append("variable")
    if graph.plan is not None and tensor.id in graph.plan.placements:
        at = graph.plan.placements[tensor.id]
        parts.append(f"at {at.memory}+{at.offset} during {at.first}..{at.last}")
    parts.append(f"{tensor.name!r}")
    return "  ".join(parts)


def _node(node: Node) -> str:
    inputs = ", ".join("-" if name is None else name for name in node.inputs)
    attributes = "".join(f" {key}={value!r}" for key, value in sorted(node.attributes.items()))
    kernel = f"  by {node.kernel.symbol} ({node.kernel.why})" if node.kernel else ""
    backward = "  backward" if node.reversed else ""
    return f"{', '.join(node.outputs)} = {node.op}({inputs}){attributes}{kernel}{backward}"
