"""A graph as work for two sides: nodes as tasks, tensors as indices of the graph's tensors."""

from collections.abc import Sequence

from opsmith.board.device import Device
from opsmith.ir import Graph, Node
from opsmith.ir.flow import STRAIGHT
from opsmith.op.index import OpIndex
from opsmith.op.node import named_inputs
from opsmith.op.typed import TypedOp
from opsmith.select.sides import SideTask, SideWork

Times = tuple[int | None, int | None]  # times of a node on each side


def graph_work(
    graph: Graph, ops: OpIndex, device: Device, times: Sequence[Times], free: Sequence[bool]
) -> SideWork:
    """Return the work of all nodes; `free` marks nodes that addresses alone compute.

    With branches, loops or streams, each node that the device computes is a segment of its own.
    """
    number = {
        name: i for i, (name, tensor) in enumerate(graph.tensors.items()) if not tensor.constant
    }

    def numbers(names: Sequence[str | None]) -> tuple[int, ...]:
        return tuple(number[name] for name in dict.fromkeys(names) if name in number)

    tasks = (
        SideTask(
            ns, numbers(node.inputs), numbers(written(graph, node, ops.of(graph, node))), still
        )
        for node, ns, still in zip(graph.nodes, times, free, strict=True)
    )
    return SideWork(
        tuple(tasks),
        tuple(round(tensor.bytes * device.byte_ns) for tensor in graph.tensors.values()),
        round(device.border_ns),
        frozenset(numbers(graph.inputs)),
        frozenset(numbers(graph.outputs)),
        frozenset(numbers([t.id for t in graph.tensors.values() if t.variable])),
        apart=graph.flow != STRAIGHT or graph.stream is not None,
    )


def written(graph: Graph, node: Node, op: TypedOp) -> list[str]:
    """Return the tensors that a node may change: its outputs and the states that it gets."""
    states = [name for value, name in named_inputs(op, node) if value.state and name is not None]
    return [*node.outputs, *states]
