"""`scons boards` and `scons ops`: lists of both. Only the list of ops imports op.py files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opsmith.board.arguments import add_platforms
from opsmith.command_line import Parser
from opsmith.errors import Problem, ToolchainError, escaped, raise_all

if TYPE_CHECKING:
    from opsmith.board.describe import Board
    from opsmith.report.op_table import VariantRow

Listed = tuple[str, "tuple[VariantRow, ...] | Problem"]


def find_ops(roots: Sequence[Path]) -> dict[str, Path]:
    """Folder of each op in the given roots, by name; two folders with one name are an error."""
    found: dict[str, Path] = {}
    problems = []
    for folder in (folder for root in roots for folder in _op_folders(root)):
        first = found.setdefault(folder.name, folder)
        if first is not folder and first.resolve() != folder.resolve():
            problems.append(
                Problem(
                    "BLD007",
                    f"two op folders are called '{folder.name}'",
                    f"{first} and {folder}",
                    "rename one of them",
                )
            )
    raise_all(problems)
    return found


def _op_folders(root: Path) -> list[Path]:
    """Folders with an op.py, even a dangling link: loading the op reports the problem."""
    folders = (Path(entry.path) for entry in os.scandir(root) if entry.is_dir())
    return sorted(folder for folder in folders if os.path.lexists(folder / "op.py"))


def main(argv: list[str]) -> int:
    """Print a table of boards or ops; returns 0."""
    parser = Parser(prog="opsmith catalog", description=__doc__)
    parser.add_argument("what", choices=("boards", "ops"))
    parser.add_argument(
        "--root", action="append", required=True, type=Path, help="a folder of them"
    )
    parser.add_argument("--backends", action="append", default=[], type=Path)
    add_platforms(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(argv)
    if arguments.what == "ops":
        ops = _ops(arguments.root, arguments.backends)
        _print({"ops": [*map(_op_as_data, ops)]} if arguments.json else _op_lines([*ops]))
        return 0
    from opsmith.board.manifest import readable_boards

    boards, problems = readable_boards(arguments.root, arguments.platforms)
    _print({"boards": [*map(_board_as_data, boards)]} if arguments.json else _board_lines(boards))
    raise_all(problems)  # reported after the valid entries
    return 0


def _print(found: dict[str, Any] | Iterator[str]) -> None:
    for line in [json.dumps(found)] if isinstance(found, dict) else found:
        print(line)


def _ops(roots: Sequence[Path], backends: Sequence[Path]) -> Iterator[Listed]:
    """Ops, each with its variants, or with the reason why it does not load."""
    from opsmith.discover.backends import backend_folders
    from opsmith.discover.discover import load_op
    from opsmith.report.op_table import variants

    brought = backend_folders(backends)
    for name, folder in sorted(find_ops(roots).items()):
        try:
            yield name, variants(load_op(folder, brought).op)
        except ToolchainError as error:
            yield name, error.problems[0]


def _op_lines(ops: Sequence[Listed]) -> Iterator[str]:
    """Lines with op, element types and kernels; for an op that does not load, the reason."""
    from opsmith.report.op_table import heading, text_table

    width = max((len(escaped(name)) for name, _ in ops), default=2)
    yield from heading(width)
    for name, found in ops:
        if isinstance(found, Problem):
            yield f"{escaped(name):{width}}  {found.code}: {escaped(found.what)}"
        else:
            yield from text_table(escaped(name), found, width)


def _op_as_data(listed: Listed) -> dict[str, Any]:
    name, found = listed
    if isinstance(found, Problem):
        return {"name": name, "problem": asdict(found)}
    return {"name": name, "variants": [asdict(each) for each in found]}


def _board_as_data(board: Board) -> dict[str, Any]:
    return {
        "name": board.name,
        "title": board.title,
        "aliases": board.aliases,
        "core": board.core.name,
        "runtime": board.runtime,
        "memory": {name: each.size for name, each in board.memory.items()},
    }


def _board_lines(boards: Sequence[Board]) -> Iterator[str]:
    width = max((len(board.name) for board in boards), default=0)
    for board in boards:
        aliases = f" (also: {', '.join(board.aliases)})" if board.aliases else ""
        yield f"{board.name:{width}}  {board.title}{aliases}"
