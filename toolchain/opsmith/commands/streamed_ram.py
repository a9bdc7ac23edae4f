"""Whether a firmware that needs more RAM than its board has would fit with `stream=rows`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from opsmith.commands.convert import convert_models, read_task
from opsmith.emit.manifest import state_bytes
from opsmith.errors import ToolchainError
from opsmith.pipeline import Configuration
from opsmith.report.finish import read_model
from opsmith.report.size import OverBudget

# Bytes besides arenas and states: the counter of passes, what alignment leaves between these, and
# one row, which an application has to have somewhere before it pushes it.
COUNTERS = 32


def advised(error: OverBudget, converted: Sequence[str]) -> ToolchainError:
    """The error; it says so where the model, planned with stream=rows, fits into each memory.

    `converted` are the arguments with which `convert` made the model.
    """
    task = read_task(converted)
    options = task.conversion.options
    alone = len(task.given.model) == 1 and (options.stream, options.arena) == ("0", "own")
    if not alone or options.guards:
        return error
    try:
        rows = replace(options, stream="rows", dump="")
        streaming = replace(task.conversion, options=rows)
        (found,) = convert_models(replace(task, conversion=streaming))
    except ToolchainError:  # MDL021: nothing of the model can stream
        return error
    program = found.program
    plan, stream = program.graph.plan, program.graph.stream
    assert plan is not None and stream is not None
    extra = COUNTERS + program.graph.tensors[stream.row].bytes
    saved = _saved(read_model(task.given.out), plan.arenas, state_bytes(program) + extra)
    needed = {each.memory: each.used - saved.pop(each.memory, 0) for each in error.overflows}
    if (
        any(needed[each.memory] > each.limit for each in error.overflows)
        or min(saved.values(), default=0) < 0
    ):
        return error
    return ToolchainError(*(each.problem(_advice(each.memory, needed)) for each in error.overflows))


def _saved(model: Mapping[str, Any], arenas: Mapping[str, int], kept: int) -> dict[str, int]:
    """The bytes of each memory that streaming saves; negative where it needs more."""
    before = {memory: each["bytes"] for memory, each in model["arena"].items()}
    home = Configuration().memory
    names = {**before, **arenas, home: 0}
    saved = {name: before.get(name, 0) - arenas.get(name, 0) for name in names}
    saved[home] += model["state_bytes"] - kept
    return saved


def _advice(memory: str, needed: Mapping[str, int]) -> str:
    what = f"at most {needed[memory]} bytes of {memory}"
    return f"build with stream=rows, which needs {what} and takes the input row by row; or "
