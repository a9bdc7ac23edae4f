"""A run of a matrix beside an earlier one: what is worse than thresholds allow."""

from collections.abc import Iterator, Mapping
from typing import Any

from opsmith.matrix.plan import FIGURES, FigureLimit
from opsmith.rig.outcome import PASS

MORE_IS_BETTER = ("accuracy",)
Rows = Mapping[str, Mapping[str, Any]]  # by the name of the cell
Limits = Mapping[str, FigureLimit]  # by column


def comparison(now: Rows, name: str, before: Rows, limits: Limits) -> dict[str, Any]:
    """The comparison as data: with which run, what is worse, and which cells only one of them
    has.
    """
    return {
        "run": name,
        "regressions": [
            {"cell": cell, "column": column, "before": before[cell].get(column), "now": row[column]}
            for cell, row in now.items()
            if cell in before
            for column in _worse(row, before[cell], limits)
        ],
        "new": [each for each in now if each not in before],
        "gone": [each for each in before if each not in now],
    }


def _worse(row: Mapping[str, Any], old: Mapping[str, Any], limits: Limits) -> Iterator[str]:
    """The columns that are worse; of a cell that passes no more, the outcome alone."""
    if row["outcome"] != PASS:
        yield from ["outcome"] if old.get("outcome") == PASS else []
        return
    if old.get("exact") and not row["exact"]:
        yield "exact"
    for column in FIGURES:
        first, second = old.get(column), row[column]
        if not isinstance(first, int | float):
            continue
        if second is None or not _allowed(column, first, second, limits):
            yield column


def _allowed(column: str, before: float, now: float, limits: Limits) -> bool:
    worse_by = before - now if column in MORE_IS_BETTER else now - before
    return limits.get(column, FigureLimit()).allows(worse_by, before)
