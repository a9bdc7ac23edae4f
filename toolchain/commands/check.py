"""`check`: find what is wrong with op folders without compiling, every problem at once."""

from __future__ import annotations

import argparse
from pathlib import Path

from toolchain.commands.check_examples import compiled_problems
from toolchain.errors import Problem, ToolchainError, raise_all
from toolchain.op.discover import index, load_op, op_folders
from toolchain.op.examples import example_problems

SHIPPED = Path(__file__).resolve().parents[2] / "ops"


def main(arguments: list[str]) -> int:
    """Check the folders, or those below them; returns 0. Raises OPS0xx and KRN0xx."""
    parser = argparse.ArgumentParser(prog="opsmith check", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    problems: list[Problem] = []
    found = []
    roots: list[Path] = parser.parse_args(arguments).folders
    named = list(op_folders(roots))
    problems += [_none(root) for root in roots if not [*op_folders([root])]]
    good = []
    for folder in named:
        try:
            loaded = load_op(folder)
            found.append(loaded)
            wrong = example_problems(loaded)
            problems += wrong
            good += [] if wrong else [loaded]
        except ToolchainError as error:
            problems += error.problems
    folders = {loaded.folder.resolve() for loaded in found}
    shipped = [each for each in op_folders([SHIPPED]) if each.resolve() not in folders]
    try:
        ops = index([*found, *map(load_op, shipped)])  # which ops of the folders may name
        problems += [problem for each in good for problem in compiled_problems(each, ops)]
    except ToolchainError as error:
        problems += error.problems
    raise_all(problems)
    print(f"{len(found)} op folders, no problems")
    return 0


def _none(root: Path) -> Problem:
    what = f"'{root}' holds no op folder"
    return Problem("OPS001", what, str(root), "name a folder with an op.py, or the one above it")
