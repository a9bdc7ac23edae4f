"""Reference values: those of LiteRT, or of the ops in numpy where LiteRT cannot run a model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from toolchain.errors import ToolchainError
from toolchain.frontend.find import read_model
from toolchain.ir import Array, Graph
from toolchain.legalize.decompose import decompose
from toolchain.op.discover import discover
from toolchain.op.index import OpIndex
from toolchain.pipeline import AS_STORED, Reading, read
from toolchain.rig.text import escaped
from toolchain.testing.evaluate import Evaluator
from toolchain.testing.litert import Reference, Subgraph
from toolchain.transform.by_blocks import by_blocks
from toolchain.transform.match_subgraphs import match_subgraphs

LITERT, NUMPY = "litert", "numpy"
TITLES = {LITERT: "LiteRT", NUMPY: "the numpy models"}


@dataclass(frozen=True)
class Expected:
    """Reference values: whose they are, why not LiteRT's, and the tensors by id."""

    by: str  # 'litert' or 'numpy'
    remark: str  # 'LiteRT cannot run this model: …', or nothing
    values: Mapping[str, Array]

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
) -> Expected:
    """The values of these tensors by LiteRT, or numpy where LiteRT cannot run the model.

    `used` is the used_ops.json of the build. `by` says whose values must be taken. A tensor that
    the oracle does not have is not among the values. Raises RIG02x, OPS040 and OPS041.
    """
    if by == NUMPY:
        return Expected(NUMPY, "", numpy_values(model, used, inputs, wanted, reading))
    try:
        return Expected(LITERT, "", litert_values(model, inputs, wanted, reading))
    except ToolchainError as error:
        if by == LITERT or error.problems[0].code != "RIG020":
            raise
        reason = error.problems[0].what.partition(": ")[2].partition(". ")[0]
    remark = escaped(f"LiteRT cannot run this model: {reason}")
    return Expected(NUMPY, remark, numpy_values(model, used, inputs, wanted, reading))


def litert_values(
    model: Path, inputs: Sequence[Array], wanted: Sequence[str], reading: Reading = AS_STORED
) -> dict[str, Array]:
    """The values by LiteRT of those of these tensors that the file has."""
    found = read_model(model, "model", reading.platforms, reading.signature).sound()
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


def numpy_values(
    model: Path,
    used: Path,
    inputs: Sequence[Array],
    wanted: Sequence[str],
    reading: Reading = AS_STORED,
) -> dict[str, Array]:
    """Evaluate the model's nodes by the ops' `evaluate`, before or after the ops' rewrites."""
    ops = discover(_folders(used))
    _, graph = read(model, "model", ops, reading)
    values: dict[str, Array] = {}
    problem: ToolchainError | None = None
    for rewritten in _rewritten(graph, ops):
        try:
            values = {**Evaluator(rewritten, ops).run(inputs), **values}
        except ToolchainError as error:
            if error.problems[0].code != "OPS040":
                raise
            problem = problem or error
            continue
        if set(wanted) <= set(values):
            break
    if not values and problem is not None:
        raise problem
    return {name: values[name] for name in wanted if name in values}


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
