"""Command-line options that name a board and the folders in which boards are looked up."""

import argparse
from dataclasses import replace
from pathlib import Path

from opsmith.board.describe import Board
from opsmith.board.manifest import load_board


def add_board(parser: argparse.ArgumentParser) -> None:
    """Add the options --board, --boards and --platforms to a parser."""
    parser.add_argument("--board", required=True, help="name or alias")
    parser.add_argument(
        "--boards", required=True, action="append", type=Path, help="folders of boards"
    )
    add_platforms(parser)


def add_platforms(parser: argparse.ArgumentParser) -> None:
    """Add the option --platforms to a parser."""
    parser.add_argument(
        "--platforms",
        default=[],
        action="append",
        type=Path,
        help="more folders of architectures, MCU families, flashers, places and front ends",
    )


def chosen_board(options: argparse.Namespace, name: str = "") -> Board:
    """Board that the options name, or the board `name` from the folders that they name."""
    board = load_board(name or options.board, options.boards, options.platforms)
    return board if name else replace(board, probe=getattr(options, "probe", None) or "")
