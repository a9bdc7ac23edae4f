"""`matrix`: builds and runs a firmware for each cell of a matrix, and compares with an earlier run.

The table is in matrix.json, matrix.xml (JUnit) and matrix.html; every cell is in a database as soon
as it has ended, so that a run that was stopped or killed continues where it was.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from opsmith.command_line import Parser
from opsmith.commands.where import require_sconstruct
from opsmith.guard import tell
from opsmith.matrix.compute import Row
from opsmith.matrix.database import Database, UnfinishedRun
from opsmith.matrix.inputs import Inputs
from opsmith.matrix.jobs import Job, jobs_of
from opsmith.matrix.plan import FIGURES, FigureLimit, read_plan
from opsmith.matrix.processes import Done, by_processes
from opsmith.matrix.table import Table, files_of, is_right, lines_of, table_of
from opsmith.progress import progress
from opsmith.rig.outcome import NO_BOARD, PASS, RIG_ERROR
from opsmith.steps.lock import Locks
from opsmith.writing import replace_files

MORE_IS_BETTER = ("accuracy",)
Rows = Mapping[str, Mapping[str, Any]]  # cell -> row
Limits = Mapping[str, FigureLimit]  # column -> limit

OF_RIG = (RIG_ERROR, NO_BOARD)  # outcomes after which a continued run repeats cells
OUT, DATABASE = Path("build/matrix"), "runs.sqlite"


def main(arguments: list[str]) -> int:
    """Write the table; returns 1 where a cell is wrong, or worse than is allowed. Raises BLD130 to
    BLD134, and problems that keep cells from being built.
    """
    given = _parser().parse_args(arguments)
    require_sconstruct(Path.cwd())
    table = _table(given)
    replace_files(given.out, files_of(table))
    print(json.dumps(table) if given.json else "\n".join(lines_of(table)))
    return 0 if is_right(table) else 1


def _table(given: argparse.Namespace) -> Table:
    plan, file = read_plan(given.matrix), given.database or given.out / DATABASE
    with closing(Locks()) as locks, closing(Database(file)) as database:
        locks.hold([given.out])
        against = given.against or plan.against
        before = database.earlier(against) if against else None
        jobs = jobs_of(plan, given.matrix, Inputs(Path.cwd(), (given.matrix, file, given.out)))
        run = database.begin(given.name)
        rows = _rows(database, run, jobs, given)
        database.end(run, rows)
    compared = comparison(rows, *before, plan.thresholds) if before else None
    return table_of(run.name, rows, compared)


def _rows(
    database: Database, run: UnfinishedRun, jobs: Sequence[Job], given: argparse.Namespace
) -> dict[str, Row]:
    """Row of each cell in the order of the matrix; rows that the run has stay."""
    names = {job.cell.name: (job.cell.name, job.key) for job in jobs}
    known = ((name, run.rows[of]) for name, of in names.items() if of in run.rows)
    rows = {name: dict(row) for name, row in known if row["outcome"] not in OF_RIG}
    left = [job for job in jobs if job.cell.name not in rows]
    if rows and left:
        tell(f"run {run.name} goes on: {len(rows):,} of {len(jobs):,} cells are done")
    with progress(len(jobs), len(rows)) as shown:
        for job, row, seconds in _done(left, given):
            database.add(run, job.cell.name, job.key, row, seconds)
            rows[job.cell.name] = row
            shown.show(len(rows))
    return {name: rows[name] for name in names}


def _done(jobs: Sequence[Job], given: argparse.Namespace) -> Iterator[Done]:
    """Jobs as soon as they have ended, on this machine or by Dask workers."""
    if not given.dask:
        return by_processes(jobs, Path.cwd(), given.jobs)
    from opsmith.matrix.cluster import by_dask  # slow import, of an optional extra

    return by_dask(jobs, Path.cwd(), given.dask)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opsmith matrix", description=__doc__)
    parser.add_argument("matrix", type=Path, metavar="matrix.toml")
    parser.add_argument("--jobs", type=int, default=0, help="cells at once; default: one per core")
    parser.add_argument("--dask", metavar="ADDRESS", help="of a scheduler, as in tcp://host:8786")
    parser.add_argument("--name", default="", help="of this run; default: its number")
    parser.add_argument("--against", default="", help="an earlier run by its name, or last")
    parser.add_argument("--out", type=Path, default=OUT, metavar="DIR", help=f"default: {OUT}")
    where = f"the runs so far; default: {DATABASE} in that folder"
    parser.add_argument("--database", type=Path, metavar="FILE", help=where)
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    return parser


def comparison(now: Rows, name: str, before: Rows, limits: Limits) -> dict[str, Any]:
    """Comparison as data: the earlier run, regressions, and cells that only one run has."""
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
    """Columns that are worse; for a cell that no longer passes, only the outcome."""
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
