"""Graphs of int8 for a rule of numerics: nodes that it does not reproduce, or that its oracle does
not have, are left out, and what they computed is an input.
"""

from collections import Counter
from dataclasses import replace

from opsmith.legalize.numerics import departing
from opsmith.numerics import Numerics
from opsmith.oracle.litert import Detail
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelNode, ModelSubgraph
from tests.fuzz.graphs import control, schedule, variables
from tests.fuzz.graphs.calls import model
from tests.fuzz.graphs.kind import Kind
from tests.fuzz.graphs.shrink import with_nodes
from tests.fuzz.graphs.trial import detail, legal, options
from tests.fuzz.models.oracle import Ran, oracle

ANYWHERE = "the nodes that keep its begin within x are not kept"
FORGETS = "the oracle starts anew for each set of inputs, and the op has a state"
OTHERS = {*control.KINDS, *variables.KINDS}  # which are compared node by node alone
REFERENCE_ALONE = ("SUM",)  # has no answer of LiteRT's reference, but one by other rules


def kinds(rule: Numerics) -> tuple[Kind, ...]:
    """Kinds of nodes of graphs by a rule of numerics: all by the reference's rule, else those that
    begin with int8.
    """
    if rule == Numerics.REFERENCE:
        return schedule.KINDS
    found = (kind for kind in schedule.KINDS if kind.types[0] == "int8" and kind not in OTHERS)
    answered = (replace(kind, apart="") if kind.op in REFERENCE_ALONE else kind for kind in found)
    return tuple(kind for kind in answered if not kind.apart)


def reproduced(
    content: ModelSubgraph, rule: Numerics, left_out: Counter[str]
) -> ModelSubgraph | None:
    """Graph of the nodes that reproduce the rule, other nodes being counted; None where no node
    does.
    """
    if rule == Numerics.REFERENCE:
        return content
    graph = legal(model(content), "graph", rule)
    reasons = {  # by the operator that the node is of: 'operator 5 (SUM)'
        int(node.source.split()[1]): f"{node.op}: {why}"
        for node, why in departing(graph, rule, shipped_ops())
    }
    kept = []
    for number, node in enumerate(content.nodes):
        why = reasons.get(number) or (_unasked(content, node) if rule == Numerics.TFLM else "")
        left_out.update([why] if why else [])
        kept += [] if why else [node]
    return with_nodes(content, kept) if kept else None


def _unasked(content: ModelSubgraph, node: ModelNode) -> str:
    """Why TensorFlow Lite Micro does not have the node; "" where it has."""
    found = shipped_ops().by_name.get(node.op.lower())
    if found is not None and found.op.states:
        return f"{node.op}: {FORGETS}"
    if node.op == "SLICE" and content.tensors[node.inputs[1]].data is None:
        return f"{node.op}: {ANYWHERE}"
    alone = with_nodes(content, [node])
    details: list[Detail] = [detail(content.tensors[index]) for index in alone.inputs]
    sets = seeded_inputs(details, 0)[:1]
    answer = oracle()((model(alone), sets, options(Numerics.TFLM, alone)))
    return "" if isinstance(answer, Ran) else f"{node.op}: {answer.how} {answer.text}"
