"""Flash, RAM and cycles of MLPerf Tiny: `.venv/bin/python -m tests.bench.results --models=DIR`.

Builds and runs each model in QEMU and writes results.toml, with method and date. The chart in
README.md is drawn from it (tests.bench.chart).
"""

from __future__ import annotations

import argparse
import os
import sys
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from tests.bench.recorded import find, profiled
from tests.bench.size import MODELS, measure

RESULTS = Path(__file__).parent / "results.toml"
PEERS = Path(__file__).parent / "peers.toml"
BOARD, RUNTIME, OPT = "mps2_an386", "cmsis", "balanced"
FIGURES = ("flash", "ram", "modelled_cycles")
HEAD = f"""\
# What firmware for the models of MLPerf Tiny (int8) needs, and how it was measured.
# Written by `.venv/bin/python -m tests.bench.results --models=DIR`.

title = "Opsmith"
board = "{BOARD}"
date = {{date}}
method = \"\"\"
board={BOARD} (Cortex-M4F) runtime={RUNTIME} opt={OPT}, gcc 12.2, in QEMU. Flash is
the whole firmware (app=bench); RAM is arena + .data + .bss + measured stack. Cycles are modelled
Cortex-M4 cycles of one invoke() (published timings, memory without wait states).
\"\"\"
"""


def main(argv: list[str]) -> int:
    """Measure every model and write results.toml."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.results", description=__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("OPSMITH_MODELS"))
    models = parser.parse_args(argv).models
    if models is None:
        parser.error("give --models=DIR or set OPSMITH_MODELS")
    found = {}
    for name in MODELS:
        found[name] = figures(find(Path(models), name))
        print(f"{name:12}" + "".join(f"{found[name][each]:12,}" for each in FIGURES), flush=True)
    RESULTS.write_text(results_text(found, date.today()), encoding="utf-8")
    return 0


def figures(model: Path) -> dict[str, int]:
    """Flash, RAM and cycles of this model's firmware, as it is now."""
    size = measure(model, BOARD, RUNTIME, OPT)
    cycles = int(profiled(model, BOARD, OPT)["modelled_cycles"])
    return {"flash": size.flash, "ram": size.ram, "modelled_cycles": cycles}


def results_text(found: Mapping[str, Mapping[str, int]], day: date) -> str:
    """The text of results.toml."""
    lines = [HEAD.format(date=day.isoformat()).rstrip()]
    for model, values in found.items():
        lines += ["", f"[{model}]", *(f"{name} = {values[name]}" for name in FIGURES)]
    return "\n".join(lines) + "\n"


def results() -> dict[str, Any]:
    """What results.toml has."""
    return tomllib.loads(RESULTS.read_text(encoding="utf-8"))


def peer() -> dict[str, Any]:
    """The same figures of TensorFlow Lite Micro, from peers.toml."""
    found: dict[str, Any] = tomllib.loads(PEERS.read_text(encoding="utf-8"))["tflite_micro"]
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
