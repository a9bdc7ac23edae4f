"""Compiles a program whose nodes run on a simulated device for this machine, and runs it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from opsmith.board.manifest import load_board
from opsmith.board.runtime import SHIPPED, runtime_of
from opsmith.build_options import BuildOptions
from opsmith.conversion import device_of
from opsmith.ir import Array, Graph
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.pipeline import Configuration, compile_graph
from opsmith.select.choice import Preferences
from opsmith.testing.firmware import BOARDS
from opsmith.testing.host_firmware import compile_host
from opsmith.testing.host_sources import write_sources
from opsmith.testing.simulated_devices import examine_source, played, simulated

WARNINGS = ("-Wall", "-Wextra")


def device_answers(
    board: str, graph: Graph, ops: OpIndex, folder: Path, sets: Sequence[Sequence[Array]]
) -> list[list[Array]]:
    """Outputs of a legal graph for each set of inputs, by the device even for small nodes."""
    program = _program(board, graph, ops)
    write_sources(program, ops, folder, bare=True, devices=played(board))
    examine_source(board, folder / program.graph.name / load_board(board, BOARDS).runtime)
    (firmware,) = compile_host([program], ops, folder, WARNINGS)
    with simulated(board):
        return firmware.run(sets)


def _program(board: str, graph: Graph, ops: OpIndex) -> Program:
    found = load_board(board, BOARDS)
    runtime = runtime_of(SHIPPED / found.runtime)
    on_device = (("*", runtime.name),)
    configuration = Configuration(
        runtime.features(found.core.features),
        BuildOptions(affinity=tuple(f"{pattern}:{side}" for pattern, side in on_device)),
        found.arena,
        preferences=Preferences(affinity=on_device),
        device=device_of(runtime, found, ()),
    )
    graph = replace(graph, name="on_device")
    return compile_graph(graph, ops, configuration, board)
