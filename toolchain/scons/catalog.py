"""`scons boards` and `scons ops`: what there is, one line each. Imports nothing heavy."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from toolchain.errors import Problem, raise_all


def find_ops(roots: Sequence[Path]) -> dict[str, Path]:
    """The folder of each op of these roots, by name; two folders with one name are an error."""
    found: dict[str, Path] = {}
    problems = []
    for folder in (path.parent for root in roots for path in sorted(root.glob("*/op.py"))):
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


def op_title(op_file: Path) -> str:
    """The first line of the docstring of an op.py, read without importing it."""
    try:
        docstring = ast.get_docstring(ast.parse(op_file.read_bytes())) or ""
    except (SyntaxError, ValueError) as error:
        return f"(cannot be read: {error})"
    return docstring.strip().partition("\n")[0]


def main(argv: list[str]) -> int:
    """Print the table that is asked for."""
    parser = argparse.ArgumentParser(prog="opsmith catalog", description=__doc__)
    parser.add_argument("what", choices=("boards", "ops"))
    parser.add_argument(
        "--root", action="append", required=True, type=Path, help="a folder of them"
    )
    arguments = parser.parse_args(argv)
    rows = _boards(arguments.root) if arguments.what == "boards" else _ops(arguments.root)
    table = list(rows)
    width = max((len(name) for name, _ in table), default=0)
    for name, text in table:
        print(f"{name:{width}}  {text}")
    return 0


def _ops(roots: Sequence[Path]) -> Iterator[tuple[str, str]]:
    for name, folder in sorted(find_ops(roots).items()):
        yield name, op_title(folder / "op.py")


def _boards(roots: Sequence[Path]) -> Iterator[tuple[str, str]]:
    from toolchain.board.manifest import list_boards

    for board in list_boards(roots):
        aliases = f" (also: {', '.join(board.aliases)})" if board.aliases else ""
        yield board.name, f"{board.title}{aliases}"
