"""Take factors and addends of channels, as batch norms leave them, into convolutions of floats.

A convolution gives clamp(s + b), where s is a sum from zero in a fixed order, every operation
rounded to float32, and the clamp, without an activation, is to the finite numbers, [-M, M]. The
node after it, if it only adds a constant k to each channel, gives act(clamp(s + b) + k).

Where b is zero, act(s + k) is the same, bit for bit, for every input, if |k| < 2^103:

* s + b is s: a sum that starts at +0 is never -0, so that not even the zero of b shows;
* where s is finite, clamp(s) is s;
* where s is infinite, clamp(s) is M or -M; since half of the distance from M to the numbers beside
  it is 2^103, M + k rounds to M, which act clamps to its upper bound, as it does infinity. -M is
  the mirror image;
* where s is NaN, both are NaN.

Neither a factor nor an addend after another bias is exact: (s + b) + k and s + (b + k) round
differently. These are folded only if `exactly` is false, which users ask for by `fold_floats=1`.

Postcondition: no node that only adds or multiplies such constants is the only reader of one that
could take them in, within what `exactly` allows.
"""

from __future__ import annotations

from dataclasses import replace

from opsmith.ir import Graph, Node
from opsmith.op.index import OpIndex
from opsmith.op.node import node_problems, view
from opsmith.transform.constants import with_constants


def fold_affine(graph: Graph, ops: OpIndex, *, exactly: bool) -> Graph:
    """Return the graph with such factors and addends in the constants of the preceding node."""
    applied = [node.name for node in graph.nodes if ops.of(graph, node).hooks.affine.applies]
    for name in applied:
        index = next(i for i, node in enumerate(graph.nodes) if node.name == name)
        folded = _folded(graph, graph.nodes[index], ops, exactly)
        if folded is not None:
            graph = folded
    return graph


def _folded(graph: Graph, node: Node, ops: OpIndex, exactly: bool) -> Graph | None:
    """Return the graph without the node; None where the preceding node cannot take it in."""
    op = ops.of(graph, node)
    applies = op.hooks.affine.applies
    affine = None if applies is None else applies(view(graph, node, op))
    if affine is None:
        return None
    place = [value.name for value in op.inputs].index(affine.input)
    between = node.inputs[place]
    front = next((each for each in graph.nodes if each.outputs == (between,)), None)
    if front is None or between in graph.outputs or _readers(graph, between) != 1:
        return None
    other = ops.of(graph, front)
    absorbs = other.hooks.affine.absorbs
    if absorbs is None or front.attributes["activation"] != "NONE":
        return None
    changed = absorbs(view(graph, front, other), affine, exactly)
    if changed is None:
        return None
    whole = replace(
        front,
        outputs=node.outputs,
        attributes={**front.attributes, "activation": node.attributes["activation"]},
        remarks=(*front.remarks, f"{node.source} taken in"),
    )
    made, tensors = with_constants(graph, whole, other, changed)
    nodes = tuple(made if each is front else each for each in graph.nodes if each is not node)
    trial = graph.with_nodes(nodes, **tensors)
    return None if node_problems(trial, made, other, front.source) else trial


def _readers(graph: Graph, name: str | None) -> int:
    return sum(node.inputs.count(name) for node in graph.nodes)
