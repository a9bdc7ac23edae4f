"""Figures of other software in tables of comma-separated values, as peers publish them.

A column is a figure of the whole model: `m4_cycles`, `m55_instructions`, `peer_flash`; where it
names no core, of that in `core`, or of the Cortex-M4. STMicroelectronics' have KiB, milliseconds
and MHz: `Total RAM (KiB)`, `Total Flash (KiB)`, and `Inference Time (ms)` beside `Frequency (MHz)`.
Lines that begin with # and other columns count for nothing. A file with a column `op` has a row for
each operator, in the order of the model.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.bench.peers import Figures, PeerModel, Row, Unusable

CORES = {"m3": "cortex-m3", "m4": "cortex-m4f", "m7": "cortex-m7d", "m55": "cortex-m55"}
COLUMN = re.compile(r"(?:peer_)?(?:(m3|m4|m7|m55)_)?(?:modelled_)?(cycles|instructions|flash|ram)")
TOTALS = {"total ram (kib)": "ram", "total flash (kib)": "flash"}
TIME, CLOCK = "inference time (ms)", "frequency (mhz)"

Entry = Mapping[str, str]


def read_tables(files: Iterable[Path]) -> dict[str, PeerModel]:
    """Models by name. Raises Unusable about the first mistake."""
    figures: dict[str, dict[str, dict[str, int]]] = {}
    rows: dict[str, list[Row]] = {}
    for file in files:
        try:
            for entry in _entries(file):
                name, found = Path(entry["model"]).stem, _figures(entry)
                if "op" in entry:
                    rows.setdefault(name, []).append(Row(entry["op"], entry["output"], found))
                    continue
                for core, some in found.items():
                    figures.setdefault(name, {}).setdefault(core, {}).update(some)
        except (OSError, KeyError, ValueError, csv.Error) as error:
            reason = f"no column is called {error}" if isinstance(error, KeyError) else error
            raise Unusable(f"{file}: {reason}") from error
    names = dict.fromkeys([*figures, *rows])
    return {name: PeerModel(figures.get(name, {}), rows=rows.get(name, ())) for name in names}


def _entries(file: Path) -> Iterator[Entry]:
    """Rows by the names in the head, in small letters."""
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = csv.reader(line for line in lines if line.strip() and not line.startswith("#"))
    head = [name.strip().lower() for name in next(rows, [])]
    for row in rows:
        if len(row) != len(head):
            raise ValueError(f"a row of {len(row)} cells is below a head of {len(head)}")
        yield dict(zip(head, map(str.strip, row), strict=True))


def _figures(entry: Entry) -> Mapping[str, Figures]:
    """Figures of a row by core; an empty cell was not measured."""
    found: dict[str, dict[str, int]] = {}
    own = CORES.get(entry.get("core", "m4").lower(), entry.get("core", ""))
    for name, value in entry.items():
        column = COLUMN.fullmatch(name)
        if not value or not (column or name in TOTALS or name == TIME):
            continue
        if column:
            core, figure, count = CORES.get(column[1], own), column[2], _number(value)
        elif name in TOTALS:
            core, figure, count = own, TOTALS[name], _number(value) * 1024
        else:
            core, figure, count = own, "cycles", _number(value) * _number(entry[CLOCK]) * 1000
        figure = "modelled_cycles" if figure == "cycles" else figure
        found.setdefault(core, {})[figure] = round(count)
    return found


def _number(text: str) -> float:
    """A number that is not negative."""
    value = float(text.replace(",", ""))
    if not 0 <= value < float("inf"):
        raise ValueError(f"{text} is not the count of anything")
    return value
