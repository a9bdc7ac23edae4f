"""One float network by every recipe of ai-edge-quantizer: what builds, at which cost and accuracy.

    .venv/bin/python -m tests.recipes [--python=PYTHON] [--only=NAME,…] [--into=DIR] [--write]

quantises the network that reads digits as `calibrate=` does, by a Python that has the package, and
prints of each recipe the figures of `tests.roads`, or the error that refuses it. The exit status is
1 where a firmware differs or something fails without an error of its own, 2 without the package.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from opsmith.elsewhere import QUANTIZER, versions
from opsmith.errors import ToolchainError
from opsmith.prepare.command import main as prepare
from tests.recipes.network import write_float_digits
from tests.roads.__main__ import HEAD, measured
from tests.roads.page import PAGE, write_table

RECIPES = (
    *("int8", "int16x8", "weight_only_wi8_afp32", "weight_only_wi4_afp32"),
    *("dynamic_legacy_wi8_afp32", "dynamic_wi8_afp32", "dynamic_wi4_afp32", "dynamic_wi2c_afp32"),
    *(f"dynamic_wi{bits}c_hr_afp32" for bits in (8, 4, 2)),
    *(f"dynamic_wi{bits}b{size}_afp32" for size in (32, 64) for bits in (8, 4, 2)),
    *("gemma4_mixed48", "gemma4_mixed48_b32"),
)
BUILT, REFUSED, WRONG = "built", "refused", "wrong"


def main(argv: Sequence[str]) -> int:
    """Run the command line; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.recipes", description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", default="", help="names of recipes, with commas")
    parser.add_argument("--into", type=Path, help="the folder of the model files")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    given = parser.parse_args(argv)
    try:
        versions(given.python, QUANTIZER)
    except ToolchainError as error:
        print(error, file=sys.stderr)
        return 2
    names = given.only.split(",") if given.only else RECIPES
    found, lines = Counter[str](), list[tuple[str, str]]()
    print(HEAD.replace("road".ljust(16), "recipe".ljust(26)))
    with tempfile.TemporaryDirectory(prefix="opsmith-recipes-") as temporary:
        folder = (given.into or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        model = write_float_digits(folder)
        for name in names:
            line, verdict = judged(name, model, folder / name / model.name, given.python)
            found[verdict] += 1
            lines.append((name, line))
            print(f"{name:26}{line}", flush=True)
    if given.write:
        write_table("tests.recipes", "recipe", lines)
    print(f"\n{len(names)} recipes: {found[BUILT]} built, {found[REFUSED]} refused by name")
    return 1 if found[WRONG] else 0


def judged(name: str, model: Path, made: Path, python: str) -> tuple[str, str]:
    """Row of the table for a recipe, and whether it builds and is exact."""
    own = ["--calibrate", str(model.with_name("set.npz")), "--recipe", name, "--python", python]
    try:
        prepare(["--model", str(model), "--out", str(made), *own])
    except ToolchainError as error:
        return f"  {error.problems[0].code}: {error.problems[0].what[:90]}", REFUSED
    line, bad = measured(made)
    return line, REFUSED if line.startswith("  refused: ") else WRONG if bad else BUILT


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
