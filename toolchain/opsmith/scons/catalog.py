"""`scons boards` and `scons ops`: lists them. Imports op.py files only to list ops."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from opsmith.board.arguments import add_platforms
from opsmith.command_line import Parser
from opsmith.errors import Problem, ToolchainError, escaped, raise_all


def find_ops(roots: Sequence[Path]) -> dict[str, Path]:
    """The folder of each op of these roots, by name; two folders with one name are an error."""
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
    """Folders with an op.py, even as a link to nothing: loading it says what is wrong."""
    folders = (Path(entry.path) for entry in os.scandir(root) if entry.is_dir())
    return sorted(folder for folder in folders if os.path.lexists(folder / "op.py"))


def main(argv: list[str]) -> int:
    """Print the table that is asked for."""
    parser = Parser(prog="opsmith catalog", description=__doc__)
    parser.add_argument("what", choices=("boards", "ops"))
    parser.add_argument(
        "--root", action="append", required=True, type=Path, help="a folder of them"
    )
    parser.add_argument("--backends", action="append", default=[], type=Path)
    add_platforms(parser)
    arguments = parser.parse_args(argv)
    problems: list[Problem] = []  # reported below what is in order
    lines = (
        _boards(arguments.root, arguments.platforms, problems)
        if arguments.what == "boards"
        else _ops(arguments.root, arguments.backends)
    )
    for line in lines:
        print(line)
    raise_all(problems)
    return 0


def _ops(roots: Sequence[Path], backends: Sequence[Path]) -> Iterator[str]:
    """Op, element types and kernels; an op that does not load has the reason in their place."""
    from opsmith.discover.backends import backend_folders
    from opsmith.discover.discover import load_op
    from opsmith.report.op_table import heading, text_table, variants

    folders, brought = sorted(find_ops(roots).items()), backend_folders(backends)
    width = max((len(escaped(name)) for name, _ in folders), default=2)
    yield from heading(width)
    for name, folder in folders:
        try:
            found = variants(load_op(folder, brought).op)
        except ToolchainError as error:
            problem = error.problems[0]
            yield f"{escaped(name):{width}}  {problem.code}: {escaped(problem.what)}"
        else:
            yield from text_table(escaped(name), found, width)


def _boards(
    roots: Sequence[Path], platforms: Sequence[Path], problems: list[Problem]
) -> Iterator[str]:
    from opsmith.board.manifest import readable_boards

    boards, unreadable = readable_boards(roots, platforms)
    problems += unreadable
    width = max((len(board.name) for board in boards), default=0)
    for board in boards:
        aliases = f" (also: {', '.join(board.aliases)})" if board.aliases else ""
        yield f"{board.name:{width}}  {board.title}{aliases}"
