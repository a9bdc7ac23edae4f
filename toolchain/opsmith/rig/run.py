"""`python -m opsmith run`: runs a built firmware and compares it with LiteRT, byte by byte.

Nodes that LiteRT cannot run, or computes wrongly, are compared with the numpy models of their ops.
"""

import argparse
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.current import current_of
from opsmith.board.device import PROCESSOR
from opsmith.board.manifest import Board
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.guard import tell
from opsmith.ir import Numerics
from opsmith.option import add_named_flags
from opsmith.oracle.deadline import INVOKE, Deadline
from opsmith.report.energy import estimated
from opsmith.report.placeholders import inexact_lines, placeholder_lines
from opsmith.rig import arrays
from opsmith.rig.arrays import Array
from opsmith.rig.build import Build, PortTensor, check_current, load_build, load_report
from opsmith.rig.by_folder import parsed
from opsmith.rig.c_library import other_library
from opsmith.rig.dataset import DataSet
from opsmith.rig.inputs import chosen_inputs, data_set
from opsmith.rig.lock import held
from opsmith.rig.outcome import FAIL, OF_RUNS, PASS, outcome_of, refused
from opsmith.rig.page import refresh
from opsmith.rig.phases import COMPARE, Phases
from opsmith.rig.place import OPTIONS, Place, RunRequest, find_places, where_of
from opsmith.rig.report import Tolerance
from opsmith.rig.result import (
    Result,
    add_arrays,
    add_build,
    add_comparison,
    finish,
    new_result,
    remove_result,
    result_text,
    write_result,
)
from opsmith.rig.rig import Rig, started
from opsmith.rig.showcase import Quantisation, Showcase, load_showcase
from opsmith.rig.tally import Tally
from opsmith.text import escaped
from opsmith.writing import replace_files


def main(argv: Sequence[str]) -> int:
    """Return an exit status of outcome.py; run.json and run.xml have details."""
    try:
        arguments = parsed(_parser(), argv)
    except ToolchainError as error:
        return refused(error)
    board = chosen_board(arguments)
    result, phases = new_result(board, arguments.model), Phases()
    attached = False
    try:
        run = _prepared(arguments, board, result)
        attached = run.places[0].attached
        status = _run(run, result, phases)
    except BaseException as error:
        return _ended(arguments.build, result, phases, attached, error)
    finish(result, FAIL if status else PASS, status, phases)
    print(result_text(result))
    write_result(result, arguments.build)
    refresh(arguments.build)
    return status


@dataclass(frozen=True)
class _Run:
    """A run whose model, firmware and place are ready."""

    arguments: argparse.Namespace
    board: Board
    build: Build
    places: Sequence[Place]
    showcase: Showcase | None
    inputs: Sequence[Array]  # of one invoke(); empty if a data set is run
    data: DataSet | None
    stored: Path  # where outputs are stored


def _prepared(arguments: argparse.Namespace, board: Board, result: Result) -> _Run:
    """Model, firmware and place of a run, after checks of all three."""
    build = load_build(arguments.build)
    add_build(result, build)
    check_current(build, arguments.model, board.name)
    showcase = load_showcase(arguments.model)
    data = data_set(build, arguments)
    inputs = [] if data else chosen_inputs(build, arguments, showcase)
    if data is None:
        add_arrays(result, "inputs", build, inputs)
    stored = arguments.output or arguments.build / "output.npz"
    arrays.require_writable(stored)
    places = find_places(RunRequest(build, board), where_of(arguments))
    remove_result(arguments.build)
    result["place"] = {"title": escaped(places[0].title), "probe": board.probe}
    return _Run(arguments, board, build, places, showcase, inputs, data, stored)


def _run(run: _Run, result: Result, phases: Phases) -> int:
    """Run, store outputs, and compare; returns 0 where they are right. Outputs that cannot be
    stored are compared nevertheless.
    """
    deadline = Deadline(run.arguments.timeout)
    where = where_of(run.arguments)
    of = run.build, run.board, run.places, where
    if run.data is not None:
        seconds = run.arguments.timeout or INVOKE
        alone = held([f"data set of {run.build.folder.resolve()}"], wait=where.wait)
        with alone, started(*of, invoke_timeout=seconds, phases=phases) as rig:
            result["place"]["title"] = escaped(rig.title)
            return _run_set(run, run.data, rig, result)
    with started(*of, deadline, phases=phases) as rig:
        outputs = rig.invoke(run.inputs)
        used, size = rig.stack()
        if not run.places[0].emulated and _starts_device(load_report(run.build.folder)):
            rig.invoke(run.inputs)  # again: the first call built the device's kernels
        result["place"]["title"], took = escaped(rig.title), rig.cycles
    add_arrays(result, "outputs", run.build, outputs)
    result["stack"] = {"used": used, "size": size} if size else None
    unit = "nanoseconds" if run.board.core.hosted else "cycles"
    result["time"] = None if run.places[0].emulated else {"value": took, "unit": unit}
    result["took"] = [_duration(run.board, run.places[0], took)]
    if result["time"] and not run.board.core.hosted:
        _add_energy(run.board, took, result)
    result["took"] += [f"stack {used} of {size} bytes"] if size else []
    if run.showcase:
        quantisations = [_quantisation(each) for each in run.build.outputs]
        result["showcase"] = run.showcase.describe(run.inputs, outputs, quantisations)
    unstored = _stored(run, outputs, result)
    with phases.phase(COMPARE, deadline.seconds):
        same = _compare(run, deadline, outputs, result)
    if unstored is not None:
        raise unstored
    return 0 if same else 1


def _add_energy(board: Board, cycles: int, result: Result) -> None:
    """Record the energy of some cycles of the board, where its MCU's current is published."""
    if energy := estimated(cycles, current_of(board), modelled=False):
        result["energy"] = asdict(energy)
        result["took"].append(f"energy {energy.text}")


def _run_set(run: _Run, data: DataSet, rig: Rig, result: Result) -> int:
    """Run a data set; returns 0 where all outputs are right. Outputs of a batch are stored."""
    from opsmith.rig.evaluate import PICTURE, RECORDS, Evaluation, Judge, classes_of  # slow import

    build, arguments = run.build, run.arguments
    tolerance = Tolerance(arguments.atol, arguments.rtol)
    judge = Judge(build, arguments.model, arguments.platforms, tolerance, arguments.timeout)
    classes = classes_of(build) if data.labelled else 0
    tally = Tally(classes, run.showcase.labels if run.showcase else ())
    records, batch = build.folder / RECORDS, list[Sequence[Array]]()
    keep = None
    if not data.labelled:
        records.unlink(missing_ok=True)  # records lack outputs, so it could not continue
        keep = batch.append
    unstored = None
    place = run.places[0].title if run.places[0].emulated else run.board.name  # without its port
    try:
        same = Evaluation(rig, data, judge, tally, records, place, keep).run()
    finally:
        result["data"] = {"set": escaped(str(data.path)), "of": data.count, **tally.result()}
        if run.places[0].emulated:
            result["data"]["ticks_each"] = None
        if batch:
            unstored = _stored(run, [*map(np.stack, zip(*batch, strict=True))], result)
    replace_files(build.folder, {PICTURE: tally.picture()} if classes else {})
    if unstored is not None:
        raise unstored
    return 0 if same else 1


def _stored(run: _Run, outputs: Sequence[Array], result: Result) -> ToolchainError | None:
    """Store the outputs; returns the error that prevented it, if any."""
    try:
        arrays.save(run.stored, run.build.outputs, outputs)
    except ToolchainError as error:
        return error
    result["stored"] = escaped(str(run.stored))
    return None


def _ended(
    folder: Path, result: Result, phases: Phases, attached: bool, error: BaseException
) -> int:
    """Report how a run ended prematurely. Raises an exception that is no error of a run."""
    outcome, status = outcome_of(error, phases.current, attached)
    finish(result, outcome, status, phases, error)
    if result["outputs"] or result["data"]:
        print(result_text(result))
    began = result["place"] is not None
    try:
        if folder.is_dir() and (began or status in OF_RUNS):
            write_result(result, folder)
    except ToolchainError as second:
        tell(str(second))
    if status not in OF_RUNS:
        raise error
    tell(f"{error}\n{outcome}{f', in phase {phases.current}' if phases.current else ''}")
    return status


def _starts_device(report: Mapping[str, Any]) -> bool:
    """True if nodes of the build run on the runtime's device."""
    sides = report.get("placement", {}).get("sides", {})
    return any(side["nodes"] for name, side in sides.items() if name != PROCESSOR)


def _duration(board: Board, place: Place, cycles: int) -> str:
    """Text of the firmware's counter for one invoke; an emulator's follows the wall clock."""
    if board.core.hosted:
        return (
            "no time, since QEMU's is not the board's"
            if place.emulated
            else (f"{cycles / 1e6:.3f} ms")
        )
    emulator = place.title.partition(" ")[0]
    return f"no cycle count in {emulator}" if place.emulated else f"{cycles} cycles"


def _parser() -> Parser:
    parser = Parser(prog="opsmith run", description=__doc__)
    parser.add_argument("--build", required=True, type=Path, help="folder of the built firmware")
    parser.add_argument("--model", required=True, type=Path, help="the .tflite it was built from")
    add_board(parser)
    names = ("input", "data", "output", *OPTIONS, "atol", "rtol", "timeout")
    add_named_flags(parser, BuildOptions, *names)
    return parser


def _quantisation(tensor: PortTensor) -> Quantisation | None:
    if tensor.scale is None or tensor.zero_point is None:
        return None
    return tensor.scale, tensor.zero_point


def _compare(run: _Run, deadline: Deadline, outputs: Sequence[Array], result: Result) -> bool:
    # imported here since it is slow: after the firmware ran
    from opsmith.oracle.expected import expected
    from opsmith.oracle.question import Question
    from opsmith.oracle.rules import other_answers

    build, arguments = run.build, run.arguments
    ids = [tensor.id for tensor in build.outputs]
    report = load_report(build.folder)
    tolerance = Tolerance(arguments.atol, arguments.rtol)

    def agrees(values: Mapping[str, Array]) -> bool:
        pairs = zip(ids, outputs, strict=True)
        return all(each in values and tolerance.allows(y, values[each]) for each, y in pairs)

    of_build = build.folder, report, arguments.model
    asked = Question.of_build(*of_build, run.inputs, ids, arguments.platforms, deadline)
    right = expected(asked, agrees=agrees)
    values = [_known(right.values, tensor) for tensor in build.outputs]
    oracle = {"title": right.title, "remark": right.remark, "sound": right.sound}
    add_comparison(result, build, outputs, values, oracle, tolerance)
    same = right.sound and all(row["right"] for row in result["outputs"])
    lines = [*right.lines(report), *placeholder_lines(report), *inexact_lines(report)]
    if tolerance.exact:
        own = Numerics(report["numerics"] or "reference")
        shown = dict(zip(ids, outputs, strict=True))
        lines += other_answers(own, asked, shown)
    if not same:
        lines += report["assumed"]  # not printed by a build that was up to date
        litert = right.title != "the numpy models"
        lines += other_library(*platform.libc_ver(), platform.machine()) if litert else []
        lines.append(_advice(report))
    result["notes"] = lines
    return same


def _known(values: Mapping[str, Array], output: PortTensor) -> Array:
    if output.id not in values:
        what = f"no reference has output '{escaped(output.name)}', so it cannot be compared"
        fix = "leave it out of outputs=, and look at it by `crosscheck`"
        raise ToolchainError.of("RIG055", what, where="the model", fix=fix)
    return values[output.id]


def _advice(report: Mapping[str, Any]) -> str:
    """Advice on how to find the node whose bytes differ."""
    streamed = ", and without stream=," if report.get("stream") else ""
    return f"`crosscheck` in place of `run`{streamed} names the first node that differs"
