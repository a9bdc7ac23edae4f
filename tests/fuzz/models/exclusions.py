"""Comparisons with LiteRT that are left out, because its own kernels have no defined answer."""

from collections.abc import Mapping

import numpy as np

from opsmith.ir import Array, Graph, Node
from opsmith.ir.types import i8
from opsmith.legalize.stored_sizes import assumed_sizes
from opsmith.numerics import Numerics
from opsmith.op.index import OpIndex
from opsmith.oracle.evaluate import Evaluator
from tests.fuzz.models.oracle import Results

_LARGEST = 2.0**31


def excluded(graph: Graph, ops: OpIndex, sets: Results) -> str:
    """Why a difference of this legal graph from LiteRT says nothing; empty when it says something.

    `sets` are the inputs, one set after the other. Only what the inputs lead to is excluded, not an
    op for all of them.
    """
    if any(assumed_sizes(graph)):
        return "a shape that is known only at run time, and that LiteRT follows"
    reasons: list[str] = []

    def watch(node: Node, values: Mapping[str, Array]) -> None:
        if reason := undefined(graph, node, values):
            reasons.append(reason)

    evaluator = Evaluator(graph, ops, watch)
    for inputs in sets:
        with np.errstate(all="ignore"):
            evaluator.run(inputs)
        if reasons:
            return reasons[0]
    return ""


def undefined(
    graph: Graph, node: Node, values: Mapping[str, Array], rule: Numerics = Numerics.REFERENCE
) -> str:
    """Why the oracle of the rule has no answer for this node; empty where it has one."""
    given = [values[name] for name in node.inputs if name is not None]
    if node.op == "quantize" and given[0].dtype.kind == "f":
        # static_cast<int32_t> of a float that is not an int32, which C++ leaves undefined
        with np.errstate(all="ignore"):
            reach = np.abs(given[0] / np.float32(graph.tensors[node.outputs[0]].scale))
        if not (reach < _LARGEST).all():
            return "QUANTIZE of a float beyond int32"
    small = given and given[0].dtype.kind == "i" and given[0].dtype.itemsize < 4
    if rule == Numerics.REFERENCE and node.op == "sum" and small:
        return "SUM of signed integers, which LiteRT reads as uint8"
    if node.op == "svdf" and graph.tensors[node.inputs[3] or ""].dtype == i8:
        return "SVDF with a state of int8, which LiteRT reads as int16"
    return ""
