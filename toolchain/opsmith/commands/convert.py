"""`convert`: compiles models to C++ for one board. Writes all files or none."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.runtime import SHIPPED, load_runtime, usable_devices
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.commands.collector import without_collector
from opsmith.commands.used_ops import Used, check_unchanged, list_text, load_used, read_used
from opsmith.conversion import Conversion, Converted, convert
from opsmith.emit.emitters import NOTHING, run_emitter
from opsmith.emit.facts import FirmwareFacts, model_json
from opsmith.emit.files import text_files
from opsmith.emit.joined import joined
from opsmith.emit.nodes import LISTING
from opsmith.emit.place_constants import place_constants
from opsmith.emit.placement import placement
from opsmith.emit.weights import write_weights
from opsmith.errors import cannot_write
from opsmith.ir import Graph
from opsmith.ir.program import Program
from opsmith.ir.text import graph_to_text
from opsmith.option import add_flags, flagged
from opsmith.package.requirements import shown_packages
from opsmith.steps.sealed import listed
from opsmith.writing import replace_files

BINARY = "weights.bin"
NEW_BINARY = f"{BINARY}.new"
KEPT = 16 << 20  # freed bytes that the allocator keeps


@dataclass(frozen=True)
class ConvertTask:
    """Resolved request of the command line: arguments, options, board, runtime and ops."""

    given: argparse.Namespace
    used: Used
    conversion: Conversion


@without_collector()
def main(arguments: list[str]) -> int:
    """Write the sources and model.json; returns 0. Raises errors of any stage."""
    np.empty(KEPT, np.uint8)  # freeing this much makes glibc reuse pages rather than map new ones
    task = read_task(arguments)
    files = _files(task, convert_models(task))
    files["used_ops.json"] = list_text(task.used)
    check_unchanged(task.used)  # the files contain line numbers of each op.py
    out: Path = task.given.out
    before = listed(out / LISTING)
    replace_files(out, files)
    (out / NEW_BINARY).replace(out / BINARY)
    for path in (path for path in before if path.name not in files):  # of former ops
        path.unlink(missing_ok=True)
    return 0


def read_task(arguments: Sequence[str]) -> ConvertTask:
    """Read the arguments, and load the board, runtime and ops that they name."""
    given = _parser().parse_args(arguments)
    used = {name: entry for path in given.used for name, entry in read_used(path).items()}
    conversion = Conversion(
        flagged(given, BuildOptions),
        chosen_board(given),
        load_runtime(given.runtime, SHIPPED, *given.backends),
        load_used(used, given.backends),
        given.backends,
        given.platforms,
        dict(text.partition("=")[::2] for text in given.library),
        given.candidate,
        given.stepwise,
    )
    return ConvertTask(given, used, conversion)


def convert_models(task: ConvertTask) -> list[Converted]:
    """Compile each model; writes nothing, except dumps if they are requested."""
    dump = task.conversion.options.dump
    named = zip(task.given.model, task.given.name, strict=True)
    return [
        convert(task.conversion, path, name, Dump(Path(dump) if dump else None))
        for path, name in named
    ]


def _files(task: ConvertTask, converted: Sequence[Converted]) -> dict[str, str | bytes]:
    """Files of the models by name; new weights are already in the folder."""
    conversion, out = task.conversion, task.given.out
    options, board, ops = conversion.options, conversion.board, conversion.ops
    shared = options.arena == "shared"
    models = joined([each.program for each in converted], ops, shared=shared)
    placed = place_constants(models.common, models.programs, ops, board, options.flash_budget)
    models, common, written = models.placed(placed.program), placed.program, NOTHING
    if models.alone:  # a runtime with an emitter takes one model
        apart = conversion.candidate is not None  # each node is measured
        devices = usable_devices(board, conversion.runtime)
        emitter = conversion.runtime.emitter
        written = run_emitter(common, ops, emitter, out, devices, apart=apart)
    facts = [each.facts for each in converted]
    texts = text_files(
        models,
        ops,
        [each.source for each in facts],
        target=facts[0].target,
        binary=(out / BINARY).as_posix(),
        digest=_write_weights(common, out),
        written=written,
    )
    device = conversion.device if models.alone else None
    of_all = FirmwareFacts(
        facts,
        written,
        placed.constants,
        None if device is None else placement(common, ops, device),
        shown_packages(task.given.packages, [found.op for found in ops.by_name.values()]),
    )
    return {**texts, "model.json": model_json(models, ops, of_all), **written.files}


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
    return parser


def _write_weights(program: Program, out: Path) -> str:
    """Write the new weights beside the old ones; returns the SHA-256 of their bytes."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        return write_weights(program, out / NEW_BINARY)
    except OSError as error:
        raise cannot_write(out, error) from error


class Dump:
    """Writer of the graph after every step, into a folder if one is given."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._count = 0

    def __call__(self, step: str, graph: Graph) -> None:
        if self._folder is not None:
            name = f"{self._count:02}_{step}.txt"
            replace_files(self._folder, {name: graph_to_text(graph)})
        self._count += 1
