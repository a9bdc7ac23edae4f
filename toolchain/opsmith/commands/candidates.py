"""`candidates`: the greatest number of kernels, in work-groups of any size, that a node of a model
could have, which is the number of builds that `tune` measures.
"""

import argparse
from pathlib import Path

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.runtime import SHIPPED, load_runtime
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.conversion import Conversion, convert
from opsmith.discover.discover import discover
from opsmith.ir import Graph
from opsmith.option import add_flags, flagged


def main(arguments: list[str]) -> int:
    """Print the number; returns 0. Raises errors of any stage."""
    given = _parser().parse_args(arguments)
    conversion = Conversion(
        flagged(given, BuildOptions),
        chosen_board(given),
        load_runtime(given.runtime, SHIPPED, *given.backends),
        discover(given.ops, given.backends),
        given.backends,
        given.platforms,
        dict(text.partition("=")[::2] for text in given.library),
        candidate=0,
    )
    counts = [1]

    def count(step: str, graph: Graph) -> None:
        if step == "select_kernels":
            counts.extend(map(len, _fitting(graph)))

    convert(conversion, given.model, given.name, count)
    print(max(counts))
    return 0


def _fitting(graph: Graph) -> list[list[str]]:
    """Names of the candidates of each node that can compute it."""
    choices = [node.kernel for node in graph.nodes if node.kernel is not None]
    return [[each.name for each in choice.candidates if not each.refused] for choice in choices]


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opsmith candidates", description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--ops", type=Path, action="append", required=True)
    add_board(parser)
    parser.add_argument("--backends", type=Path, action="append", default=[])
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--library", action="append", default=[], metavar="NAME=REVISION")
    add_flags(parser, BuildOptions)
    parser.add_argument("--name", required=True, help="C++ namespace of the model")
    return parser
