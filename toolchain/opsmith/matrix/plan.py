"""File of a matrix: its cells, and limits by which figures may be worse than in an earlier run.

`models`, `boards`, `runtimes`, `opts` and `numerics` are lists, of which every combination is a
cell. [build.md](../../manual/build.md#a-matrix) has an example.
"""

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opsmith.board.schema import Table, opened
from opsmith.errors import ToolchainError, shown

AXES = {  # axis -> its list in the file
    "model": "models",
    "board": "boards",
    "runtime": "runtimes",
    "opt": "opts",
    "numerics": "numerics",
}
FIGURES = ("flash", "ram", "instructions", "cycles", "accuracy")  # columns with thresholds
MOST = 100_000  # cells
_SHARE = re.compile(r"([0-9]{1,6}(\.[0-9]{1,6})?)%")


@dataclass(frozen=True)
class Cell:
    """A firmware, as the variables with which SCons builds it."""

    values: tuple[str, ...]  # of the axes; "" is the default
    more: tuple[tuple[str, str], ...] = ()  # additional variables

    @property
    def axes(self) -> dict[str, str]:
        """Value of each axis, by the axis's name."""
        return dict(zip(AXES, self.values, strict=True))

    @property
    def variables(self) -> dict[str, str]:
        """Variables that are set, with their values."""
        return {name: value for name, value in self.axes.items() if value} | dict(self.more)

    @property
    def name(self) -> str:
        """Name that identifies the cell in its matrix."""
        return " ".join(f"{name}={value}" for name, value in self.axes.items() if value)


@dataclass(frozen=True)
class FigureLimit:
    """Limit by which a figure may be worse than the earlier one."""

    number: float = 0.0
    share: float = 0.0  # allowed change as a share of the earlier figure

    def allows(self, worse_by: float, before: float) -> bool:
        """True if a figure may be worse by `worse_by` than it was `before`."""
        return worse_by <= max(self.number, self.share * abs(before))


@dataclass(frozen=True)
class MatrixPlan:
    """Contents of the file of a matrix."""

    cells: tuple[Cell, ...]
    thresholds: Mapping[str, FigureLimit]
    against: str = ""


def read_plan(file: Path) -> MatrixPlan:
    """Plan in a file. Raises BLD130 with all its problems."""
    table = opened(file, [], "BLD130")
    lists = {axis: table.texts(name, ".*", "a list of texts") for axis, name in AXES.items()}
    variables = _variables(table.table("variables"))
    data = _texts(table.table("data"), lists["model"])
    left_out = [_left_out(each) for each in table.tables("exclude")]
    thresholds = _thresholds(table.table("thresholds"))
    against = table.optional_text("against") or ""
    table.finish()
    cells = tuple(_cells(lists, variables, data, left_out, str(file)))
    if not cells:
        what = "it has no cells: models and boards name at least one each, and exclude leaves some"
        raise ToolchainError.of("BLD130", what, where=str(file), fix="name a model and a board")
    return MatrixPlan(cells, thresholds, against)


def _cells(
    lists: Mapping[str, Sequence[str]],
    variables: Mapping[str, str],
    data: Mapping[str, str],
    left_out: Sequence[Mapping[str, str]],
    where: str,
) -> Iterator[Cell]:
    given = [dict.fromkeys(each or [""]) for each in lists.values()]
    if math.prod(map(len, given)) > MOST:
        fix = f"split the matrix: {MOST:,} cells are the most"
        raise ToolchainError.of("BLD130", "it has too many cells", where=where, fix=fix)
    for values in itertools.product(*given):
        axes = dict(zip(AXES, values, strict=True))
        named = axes["model"] and axes["board"]
        if named and not any(each.items() <= axes.items() for each in left_out):
            own = {"data": data[axes["model"]]} if axes["model"] in data else {}
            yield Cell(values, tuple({**variables, **own}.items()))


def _texts(table: Table, known: Sequence[str]) -> dict[str, str]:
    """Texts of the known keys that a table has."""
    found = {key: text for key in known if (text := table.optional_text(key))}
    table.close()
    return found


def _left_out(table: Table) -> dict[str, str]:
    """Values of axes that a cell which is left out has."""
    if not table.entries():
        table.wrong("an [[exclude]] is empty", f"write one or more of {', '.join(AXES)} below it")
    return _texts(table, [*AXES])


def _variables(table: Table) -> dict[str, str]:
    """Further variables of every cell, as on the command line."""
    for name in table.entries():
        if name in (*AXES, "data"):
            fix = "name it by its own list or table"
            table.wrong(f"'{name}' is no variable of every cell", fix)
    given = {name: table.value(name) for name in table.entries()}
    for name, value in given.items():
        if not isinstance(value, str | int):
            what = f"'{table.full(name)}' is {shown(value)}"
            table.wrong(what, "write the text that the command line has")
    texts = ((name, value) for name, value in given.items() if isinstance(value, str | int))
    return {name: value if isinstance(value, str) else str(int(value)) for name, value in texts}


def _thresholds(table: Table) -> dict[str, FigureLimit]:
    found = {}
    for name in FIGURES:
        value = table.value(name)
        if limit := _threshold(value):
            found[name] = limit
        elif value is not None:
            fix = 'write a number that is not negative, or a share like "1%"'
            table.wrong(f"'{table.full(name)}' is {shown(value)}", fix)
    table.close()
    return found


def _threshold(value: object) -> FigureLimit | None:
    """Threshold that a TOML value means; None for an invalid value."""
    if isinstance(value, str):
        share = _SHARE.fullmatch(value)
        return FigureLimit(share=float(share[1]) / 100) if share else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return FigureLimit(number=value) if 0 <= value < math.inf else None
