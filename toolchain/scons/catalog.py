"""`scons boards` and `scons ops`: what there is, one line each. Imports nothing heavy."""

from __future__ import annotations

import argparse
import ast
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from toolchain.board.arguments import add_platforms
from toolchain.errors import Problem, escaped, raise_all
from toolchain.reading import UnreadableError, read_text

MOST_BYTES = 4 << 20  # of an op.py


def find_ops(roots: Sequence[Path]) -> dict[str, Path]:
    """The folder of each op of these roots, by name; two folders with one name are an error."""
    found: dict[str, Path] = {}
    problems = []
    for folder in (folder for root in roots for folder in _op_folders(root)):
        first = found.setdefault(folder.name, folder)
        if first.resolve() != folder.resolve():
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
    """Those with an op.py, also where that is a link to nothing: loading it says what is wrong."""
    folders = (Path(entry.path) for entry in os.scandir(root) if entry.is_dir())
    return sorted(folder for folder in folders if os.path.lexists(folder / "op.py"))


def op_title(op_file: Path) -> str:
    """The first line of the docstring of an op.py, read without importing it, for a terminal."""
    try:
        text = read_text(op_file, MOST_BYTES)
        docstring = ast.get_docstring(ast.parse(text)) or ""
    except (UnreadableError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"(cannot be read: {escaped(str(error))})"
    return escaped(docstring.strip().partition("\n")[0])


def main(argv: list[str]) -> int:
    """Print the table that is asked for."""
    parser = argparse.ArgumentParser(prog="opsmith catalog", description=__doc__)
    parser.add_argument("what", choices=("boards", "ops"))
    parser.add_argument(
        "--root", action="append", required=True, type=Path, help="a folder of them"
    )
    add_platforms(parser)
    arguments = parser.parse_args(argv)
    rows = (
        _boards(arguments.root, arguments.platforms)
        if arguments.what == "boards"
        else _ops(arguments.root)
    )
    table = list(rows)
    width = max((len(name) for name, _ in table), default=0)
    for name, text in table:
        print(f"{name:{width}}  {text}")
    return 0


def _ops(roots: Sequence[Path]) -> Iterator[tuple[str, str]]:
    for name, folder in sorted(find_ops(roots).items()):
        yield escaped(name), op_title(folder / "op.py")


def _boards(roots: Sequence[Path], platforms: Sequence[Path]) -> Iterator[tuple[str, str]]:
    from toolchain.board.manifest import list_boards

    for board in list_boards(roots, platforms):
        aliases = f" (also: {', '.join(board.aliases)})" if board.aliases else ""
        yield board.name, f"{board.title}{aliases}"
