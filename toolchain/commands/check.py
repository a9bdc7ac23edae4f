"""`check`: find what is wrong with op folders without compiling, every problem at once."""

from __future__ import annotations

import argparse
from pathlib import Path

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
    for folder in op_folders(parser.parse_args(arguments).folders):
        try:
            loaded = load_op(folder)
            found.append(loaded)
            problems += example_problems(loaded)
        except ToolchainError as error:
            problems += error.problems
    folders = {loaded.folder.resolve() for loaded in found}
    shipped = [each for each in op_folders([SHIPPED]) if each.resolve() not in folders]
    try:
        index([*found, *map(load_op, shipped)])  # which ops of the folders may name
    except ToolchainError as error:
        problems += error.problems
    raise_all(problems)
    print(f"{len(found)} op folders, no problems")
    return 0
