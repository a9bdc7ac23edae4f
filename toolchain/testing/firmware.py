"""Builds firmware by SCons and runs it on its rig, as a user would: for tests."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from toolchain.board.manifest import load_board
from toolchain.rig.fill import Fill
from toolchain.rig.rig import open_rig
from toolchain.testing.litert import Array

ROOT = Path(__file__).parents[2]
BOARDS = [ROOT / "boards"]
SECONDS = 300  # that one build may take


def scons(*arguments: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """What `scons ARGUMENTS` in the root answered. One at a time: SCons keeps one database."""
    with _alone(root):
        return _scons(arguments, root)


def build(
    board: str, model: Path, into: Path, *, outputs: Sequence[str] = (), **settings: str
) -> Path:
    """A copy, in `into`, of the build folder of this firmware: later builds leave it alone.

    The settings are SCons variables: opt, runtime, ops, app.
    """
    arguments = [f"board={board}", f"model={model}"]
    arguments += [f"outputs={','.join(outputs)}"] if outputs else []
    arguments += [f"{name}={value}" for name, value in settings.items() if value]
    with _alone(ROOT):
        done = _scons(arguments, ROOT)
        assert done.returncode == 0, f"scons {' '.join(arguments)}\n{done.stdout}{done.stderr}"
        manifest = load_board(board, BOARDS)
        runtime = settings.get("runtime") or manifest.runtime
        folder = ROOT / "build" / f"{manifest.name}-{runtime}" / model.stem
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


def _scons(arguments: Sequence[str], root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "SCons", "-Q", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@contextlib.contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Wait for the other test processes that build in this folder."""
    folder = root / "build"
    folder.mkdir(exist_ok=True)
    with (folder / ".tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
