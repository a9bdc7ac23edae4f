"""Builds firmware by SCons and runs it on its rig, as a user would: for tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from toolchain.board.manifest import load_board
from toolchain.rig.fill import Fill
from toolchain.rig.rig import open_rig
from toolchain.testing.checkout import ROOT, alone, checkout
from toolchain.testing.litert import Array

BOARDS = [ROOT / "boards"]
SECONDS = 300  # that one build may take


def scons(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What `scons ARGUMENTS` answered in `checkout()`, whose `build/` has what it made."""
    with alone(checkout()):
        return _scons(arguments)


def build(
    board: str, model: Path, into: Path, *, outputs: Sequence[str] = (), **settings: str
) -> Path:
    """A copy, in `into`, of the build folder of this firmware: later builds leave it alone.

    The settings are SCons variables: opt, runtime, ops, app.
    """
    arguments = [f"board={board}", f"model={model}"]
    arguments += [f"outputs={','.join(outputs)}"] if outputs else []
    arguments += [f"{name}={value}" for name, value in settings.items() if value]
    with alone(checkout()):
        done = _scons(arguments)
        assert done.returncode == 0, f"scons {' '.join(arguments)}\n{done.stdout}{done.stderr}"
        manifest = load_board(board, BOARDS)
        runtime = settings.get("runtime") or manifest.runtime
        folder = checkout() / "build" / f"{manifest.name}-{runtime}" / model.stem
        copy = into / f"{board}-{model.stem}"
        copy.mkdir(parents=True)
        for product in folder.iterdir():
            if product.is_file():
                shutil.copy2(product, copy)
    return copy


def run(folder: Path, board: str, inputs: Sequence[Sequence[Array | Fill]]) -> list[list[Array]]:
    """The firmware's outputs for each of these inputs, all in one start of the rig."""
    with open_rig(folder, load_board(board, BOARDS)) as rig:
        return [list(rig.invoke(list(each))) for each in inputs]


def _scons(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "SCons", "-Q", *arguments],
        cwd=checkout(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
