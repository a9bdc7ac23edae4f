"""Graph as text, for dumps and for tests: one line per tensor and per node."""

from collections.abc import Iterator

import numpy as np

from opsmith.ir.flow import STRAIGHT, Branch, Flow, parts
from opsmith.ir.graph import Graph, Node, Tensor
from opsmith.numerics import Numerics


def graph_to_text(graph: Graph) -> str:
    """The whole graph as deterministic text, with weights as shape and a short digest of values."""
    lines = [f"graph {graph.name}"]
    lines += [f"  input  {graph.tensors[name].id}" for name in graph.inputs]
    lines += [f"  output {graph.tensors[name].id}" for name in graph.outputs]
    lines += ["tensors"]
    lines += [f"  {_tensor(graph, tensor)}" for tensor in graph.tensors.values()]
    lines += ["nodes"]
    blocks = graph.flow != STRAIGHT
    lines += [
        f"  {i}: {f'block {node.block}: ' if blocks else ''}{_node(node)}"
        for i, node in enumerate(graph.nodes)
    ]
    lines += [*_flow(graph.flow, "  ")] if blocks else []
    if graph.plan is not None:
        for memory, size in graph.plan.arenas.items():
            bound = graph.plan.lower_bounds[memory]
            lines += [f"plan: {memory} {size} bytes; lower bound {bound} bytes"]
    return "\n".join(lines) + "\n"


def _flow(flow: Flow, space: str) -> Iterator[str]:
    for item in flow:
        if isinstance(item, int):
            yield f"{space}block {item}"
            continue
        branch = isinstance(item, Branch)
        titles = (f"if {item.condition}", "else") if branch else ("loop", f"while {item.condition}")
        for title, part in zip(titles, parts(item), strict=True):
            yield f"{space}{title}"
            yield from _flow(part, f"{space}  ")


def _tensor(graph: Graph, tensor: Tensor) -> str:
    found = [f"{tensor.id}: {tensor.type}"]
    if tensor.quantization is not None:
        q = tensor.quantization
        shown = f"scale {q.scales[0]:.9g} zero point {q.zero_points[0]}"
        found.append(f"{len(q.scales)} scales on axis {q.axis}" if q.per_channel else shown)
    if tensor.constant is not None:
        values = ", ".join(str(v) for v in np.ravel(tensor.data)[:4])
        found.append(f"constant {{{values}{', …' if tensor.elements > 4 else ''}}}")
    if tensor.variable:
        first = "" if tensor.initial is None else f", at first {tensor.initial}"
        found.append(f"variable{first}")
    if tensor.joined:
        found.append("joined")
    if graph.plan is not None and tensor.id in graph.plan.placements:
        at = graph.plan.placements[tensor.id]
        found.append(f"at {at.memory}+{at.offset} during {at.first}..{at.last}")
    found.append(f"{tensor.name!r}")
    return "  ".join(found)


def _node(node: Node) -> str:
    inputs = ", ".join("-" if name is None else name for name in node.inputs)
    attributes = "".join(f" {key}={value!r}" for key, value in sorted(node.attributes.items()))
    kernel = f"  by {node.kernel.symbol} ({node.kernel.why})" if node.kernel else ""
    side = f"  on {node.kernel.side.name}" if node.kernel and node.kernel.side else ""
    backward = "  backward" if node.reversed else ""
    rule = "" if node.numerics == Numerics.REFERENCE else f"  numerics {node.numerics}"
    outputs = ", ".join(node.outputs)
    return f"{outputs} = {node.op}({inputs}){attributes}{rule}{kernel}{side}{backward}"
