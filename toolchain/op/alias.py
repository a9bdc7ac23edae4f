"""Tensors that lie inside others, so that a node has nothing to do: reshape, concat, split."""

from __future__ import annotations

from dataclasses import dataclass

from toolchain.ir import Graph, Node
from toolchain.op.node import view
from toolchain.op.typed import TypedOp


@dataclass(frozen=True)
class Alias:
    """A tensor that is some bytes of another."""

    inner: str
    outer: str
    offset: int


def aliases(graph: Graph, node: Node, op: TypedOp) -> tuple[Alias, ...]:
    """What must hold of the addresses for the node to be done by them; () where nothing can."""
    found = _aliases(graph, node, op)
    tensors = [graph.tensors[name] for each in found for name in (each.inner, each.outer)]
    if any(tensor.constant is not None or tensor.variable for tensor in tensors):
        return ()
    return found if len({each.inner for each in found}) == len(found) else ()


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
