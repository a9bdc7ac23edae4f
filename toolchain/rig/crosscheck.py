"""`python -m toolchain crosscheck`: compare a board with a reference node by node.

The reference is LiteRT, the numpy models of the ops where LiteRT cannot run the model, or another
target.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toolchain.board.arguments import add_board, chosen_board
from toolchain.board.manifest import Board
from toolchain.build_options import BuildOptions
from toolchain.commands.files import replace_files
from toolchain.errors import Problem, ToolchainError
from toolchain.ir import Array
from toolchain.option import add_named_flags
from toolchain.rig.build import Build, check_current, load_build, load_report
from toolchain.rig.crosscheck_report import Check, Row, check_json, check_text
from toolchain.rig.differences import Difference, difference
from toolchain.rig.oracle import LITERT, NUMPY, expected, reading_of
from toolchain.rig.rig import described, open_rig, require_stepwise
from toolchain.rig.run import model_inputs
from toolchain.rig.text import escaped, escaped_lines


@dataclass(frozen=True)
class Ran:
    """What a firmware wrote, tensors by id, and what ran it."""

    title: str
    nodes: Sequence[dict[str, object]]  # of model.json
    values: dict[str, Array]


def main(argv: Sequence[str]) -> int:
    """Return 0 when every node is within tolerance, else 1."""
    options = _parser().parse_args(argv)
    board = chosen_board(options)
    build = load_build(options.build)
    check_current(build, options.model, board.name)
    inputs = model_inputs(build, options.input, options.model)
    ran = _run(build, board, inputs, options.port, options.timeout)
    title, remark, right = _right(options, inputs, list(ran.values))
    tensors = {tensor.id: tensor for tensor in build.outputs}
    rows = [
        Row(node, tensors[name], _compared(ran.values[name], right.get(name), options))
        for node in ran.nodes
        for name in _outputs(node)
    ]
    check = Check(ran.title, title, remark, options.atol, options.rtol, tuple(rows))
    print(escaped_lines(check_text(check)))
    text = json.dumps(check_json(check), indent=1, ensure_ascii=False) + "\n"
    replace_files(options.build, {"crosscheck.json": text})
    print(escaped(f"details in {options.build / 'crosscheck.json'}"))
    return 0 if check.first is None else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="opsmith crosscheck", description=__doc__)
    parser.add_argument("--build", required=True, type=Path, help="folder of a stepwise build")
    parser.add_argument("--model", required=True, type=Path, help="the .tflite it was built from")
    add_board(parser)
    parser.add_argument("--against", choices=(LITERT, NUMPY), default="", help="whose values")
    parser.add_argument("--against-build", type=Path, help="folder of another stepwise build")
    parser.add_argument("--against-board", help="the board of that build")
    add_named_flags(parser, BuildOptions, "input", "port", "atol", "rtol")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for one node")
    return parser


def _run(
    build: Build, board: Board, inputs: Sequence[Array], port: str | None, timeout: float
) -> Ran:
    """Run every node on the board, one after the other, and collect what each wrote."""
    report = load_report(build.folder)
    require_stepwise(report, build.folder, "crosscheck")
    number = {tensor.id: index for index, tensor in reversed([*enumerate(build.outputs)])}
    values: dict[str, Array] = {}
    with open_rig(build.folder, board, port=port, invoke_timeout=timeout) as rig:
        rig.write(inputs)
        for node in report["nodes"]:
            wanted = _outputs(node)
            try:
                found = rig.step([number[name] for name in wanted])
            except ToolchainError as error:
                at = f"node {node['index']}, {described(node)}"
                raise ToolchainError(
                    *(Problem(p.code, p.what, f"{p.where}: {at}", p.fix) for p in error.problems)
                ) from error
            values.update(zip(wanted, found, strict=True))
        runtime = f"runtime {report['runtime']}, opt {report['opt']}"
        title = escaped(f"{board.title} ({rig.title}), {runtime}")
        return Ran(title, report["nodes"], values)


def _right(
    options: argparse.Namespace, inputs: Sequence[Array], wanted: Sequence[str]
) -> tuple[str, str, dict[str, Array]]:
    """Return the name of the reference, a remark about it, and its values."""
    if options.against_build is None:
        used = options.build / "used_ops.json"
        reading = reading_of(load_report(options.build), options.platforms)
        right = expected(options.model, used, inputs, wanted, options.against, reading)
        return right.title, right.remark, dict(right.values)
    board = chosen_board(options, options.against_board)
    build = load_build(options.against_build)
    check_current(build, options.model, board.name)
    ran = _run(build, board, inputs, None, options.timeout)
    return ran.title, "", ran.values


def _compared(values: Array, right: Array | None, options: argparse.Namespace) -> Difference | None:
    if right is None or right.shape != values.shape or right.dtype != values.dtype:
        return None
    return difference(values, right, options.atol, options.rtol)


def _outputs(node: dict[str, object]) -> list[str]:
    outputs = node["outputs"]
    assert isinstance(outputs, list)
    return outputs
