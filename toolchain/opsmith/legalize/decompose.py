"""Rewriting of nodes as other ops, by the decomposition that their op declares."""

from bisect import bisect_left, insort
from collections import ChainMap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from opsmith.errors import did_you_mean
from opsmith.ir import Graph, Node, Tensor
from opsmith.legalize.empty import empty_outputs
from opsmith.legalize.numerics import following
from opsmith.op.attributes import typed
from opsmith.op.declare import KEPT_WHOLE, OpError
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Plan, planned
from opsmith.op.node import node_problems, placed_inputs, view
from opsmith.op.typed import TypedOp
from opsmith.op.view import GraphBuilder

_DEEPEST = 16  # levels of nested decompositions


Watch = Callable[[str], None]
Cost = Callable[[Graph, Node], float]


def decompose(
    graph: Graph,
    ops: OpIndex,
    features: frozenset[str] | None,
    watch: Watch = lambda op: None,
    cost: Cost | None = None,
) -> Graph:
    """Graph with composite nodes decomposed, and a remark on each node with a decomposition.

    A decomposition is used when its `when` holds, every resulting node is a valid use of a known
    op, and no kernel marked `over_composite` can compute the node; without `features` none can. A
    `cheaper` one is used where, by `cost`, the parts cost less; not without `cost`, nor where it
    would be used for several nodes: they share general code, which costs more than is declared. It
    leaves no remark where its `when` does not hold, which is usual. `watch` gets the op of each
    node that a decomposition makes, even of a decomposition that is then rejected.
    """
    if len([node for node in graph.nodes if may_save(graph, node, ops)]) > 1:
        cost = None
    for _ in range(_DEEPEST):
        nodes: list[Node] = []
        added = dict(graph.tensors)
        grown = replace(graph, tensors=added)
        names = sorted([*added, *(node.name for node in graph.nodes)])
        for node in graph.nodes:
            nodes += _decomposed(grown, node, ops, features, added, names, watch, cost)
        if tuple(nodes) == graph.nodes:
            return graph
        graph = graph.with_nodes(tuple(nodes), **added)
    return graph


def _decomposed(
    graph: Graph,
    node: Node,
    ops: OpIndex,
    features: frozenset[str] | None,
    added: dict[str, Tensor],
    names: list[str],
    watch: Watch,
    cost: Cost | None,
) -> Iterator[Node]:
    """Nodes that replace a node. New tensors go to `added`, and names to the sorted `names`."""
    op = ops[node.op]
    rule = op.decompose
    if rule is None or any(remark.startswith(KEPT_WHOLE) for remark in node.remarks):
        yield node
        return
    seen = view(graph, node, op)
    if not rule.when(seen):
        yield node if rule.cheaper else _whole(node, "when= of its decompose= does not hold")
        return
    winner = (
        None if features is None else _over_composite(graph, node, ops.of(graph, node), features)
    )
    if winner is not None:
        yield _whole(node, f"{winner} says over_composite=")
        return
    builder = GraphBuilder(_prefix(node, names))
    try:
        rule.into(seen, builder)
        for part in builder.nodes:
            watch(part.op)
        parts = [_completed(part, node, ops) for part in builder.nodes]
    except OpError as error:
        yield _whole(node, str(error))
        return
    trial = replace(graph, tensors=ChainMap(dict(builder.tensors), added))
    for part in parts:
        for problem in node_problems(trial, part, ops[part.op], node.source):
            yield _whole(node, problem.what)
            return
    parts = [following(trial, part, node.numerics, ops) for part in parts]
    if rule.cheaper and not _cheaper(trial, parts, node, cost):
        yield _whole(node, "the other ops cost no less")
        return
    for name in builder.tensors:
        insort(names, name)
    added.update({**empty_outputs(graph, node), **builder.tensors})
    yield from parts


def _prefix(node: Node, names: Sequence[str]) -> str:
    """Return a prefix for names of new tensors and nodes with which no name of `names` begins."""
    prefix = node.name
    while _begins_one(names, f"{prefix}_"):
        prefix += "_part"
    return prefix


def _begins_one(names: Sequence[str], prefix: str) -> bool:
    at = bisect_left(names, prefix)
    return at < len(names) and names[at].startswith(prefix)


def _whole(node: Node, reason: str) -> Node:
    return replace(node, remarks=(*node.remarks, f"{KEPT_WHOLE}: {reason}"))


def _over_composite(graph: Graph, node: Node, op: TypedOp, features: frozenset[str]) -> str | None:
    """Return the name of a kernel that is preferred to the decomposition; None without one."""
    seen = view(graph, node, op)
    for kernel in op.kernels:
        if kernel.over_composite and isinstance(planned(seen, kernel, features), Plan):
            return kernel.name
    return None


def may_save(graph: Graph, node: Node, ops: OpIndex) -> bool:
    """True for a node that a `cheaper` decomposition concerns."""
    op = ops[node.op]
    rule = op.decompose
    return rule is not None and rule.cheaper and rule.when(view(graph, node, op))


def _cheaper(graph: Graph, parts: Sequence[Node], whole: Node, cost: Cost | None) -> bool:
    """True if the kernels for all parts declare costs, less in all than that for the whole node."""
    if cost is None:
        return False
    costs = [cost(graph, part) for part in parts]
    return all(costs) and sum(costs) < cost(graph, whole)


def _completed(part: Node, whole: Node, ops: OpIndex) -> Node:
    """Node of a decomposition with all attributes of its op filled in. Raises OpError."""
    if part.op not in ops.by_name:
        raise OpError(f"op '{part.op}' is not known{did_you_mean(part.op, ops.by_name)}")
    op = ops[part.op]
    inputs, complaints = placed_inputs(part, op, part.inputs)
    if complaints:
        raise OpError(complaints[0])
    known = {attribute.name: attribute for attribute in op.attributes}
    for name in part.attributes:
        if name not in known:
            near = did_you_mean(name, known)
            raise OpError(f"{part.op} has no attribute '{name}'{near}")
    values = {}
    for name, attribute in known.items():
        if name not in part.attributes and attribute.default is None:
            raise OpError(f"attribute '{name}' of {part.op} is missing")
        values[name] = typed(attribute, part.attributes.get(name, attribute.default))
    reason = "all parts are supported and no kernel says over_composite="
    if (rule := ops[whole.op].decompose) and rule.cheaper:
        reason = "the parts cost less"
    remarks = (*whole.remarks, f"part of {whole.op}, decomposed: {reason}")
    return replace(
        part,
        inputs=inputs,
        attributes=values,
        source=whole.source,
        remarks=remarks,
        block=whole.block,
    )
