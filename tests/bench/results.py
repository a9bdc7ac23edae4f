"""Flash, RAM and cycles of MLPerf Tiny: `.venv/bin/python -m tests.bench.results --models=DIR`.

Builds and runs each model in QEMU and writes results.toml, with method and date, and from it the
tables of this folder's README.md (`--tables` writes those alone). The chart in the project's
README is drawn from the same file (tests.bench.chart).
"""

import argparse
import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from tests.bench.peers import MLPERF_TINY, read_peers
from tests.bench.recorded import find, profiled
from tests.bench.result_tables import FRONT_PAGE, README, with_front_row, with_tables
from tests.bench.size import MODELS, measure

RESULTS = Path(__file__).parent / "results.toml"
BOARD, CORE, RUNTIME, OPT = "mps2_an386", "cortex-m4f", "cmsis", "balanced"
PROFILED = {  # figure -> board, opt, and its name in profile.json
    "modelled_cycles": (BOARD, OPT, "modelled_cycles"),
    "speed_modelled_cycles": (BOARD, "speed", "modelled_cycles"),
    "m7_modelled_cycles": ("mps2_an500", OPT, "modelled_cycles"),
    "m33_modelled_cycles": ("mps2_an505", OPT, "modelled_cycles"),
    "helium_modelled_cycles": ("mps3_an547", OPT, "modelled_cycles"),
    "helium_instructions": ("mps3_an547", OPT, "instructions"),
}
FIGURES = ("flash", "ram", *PROFILED)
HEAD = f"""\
# What firmware for the models of MLPerf Tiny (int8) needs, and how it was measured.
# Written by `.venv/bin/python -m tests.bench.results --models=DIR`.

title = "Opsmith"
board = "{BOARD}"
date = {{date}}
method = \"\"\"
board={BOARD} (Cortex-M4F) runtime={RUNTIME} opt={OPT}, gcc 12.2, in QEMU. Flash is
the whole firmware (app=bench); RAM is arena + .data + .bss + measured stack. Cycles are modelled
Cortex-M4 cycles of one invoke() (published timings, memory without wait states), also with
opt=speed, and by models of the pipelines of a Cortex-M7 (board=mps2_an500), a Cortex-M33
(board=mps2_an505) and a Cortex-M55 with Helium (board=mps3_an547), on which instructions are
executed ones.
\"\"\"
"""


def main(argv: Sequence[str]) -> int:
    """Measure every model; write results.toml, and its figures into both pages."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.results", description=__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("OPSMITH_MODELS"))
    parser.add_argument("--tables", action="store_true", help="write the tables, measure nothing")
    arguments = parser.parse_args(argv)
    if not arguments.tables:
        if arguments.models is None:
            parser.error("give --models=DIR or set OPSMITH_MODELS")
        found = {}
        for name in MODELS:
            found[name] = figures(find(arguments.models, name))
            cells = "".join(f"{found[name][each]:12,}" for each in FIGURES)
            print(f"{name:12}{cells}", flush=True)
        RESULTS.write_text(results_text(found, date.today()), encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    README.write_text(with_tables(text, results(), peer()), encoding="utf-8")
    text = FRONT_PAGE.read_text(encoding="utf-8")
    FRONT_PAGE.write_text(with_front_row(text, results(), peer()), encoding="utf-8")
    return 0


def figures(model: Path) -> dict[str, int]:
    """The figures of this model's firmware, as it is now."""
    size = measure(model, BOARD, RUNTIME, OPT)
    taken = {
        figure: int(profiled(model, board, opt)[name])
        for figure, (board, opt, name) in PROFILED.items()
    }
    return {"flash": size.flash, "ram": size.ram, **taken}


def results_text(found: Mapping[str, Mapping[str, int]], day: date) -> str:
    """The text of results.toml."""
    lines = [HEAD.format(date=day.isoformat()).rstrip()]
    for model, values in found.items():
        lines += ["", f"[{model}]", *(f"{name} = {values[name]}" for name in FIGURES)]
    return "\n".join(lines) + "\n"


def results() -> dict[str, Any]:
    """Content of results.toml."""
    return tomllib.loads(RESULTS.read_text(encoding="utf-8"))


def peer() -> dict[str, Any]:
    """Figures of TensorFlow Lite Micro as in results.toml, with its title and the date."""
    head = tomllib.loads(MLPERF_TINY.read_text(encoding="utf-8"))
    models = read_peers([MLPERF_TINY]).models
    return {"title": head["title"], "date": head["date"]} | {
        name: {
            **model.figures[CORE],
            **{f"helium_{each}": value for each, value in model.figures["cortex-m55"].items()},
        }
        for name, model in models.items()
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
