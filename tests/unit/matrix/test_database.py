"""The database of runs: nothing that was in it is lost, whatever ends a write or damages it."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.matrix.database import VERSION, Database

ROW = {"outcome": "pass", "flash": 7}
KILLED = """\
import os, signal, sqlite3, sys
sql = sqlite3.connect(sys.argv[1], isolation_level=None)
sql.execute("PRAGMA cache_size = 1")  # so that pages are in the file before the transaction ends
sql.execute("BEGIN")
for number in range(500):
    sql.execute("INSERT INTO cells VALUES (1, ?, 'key', ?, 1.0)", (str(number), "x" * 1000))
sql.execute("UPDATE cells SET figures = 'no'")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with one run that has ended and one cell."""
    file = tmp_path / "of runs" / "runs.sqlite"
    database = Database(file)
    run = database.begin("first")
    database.add(run, "cell", "key", ROW, 1.0)
    database.end(run, ["cell"])
    database.close()
    return file


def test_a_run_goes_on_until_it_has_ended(file: Path) -> None:
    database = Database(file)
    run = database.begin("")
    assert (run.name, run.rows) == ("2", {})
    database.add(run, "a", "1", ROW, 1.0)
    database.add(run, "b", "2", ROW, 1.0)
    assert database.begin("").rows == {("a", "1"): ROW, ("b", "2"): ROW}
    database.end(run, ["a"])
    assert database.earlier("last") == ("2", {"a": ROW})
    assert database.earlier("first") == ("first", {"cell": ROW})
    assert database.begin("").name == "3"
    with pytest.raises(ToolchainError, match=r"BLD132.*'first' has ended"):
        database.begin("first")
    with pytest.raises(ToolchainError, match=r"BLD132.*no run '3' has ended"):
        database.earlier("3")


def test_a_write_that_is_killed_leaves_what_was_there(file: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(file)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert os.path.getsize(file.with_name(f"{file.name}-journal")) > 512
    assert Database(file).earlier("last") == ("first", {"cell": ROW})


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        (f"PRAGMA user_version = {VERSION + 1}", "of version 2, and this Opsmith knows 1"),
        ("PRAGMA application_id = 7", "of another program"),
        ("UPDATE cells SET figures = '[]'", "a row is no object"),
        ("DROP TABLE cells", "no such table"),
        (
            "DROP TABLE cells; CREATE TABLE cells (run, name, figures);"
            "INSERT INTO cells VALUES (1, 'cell', 7)",
            "JSON object must be str",
        ),
    ],
)
def test_what_is_none_of_ours_is_left_alone(file: Path, sql: str, sentence: str) -> None:
    with sqlite3.connect(file) as other:
        other.executescript(sql)
    before = file.read_bytes()
    with pytest.raises(ToolchainError, match=f"BLD131.*{sentence}"):
        Database(file).earlier("last")
    assert file.read_bytes() == before


@pytest.mark.parametrize("content", [b"no database" * 100, None])
def test_a_damaged_file_is_an_error(file: Path, content: bytes | None) -> None:
    content = content or file.read_bytes()[:3000]
    file.write_bytes(content)
    with pytest.raises(ToolchainError, match=r"BLD131.*it cannot be used"):
        Database(file).earlier("last")
    assert file.read_bytes() == content
