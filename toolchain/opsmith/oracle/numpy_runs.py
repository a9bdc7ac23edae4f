"""A model in numpy: its nodes by their ops' `evaluate`, before or after rewrites."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from opsmith import pipeline
from opsmith.discover.discover import discover
from opsmith.errors import ToolchainError
from opsmith.frontend.model import Model
from opsmith.ir import Array, Graph, Node, Numerics
from opsmith.ir.flow import STRAIGHT
from opsmith.legalize.decompose import decompose
from opsmith.op.index import OpIndex
from opsmith.oracle.evaluate import Evaluator
from opsmith.oracle.flow import Keep, Place, Recorded, keep_all, places
from opsmith.oracle.question import Question
from opsmith.text import escaped
from opsmith.transform.by_blocks import by_blocks
from opsmith.transform.match_subgraphs import match_subgraphs

Key = TypeVar("Key")
Value = TypeVar("Value")
Walked = Callable[..., Evaluator]  # constructor like Evaluator


def numpy_values(asked: Question, walked: Walked = Evaluator) -> dict[str, Array]:
    """Values in numpy of wanted tensors, before or after the ops' rewrites."""
    values = _evaluated(
        asked,
        lambda graph, ops: walked(graph, ops).run(asked.inputs),
        lambda found: set(asked.wanted) <= set(found),
    )
    return {name: values[name] for name in asked.wanted if name in values}


def numpy_runs(asked: Question, walked: Walked = Evaluator) -> Recorded:
    """Values in numpy that all nodes write to wanted tensors, for each time that they run."""
    keep = asked.deadline.keep
    return _evaluated(
        asked,
        lambda graph, ops: evaluated_runs(graph, ops, asked.inputs, keep, walked),
        lambda found: set(asked.wanted) <= {name for _, name, _ in found},
    )


def evaluated_runs(
    graph: Graph,
    ops: OpIndex,
    inputs: Sequence[Array],
    keep: Keep = keep_all,
    walked: Walked = Evaluator,
) -> Recorded:
    """Values in numpy that each node of a legal graph writes, for each time that it runs."""
    of = places((node.block, node.outputs) for node in graph.nodes)
    written = {node.name: each for node, each in zip(graph.nodes, of, strict=True)}
    found: dict[Place, list[Array | None]] = {place: [] for each in of for place in each}

    def watch(node: Node, values: Mapping[str, Array]) -> None:
        for place in written[node.name]:
            found[place].append(values[place[1]])
            if graph.flow != STRAIGHT:
                keep(values[place[1]].nbytes)

    walked(graph, ops, watch).run(inputs)
    return found


def delegated(asked: Question) -> dict[str, str]:
    """Names of nodes whose elements are those of LiteRT's delegate, by ids of their outputs."""
    graph, ops = as_read(asked)
    return {
        ident: f"'{escaped(graph.tensors[ident].name)}' ({node.op})"
        for node in graph.nodes
        if node.numerics == Numerics.NOTEBOOK and not ops.of(graph, node).variant.interpreted
        for ident in node.outputs
    }


def as_read(asked: Question) -> tuple[Graph, OpIndex]:
    """Graph of the model as it is read, and the ops of its build. Raises RIG001."""
    ops = _ops_of(asked)
    return pipeline.read(asked.model, "model", ops, asked.reading)[1], ops


def as_stored(asked: Question) -> Model:
    """Model with the operators that its file has. Raises RIG001."""
    claimed = {} if asked.model.suffix == ".tflite" else _ops_of(asked).by_source
    return pipeline.as_stored(asked.model, "model", asked.reading, claimed)


def _ops_of(asked: Question) -> OpIndex:
    return discover(_op_folders(asked.used), part=True)


def _evaluated(
    asked: Question,
    run: Callable[[Graph, OpIndex], Mapping[Key, Value]],
    enough: Callable[[Mapping[Key, Value]], bool],
) -> dict[Key, Value]:
    """Values of one or several runs of the model: as read, then as its ops' rules rewrite it, until
    `enough` accepts them.
    """
    graph, ops = as_read(asked)
    found: dict[Key, Value] = {}
    problem: ToolchainError | None = None
    for rewritten in _rewritten(graph, ops):
        try:
            found = {**run(rewritten, ops), **found}
        except ToolchainError as error:
            if error.problems[0].code != "OPS040":
                raise
            problem = problem or error
            continue
        if enough(found):
            break
    if not found and problem is not None:
        raise problem
    return found


def _rewritten(graph: Graph, ops: OpIndex) -> Iterator[Graph]:
    """Yield the model as read, and as its ops' rules rewrite it: numpy may cover either form."""
    yield graph
    matched = by_blocks(graph, lambda block: match_subgraphs(block, ops))
    yield decompose(matched, ops, None)
    yield decompose(graph, ops, None)


def _op_folders(used: Path) -> list[Path]:
    """Op folders that a used_ops.json names. Raises RIG001."""
    try:
        entries = json.loads(used.read_text(encoding="utf-8")).values()
        return [Path(entry["folder"]) for entry in entries]
    except (OSError, ValueError, AttributeError, LookupError, TypeError) as error:
        what, fix = f"{used.name} cannot be read", "build it: scons board=… model=…"
        raise ToolchainError.of("RIG001", what, where=escaped(str(used)), fix=fix) from error
