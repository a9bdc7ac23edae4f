"""Tests of the revision that a library's header states."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from opsmith.board.cores import CORES
from opsmith.board.runtime import load_runtime
from opsmith.errors import ToolchainError
from opsmith.home import RUNTIMES
from opsmith.scons import installed_library

ROOT = Path(__file__).resolve().parents[3]
RUNTIME = load_runtime("cmsis", RUNTIMES)
(LIBRARY,) = RUNTIME.libraries


def refused(tmp_path: Path, pattern: str, header: str) -> str:
    for name, text in ((LIBRARY.header, header), (LIBRARY.archive, "")):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    library = replace(LIBRARY, revision=re.compile(pattern))
    core = CORES["cortex-m4f"]
    with pytest.raises(ToolchainError) as caught:
        installed_library.find_library(tmp_path, library, RUNTIME, core, RUNTIME, "no-", tmp_path)
    return str(caught.value)


@pytest.mark.parametrize("pattern", ["R(e)(v)(i)", "(R)?(19)(.)", "([0-9]+)(x)?([.])"])
def test_a_revision_is_three_numbers(tmp_path: Path, pattern: str) -> None:
    told = refused(tmp_path, pattern, "Revision 19.1.0")
    assert "error BLD061" in told
    assert "where a revision has three numbers" in told
    assert "library.cmsis_nn" in told
