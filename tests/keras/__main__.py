"""Ordinary Keras networks, exported by TensorFlow: which build, and whether they equal LiteRT.

    .venv/bin/python -m pip install -e .[tensorflow]
    .venv/bin/python -m tests.keras [--only=NAME,…] [--schemes=NAME,…] [--compiled] [--exports=DIR]

prints a table of networks by quantisation schemes and every reason why one is not equal; the exit
status is then 1. `--compiled` also compiles each for this machine. `--exports` keeps the model
files in a folder and takes those that are there, as `tests.corpus` does.

This is no part of the suite: bootstrap would install 1.6 GB, more than all else, and the exports
take 10 minutes. What it finds becomes a case of an op's test, by the tests' own writer.
"""

import argparse
import importlib.util
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.keras.comparison import Verdict, compared

NOT_EXPORTED = "not exported"  # the converter fails
SIGNS = {
    "equal": "=",
    "near": "~",
    "differs": "DIFFERS",
    "refused": "REFUSED",
    "unanswered": "?",
    NOT_EXPORTED: "-",
}
MISSING = "TensorFlow is not installed: .venv/bin/python -m pip install -e .[tensorflow]"


def main(arguments: Sequence[str]) -> int:
    """Run the command; 1 where a model does not give what LiteRT gives, 2 without TensorFlow."""
    parser = argparse.ArgumentParser(prog="python -m tests.keras")
    parser.add_argument("--only", default="", help="names of networks, with commas")
    parser.add_argument("--schemes", default="", help="names of quantisation schemes, with commas")
    parser.add_argument("--compiled", action="store_true", help="compile for this machine, too")
    parser.add_argument("--exports", type=Path, help="the folder of the model files")
    options = parser.parse_args(arguments)
    if importlib.util.find_spec("tensorflow") is None:
        print(MISSING, file=sys.stderr)
        return 2
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    from tests.keras.export import NETWORKS, SCHEMES

    networks = _chosen(parser, options.only, NETWORKS)
    schemes = _chosen(parser, options.schemes, SCHEMES)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="opsmith-keras-") as name:
        folder = options.exports or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        table = {
            network: _row(network, list(schemes), folder, Path(name), compiled=options.compiled)
            for network in networks
        }
    _print_table(table, list(schemes))
    print(f"{len(table)} networks in {time.monotonic() - began:.0f} s")
    judged = [each for row in table.values() for each in row if each.outcome != NOT_EXPORTED]
    return 0 if all(each.good for each in judged) else 1


def _chosen(
    parser: argparse.ArgumentParser, given: str, known: Mapping[str, Callable[..., Any]]
) -> list[str]:
    names = given.split(",") if given else list(known)
    unknown = sorted(set(names) - set(known))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}")
    return names


def _row(
    network: str, schemes: list[str], folder: Path, work: Path, *, compiled: bool
) -> list[Verdict]:
    """Verdicts about the exports of a network, one for each scheme; reasons are printed as they are
    found.
    """
    from tests.keras.export import exported

    found = {scheme: exported(network, scheme, folder) for scheme in schemes}
    paths = [path for path in found.values() if isinstance(path, Path)]
    verdicts = dict(zip(paths, compared(paths, work / network, compiled=compiled), strict=True))
    row = []
    for scheme, path in found.items():
        verdict = verdicts[path] if isinstance(path, Path) else Verdict(NOT_EXPORTED, path)
        if verdict.remark:
            print(f"{network}, {scheme}: {verdict.outcome}: {verdict.remark}", flush=True)
        row.append(verdict)
    return row


def _print_table(table: Mapping[str, Sequence[Verdict]], schemes: Sequence[str]) -> None:
    wide = max(map(len, table)) + 2
    print("\n" + " " * wide + " ".join(f"{scheme:13}" for scheme in schemes))
    for network, row in table.items():
        print(f"{network:{wide}}" + " ".join(f"{SIGNS[each.outcome]:13}" for each in row))
    print()
    for scheme, column in zip(schemes, zip(*table.values(), strict=True), strict=True):
        counts = Counter(each.outcome for each in column)
        print(f"{scheme:14}" + ", ".join(f"{counts[each]} {each}" for each in SIGNS))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
