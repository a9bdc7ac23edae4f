"""File of a matrix: its cells, and limits by which figures may be worse than in an earlier run.

`models`, `boards`, `runtimes`, `opts` and `numerics` are lists, of which every combination is a
cell. [build.md](../../manual/build.md#a-matrix) has an example.
"""

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.board.read import hidden_texts, parse_toml
from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all, shown

AXES = {  # axis -> its list in the file
    "model": "models",
    "board": "boards",
    "runtime": "runtimes",
    "opt": "opts",
    "numerics": "numerics",
}
TABLES = ("variables", "data", "thresholds")
KEYS = (*AXES.values(), *TABLES, "exclude", "against")
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
    tables = parse_toml(file, "BLD130")
    where = str(file)
    raise_all(
        Problem("BLD130", what, where, fix)
        for what, fix in (*_hidden(tables), *_unknown(tables), *_ill_typed(tables))
    )
    cells = tuple(_cells(tables, where))
    if not cells:
        what = "it has no cells: models and boards name at least one each, and exclude leaves some"
        raise ToolchainError.of("BLD130", what, where=where, fix="name a model and a board")
    limits = ((name, _threshold(each)) for name, each in tables.get("thresholds", {}).items())
    thresholds = {name: limit for name, limit in limits if limit is not None}
    return MatrixPlan(cells, thresholds, tables.get("against", ""))


def _cells(tables: Mapping[str, Any], where: str) -> Iterator[Cell]:
    lists = [tables.get(name) or [""] for name in AXES.values()]
    if math.prod(map(len, lists)) > MOST:
        fix = f"split the matrix: {MOST:,} cells are the most"
        raise ToolchainError.of("BLD130", "it has too many cells", where=where, fix=fix)
    variables = {name: _text(each) for name, each in tables.get("variables", {}).items()}
    data, left_out = tables.get("data", {}), tables.get("exclude", [])
    for values in itertools.product(*(dict.fromkeys(each) for each in lists)):
        axes = dict(zip(AXES, values, strict=True))
        named = axes["model"] and axes["board"]
        if named and not any(each.items() <= axes.items() for each in left_out):
            own = {"data": data[axes["model"]]} if axes["model"] in data else {}
            yield Cell(values, tuple({**variables, **own}.items()))


def _hidden(tables: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for place, text in hidden_texts(tables):
        yield f"{text[:80]!r} in {place} has characters that do not show", "write others"


def _unknown(tables: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key in tables.keys() - {*KEYS}:
        yield f"unknown key '{key}'{did_you_mean(key, KEYS)}", f"one of: {', '.join(KEYS)}"
    known = {"variables": (), "data": tables.get("models", ()), "thresholds": FIGURES}
    for name, keys in known.items():
        table = tables.get(name)
        for key in table if isinstance(table, dict) and isinstance(keys, tuple | list) else ():
            near = [each for each in keys if isinstance(each, str)]
            if name == "variables" and key in (*AXES, "data"):
                yield f"'{key}' is no variable of every cell", "name it by its own list or table"
            elif name != "variables" and key not in near:
                said = f"unknown key '{key}' in {name}{did_you_mean(key, near)}"
                yield said, f"one of: {', '.join(near) or 'none'}"


def _ill_typed(tables: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in AXES.values():
        value = tables.get(name, [])
        if not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
            yield f"'{name}' is {shown(value)}", f'write a list of texts: {name} = ["…"]'
    for name in TABLES:
        table = tables.get(name, {})
        if not isinstance(table, dict):
            yield f"'{name}' is {shown(table)}", f"write a table: [{name}]"
        else:
            yield from _ill_valued(name, table)
    against, left_out = tables.get("against", ""), tables.get("exclude", [])
    if not isinstance(against, str):
        yield f"'against' is {shown(against)}", 'name an earlier run, or write "last"'
    if not (isinstance(left_out, list) and all(map(_excludes, left_out))):
        fix = f"write [[exclude]] and below it one or more of {', '.join(AXES)}, each a text"
        yield f"'exclude' is {shown(left_out)}", fix


def _ill_valued(name: str, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        place = f"'{key}' of {name} is {shown(value)}"
        if name == "thresholds" and _threshold(value) is None:
            yield place, 'write a number that is not negative, or a share like "1%"'
        elif name == "data" and not isinstance(value, str):
            yield place, "write the path of a data set"
        elif name == "variables" and not isinstance(value, str | int):
            yield place, "write the text that the command line has"


def _excludes(table: object) -> bool:
    if not isinstance(table, dict) or not table or table.keys() - AXES.keys():
        return False
    return all(isinstance(each, str) for each in table.values())


def _threshold(value: object) -> FigureLimit | None:
    """Threshold that a TOML value means; None for an invalid value."""
    if isinstance(value, str):
        share = _SHARE.fullmatch(value)
        return FigureLimit(share=float(share[1]) / 100) if share else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return FigureLimit(number=value) if 0 <= value < math.inf else None


def _text(value: str | int) -> str:
    """Value as on the command line: true is 1."""
    return value if isinstance(value, str) else str(int(value))
