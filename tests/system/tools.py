"""Which boards can be built for and emulated here: packages of some architectures are optional."""

from __future__ import annotations

import shutil

import pytest

from tests.conftest import NO_PACKAGES
from toolchain.board.architecture import OPTIONAL
from toolchain.board.manifest import Board


def require_tools(board: Board) -> None:
    """Skip the test where an optional architecture's programs are not installed; the end of the
    run counts these.
    """
    architecture = board.core.architecture
    if not (architecture.folder / OPTIONAL).is_file():
        return
    programs = [f"{architecture.tools}gcc"]
    programs += [architecture.emulator.program] if architecture.emulator else []
    absent = [program for program in programs if shutil.which(program) is None]
    if absent:
        pytest.skip(f"{NO_PACKAGES}: no {' and no '.join(absent)}")
