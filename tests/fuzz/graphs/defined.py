"""Check of the inputs for which LiteRT's answer to a graph is defined.

NaN is left to the ops' own tests. What C++ leaves undefined depends on how LiteRT was compiled.
"""

from collections.abc import Container, Mapping

import numpy as np

from opsmith.ir import Array, Graph, Node
from opsmith.numerics import Numerics
from opsmith.oracle.evaluate import Evaluator
from opsmith.testing.known_ops import shipped_ops
from tests.fuzz.models.exclusions import undefined
from tests.fuzz.models.oracle import Results

LAYER_TYPES = 3  # at least: of x, weights and bias
BY_ROW = ("fully_connected", "batch_matmul", "unidirectional_sequence_lstm")
LEAST_RANGE = 1e-36  # of floats that are quantised at run time; 1 / scale overflows below it


def defined(
    graph: Graph, sets: Results, apart: Container[str], rule: Numerics = Numerics.REFERENCE
) -> tuple[list[int], Results]:
    """The sets of inputs for which every node has a defined result, and the outputs for each.

    Sets after an undefined set are undefined, too, where nodes have states. Nodes whose first
    output is in `apart` are not computed by LiteRT.
    """
    ops = shipped_ops()
    met: list[str] = []  # nodes without a defined result, by name

    def watch(node: Node, values: Mapping[str, Array]) -> None:
        if _undefined(graph, node, values, apart, rule):
            met.append(node.name)

    evaluator = Evaluator(graph, ops, watch)
    lasts = any(tensor.variable for tensor in graph.tensors.values()) or any(
        ops.by_name[node.op].op.states for node in graph.nodes
    )
    used, ours = [], []
    for number, inputs in enumerate(sets):
        met.clear()
        with np.errstate(all="ignore"):
            values = evaluator.run(inputs)
        if not met:
            used.append(number)
            ours.append([values[name] for name in graph.outputs])
        elif lasts:
            break
    return used, ours


def _undefined(
    graph: Graph,
    node: Node,
    values: Mapping[str, Array],
    apart: Container[str],
    rule: Numerics,
) -> bool:
    """Whether the node computes NaN, or converts a float to an integer that cannot hold it."""
    given = [values[name] for name in node.inputs if name is not None]
    made = [values[name] for name in node.outputs]
    if any(x.dtype.kind == "f" and np.isnan(x).any() for x in made):
        return True
    if node.op == "cast" and given[0].dtype.kind == "f" and made[0].dtype.kind in "iu":
        limits = np.iinfo(made[0].dtype)
        return not ((given[0] >= limits.min) & (given[0] < limits.max)).all()
    asked = node.outputs[0] not in apart
    if _unquantisable(graph, node, given):
        return True
    return asked and bool(undefined(graph, node, values, rule))


def _unquantisable(graph: Graph, node: Node, given: list[Array]) -> bool:
    """Whether the floats of a layer with weights of int8 have no range that is a scale."""
    types = shipped_ops().of(graph, node).variant.types
    if len(types) < LAYER_TYPES or [str(each) for each in types.values()][:2] != ["f32", "i8"]:
        return False
    x = next(each for each in given if each.dtype.kind == "f")
    by_row = node.op in BY_ROW
    rows = x.reshape(-1, x.shape[-1]) if by_row else x.reshape(len(x), -1)
    reach = np.abs(rows).max(axis=1)
    return bool((~np.isfinite(reach) | ((reach > 0) & (reach < LEAST_RANGE))).any())
