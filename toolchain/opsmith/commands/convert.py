"""`convert`: compile a model to C++ for one board. Writes a fixed set of files, all or none."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.device import Device, device_on
from opsmith.board.manifest import Board
from opsmith.board.runtime import SHIPPED, Runtime, list_runtimes, load_runtime, usable_devices
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.commands.collector import without_collector
from opsmith.commands.dump import Dump
from opsmith.commands.used_ops import Used, check_unchanged, list_text, load_used, read_used
from opsmith.emit.emitters import run_emitter
from opsmith.emit.files import text_files
from opsmith.emit.manifest import manifest
from opsmith.emit.place_constants import flashed_elsewhere, place_constants
from opsmith.emit.placement import placement
from opsmith.emit.several import Source, several_files, shared_arenas, together
from opsmith.emit.stepwise import stepwise
from opsmith.emit.weights import write_weights
from opsmith.errors import cannot_write, raise_all
from opsmith.ir import Graph
from opsmith.ir.program import Program
from opsmith.ir.rename import without_id
from opsmith.op.index import OpIndex
from opsmith.op.macs import total_macs
from opsmith.option import add_flags, flagged
from opsmith.package.requirements import shown_packages
from opsmith.pipeline import Configuration, Reading, compile_graph, read
from opsmith.select.check_sides import device_problems
from opsmith.select.choice import Preferences
from opsmith.select.kernel_sources import edited_problems, source_digests
from opsmith.select.spend_flash import UNLIMITED, FlashBudget, balanced_budget, code_bytes
from opsmith.select.tuning import Tuning, read_tuning
from opsmith.solved import kept_in
from opsmith.writing import replace_files

BINARY = "weights.bin"
NEW_BINARY = f"{BINARY}.new"
KEPT = 16 << 20  # bytes that the allocator keeps when they are freed


@dataclass(frozen=True)
class Compiled:
    """A model as a program, and what model.json says of it."""

    program: Program
    facts: dict[str, Any]
    source: Source


@dataclass(frozen=True)
class Task:
    """What the arguments ask for."""

    given: argparse.Namespace
    options: BuildOptions
    board: Board
    runtime: Runtime
    used: Used
    ops: OpIndex


@without_collector()
def main(arguments: list[str]) -> int:
    """Write the sources and model.json; returns 0. Raises what any stage raises."""
    np.empty(KEPT, np.uint8)  # glibc learns from what is freed; else it maps an array's pages anew
    task = read_task(arguments)
    compiled = compile_models(task)
    files = _one(task, *compiled) if len(compiled) == 1 else _several(task, compiled)
    packages = shown_packages(
        task.given.packages, [found.op for found in task.ops.by_name.values()]
    )
    if packages:
        facts = json.loads(str(files["model.json"])) | {"packages": packages}
        files["model.json"] = json.dumps(facts) + "\n"
    files["used_ops.json"] = list_text(task.used)
    check_unchanged(task.used)  # lines of each op.py are in the files
    out: Path = task.given.out
    replace_files(out, files)
    (out / NEW_BINARY).replace(out / BINARY)
    return 0


def read_task(arguments: Sequence[str]) -> Task:
    """Read the arguments, and load what they name."""
    given = _parser().parse_args(arguments)
    options: BuildOptions = flagged(given, BuildOptions)
    runtime = load_runtime(given.runtime, SHIPPED, *given.backends)
    used = {name: entry for path in given.used for name, entry in read_used(path).items()}
    ops = load_used(used, given.backends)
    return Task(given, options, chosen_board(given), runtime, used, ops)


def compile_models(task: Task) -> list[Compiled]:
    """Compile each model; writes nothing, unless there is a folder for dumps."""
    named = zip(task.given.model, task.given.name, strict=True)
    with kept_in(task.given.solved):
        return [_compiled(task, *each) for each in named]


def _compiled(task: Task, path: Path, name: str) -> Compiled:
    given, options, runtime, board = task.given, task.options, task.runtime, task.board
    ops = task.ops
    reading = Reading(tuple(given.platforms), options.input_shape, options.signature)
    model, graph = read(path, name, ops, reading)
    if runtime.emitter:  # whose name is the namespace of what it emits
        graph = without_id(graph, runtime.emitter.backend)
    libraries = dict(text.partition("=")[::2] for text in given.library)
    features = runtime.features(board.core.features, libraries)
    tuning = _tuning(options, given, model.sha256)
    if tuning is not None and not options.prefer:
        raise_all(edited_problems(tuning, ops.by_name.values(), features, options.tune))
    device = device_of(runtime, board, given.backends)
    raise_all(device_problems(device, options.affinity, require=options.require_gpu))
    preferences = _preferences(options, tuning, given.candidate)
    flash = flash_budget(options.flash_budget, options.opt, board, graph)
    flash = UNLIMITED if given.candidate is not None else flash
    rules = () if options.arena == "caller" else board.arena  # who has all of it in one place
    configuration = Configuration(
        features, options, rules, preferences=preferences, flash=flash, device=device
    )
    dump = Dump(Path(options.dump) if options.dump else None)
    dump("legalize", graph)
    program = compile_graph(graph, ops, configuration, str(path), dump)
    program = stepwise(program) if given.stepwise else program
    facts = {
        "model": path.name,
        "sha256": model.sha256,
        "subgraphs": list(model.subgraphs),
        "signature": options.signature,
        "input_shape": options.input_shape,
        "assumed": model.assumed,
        "board": board.name,
        "runtime": given.runtime,
        "opt": options.opt,
        "prefer": options.prefer,
        "tune": None if tuning is None else {"file": Path(options.tune).name, "unit": tuning.unit},
        "flash_budget": {
            "bytes": flash.bytes,
            "spent": flash.buys and options.opt != "size",
        },
        "estimated_code_bytes": code_bytes(program.graph, ops),
        "libraries": libraries,
        "model_macs": total_macs(graph, ops),  # as the file has it; "macs" is what is left
        "asked_outputs": options.outputs,
    }
    if given.candidate is not None:
        facts["kernel_sources"] = source_digests(ops.by_name.values(), features)
    return Compiled(program, facts, Source(path.name, model.sha256))


def _one(task: Task, compiled: Compiled) -> dict[str, str | bytes]:
    """The files of a model that is alone, by name; weights lie where they are new."""
    given, board, runtime, ops = task.given, task.board, task.runtime, task.ops
    facts, budget = compiled.facts, task.options.flash_budget
    placed = place_constants(compiled.program, [compiled.program], ops, board, budget)
    program = placed.program
    apart = given.candidate is not None  # each node is measured
    devices = usable_devices(board, runtime)
    written = run_emitter(program, ops, runtime.emitter, given.out, devices, apart=apart)
    texts = text_files(
        program,
        ops,
        source=compiled.source.file,
        sha256=compiled.source.sha256,
        target=_target(given, board, facts),
        binary=(given.out / BINARY).as_posix(),
        digest=_write_weights(program, given.out),
        written=written,
    )
    device = device_of(runtime, board, given.backends)
    facts = facts | manifest(program, ops, written) | placed.facts
    facts |= {} if device is None else {"placement": placement(program, ops, device)}
    return {**texts, "model.json": json.dumps(facts) + "\n", **written.files}


def _several(task: Task, compiled: list[Compiled]) -> dict[str, str | bytes]:
    """The files of models that share a program, by name; weights lie where they are new."""
    given, ops = task.given, task.ops
    common, programs = together([each.program for each in compiled], ops)
    placed = place_constants(common, programs, ops, task.board, task.options.flash_budget)
    common = placed.program
    shared = task.options.arena == "shared"
    texts = several_files(
        common,
        programs,
        ops,
        [each.source for each in compiled],
        target=_target(given, task.board, compiled[0].facts),
        binary=(given.out / BINARY).as_posix(),
        digest=_write_weights(common, given.out),
        shared=shared,
    )
    models = [
        each.facts | manifest(program, ops)
        for each, program in zip(compiled, programs, strict=True)
    ]
    facts = {
        "name": ",".join(program.graph.name for program in programs),
        **{key: models[0][key] for key in ("board", "runtime", "opt", "guards", "libraries")},
        "assumed": [line for each in models for line in each["assumed"]],
        "arena": _arenas(programs) if shared else {},
        "constant_bytes": models[-1]["constant_bytes"],
        "space": common.graph.name,
        "models": models,
        **placed.facts,
    }
    return {**texts, "model.json": json.dumps(facts) + "\n"}


def _arenas(programs: list[Program]) -> dict[str, Any]:
    """What model.json says of arenas that models share."""
    return {
        memory: {"bytes": size, "alignment": alignment, "lower_bound": size}
        for memory, (_, size, alignment) in shared_arenas(programs).items()
    }


def _target(given: argparse.Namespace, board: Board, facts: dict[str, Any]) -> str:
    return f"{board.name}, runtime {given.runtime}, opt {facts['opt']}"


def device_of(runtime: Runtime, board: Board, backends: Sequence[Path]) -> Device | None:
    """The runtime's device with the board's figures. Raises BRD002."""
    known = list_runtimes(SHIPPED, *backends)
    return device_on(runtime.device, board.device_times, known, str(board.folder / "board.toml"))


def _tuning(options: BuildOptions, given: argparse.Namespace, sha256: str) -> Tuning | None:
    """Return the measurements made on this target, if any."""
    target = f"{given.board}-{given.runtime}-{options.opt}"
    return read_tuning(Path(options.tune), sha256).get(target) if options.tune else None


def _preferences(
    options: BuildOptions, tuning: Tuning | None, candidate: int | None
) -> Preferences:
    measured, unit = (tuning.nodes, tuning.unit) if tuning is not None else ({}, "")
    sides = (entry.rpartition(":") for entry in options.affinity)
    affinity = tuple((pattern, side) for pattern, _, side in sides)
    return Preferences(options.prefer, measured, unit, candidate, affinity)


def flash_budget(asked: int | None, opt: str, board: Board, graph: Graph) -> FlashBudget:
    """Return the given budget, else by default what `opt` implies.

    With opt=speed it is the board's flash, otherwise the model file's constants and an allowance.
    """
    if asked is None and opt != "speed":
        return balanced_budget(graph)
    whole = board.memory["flash"].size if "flash" in board.memory else None
    size = whole if asked is None else asked
    return FlashBudget(size, elsewhere=flashed_elsewhere(board, graph))


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opsmith convert", description=__doc__)
    parser.add_argument("--model", type=Path, action="append", required=True)
    used = "what `resolve` wrote, of each model"
    parser.add_argument("--used", type=Path, action="append", required=True, help=used)
    add_board(parser)
    parser.add_argument("--backends", type=Path, action="append", default=[])
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--library", action="append", default=[], metavar="NAME=REVISION")
    packages = "what `install-packages` wrote, where conan= is given"
    parser.add_argument("--packages", type=Path, help=packages)
    parser.add_argument("--candidate", type=int, help="of the kernels that a node could have")
    parser.add_argument(
        "--stepwise", action="store_true", help="invoke() runs one node a call; all is output"
    )
    add_flags(parser, BuildOptions)
    namespace = "C++ namespace, of each model"
    parser.add_argument("--name", action="append", required=True, help=namespace)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--solved", type=Path, help="folder of what builds computed before")
    return parser


def _write_weights(program: Program, out: Path) -> str:
    """Write the new weights beside the old ones; returns the SHA-256 of their bytes."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        return write_weights(program, out / NEW_BINARY)
    except OSError as error:
        raise cannot_write(out, error) from error
