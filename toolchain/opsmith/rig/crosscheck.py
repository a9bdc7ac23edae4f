"""`python -m opsmith crosscheck`: compares a board with a reference node by node.

The reference is LiteRT, the numpy models of the ops where LiteRT cannot run the model, or another
target.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.manifest import Board
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.errors import Problem, ToolchainError
from opsmith.ir import Array
from opsmith.option import add_named_flags
from opsmith.oracle.deadline import Deadline
from opsmith.oracle.differences import compared
from opsmith.oracle.expected import LITERT, NUMPY, Expected, recorded
from opsmith.oracle.flow import Place, Recorded, counterparts, is_straight, node_runs, places_of
from opsmith.oracle.question import Question
from opsmith.progress import progress
from opsmith.rig.build import Build, check_current, load_build, load_report
from opsmith.rig.crosscheck_report import Crosscheck, Row, check_json, check_text
from opsmith.rig.inputs import model_inputs
from opsmith.rig.place import ANYWHERE, OPTIONS, Where, where_of
from opsmith.rig.rig import described, open_rig, require_stepwise
from opsmith.text import escaped, escaped_lines
from opsmith.writing import replace_files


@dataclass(frozen=True)
class Ran:
    """Values that a firmware wrote, with its nodes and the title of its target."""

    title: str
    nodes: Sequence[dict[str, Any]]  # of model.json
    straight: bool  # each node ran exactly once
    places: Sequence[Sequence[Place]]  # tensors that each node writes, with their places
    order: Sequence[int]  # nodes in the order in which they ran
    values: Recorded


def main(argv: Sequence[str]) -> int:
    """Compare all nodes; returns 0 when every node is within tolerance, else 1."""
    options = _parser().parse_args(argv)
    board = chosen_board(options)
    build = load_build(options.build)
    check_current(build, options.model, board.name)
    inputs = model_inputs(build, options)
    deadline, wanted = Deadline(options.timeout), [tensor.id for tensor in build.outputs]
    ran = _run(build, board, inputs, where_of(options), deadline)
    right = _right(
        options, inputs, wanted, deadline, lambda found: _agrees(ran, build, found, options)
    )
    rows, first = _compared(ran, build, right.values, options)
    _require_compared(rows, build)
    report, within = load_report(build.folder), (options.atol, options.rtol)
    check = Crosscheck(ran.title, right.title, right.remark, *within, rows, first, (), right.sound)
    # not printed by a build that was up to date
    notes = (*right.lines(report), *(() if check.right else report["assumed"]))
    check = replace(check, notes=notes)
    print(escaped_lines(check_text(check)))
    text = json.dumps(check_json(check), indent=1, ensure_ascii=False) + "\n"
    replace_files(options.build, {"crosscheck.json": text})
    print(escaped(f"details in {options.build / 'crosscheck.json'}"))
    return 0 if check.right else 1


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opsmith crosscheck", description=__doc__)
    parser.instead = "scons builds what it needs: scons board=… model=… crosscheck"
    parser.add_argument("--build", required=True, type=Path, help="folder of a stepwise build")
    parser.add_argument("--model", required=True, type=Path, help="the .tflite it was built from")
    add_board(parser)
    parser.add_argument("--against", choices=(LITERT, NUMPY), default="", help="whose values")
    parser.add_argument("--against-build", type=Path, help="folder of another stepwise build")
    parser.add_argument("--against-board", help="the board of that build")
    names = ("input", *OPTIONS, "atol", "rtol", "timeout")
    add_named_flags(parser, BuildOptions, *names)
    return parser


def _run(
    build: Build, board: Board, inputs: Sequence[Array], where: Where, deadline: Deadline
) -> Ran:
    """Run every node on the board, as often as it runs in the model, and collect its outputs."""
    report = load_report(build.folder)
    require_stepwise(report, build.folder, "crosscheck")
    nodes, flow = report["nodes"], report["flow"]
    number = {tensor.id: index for index, tensor in reversed([*enumerate(build.outputs)])}
    latest = {tensor.id: value for tensor, value in zip(build.inputs, inputs, strict=True)}
    of, order = places_of(report), list[int]()
    values: dict[Place, list[Array | None]] = {place: [] for each in of for place in each}
    with (
        open_rig(build.folder, board, where=where, deadline=deadline) as rig,
        progress(len(nodes)) as shown,
    ):
        rig.write(inputs)
        for index in node_runs(flow, latest, deadline.check):
            node = nodes[index]
            try:
                found = rig.step([number[name] for name in node["outputs"]])
            except ToolchainError as error:
                at = f"node {node['index']}, {described(node)}"
                raise ToolchainError(
                    *(Problem(p.code, p.what, f"{p.where}: {at}", p.fix) for p in error.problems)
                ) from error
            latest |= zip(node["outputs"], found, strict=True)
            order.append(index)
            if is_straight(flow):
                shown.show(len(order))
            else:
                deadline.keep(sum(value.nbytes for value in found))
            for place, value in zip(of[index], found, strict=True):
                values[place].append(value)
        runtime = f"runtime {report['runtime']}, opt {report['opt']}"
        title = escaped(f"{board.title} ({rig.title}), {runtime}")
        return Ran(title, nodes, is_straight(flow), of, order, values)


def _right(
    options: argparse.Namespace,
    inputs: Sequence[Array],
    wanted: Sequence[str],
    deadline: Deadline,
    agrees: Callable[[Recorded], bool],
) -> Expected[Recorded]:
    """Return the reference and the values that it wrote."""
    if options.against_build is None:
        of_build = options.build, load_report(options.build), options.model
        asked = Question.of_build(*of_build, inputs, wanted, options.platforms, deadline)
        return recorded(asked, options.against, agrees)
    board = chosen_board(options, options.against_board)
    build = load_build(options.against_build)
    check_current(build, options.model, board.name)
    ran = _run(build, board, inputs, ANYWHERE, deadline)
    return Expected(ran.title, "", ran.values)


def _agrees(ran: Ran, build: Build, recorded: Recorded, options: argparse.Namespace) -> bool:
    return _compared(ran, build, recorded, options)[1] is None


def _require_compared(rows: Sequence[Row], build: Build) -> None:
    """Raise RIG056 where nothing was compared, which must not look like success."""
    if rows and all(row.comparison.difference is None for row in rows):
        what = "no tensor of the model has a counterpart in the reference: nothing was compared"
        fix = "take another reference: against=numpy, against=litert or against=BOARD"
        raise ToolchainError.of("RIG056", what, where=escaped(str(build.folder)), fix=fix)


def _compared(
    ran: Ran, build: Build, recorded: Recorded, options: argparse.Namespace
) -> tuple[tuple[Row, ...], Row | None]:
    """Return a row for each tensor of each node, and the row of the first run that diverges."""
    tensors = {tensor.id: tensor for tensor in build.outputs}
    of = [place for each in ran.places for place in each]
    right = counterparts(of, recorded, straight=ran.straight)
    within = options.atol, options.rtol
    rows = {
        place: Row(node, tensors[place[1]], compared(ran.values[place], right.get(place), *within))
        for node, each in zip(ran.nodes, ran.places, strict=True)
        for place in each
    }
    runs = Counter[int]()
    for index in ran.order:
        runs[index] += 1
        for place in ran.places[index]:
            if rows[place].comparison.first == runs[index]:
                return tuple(rows.values()), rows[place]
    return tuple(rows.values()), next((row for row in rows.values() if row.diverges), None)
