"""Which boards can be built for and emulated here: packages of some architectures are optional."""

from __future__ import annotations

import shutil

import pytest

from opsmith.board.architecture import OPTIONAL
from opsmith.board.manifest import Board
from tests.conftest import NO_PACKAGES


def require_tools(board: Board) -> None:
    """Skip the test where an optional architecture's programs are not installed; the end of the
    run counts these.
    """
    architecture = board.core.architecture
    if not (architecture.folder / OPTIONAL).is_file():
        return
    compiler, emulator = f"{architecture.tools}gcc", architecture.emulator
    absent = [compiler] if shutil.which(compiler) is None else []
    absent += [emulator.program] if emulator and emulator.find() is None else []
    if absent:
        pytest.skip(f"{NO_PACKAGES}: no {' and no '.join(absent)}")
