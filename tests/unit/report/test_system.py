"""Programs import no function that the C library of their board's system lacks."""

import re
import sys
from pathlib import Path

import pytest

from opsmith.board.describe import System
from opsmith.errors import ToolchainError
from opsmith.report.elf import read_imports
from opsmith.report.system import newer_than_system
from tests.commands import said
from tests.unit.report.test_size import elf32

PYTHON = Path(sys.executable).resolve()


def test_imports_are_those_that_readelf_lists() -> None:
    command = ["readelf", "-W", "--dyn-syms", str(PYTHON)]
    told = said(command)
    # those of a library, also where the program has the variable's copy; what it defines has two @
    listed = re.findall(r" ([^\s@]+)@([^\s@]+)", told)
    assert listed
    assert sorted(read_imports(PYTHON)) == sorted(listed)


def test_what_imports_nothing_fits_each_system(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(elf32())
    assert read_imports(tmp_path / "x") == ()


def test_a_damaged_program_is_reported(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(PYTHON.read_bytes()[:5000])
    with pytest.raises(ToolchainError, match="BLD021"):
        read_imports(tmp_path / "x")


def test_newer_functions_are_named_and_older_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    imports = [("open", "GLIBC_2.2.5"), ("a", "GLIBC_2.34"), ("b", "GLIBC_2.36"), ("x", "GCC_3.0")]
    imports += [("odd", "GLIBC_PRIVATE")]
    monkeypatch.setattr("opsmith.report.system.read_imports", lambda _: imports)

    def told(*glibc: int) -> list[str]:
        system = System("Linux 1", (glibc[0], glibc[1]))
        return [each.what for each in newer_than_system(Path(), system, "here")]

    lacks = "Linux 1 has glibc 2.{}, which lacks "
    assert told(2, 33) == [lacks.format(33) + "a@GLIBC_2.34, b@GLIBC_2.36, odd@GLIBC_PRIVATE"]
    assert told(2, 34) == [lacks.format(34) + "b@GLIBC_2.36, odd@GLIBC_PRIVATE"]
    imports.pop()
    assert told(2, 36) == []
    imports += [(f"f{i}", "GLIBC_3.0") for i in range(9)]
    assert told(2, 40)[0].endswith("f4@GLIBC_3.0 and 4 more")
