"""`python -m opsmith run`: runs a built firmware and compares it with LiteRT, byte by byte.

Nodes that LiteRT cannot run, or gets wrong, are compared with the numpy models of their ops."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.device import PROCESSOR
from opsmith.board.manifest import Board
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.ir import Numerics
from opsmith.option import add_named_flags
from opsmith.oracle.deadline import Deadline
from opsmith.report.placeholders import inexact_lines, placeholder_lines
from opsmith.rig import arrays
from opsmith.rig.arrays import Array
from opsmith.rig.build import Build, PortTensor, check_current, load_build, load_report
from opsmith.rig.c_library import other_library
from opsmith.rig.place import OPTIONS, where_of
from opsmith.rig.report import Tolerance, comparison_text, outputs_text
from opsmith.rig.rig import open_rig
from opsmith.rig.showcase import Quantisation, Showcase, load_showcase
from opsmith.text import escaped, escaped_lines


def main(argv: Sequence[str]) -> int:
    """Return 0 when the firmware answered and its outputs are right; 1 when they differ."""
    arguments = _parser().parse_args(argv)
    board = chosen_board(arguments)
    build = load_build(arguments.build)
    check_current(build, arguments.model, board.name)
    showcase = load_showcase(arguments.model)
    inputs = _inputs(build, arguments, showcase)
    stored = arguments.output or arguments.build / "output.npz"
    arrays.require_writable(stored)
    deadline = Deadline(arguments.timeout)
    with open_rig(arguments.build, board, where=where_of(arguments), deadline=deadline) as rig:
        outputs = rig.invoke(inputs)
        used, size = rig.stack()
        if board.emulator is None and _starts_device(load_report(arguments.build)):
            rig.invoke(inputs)  # the first call opened the device and built its kernels
        title, cycles = rig.title, rig.cycles
    arrays.save(stored, build.outputs, outputs)
    facts = [_duration(board, arguments.port, cycles)]
    facts += [f"stack {used} of {size} bytes"] if size else []
    print(escaped(f"{board.title} ({title}): {', '.join(facts)}"))
    print(outputs_text(build.outputs, outputs))
    if showcase:
        print(showcase.describe(inputs, outputs, [_quantisation(each) for each in build.outputs]))
    print(escaped(f"outputs stored in {stored}"))
    return _compare(arguments, deadline, build, inputs, outputs)


def model_inputs(build: Build, arguments: argparse.Namespace) -> list[Array]:
    """Return the arrays of the input file, those of the model's example, or seeded ones."""
    return _inputs(build, arguments, load_showcase(arguments.model))


def _starts_device(report: Mapping[str, Any]) -> bool:
    """Whether nodes run on the runtime's device."""
    sides = report.get("placement", {}).get("sides", {})
    return any(side["nodes"] for name, side in sides.items() if name != PROCESSOR)


def _duration(board: Board, port: str | None, cycles: int) -> str:
    """Format the firmware's counter for one invoke; QEMU's counter follows the wall clock."""
    named = port is not None or bool(board.probe)
    emulated = board.emulator is not None and (board.core.hosted or not named)
    if board.core.hosted:
        return "no time, since QEMU's is not the board's" if emulated else f"{cycles / 1e6:.3f} ms"
    return "no cycle count, since QEMU has no cycles" if emulated else f"{cycles} cycles"


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opsmith run", description=__doc__)
    parser.add_argument("--build", required=True, type=Path, help="folder of the built firmware")
    parser.add_argument("--model", required=True, type=Path, help="the .tflite it was built from")
    add_board(parser)
    names = ("input", "output", *OPTIONS, "atol", "rtol", "timeout")
    add_named_flags(parser, BuildOptions, *names)
    return parser


def _inputs(build: Build, arguments: argparse.Namespace, showcase: Showcase | None) -> list[Array]:
    if arguments.input is not None:
        return arrays.load(arguments.input, build.inputs)
    if showcase:
        inputs = arrays.check(showcase.default_inputs(), build.inputs, escaped(str(showcase.path)))
    else:
        inputs = arrays.seeded(build.inputs)
        if any(tensor.names and not tensor.expected for tensor in build.inputs):
            from opsmith.rig.seeds import naming_positions  # slow to import

            inputs = naming_positions(build, arguments.model, inputs, arguments.platforms)
    stored = build.folder / "input.npz"
    arrays.save(stored, build.inputs, inputs)
    print(escaped(f"{'example' if showcase else 'seeded'} input stored in {stored}"))
    return inputs


def _quantisation(tensor: PortTensor) -> Quantisation | None:
    if tensor.scale is None or tensor.zero_point is None:
        return None
    return tensor.scale, tensor.zero_point


def _compare(
    arguments: argparse.Namespace,
    deadline: Deadline,
    build: Build,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
) -> int:
    # slow to import: not before the firmware ran
    from opsmith.oracle.expected import expected, reading_of
    from opsmith.oracle.rules import other_answers

    ids = [tensor.id for tensor in build.outputs]
    report = load_report(build.folder)
    tolerance = Tolerance(arguments.atol, arguments.rtol)

    def agrees(values: Mapping[str, Array]) -> bool:
        pairs = zip(ids, outputs, strict=True)
        return all(each in values and tolerance.allows(y, values[each]) for each, y in pairs)

    right = expected(
        arguments.model,
        build.folder / "used_ops.json",
        inputs,
        ids,
        reading=reading_of(report, arguments.platforms),
        deadline=deadline,
        agrees=agrees,
    )
    results = [_known(right.values, tensor) for tensor in build.outputs]
    of = right.title, right.remark, tolerance, right.sound
    same, text = comparison_text(build.outputs, outputs, results, *of)
    lines = [text, *right.lines(report), *placeholder_lines(report), *inexact_lines(report)]
    if tolerance.exact:
        own, shown = (
            Numerics(report["numerics"] or "reference"),
            dict(zip(ids, outputs, strict=True)),
        )
        reading = reading_of(report, arguments.platforms)
        lines += other_answers(own, arguments.model, inputs, shown, reading, deadline)
    if not same:
        litert = right.title != "the numpy models"
        lines += other_library(*platform.libc_ver(), platform.machine()) if litert else []
        lines.append(_advice(report))
    print(escaped_lines("\n".join(lines)))
    return 0 if same else 1


def _known(values: Mapping[str, Array], output: PortTensor) -> Array:
    if output.id not in values:
        what = f"no reference has output '{escaped(output.name)}', so it cannot be compared"
        fix = "leave it out of outputs=, and look at it by `crosscheck`"
        raise ToolchainError.of("RIG055", what, where="the model", fix=fix)
    return values[output.id]


def _advice(report: Mapping[str, Any]) -> str:
    """How to find the node whose bytes differ."""
    streamed = ", and without stream=," if report.get("stream") else ""
    return f"`crosscheck` in place of `run`{streamed} names the first node that differs"
