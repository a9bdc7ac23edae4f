"""Advice for a firmware that needs more memory than its board has: whether it would fit if it were
streamed or quantised.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from opsmith.build_options import BuildOptions
from opsmith.commands.convert import ConvertTask, convert_models, read_task
from opsmith.emit.manifest import state_bytes
from opsmith.errors import ToolchainError
from opsmith.frontend.tflite.counts import can_be_quantised
from opsmith.pipeline import Configuration
from opsmith.report.finish import read_model
from opsmith.report.size import OverBudget

# Bytes besides arenas and states: the counter of passes, padding for alignment, and one row, which
# an application needs to store before it pushes it.
COUNTERS = 32
TRY = "try opt=size; or "
WHOLE = "compare nodes with board=host: there whole tensors fit; or "
QUANTISE = "make the model one of int8 by calibrate=SET.npz, samples of its inputs; or "


def advised(error: OverBudget, converted: Sequence[str]) -> ToolchainError:
    """Error with a fix where the model fits into each memory with nodes that run row by row, for
    `ram_budget=`, or with stream=rows, or could fit with integers in place of floats.

    `converted` are the arguments with which `convert` made the model.
    """
    task = read_task(converted)
    model = read_model(task.given.out)
    fixes = _fixes(error, task, model)
    if _would_fit(error, task, model):
        fixes = [f"{fix}{QUANTISE}" for fix in fixes]
    problems = (each.problem(fix) for each, fix in zip(error.overflows, fixes, strict=True))
    return ToolchainError(*problems)


def _would_fit(error: OverBudget, task: ConvertTask, model: Mapping[str, Any]) -> bool:
    """True for a single float model that could fit if constants and arenas took a quarter."""
    if len(task.given.model) != 1 or not can_be_quantised(Path(task.given.model[0])):
        return False
    for each in error.overflows:
        arena = model["arena"].get(each.memory, {"bytes": 0})["bytes"]
        floats = arena + model["constant_bytes"] * (each.memory == "flash")
        if each.used - floats * 3 // 4 > each.limit:
            return False
    return True


def _fixes(error: OverBudget, task: ConvertTask, model: Mapping[str, Any]) -> list[str]:
    """Fixes by options of the build, one for each memory; empty texts if no option helps."""
    options, none = task.conversion.options, [""] * len(error.overflows)
    if [each.memory for each in error.overflows] == ["flash"]:
        # With opt=size the code may fit.
        fits = int(model["constant_bytes"]) < error.overflows[0].limit
        return [TRY * (fits and options.opt != "size")]
    alone = len(task.given.model) == 1 and (options.stream, options.arena) == ("0", "own")
    if task.conversion.stepwise:
        return [WHOLE] * len(none)
    if not alone or options.guards:
        return none
    home = Configuration().memory
    excess = sum(each.used - each.limit for each in error.overflows if each.memory == home)
    taken = model["arena"].get(home, {"bytes": 0})["bytes"] + model["state_bytes"]
    if 0 < excess + COUNTERS < taken and options.ram_budget is None:
        budget = taken - excess - COUNTERS
        if found := _fitting(error, task, replace(options, ram_budget=budget), model):
            return _named(error, found, f"ram_budget={budget}", "runs nodes row by row")
    if found := _fitting(error, task, replace(options, stream="rows", ram_budget=None), model):
        return _named(error, found, "stream=rows", "takes the input row by row")
    return none


def _named(error: OverBudget, needed: Mapping[str, int], option: str, how: str) -> list[str]:
    """Fixes that name a build option, one for each memory."""
    what = "build with {}, which needs at most {} bytes of {} and {}; or "
    return [what.format(option, needed[e.memory], e.memory, how) for e in error.overflows]


def _fitting(
    error: OverBudget, task: ConvertTask, options: BuildOptions, model: Mapping[str, Any]
) -> dict[str, int]:
    """Bytes that the firmware needs of each memory with given options; {} where it does not fit, or
    no such model is possible.
    """
    try:
        conversion = replace(task.conversion, options=replace(options, dump=""))
        (found,) = convert_models(replace(task, conversion=conversion))
    except ToolchainError:  # MDL021: no node can stream; BLD048: it needs more RAM
        return {}
    program = found.program
    plan, stream = program.graph.plan, program.graph.stream
    if plan is None or stream is None:
        return {}
    row = program.graph.tensors[stream.row].bytes if program.graph.pushed else 0
    saved = _saved(model, plan.arenas, state_bytes(program) + COUNTERS + row)
    needed = {each.memory: each.used - saved.pop(each.memory, 0) for each in error.overflows}
    over = any(needed[each.memory] > each.limit for each in error.overflows)
    return {} if over or min(saved.values(), default=0) < 0 else needed


def _saved(model: Mapping[str, Any], arenas: Mapping[str, int], kept: int) -> dict[str, int]:
    """Bytes of each memory that streaming saves; negative where it needs more."""
    before = {memory: each["bytes"] for memory, each in model["arena"].items()}
    home = Configuration().memory
    names = {**before, **arenas, home: 0}
    saved = {name: before.get(name, 0) - arenas.get(name, 0) for name in names}
    saved[home] += model["state_bytes"] - kept
    return saved
