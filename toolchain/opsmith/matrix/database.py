"""Runs of matrices so far, in a SQLite file: every cell is in it as soon as it has ended.

A run that was killed continues where it was: its rows stay, each under a key of everything that
decides it.
"""

import contextlib
import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from opsmith.errors import ToolchainError, cannot_write, did_you_mean

VERSION = 1  # of the tables
APPLICATION = 0x4F70736D  # application id, by which `file` and Opsmith recognise the file
LAST = "last"  # the name of the run that ended last
_TABLES = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, began TEXT NOT NULL, ended TEXT
);
CREATE TABLE cells (
    run INTEGER NOT NULL REFERENCES runs (id),
    name TEXT NOT NULL,
    key TEXT NOT NULL,
    figures TEXT NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (run, name)
);
"""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class UnfinishedRun:
    """A run that has not ended, with its rows so far, by name and key of each cell."""

    id: int
    name: str
    rows: Mapping[tuple[str, str], Row]


class Database:
    """Open file of runs. Every method raises BLD131 if it is damaged or cannot be written."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(file.parent, error) from error
        with self._whole():
            self._sql = sqlite3.connect(file, isolation_level=None)
            self._check()

    def close(self) -> None:
        """Close the file."""
        self._sql.close()

    def begin(self, name: str) -> UnfinishedRun:
        """Unfinished run of a name, or a new one; without a name the latest unfinished one, or one
        named by its number. Raises BLD132 where the run has ended.
        """
        with self._whole(), self._sql:
            self._sql.execute("BEGIN IMMEDIATE")
            query = "SELECT id, name, ended FROM runs WHERE {} ORDER BY id DESC LIMIT 1"
            where = "name = ?" if name else "ended IS NULL AND ? = ''"
            found = self._sql.execute(query.format(where), [name]).fetchone()
            if found is None:
                (last,) = self._sql.execute("SELECT coalesce(max(id), 0) FROM runs").fetchone()
                found = last + 1, name or self._free(last + 1), None
                values = (*found[:2], _now())
                self._sql.execute("INSERT INTO runs (id, name, began) VALUES (?, ?, ?)", values)
            query = "SELECT name, key, figures FROM cells WHERE run = ?"
            cells = self._sql.execute(query, [found[0]]).fetchall()
            rows = {(cell, key): self._read(figures) for cell, key, figures in cells}
        if found[2] is not None:
            what, fix = f"run '{name}' has ended", "give this one another name, or none"
            raise ToolchainError.of("BLD132", what, where=str(self._file), fix=fix)
        return UnfinishedRun(found[0], found[1], rows)

    def add(self, run: UnfinishedRun, cell: str, key: str, row: Row, seconds: float) -> None:
        """Store a cell that has ended, durably."""
        values = (run.id, cell, key, json.dumps(row, ensure_ascii=False), seconds)
        with self._whole():
            self._sql.execute("INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?)", values)

    def end(self, run: UnfinishedRun, cells: Collection[str]) -> None:
        """End a run with the given cells; rows of cells that the matrix has no more are deleted."""
        with self._whole(), self._sql:
            self._sql.execute("BEGIN IMMEDIATE")
            known = self._sql.execute("SELECT name FROM cells WHERE run = ?", [run.id]).fetchall()
            gone = [(run.id, name) for (name,) in known if name not in cells]
            self._sql.executemany("DELETE FROM cells WHERE run = ? AND name = ?", gone)
            self._sql.execute("UPDATE runs SET ended = ? WHERE id = ?", [_now(), run.id])

    def earlier(self, name: str) -> tuple[str, dict[str, Row]] | None:
        """Name and rows, by cell, of a run that has ended; None where the last is requested and
        there is none. Raises BLD132.
        """
        with self._whole():
            query = "SELECT name, id FROM runs WHERE ended IS NOT NULL ORDER BY ended, id"
            runs: dict[str, int] = dict(self._sql.execute(query).fetchall())
            if name == LAST and name not in runs:
                if not runs:
                    return None
                name = [*runs][-1]
            if name in runs:
                query = "SELECT name, figures FROM cells WHERE run = ?"
                cells = self._sql.execute(query, [runs[name]]).fetchall()
                return name, {cell: self._read(figures) for cell, figures in cells}
        what = f"no run '{name}' has ended{did_you_mean(name, runs)}"
        fix = f"name one of: {', '.join([*runs][-20:])}" if runs else "leave against out"
        raise ToolchainError.of("BLD132", what, where=str(self._file), fix=fix)

    def _free(self, number: int) -> str:
        """First number from `number` on that is no name of a run."""
        names = {name for (name,) in self._sql.execute("SELECT name FROM runs")}
        return next(str(n) for n in range(number, number + len(names) + 1) if str(n) not in names)

    def _read(self, figures: str) -> Row:
        row = json.loads(figures)
        if not isinstance(row, dict):
            raise ValueError("a row is no object")
        return row

    def _check(self) -> None:
        """Make the tables of a new file. Raises BLD131 for a file of another program, or of a newer
        version.
        """
        self._sql.execute("PRAGMA synchronous = FULL")
        with self._sql:
            self._sql.execute("BEGIN IMMEDIATE")
            (version,) = self._sql.execute("PRAGMA user_version").fetchone()
            (application,) = self._sql.execute("PRAGMA application_id").fetchone()
            (tables,) = self._sql.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if not (version or application or tables):
                for statement in filter(str.strip, _TABLES.split(";")):
                    self._sql.execute(statement)
                self._sql.execute(f"PRAGMA application_id = {APPLICATION}")
                self._sql.execute(f"PRAGMA user_version = {VERSION}")
                return
        if application != APPLICATION:
            raise self._error("it is a database of another program", "name another --database=FILE")
        if version != VERSION:
            what = f"it is of version {version}, and this Opsmith knows {VERSION}"
            fix = "install the Opsmith that wrote it, or name another --database=FILE"
            raise self._error(what, fix)

    @contextlib.contextmanager
    def _whole(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValueError, TypeError) as error:
            fix = "name another --database=FILE; nothing was changed in this one"
            raise self._error(f"it cannot be used: {error}", fix) from error

    def _error(self, what: str, fix: str) -> ToolchainError:
        return ToolchainError.of("BLD131", what, where=str(self._file), fix=fix)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
