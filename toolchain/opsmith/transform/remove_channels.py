"""Removal of channels that are constant for every input, or that no output needs.

Exact for every input of the model, since nothing here looks at data:

* `channel_ranges` gives bounds of every channel that follow from weights, biases, zero points and
  clamps alone, for inputs of any value. Requantisation and clamps are monotone, so that a channel
  whose bounds meet is that number at every pixel of every inference.
* A tensor whose channels are all constant becomes a constant. Another constant channel leaves the
  tensor only where every reader takes its number in: what it adds to a sum goes into the bias
  when it adds the same at every pixel, also at those where padding hides some of the taps.
  Otherwise its reader names it as live, and it stays.
* `live_channels` starts at what others see and asks each op what it needs for it. An op that
  does not say needs everything. What is in no mask is thus read by no live element, or with
  weights of zero.
* A bias takes in no more than the weights that go could have added, so that no sum leaves the
  bounds that were checked before. A constant channel that stays has no weights: its bias is a sum
  that gives its number.

Postcondition: of every tensor all channels are live, and none is constant throughout; unless all
tensors together have millions of channels.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from opsmith.ir import Constant, Graph, Node, Tensor
from opsmith.op.channels import Masks, Ranges, has_too_many, select
from opsmith.op.fold import LARGEST_CONSTANT
from opsmith.op.index import OpIndex
from opsmith.op.node import named_inputs, view
from opsmith.transform.channel_ranges import KnownRanges, channel_ranges
from opsmith.transform.live_channels import KnownNeeds, is_live, live_channels


def remove_channels(graph: Graph, ops: OpIndex, known: KnownRanges | None = None) -> Graph:
    """Return the graph without constant and unneeded channels in tensors and weights."""
    if has_too_many(graph.tensors.values()):
        return graph
    known, needs = known or KnownRanges(), KnownNeeds()
    while True:  # with only constant channels left, the whole tensor is constant
        after = _removed_once(graph, ops, known, needs)
        if after.nodes == graph.nodes:
            return graph
        graph = after


def _removed_once(graph: Graph, ops: OpIndex, known: KnownRanges, needs: KnownNeeds) -> Graph:
    ranges = channel_ranges(graph, ops, known)
    graph = _with_constants(graph, ranges)
    live = live_channels(graph, ops, ranges, needs)
    nodes: list[Node] = []
    made: dict[str, Tensor] = {}
    for node in graph.nodes:
        if is_live(graph, node, live):
            kept, constants = _kept(graph, node, ops, live, ranges)
            nodes.append(kept)
            made |= constants
    cut = {t.id: _cut(t, live) for t in graph.tensors.values()}
    return replace(graph, tensors=cut).with_nodes(tuple(nodes), **made)


def _with_constants(graph: Graph, ranges: Ranges) -> Graph:
    """Return the graph in which a tensor with only constant channels is a constant."""
    nodes: list[Node] = []
    made: dict[str, Tensor] = {}
    for node in graph.nodes:
        outputs = [graph.tensors[name] for name in node.outputs]
        known = all(t.id in ranges and bool(ranges[t.id].constant.all()) for t in outputs)
        known = known and all(t.elements <= LARGEST_CONSTANT for t in outputs)
        if known and not any(name and graph.tensors[name].variable for name in node.inputs):
            made |= {t.id: _constant(t, ranges) for t in outputs}
        else:
            nodes.append(node)
    return graph.with_nodes(tuple(nodes), **made)


def _constant(tensor: Tensor, ranges: Ranges) -> Tensor:
    numbers = ranges[tensor.id].low.astype(tensor.dtype.numpy)
    shape = tensor.shape or (1,)
    data = np.broadcast_to(numbers, shape).reshape(tensor.shape).copy()
    return replace(tensor, constant=Constant(data))


def _kept(
    graph: Graph, node: Node, ops: OpIndex, live: Masks, ranges: Ranges
) -> tuple[Node, Mapping[str, Tensor]]:
    """Return the node for live channels alone, and the constants that it now reads."""
    op = ops.of(graph, node)
    names = [name for name in (*node.inputs, *node.outputs) if name is not None]
    lost = {name: int((~live[name]).sum()) for name in names if not live[name].all()}
    if not lost:
        return node, {}
    made: dict[str, Tensor] = {}
    inputs = list(node.inputs)
    if op.hooks.channels.keep is not None:
        changed = op.hooks.channels.keep(view(graph, node, op), live, ranges)
        positions = {value.name: i for i, (value, _) in enumerate(named_inputs(op, node))}
        for name, tensor in changed.items():
            ident = _unused(f"{node.name}_{name}", graph)
            inputs[positions[name]] = ident
            made[ident] = replace(tensor, id=ident, name=tensor.name or ident)
    counts = [f"{count} of {len(live[name])} of {name}" for name, count in lost.items()]
    remarks = (*node.remarks, f"channels removed, which change no output: {', '.join(counts)}")
    return replace(node, inputs=tuple(inputs), remarks=remarks), made


def _unused(wanted: str, graph: Graph) -> str:
    while wanted in graph.tensors:
        wanted += "_"
    return wanted


def _cut(tensor: Tensor, live: Masks) -> Tensor:
    mask = live[tensor.id]
    return tensor if mask.all() or not mask.any() else select(tensor, -1, mask)
