"""RAM and time of models of which some nodes run row by row: `.venv/bin/python -m tests.bench.rows
--models=DIR` prints a table.

Each model is built with tensors whole and for the RAM that it has to fit, with its image in the
arena. MobileNetV2 is made here, with random weights. Exit status 1 where an arena is larger than
its limit, or the modelled cycles are more than 6 % above those of whole tensors.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from opsmith.testing.firmware import products, scons
from tests.bench.networks import mobilenet_v2
from tests.bench.recorded import find

MOBILENET = "mobilenet_v2_035_128"
# Bytes of arena, of models of int8.
LIMITS = {MOBILENET: 85_000, "fomo_96_i8": 50_000, "unet_64_i8": 131_072}
LONGER = 1.06  # times the cycles of whole tensors
HEAD = f"{'model':22}{'arena':>9}{'cycles':>12}{'limit':>9}{'arena':>9}{'cycles':>12}{'ratio':>7}"


@dataclass(frozen=True)
class Cost:
    """Cost of a firmware: bytes of arena, and modelled cycles of one invoke()."""

    arena: int
    cycles: int


def main(argv: Sequence[str]) -> int:
    """Measure every model and print the table; 0 where every limit holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.rows", description=__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("OPSMITH_MODELS"))
    parser.add_argument("--board", default="mps2_an386")
    arguments = parser.parse_args(argv)
    if arguments.models is None:
        parser.error("give --models=DIR or set OPSMITH_MODELS")
    print(f"{arguments.board}, runtime=cmsis, opt=balanced: tensors whole, and within a limit\n")
    print(HEAD)
    exceeded = False
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / f"{MOBILENET}.tflite"
        made.write_bytes(mobilenet_v2(128, 0.35, 2))
        for name, limit in LIMITS.items():
            model = made if name == MOBILENET else find(arguments.models, name)
            whole = cost(model, arguments.board)
            rows = cost(model, arguments.board, f"ram_budget={limit}")
            ratio = rows.cycles / whole.cycles
            exceeded |= rows.arena > limit or ratio > LONGER
            row = f"{name:22}{whole.arena:9,}{whole.cycles:12,}{limit:9,}"
            print(f"{row}{rows.arena:9,}{rows.cycles:12,}{ratio:7.3f}", flush=True)
    return int(exceeded)


def cost(model: Path, board: str, *more: str) -> Cost:
    """Cost of a model's firmware with further settings."""
    settings = [f"board={board}", f"model={model}", "runtime=cmsis", *more]
    done = scons(*settings, "profile")
    assert done.returncode == 0, done.stdout + done.stderr
    folder = products(*settings)
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    profile = json.loads((folder / "profile.json").read_text(encoding="utf-8"))
    return Cost(report["arena"]["ram"]["bytes"], int(profile["modelled_cycles"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
