"""`python -m tests.stress.kernels`: the kernels of all ops compile for a board, for each `opt`.

The suite compiles them for boards with one `opt`; with another, a compiler may warn, or emit what
its assembler refuses.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from opsmith.board.describe import Board
from opsmith.board.manifest import load_board
from opsmith.board.runtime import load_runtime
from opsmith.build_options import BuildOptions
from opsmith.home import RUNTIMES
from opsmith.pipeline import Configuration, compile_graph
from opsmith.scons.compiler import CXXFLAGS, KERNEL_FLAGS, KERNEL_OPT
from opsmith.select.choice import Preferences
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import BOARDS
from opsmith.testing.host_firmware import write_contracts
from opsmith.testing.host_sources import write_sources
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.tflite.cases import Case, merged_model
from tests.fuzz.models.seeds import tests_of_ops


def complaint(cases: Sequence[Case], board: Board, opt: str, prefer: str = "") -> str:
    """Messages of the board's compiler about the kernels that the cases take; empty if all goes."""
    ops, options = shipped_ops(), BuildOptions(opt=opt)
    granted = load_runtime(board.runtime, RUNTIMES).grants
    features = board.core.features & granted
    configuration = Configuration(features, options, preferences=Preferences(prefer))
    graph = legal(merged_model(cases), ops)
    program = compile_graph(graph, ops, configuration, "cases")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sources(program, ops, folder)
        for op in {instance.op for instance in program.instances}:
            write_contracts(ops.by_name[op], folder)
        command = [f"{board.core.architecture.tools}g++", *board.core.flags, *CXXFLAGS]
        command += [KERNEL_OPT[opt], *KERNEL_FLAGS, f"-I{folder}", f"-I{ROOT}", f"-I{ROOT / 'ops'}"]
        command += ["-c", *map(str, folder.glob(f"{program.graph.name}/nodes_*.cc"))]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr or "no message" if done.returncode else done.stderr


def main() -> int:
    """Run the command line; returns 1 where a compiler has a message about a kernel, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.stress.kernels", description=__doc__)
    parser.add_argument("--board", default="mps3_an547")
    parser.add_argument("--opt", nargs="+", default=[*KERNEL_OPT], choices=KERNEL_OPT)
    parser.add_argument("--prefer", default="", help="kernels of this name alone: reference")
    parser.add_argument("--ops", nargs="+", metavar="OP", help="default: all")
    given = parser.parse_args()
    board, failed = load_board(given.board, BOARDS), 0
    cases: dict[str, list[Case]] = {}
    for op, tests in tests_of_ops():
        if given.ops is None or op in given.ops:
            own = cases.setdefault(op, [])
            own += [Case(f"{tests.__name__}/{case.name}", case.build) for case in tests.cases]
    for op, own in cases.items():
        for opt in given.opt:
            if said := complaint(own, board, opt, given.prefer):
                failed += 1
                print(f"{op}, opt={opt}: {said[:2000]}", flush=True)
    print(f"{len(cases)} ops for {given.board}, {failed} with messages of the compiler")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
