"""Tensors that lie inside others, so that a node has nothing to do: reshape, concat, split."""

from dataclasses import dataclass

from opsmith.ir import Graph, Node
from opsmith.op.node import view
from opsmith.op.typed import TypedOp


@dataclass(frozen=True)
class Alias:
    """A tensor whose bytes are part of another tensor."""

    inner: str
    outer: str
    offset: int


def aliases(graph: Graph, node: Node, op: TypedOp) -> tuple[Alias, ...]:
    """Aliases that addresses must satisfy for the node to need no kernel; () where that is
    impossible.

    Tensors that are written more than once are never the inner or outer tensor of an alias.
    """
    found = in_place(graph, node, op)
    return () if any(graph.tensors[n].mutable for e in found for n in (e.inner, e.outer)) else found


def in_place(graph: Graph, node: Node, op: TypedOp) -> tuple[Alias, ...]:
    """Aliases that leave a kernel of the node nothing to do where addresses satisfy them all."""
    found = _aliases(graph, node, op)
    if any(graph.tensors[n].constant is not None for e in found for n in (e.inner, e.outer)):
        return ()
    return found if len({each.inner for each in found}) == len(found) else ()


def left_in_place(graph: Graph, node: Node, op: TypedOp) -> bool:
    """True if the plan put the node's tensors into each other, so nothing is left to compute."""
    assert graph.plan is not None
    places, found = graph.plan.placements, in_place(graph, node, op)
    return bool(found) and all(
        places[each.inner].memory == places[each.outer].memory
        and places[each.inner].offset == places[each.outer].offset + each.offset
        for each in found
    )


def _aliases(graph: Graph, node: Node, op: TypedOp) -> tuple[Alias, ...]:
    read = [name for name in node.inputs if name is not None]
    if not read or len(node.outputs) != 1:
        return ()
    (y,) = node.outputs
    if "view" in op.traits:
        return (Alias(y, read[0], 0),)
    views = op.hooks.views
    if views.part is not None and (offset := views.part(view(graph, node, op))) is not None:
        return (Alias(y, read[0], offset),)
    if views.parts is not None and (offsets := views.parts(view(graph, node, op))) is not None:
        return tuple(Alias(x, y, offset) for x, offset in zip(read, offsets, strict=True))
    return ()
