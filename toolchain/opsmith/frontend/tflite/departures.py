"""Departures of LiteRT 2.3.0 from TensorFlow and TensorFlow Lite Micro: its errors in subgraphs
that operators run. Opsmith does not share them, so LiteRT is no reference for such a model.
"""

from collections.abc import Iterator

from opsmith.frontend.model import Model
from opsmith.ir import Graph
from opsmith.op.departure import Departure

EARLY = Departure(
    "a tensor that a branch returns and that follows from shapes and constants alone",
    "computes it too early and returns uninitialised memory",
    "its value, as in TensorFlow",
)
LATE = Departure(
    "a dequantised constant that a branch returns",
    "computes it once and later returns what another branch has left",
    "its value, as in TensorFlow",
)
TWICE = Departure(
    "a tensor that a branch computes and returns twice",
    "passes one of both on",
    "both, as in TensorFlow",
)
SWAPPED = Departure(
    "values of a loop that change places",
    "has overwritten one before it arrives",
    "both, as in TensorFlow",
)
MERGED = Departure(
    "an LSTM that runs both ways, of several batches, before time, that become one output",
    "begins all batches but the first with other states",
    "each with its own",
)
KEPT = Departure(
    "branches and loops",
    "answers differently unless it keeps all tensors",
    "its answer with `experimental_preserve_all_tensors`",
)
DEPARTURES = (EARLY, LATE, TWICE, SWAPPED, MERGED, KEPT)

# Operators that LiteRT computes when it allocates memory: for any tensors, and for constants and
# results of such operators.
AT_ONCE = frozenset({"SHAPE", "RANK"})
OF_KNOWN = frozenset(
    "BROADCAST_ARGS CONCATENATION GATHER MUL RANGE REDUCE_PROD STRIDED_SLICE TILE".split()
)

ONCE = frozenset({"DEQUANTIZE"})  # on constants, computed in LiteRT's first run only


def of_branch(body: Model, number: int) -> Iterator[str]:
    """Sentences about errors of LiteRT in a subgraph that IF runs."""
    outputs, early, once = body.graph.outputs, _early(body), _once(body)
    computed = {name for node in body.graph.nodes for name in node.outputs}
    for name in dict.fromkeys(outputs):
        if name in early:
            what = f"'{name}' of subgraph {number} follows from shapes and constants alone"
            yield f"{what}: LiteRT {EARLY.litert}"
        elif name in once:
            what = f"'{name}' of subgraph {number} is a constant, dequantised"
            yield f"{what}: LiteRT {LATE.litert}"
        elif name in computed and outputs.count(name) > 1:
            yield f"subgraph {number} returns '{name}' twice: LiteRT {TWICE.litert}"


def of_loop(body: Model, number: int) -> Iterator[str]:
    """Sentences about LiteRT's errors in a WHILE's body, whose outputs become inputs in turn."""
    inputs, outputs = body.graph.inputs, body.graph.outputs
    changed = [a for a, b in zip(inputs, outputs, strict=True) if a != b]
    for place, name in enumerate(outputs):
        if name in changed and name in inputs[:place]:
            what = f"subgraph {number} returns its input '{name}' in the place of another"
            yield f"{what}: LiteRT {SWAPPED.litert}"


def of_both_ways(graph: Graph) -> Iterator[str]:
    """Sentences about merged LSTMs whose batches LiteRT starts with wrong states."""
    for node in graph.nodes:
        options, x = node.attributes, graph.tensors.get(next(iter(node.inputs), None) or "")
        merged = options.get("merge_outputs", False) and not options.get("time_major", False)
        several = x is not None and x.shape[:1] > (1,)
        if node.op == "tflite.BIDIRECTIONAL_SEQUENCE_LSTM" and merged and several:
            yield f"{node.source}: LiteRT {MERGED.litert}"


def _early(body: Model) -> set[str]:
    """Tensors that LiteRT may compute before the subgraph runs."""
    constant = _constants(body)
    found: set[str] = set()
    for node in body.graph.nodes:
        op, known = node.op.removeprefix("tflite."), found | constant
        if op in AT_ONCE or (op in OF_KNOWN and known.issuperset({*node.inputs})):
            found.update(node.outputs)
    return found


def _once(body: Model) -> set[str]:
    """Tensors that LiteRT computes only in the first run."""
    constant = _constants(body)
    nodes = (n for n in body.graph.nodes if n.op.removeprefix("tflite.") in ONCE)
    return {name for n in nodes if constant.issuperset({*n.inputs}) for name in n.outputs}


def _constants(body: Model) -> set[str | None]:
    return {tensor.id for tensor in body.graph.tensors.values() if tensor.constant is not None}
