"""Estimates of the size and speed of a model's firmware on each core, without compiling any C++.

Kernels are chosen and flash is spent as in a build; declared costs are scaled by estimates.toml,
which `python -m tests.bench.estimates` fits to builds. Cores for which nodes are decomposed alike
share one rewritten graph.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from opsmith.board.architecture import Core
from opsmith.board.manifest import Board
from opsmith.board.platforms import platforms
from opsmith.board.runtime import SHIPPED, load_runtime
from opsmith.build_options import BuildOptions
from opsmith.conversion import Conversion
from opsmith.errors import ToolchainError
from opsmith.ir import Graph
from opsmith.ir.types import f32
from opsmith.legalize.decompose import decompose, may_save
from opsmith.op.index import OpIndex
from opsmith.pipeline import rewritten
from opsmith.schedule.memory.needs import needs
from opsmith.schedule.order_nodes import order_nodes
from opsmith.select.choice import Choose, choose_on_cores
from opsmith.select.estimated_flash import flash_bytes
from opsmith.select.flash_ledger import LedgerUse, uses_of
from opsmith.select.select_kernels import select_kernels
from opsmith.select.spend_flash import spend_flash
from opsmith.transform.by_blocks import by_blocks
from opsmith.transform.tabulate import functions

Errors = tuple[int, int]
Target = tuple[str, str]  # core, runtime
TABLE = Path(__file__).with_name("estimates.toml")
FLOATS = "floats"  # arithmetic of float32, which cores without it call functions for
MOST_NODES = 128  # limit for estimates that were not asked for: more nodes take seconds


@dataclass(frozen=True)
class Modelled:
    """Figures of the compiler for a model on a core, before scaling."""

    cost: float  # instructions, as kernels declare them
    flash: int  # bytes of packed constants and of code
    arena: int  # bytes, without overlaps
    functions: frozenset[str] = frozenset()  # what kernels link beside their code


@dataclass(frozen=True)
class Estimate:
    """Estimated figures of a firmware, with the median and largest error of each in per cent."""

    core: str
    runtime: str
    arena: int
    flash: int
    flash_error: Errors
    ram: int  # arena, data and used stack
    ram_error: Errors
    time: int  # of one invoke(), in `unit`
    time_error: Errors
    unit: str  # "instructions", or "instructions of CORE" for a core like that one

    def row(self) -> dict[str, Any]:
        """Estimate as data for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Estimates:
    """Estimates for several cores."""

    rows: tuple[Estimate, ...]
    why_not: str = ""  # reason why there are no estimates
    refused: Mapping[Target, str] = field(default_factory=dict)  # why there is none of a target

    def of(self, board: Board) -> Estimate | None:
        """Estimate for a board's core and runtime."""
        found = (each for each in self.rows if (each.core, each.runtime) == target_of(board))
        return next(found, None)


def estimates(
    graph: Graph,
    ops: OpIndex,
    boards: Sequence[Board],
    backends: Sequence[Path] = (),
    *,
    most: int = MOST_NODES,
) -> Estimates:
    """Estimates of a legal graph for each core of the given boards, with the board's runtime."""
    bare = [each for each in boards if not each.core.hosted]
    flash = max(
        (board.memory["flash"].size for board in bare if "flash" in board.memory), default=0
    )
    constants = sum(t.bytes for t in graph.tensors.values() if t.constant is not None)
    if constants > flash:
        return Estimates(
            (), f"constants alone take {constants:,} bytes, more than any board's flash"
        )
    if len(graph.nodes) > most:
        return Estimates((), f"the model has more than {most} nodes, which --estimate ignores")
    ranks = {core: rank for rank, core in enumerate(table())}
    bare.sort(key=lambda board: (ranks.get(board.core.name, len(ranks)), board.core.name))
    targets = {target_of(board): board for board in bare}
    known: dict[tuple[frozenset[str], str], Modelled | ToolchainError] = {}
    model, rows, refused = EstimatedModel(graph, ops), [], {}
    for (core, runtime), board in targets.items():
        found = load_runtime(runtime, SHIPPED, *backends)
        conversion = Conversion(BuildOptions(), board, found, ops, backends)
        alike = (conversion.features, runtime)
        if alike not in known:
            try:
                known[alike] = model.on(conversion)
            except ToolchainError as error:
                known[alike] = error
        each = known[alike]
        if isinstance(each, ToolchainError):
            refused[core, runtime] = "; ".join(problem.what for problem in each.problems)
        else:
            rows.append(scaled(board.core, runtime, each))
    return Estimates(tuple(rows), refused=refused)


class EstimatedModel:
    """A legal graph for which kernels are chosen on several cores."""

    def __init__(self, graph: Graph, ops: OpIndex) -> None:
        self._graph, self._ops = graph, ops
        self._rewritten: dict[tuple[str, ...], tuple[Graph, Choose]] = {}

    def on(self, conversion: Conversion) -> Modelled:
        """Figures on a target. Raises the errors of a build."""
        ops, configuration = self._ops, conversion.configuration(self._graph)
        parts = self._parts(conversion.features)
        if parts not in self._rewritten:
            graph = rewritten(self._graph, ops, configuration)
            self._rewritten[parts] = graph, choose_on_cores()
        graph, choose = self._rewritten[parts]
        chosen = select_kernels(graph, ops, conversion.features, choose=choose)
        ordered = order_nodes(spend_flash(chosen, ops, configuration.flash), ops)
        uses = uses_of(ordered, ops)
        cost = sum(use.cost for use in uses)
        functions = frozenset(name for use in uses for name in _functions(use))
        flash = flash_bytes(ordered, ops)
        return Modelled(cost, flash, max(needs(ordered, ops), default=0), functions)

    def _parts(self, features: frozenset[str]) -> tuple[str, ...]:
        """Ops of the nodes after decomposition for a core; () if no node can be decomposed, and the
        core's features where costs decide: about decompositions and tables.
        """
        saving = any(may_save(self._graph, node, self._ops) for node in self._graph.nodes)
        if saving or any(functions(self._graph, self._ops)):
            return tuple(sorted(features))
        if not any(self._ops[node.op].decompose for node in self._graph.nodes):
            return ()
        found = by_blocks(self._graph, lambda block: decompose(block, self._ops, features))
        return tuple(node.op for node in found.nodes)


def _functions(use: LedgerUse) -> Iterator[str]:
    """Functions that a node's kernel links, with arithmetic of floats."""
    yield from use.op.kernels[use.taken.index].functions
    if f32.c in use.op.c_types.values():
        yield FLOATS


def scaled(core: Core, runtime: str, found: Modelled) -> Estimate:
    """Figures of a firmware, corrected by the table's row of the core, or of the core most like it
    where it was not measured.
    """
    rows = table()
    nearest = min(rows, key=lambda name: (name != core.name, len(_features(name) ^ core.features)))
    alike = rows[nearest]
    ram = alike if "ram" in alike else next(iter(rows.values()))
    return Estimate(
        core.name,
        runtime,
        found.arena,
        linked(alike, found),
        _errors(alike["flash_error"]),
        found.arena + ram["ram"],
        _errors(ram["ram_error"]),
        round(found.cost * alike["time"]),
        _errors(alike["time_error"]),
        alike["unit"] if nearest == core.name else f"{alike['unit']} of {nearest}",
    )


def linked(row: Mapping[str, Any], found: Modelled) -> int:
    """Flash in bytes of a firmware on the core of a row, with each function once."""
    more: int = row["flash"] + sum(row.get(name, 0) for name in found.functions)
    return found.flash + more


def _features(core: str) -> frozenset[str]:
    return platforms().core(core).features


def _errors(found: Sequence[int]) -> Errors:
    median, largest = found
    return median, largest


@cache
def table() -> dict[str, dict[str, Any]]:
    """Content of estimates.toml: a row for each core that was measured."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def target_of(board: Board) -> Target:
    """Names of the core and the runtime for which a board's firmware is estimated."""
    return board.core.name, board.runtime
