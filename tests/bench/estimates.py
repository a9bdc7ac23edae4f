"""Fits the estimates of `opsmith show`: `.venv/bin/python -m tests.bench.estimates --models=DIR`.

Writes toolchain/opsmith/commands/estimates.toml from the builds that results.toml, builds.toml and
small.toml record. `--record` measures the firmware of the latter two anew, first.
"""

import argparse
import json
import math
import os
import statistics
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from opsmith.board.manifest import load_board
from opsmith.board.runtime import SHIPPED, load_runtime
from opsmith.build_options import BuildOptions
from opsmith.commands.show_estimates import FLOATS, TABLE, EstimatedModel, Modelled, linked
from opsmith.conversion import Conversion
from opsmith.discover.discover import discover
from opsmith.op.index import OpIndex
from opsmith.pipeline import read
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import BOARDS, products, scons
from tests.bench.recorded import profile
from tests.bench.results import results
from tests.bench.size import MODELS, measure
from tests.bench.small_models import RECORDED as SMALL_FLASH
from tests.bench.small_models import SMALL, flash_text, model_file, recorded_flash

BUILDS = Path(__file__).with_name("builds.toml")
UNITS = {"modelled_cycles": "modelled cycles", "instructions": "instructions"}
# core -> the board that stands for it, its figure of time, and the one of results.toml
CORES = {
    "cortex-m4f": ("mps2_an386", "modelled_cycles", "modelled_cycles"),
    "cortex-m7d": ("mps2_an500", "modelled_cycles", "m7_modelled_cycles"),
    "cortex-m55": ("mps3_an547", "modelled_cycles", "helium_modelled_cycles"),
    "cortex-m3": ("mps2_an385", "modelled_cycles", ""),
    "cortex-m0": ("microbit", "instructions", ""),
    "rv32imac": ("qemu_riscv32", "instructions", ""),
}
HEAD = """\
# How `opsmith show` makes figures of firmware of what the compiler says: time is a multiple of the
# cost that kernels declare, flash and RAM are N bytes more than constants, code and arena; a
# function that kernels declare, or the arithmetic of floats, adds its bytes of flash once.
# Errors are the median and the largest of the recorded builds, per cent of what was measured,
# rounded up to fives.
# Written by `.venv/bin/python -m tests.bench.estimates --models=DIR`.
"""
RECORD_HEAD = """\
# Firmware that estimates are fitted to, besides that of results.toml, measured as it was: by core
# and model, opt=balanced, bytes and modelled cycles or, where a core has no timings, instructions.
# Written by `.venv/bin/python -m tests.bench.estimates --models=DIR --record`.
"""


@dataclass(frozen=True)
class Build:
    """A recorded firmware, and what the compiler says of its model."""

    model: str
    measured: Mapping[str, int]  # flash, and time and RAM where they are known
    said: Modelled


def main(argv: Sequence[str]) -> int:
    """Write estimates.toml; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.estimates", description=__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("OPSMITH_MODELS"))
    parser.add_argument("--record", action="store_true", help="measure builds.toml anew")
    arguments = parser.parse_args(argv)
    if arguments.models is None:
        parser.error("give --models=DIR or set OPSMITH_MODELS")
    if arguments.record:
        BUILDS.write_text(_recorded_text(arguments.models), encoding="utf-8")
        SMALL_FLASH.write_text(flash_text(_small_flash(arguments.models)), encoding="utf-8")
    table = {core: fitted(list(builds(core, arguments.models))) for core in CORES}
    for core, row in table.items():
        row["unit"] = UNITS[CORES[core][1]]
    TABLE.write_text(_text(HEAD, table), encoding="utf-8")
    return 0


def builds(core: str, models: Path) -> Iterator[Build]:
    """The recorded builds of a core whose models are at hand."""
    for model, figures in recorded()[core].items():
        with model_file(model, models) as path:
            yield Build(model, figures, said(core, path))


def recorded() -> dict[str, dict[str, dict[str, int]]]:
    """Core -> model -> figures, of results.toml, builds.toml and small.toml."""
    found = tomllib.loads(BUILDS.read_text(encoding="utf-8"))
    known = results()
    for core, (_, _, figure) in CORES.items():
        for model in MODELS if figure else ():
            row = found.setdefault(core, {}).setdefault(model, {})
            row["time"] = known[model][figure]
    for core, small in recorded_flash().items():
        found[core] |= {model: {"flash": flash} for model, flash in small.items()}
    return found


def said(core: str, model: Path) -> Modelled:
    """Figures of the compiler for a model on a core."""
    board = load_board(CORES[core][0], BOARDS)
    _, graph = read(model, "model", _ops())
    runtime = load_runtime(board.runtime, SHIPPED)
    return EstimatedModel(graph, _ops()).on(Conversion(BuildOptions(), board, runtime, _ops()))


@cache
def _ops() -> OpIndex:
    return discover([ROOT / "ops"])


def fitted(found: Sequence[Build]) -> dict[str, Any]:
    """Row of a core in estimates.toml: medians over its builds, and how far the medians are off."""
    timed = [(each.said.cost, each.measured["time"]) for each in found if "time" in each.measured]
    time = round(statistics.median(there / cost for cost, there in timed), 3)
    row: dict[str, Any] = {"builds": len(found), "time": time}
    row["time_error"] = _errors([(cost * time, there) for cost, there in timed])
    row |= _flash_figures([each for each in found if "flash" in each.measured])
    known = [(each.said.arena, each.measured["ram"]) for each in found if "ram" in each.measured]
    if known:
        row["ram"] = more = round(statistics.median(there - here for here, there in known))
        row["ram_error"] = _errors([(here + more, there) for here, there in known])
    return row


def _flash_figures(found: Sequence[Build]) -> dict[str, Any]:
    """Flash of a row of estimates.toml: medians of what firmware has more than the compiler says,
    beginning with firmware that links no function.
    """
    row: dict[str, Any] = {"flash": 0}
    functions = sorted({name for each in found for name in each.said.functions} - {FLOATS})
    for name, known in [("flash", set()), (FLOATS, {FLOATS})] + [
        (name, {FLOATS, name}) for name in functions
    ]:
        more = [
            each.measured["flash"] - linked(row, each.said)
            for each in found
            if each.said.functions == known
        ]
        if more:
            row[name] = round(statistics.median(more))
    row["flash_error"] = _errors([(linked(row, one.said), one.measured["flash"]) for one in found])
    return row


def _errors(pairs: Sequence[tuple[float, float]]) -> list[int]:
    """Median and largest error of estimates beside measured figures, rounded up to 5 per cent."""
    found = [20 * abs(here - there) / there for here, there in pairs]
    return [5 * math.ceil(statistics.median(found)), 5 * math.ceil(max(found))]


def _recorded_text(models: Path) -> str:
    """The text of builds.toml with its firmware as it is now."""
    table = {}
    for core, rows in tomllib.loads(BUILDS.read_text(encoding="utf-8")).items():
        for model in rows:
            with model_file(model, models) as path:
                table[f"{core}.{model}"] = _measured(core, path)
            print(core, model, table[f"{core}.{model}"], flush=True)
    return _text(RECORD_HEAD, table)


def _measured(core: str, model: Path) -> dict[str, int]:
    name, figure, known = CORES[core]
    board, row = load_board(name, BOARDS), dict[str, int]()
    if not (known and model.stem in MODELS):
        found, told = profile(model, name, "balanced", board.runtime)
        assert found is not None, told
        row["time"] = int(found[figure])
    row["flash"] = linked_flash(name, model)
    if board.core.architecture.name == "arm":
        row["ram"] = measure(model, name, board.runtime, "balanced").ram
    return row


def _small_flash(models: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {core: {} for core in CORES}
    for name in SMALL:
        with model_file(name, models) as path:
            for core, flash in found.items():
                flash[name] = linked_flash(CORES[core][0], path)
    return found


def linked_flash(board: str, model: Path) -> int:
    """Flash in bytes of the firmware that `scons board=BOARD model=MODEL` links."""
    settings = [f"board={board}", f"model={model}"]
    done = scons(*settings)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((products(*settings) / "report.json").read_text(encoding="utf-8"))
    return int(report["memory"]["flash"]["used"])


def _text(head: str, table: Mapping[str, Mapping[str, Any]]) -> str:
    """TOML text of a file of rows."""
    lines = [head.rstrip()]
    for title, row in table.items():
        values = (f'"{each}"' if isinstance(each, str) else each for each in row.values())
        cells = [f"{name} = {value}" for name, value in zip(row, values, strict=True)]
        lines += ["", f"[{title}]", *cells]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
