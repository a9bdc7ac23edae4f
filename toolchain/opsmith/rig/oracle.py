"""Reference values: those of LiteRT, or of the ops in numpy where LiteRT cannot run a model.

`expected` has what tensors are in the end, `recorded` what each node wrote whenever it ran.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from opsmith.discover.discover import discover
from opsmith.errors import ToolchainError
from opsmith.frontend.find import read_model
from opsmith.ir import Array, Graph, Node
from opsmith.ir.flow import STRAIGHT
from opsmith.legalize.decompose import decompose
from opsmith.op.index import OpIndex
from opsmith.pipeline import AS_STORED, Reading, read
from opsmith.rig.bounded import Died, bounded
from opsmith.rig.deadline import Deadline
from opsmith.rig.flow import Keep, Place, Recorded, keep_all, places
from opsmith.rig.litert_runs import NO_REFERENCE, check_departures, litert_runs
from opsmith.rig.text import escaped
from opsmith.testing.evaluate import Evaluator
from opsmith.testing.litert import Reference, Subgraph
from opsmith.transform.by_blocks import by_blocks
from opsmith.transform.match_subgraphs import match_subgraphs

Of = TypeVar("Of")
Key = TypeVar("Key")
Value = TypeVar("Value")
LITERT, NUMPY = "litert", "numpy"
TITLES = {LITERT: "LiteRT", NUMPY: "the numpy models"}


@dataclass(frozen=True)
class Expected(Generic[Of]):
    """Reference values: whose they are, and why not LiteRT's."""

    by: str  # 'litert' or 'numpy'
    remark: str  # 'LiteRT cannot run this model: …', or nothing
    values: Of

    @property
    def title(self) -> str:
        """Whose values they are, in words."""
        return TITLES[self.by]


def expected(
    model: Path,
    used: Path,
    inputs: Sequence[Array],
    wanted: Sequence[str],
    by: str = "",
    reading: Reading = AS_STORED,
    deadline: Deadline | None = None,
) -> Expected[Mapping[str, Array]]:
    """The values of these tensors by LiteRT, or numpy where LiteRT cannot run the model.

    `used` is the used_ops.json of the build. `by` says whose values must be taken. A tensor that
    the oracle does not have is not among the values. Raises RIG02x, OPS040 and OPS041.
    """
    return _expected(
        model,
        by,
        deadline or Deadline(),
        lambda: litert_values(model, inputs, wanted, reading),
        lambda: numpy_values(model, used, inputs, wanted, reading),
    )


def recorded(
    model: Path,
    used: Path,
    inputs: Sequence[Array],
    wanted: Sequence[str],
    by: str = "",
    reading: Reading = AS_STORED,
    deadline: Deadline | None = None,
) -> Expected[Recorded]:
    """The same of all nodes that write these tensors, whenever they run."""
    deadline = deadline or Deadline()
    return _expected(
        model,
        by,
        deadline,
        lambda: _litert_record(model, inputs, wanted, reading, deadline.keep),
        lambda: numpy_runs(model, used, inputs, wanted, reading, deadline.keep),
    )


def _expected(
    model: Path, by: str, deadline: Deadline, litert: Callable[[], Of], numpy: Callable[[], Of]
) -> Expected[Of]:
    """What LiteRT tells, or else the numpy models."""
    if by == NUMPY:
        return Expected(NUMPY, "", _in_time(model, NUMPY, deadline, numpy))
    try:
        return Expected(LITERT, "", _in_time(model, LITERT, deadline, litert))
    except ToolchainError as error:
        problem = error.problems[0]
        if by == LITERT or problem.code not in ("RIG020", NO_REFERENCE):
            raise
    reason = problem.what.partition(": ")[2].partition(". ")[0]
    remark = (
        problem.what if problem.code == NO_REFERENCE else f"LiteRT cannot run this model: {reason}"
    )
    return Expected(NUMPY, escaped(remark), _in_time(model, NUMPY, deadline, numpy))


def _in_time(model: Path, by: str, deadline: Deadline, run: Callable[[], Of]) -> Of:
    """What an oracle tells. Raises RIG026 where that takes too long, RIG020 where it crashes."""
    where = escaped(str(model))
    try:
        return bounded(run, deadline.reference())
    except TimeoutError:
        what = f"{TITLES[by]} did not run the model in what was left of {deadline.seconds:g} s"
        fix = "look for a loop that never ends, give an input with fewer passes (input=FILE.npz), "
        fix += "or allow more with timeout=SECONDS"
        raise ToolchainError.of("RIG026", what, where=where, fix=fix) from None
    except Died as error:
        what, fix = f"{TITLES[by]} cannot run the model: {error}", "run it on another machine"
        raise ToolchainError.of("RIG020", what, where=where, fix=fix) from error


def litert_values(
    model: Path, inputs: Sequence[Array], wanted: Sequence[str], reading: Reading = AS_STORED
) -> dict[str, Array]:
    """The values by LiteRT of those of these tensors that the file has. Raises RIG020, RIG024."""
    found = read_model(model, "model", reading.platforms, reading.signature).sound()
    check_departures(model, found)
    # of tensors that are one in the graph, the first is what the others are copied from
    number = {ident: index for index, ident in reversed([*enumerate(found.ids)])}
    ends = (tuple(number[n] for n in names) for names in (found.graph.inputs, found.graph.outputs))
    shapes = [np.shape(each) for each in inputs]
    reference = Reference(model, subgraph=Subgraph(found.subgraph, *ends), shapes=shapes)
    own = dict(zip(found.graph.outputs, reference.run(list(inputs)), strict=True))
    return {
        ident: own[ident] if ident in own else reference.tensor(number[ident])
        for ident in wanted
        if ident in number
    }


def _litert_record(
    model: Path,
    inputs: Sequence[Array],
    wanted: Sequence[str],
    reading: Reading,
    keep: Keep,
) -> Recorded:
    found = read_model(model, "model", reading.platforms, reading.signature).sound()
    if found.graph.flow != STRAIGHT:
        return litert_runs(model, found, inputs, keep)
    values = litert_values(model, inputs, wanted, reading)
    return {(0, name, 0): [value] for name, value in values.items()}


def numpy_values(
    model: Path,
    used: Path,
    inputs: Sequence[Array],
    wanted: Sequence[str],
    reading: Reading = AS_STORED,
) -> dict[str, Array]:
    """Evaluate the model's nodes by the ops' `evaluate`, before or after the ops' rewrites."""
    values = _evaluated(
        model,
        used,
        reading,
        lambda graph, ops: Evaluator(graph, ops).run(inputs),
        lambda found: set(wanted) <= set(found),
    )
    return {name: values[name] for name in wanted if name in values}


def numpy_runs(
    model: Path,
    used: Path,
    inputs: Sequence[Array],
    wanted: Sequence[str],
    reading: Reading = AS_STORED,
    keep: Keep = keep_all,
) -> Recorded:
    """The same of all nodes that write the wanted tensors, whenever they run."""
    return _evaluated(
        model,
        used,
        reading,
        lambda graph, ops: evaluated_runs(graph, ops, inputs, keep),
        lambda found: set(wanted) <= {name for _, name, _ in found},
    )


def evaluated_runs(
    graph: Graph, ops: OpIndex, inputs: Sequence[Array], keep: Keep = keep_all
) -> Recorded:
    """What each node of a legal graph writes whenever it runs, by numpy."""
    of = places((node.block, node.outputs) for node in graph.nodes)
    written = {node.name: each for node, each in zip(graph.nodes, of, strict=True)}
    found: dict[Place, list[Array | None]] = {place: [] for each in of for place in each}

    def watch(node: Node, values: Mapping[str, Array]) -> None:
        for place in written[node.name]:
            found[place].append(values[place[1]])
            if graph.flow != STRAIGHT:
                keep(values[place[1]].nbytes)

    Evaluator(graph, ops, watch).run(inputs)
    return found


def _evaluated(
    model: Path,
    used: Path,
    reading: Reading,
    run: Callable[[Graph, OpIndex], Mapping[Key, Value]],
    enough: Callable[[Mapping[Key, Value]], bool],
) -> dict[Key, Value]:
    """What a run of the model gives, or several: as it is, and as its ops' rules rewrite it."""
    ops = discover(_folders(used), part=True)
    _, graph = read(model, "model", ops, reading)
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
    """Yield the model as it is, and as its ops' rules rewrite it: numpy may cover either."""
    yield graph
    matched = by_blocks(graph, lambda block: match_subgraphs(block, ops))
    yield decompose(matched, ops, None)
    yield decompose(graph, ops, None)


def _folders(used: Path) -> list[Path]:
    """The op folders that a used_ops.json names. Raises RIG001."""
    try:
        entries = json.loads(used.read_text(encoding="utf-8")).values()
        return [Path(entry["folder"]) for entry in entries]
    except (OSError, ValueError, AttributeError, LookupError, TypeError) as error:
        what, fix = f"{used.name} cannot be read", "build it: scons board=… model=…"
        raise ToolchainError.of("RIG001", what, where=escaped(str(used)), fix=fix) from error


def reading_of(report: Mapping[str, Any], platforms: Sequence[Path] = ()) -> Reading:
    """How the model of a build was read, by its report.json."""
    return Reading(tuple(platforms), tuple(report["input_shape"]), report["signature"])
