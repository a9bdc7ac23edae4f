"""`convert`: compile a model to C++ for one board. Writes a fixed set of files, all or none."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from toolchain.board.manifest import load_board
from toolchain.board.runtime import load_runtime
from toolchain.commands.files import cannot_write, replace_files
from toolchain.emit.files import text_files
from toolchain.emit.manifest import manifest
from toolchain.emit.stepwise import stepwise
from toolchain.emit.weights import write_weights
from toolchain.ir import Graph
from toolchain.ir.program import Program
from toolchain.ir.text import graph_to_text
from toolchain.op.discover import OpIndex, discover
from toolchain.op.macs import total_macs
from toolchain.pipeline import Target, compile_graph, read


def main(arguments: list[str]) -> int:
    """Write the sources and model.json; returns 0. Raises what any stage raises."""
    options = _parser().parse_args(arguments)
    board = load_board(options.board, options.boards)
    runtime = load_runtime(options.runtime, options.runtimes)
    used = json.loads(options.used.read_text(encoding="utf-8"))
    ops = discover([Path(entry["folder"]) for entry in used.values()])
    model, graph = read(options.model, options.name, ops)
    target = Target(
        board.core.features & runtime.grants, "ram", options.opt, board.arena, options.stream
    )
    dump = _Dump(options.dump)
    dump("legalize", graph)
    program = compile_graph(graph, ops, target, tuple(options.outputs), str(options.model), dump)
    program = stepwise(program) if options.stepwise else program
    facts = {
        "model": options.model.name,
        "sha256": model.sha256,
        "subgraphs": list(model.subgraphs),
        "board": board.name,
        "runtime": options.runtime,
        "opt": options.opt,
        "model_macs": total_macs(graph, ops),  # as the file has it; "macs" is what is left
        "asked_outputs": options.outputs,
    }
    _write(program, ops, options.out, facts)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="opsmith convert", description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--used", type=Path, required=True, help="what `resolve` wrote")
    parser.add_argument("--boards", type=Path, nargs="+", required=True)
    parser.add_argument("--board", required=True)
    parser.add_argument("--runtimes", type=Path, default=Path("runtimes"))
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--opt", choices=("speed", "balanced", "size"), default="balanced")
    parser.add_argument("--stream", choices=("0", "rows", "frames"), default="0")
    parser.add_argument(
        "--outputs", type=_names, default=[], help="inner tensors that become outputs"
    )
    parser.add_argument(
        "--stepwise", action="store_true", help="invoke() runs one node a call; all is output"
    )
    parser.add_argument("--dump", type=Path, help="folder for the graph after every step")
    parser.add_argument("--name", required=True, help="C++ namespace of the model")
    parser.add_argument("--out", type=Path, required=True)
    return parser


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


class _Dump:
    """Writes the graph after every step, when there is a folder for it."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._count = 0

    def __call__(self, step: str, graph: Graph) -> None:
        if self._folder is not None:
            name = f"{self._count:02}_{step}.txt"
            replace_files(self._folder, {name: graph_to_text(graph)})
        self._count += 1


def _write(program: Program, ops: OpIndex, out: Path, facts: dict[str, object]) -> None:
    binary = out / "weights.bin"
    try:
        out.mkdir(parents=True, exist_ok=True)
        digest = write_weights(program, binary.with_suffix(".bin.new"))
    except OSError as error:
        raise cannot_write(out, error) from error
    files = text_files(
        program,
        ops,
        source=str(facts["model"]),
        sha256=str(facts["sha256"]),
        target=f"{facts['board']}, runtime {facts['runtime']}, opt {facts['opt']}",
        binary=binary.as_posix(),
        digest=digest,
    )
    files["model.json"] = json.dumps({**facts, **manifest(program, ops)}, indent=1) + "\n"
    replace_files(out, files)
    binary.with_suffix(".bin.new").replace(binary)
