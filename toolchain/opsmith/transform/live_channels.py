"""Channels of every tensor that must be computed."""

from collections.abc import Iterable
from operator import is_

import numpy as np

from opsmith.ir import Graph, Node, Tensor
from opsmith.op.channels import Mask, Masks, Ranges, all_live, channels_of, tied
from opsmith.op.describe import Op
from opsmith.op.index import OpIndex
from opsmith.op.node import named_inputs, view

MOST_KEPT = 1 << 26  # limit of masks in bytes


class KnownNeeds:
    """Channels that nodes need, for graphs that share most nodes: each node is asked once, as long
    as there is room for its answers.
    """

    def __init__(self) -> None:
        self._left = MOST_KEPT
        self._nodes: dict[str, tuple[tuple[object, ...], dict[bytes, Masks]]] = {}

    def of(self, graph: Graph, node: Node, ops: OpIndex, live: Masks, ranges: Ranges) -> Masks:
        """Masks of the channels that a node needs, for every tensor that it reads or writes."""
        names = [name for name in (*node.inputs, *node.outputs) if name is not None]
        given = (node, *map(graph.tensors.get, names), *map(ranges.get, names))
        before, answers = self._nodes.get(node.name, ((), {}))
        if len(before) != len(given) or not all(map(is_, before, given)):
            answers = {}
            self._nodes[node.name] = given, answers
        masks = b"".join([live[name].tobytes() for name in names])
        if masks in answers:
            return answers[masks]
        needs = _needs(graph, node, ops, live, ranges)
        self._left -= 2 * len(masks)
        if self._left >= 0:
            answers[masks] = needs
        return needs


def live_channels(
    graph: Graph, ops: OpIndex, ranges: Ranges, known: KnownNeeds | None = None
) -> dict[str, Mask]:
    """Return the live channels of each tensor, by id: the fewest that give every node its inputs.

    All channels are live in tensors visible from outside (inputs and outputs of the graph, state),
    in constants that nodes read as such, and around ops that do not declare their needs. A tensor
    read by a node with a live output has at least one live channel, since a tensor cannot have
    none.
    """
    known = known or KnownNeeds()
    live = {t.id: np.zeros(channels_of(t), np.bool_) for t in graph.tensors.values()}
    live |= all_live(_pinned(graph, ops))
    producers, consumers = graph.producers(), graph.consumers()
    pending = dict.fromkeys(range(len(graph.nodes)))  # ordered set; the last node is next
    while pending:
        node = graph.nodes[pending.popitem()[0]]
        if not is_live(graph, node, live):
            continue
        for name, mask in known.of(graph, node, ops, live, ranges).items():
            grown = live[name] | mask
            grown[:1] |= not np.count_nonzero(grown)
            if np.count_nonzero(grown) > np.count_nonzero(live[name]):
                live[name] = grown
                around = [*consumers[name], *([producers[name]] if name in producers else [])]
                pending.update(dict.fromkeys(around))
    return live


def is_live(graph: Graph, node: Node, live: Masks) -> bool:
    """True if any output of the node has a live channel, or the node changes a state."""
    return graph.changes_state(node) or any(live[name].any() for name in node.outputs)


def _pinned(graph: Graph, ops: OpIndex) -> Iterable[Tensor]:
    for tensor in graph.tensors.values():
        if tensor.mutable or (tensor.quantization and tensor.quantization.per_channel):
            yield tensor
    seen = [*graph.inputs, *graph.outputs]
    for node in graph.nodes:
        inputs = named_inputs(ops[node.op], node)
        seen += [name for value, name in inputs if name is not None and value.constant]
    yield from (graph.tensors[name] for name in seen)


def _needs(graph: Graph, node: Node, ops: OpIndex, live: Masks, ranges: Ranges) -> Masks:
    """Return masks of the channels that a node needs, for every tensor that it reads or writes."""
    op = ops.of(graph, node)
    read = [n for value, n in named_inputs(op, node) if n is not None and not value.constant]
    tensors = [graph.tensors[name] for name in dict.fromkeys((*read, *node.outputs))]
    if op.hooks.channels.live is not None:
        return op.hooks.channels.live(view(graph, node, op), live, ranges)
    if "elementwise" in op.traits and not op.states:
        return _elementwise(graph, node, op, tensors, live)
    return all_live(tensors)


def _elementwise(graph: Graph, node: Node, op: Op, tensors: list[Tensor], live: Masks) -> Masks:
    """Masks for an elementwise node: the union over its tensors, broadcast from one channel."""
    channels = channels_of(graph.tensors[node.outputs[0]])
    if any(channels_of(tensor) not in (1, channels) for tensor in tensors):
        return all_live(tensors)
    declared = any(value.constant for value, name in named_inputs(op, node) if name is not None)
    if declared and op.hooks.channels.keep is None:  # its constants cannot be cut
        return all_live(tensors)
    of_all = [tensor for tensor in tensors if channels_of(tensor) == channels]
    single = [tensor for tensor in tensors if channels_of(tensor) != channels]
    return {**tied(of_all, live), **all_live(single)}
