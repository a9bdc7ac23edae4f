"""How fast inference is: `.venv/bin/python -m tests.bench.speed --models=DIR` prints tables.

Profiles every model below DIR in QEMU: executed instructions and modelled cycles of one invoke(),
beside those of peers (--peers=FILE), with geometric means and the layers that are worst beside the
peer's. A model without a peer has no ratio; one of which there is no firmware is reported and
counted. Exit status 1 where firmware breaks a limit of limits.toml, 2 where nothing was measured.
`--record` writes the instruction counts that tests/system/test_speed.py compares with.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from opsmith.board.manifest import load_board
from opsmith.errors import ToolchainError
from opsmith.testing.firmware import BOARDS
from tests.bench.measured import Firmware, measure, named_models
from tests.bench.peers import SHIPPED, Unusable, read_peers
from tests.bench.recorded import write_records
from tests.bench.speed_tables import (
    HEAD,
    broken_limits,
    layer_lines,
    mean_lines,
    read_limits,
    summary,
    total_line,
    worst_lines,
)


def main(argv: Sequence[str]) -> int:
    """Profile everything and print the tables; 0 when every limit holds."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.models is None:
        parser.error("give --models=DIR or set OPSMITH_MODELS")
    if arguments.record:
        print("\n".join(write_records(arguments.models)))
        return 0
    try:
        peers = read_peers(arguments.peers or SHIPPED)
        models = named_models(arguments.models, arguments.only)
        cores = _cores(arguments.board)
    except Unusable as error:
        parser.error(str(error))
    limits = read_limits() if arguments.runtime == "cmsis" else {}
    print(f"runtime={arguments.runtime}, one invoke() in QEMU; peer: {peers.title}")
    print("instructions: executed; cycles: modelled, without wait states; not a board's\n")
    print(HEAD)
    found: list[Firmware] = []
    for board, opt in product(arguments.board, arguments.opt):
        for name, file in models.items():
            found.append(
                measure(name, file, board, cores[board], arguments.runtime, opt, peers.models)
            )
            print(total_line(found[-1], limits), flush=True)
    broken = broken_limits(found, limits)
    blocks = [mean_lines(found), worst_lines(found, arguments.worst)]
    blocks += layer_lines(found) if arguments.layers else []
    for block in [*blocks, summary(found), broken or ["every limit that applies holds"]]:
        print("\n" + "\n".join(block))
    return 1 if broken else 2 if all(each.error for each in found) else 0


def _cores(boards: Sequence[str]) -> dict[str, str]:
    """The core of each board; raises Unusable for one that has no QEMU or does not exist."""
    cores = {}
    for name in boards:
        try:
            board = load_board(name, BOARDS)
        except ToolchainError as error:
            raise Unusable(str(error)) from error
        if board.run.qemu is None:
            raise Unusable(f"--board={name}: it has no QEMU, in which instructions are counted")
        cores[name] = board.core.name
    return cores


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.speed", description=__doc__)
    environment = os.environ.get("OPSMITH_MODELS")
    parser.add_argument("--models", type=Path, default=environment, help="folder of .tflite files")
    parser.add_argument(
        "--peers", type=Path, action="append", metavar="FILE", help="figures of peers (README.md)"
    )
    parser.add_argument("--board", nargs="+", default=["mps2_an386", "mps3_an547"])
    parser.add_argument("--runtime", default="cmsis")
    parser.add_argument(
        "--opt", nargs="+", default=["balanced"], choices=("speed", "balanced", "size")
    )
    parser.add_argument("--only", nargs="+", metavar="MODEL", help="these models alone")
    parser.add_argument("--worst", type=int, default=10, help="how many layers; default: 10")
    parser.add_argument("--layers", action="store_true", help="every layer of every model, too")
    parser.add_argument("--record", action="store_true", help="write instructions.toml instead")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
