"""Builds firmware by SCons and runs it on its rig, as a user would."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from toolchain.board.manifest import load_board
from toolchain.rig.rig import open_rig

from toolchain.testing.litert import Array

ROOT = Path(__file__).parents[2]
BOARDS = [ROOT / "boards"]
MINUTES = 60


def scons(*arguments: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """What `scons ARGUMENTS` in the root answered. One at a time: SCons keeps one database."""
    with _alone(root):
        return _scons(arguments, root)


def build(board: str, model: Path, into: Path, *, outputs: Sequence[str] = ()) -> Path:
    """A copy, in `into`, of the build folder of this firmware: later builds leave it alone."""
    arguments = [f"board={board}", f"model={model}"]
    if outputs:
        arguments.append(f"outputs={','.join(outputs)}")
    with _alone(ROOT):
        done = _scons(arguments, ROOT)
        assert done.returncode == 0, done.stdout + done.stderr
        manifest = load_board(board, BOARDS)
        folders = sorted((ROOT / "build").glob(f"{manifest.name}-{manifest.runtime}/{model.stem}"))
        assert len(folders) == 1, folders
        products = [each for each in folders[0].iterdir() if each.is_file()]
        copy = into / f"{board}-{model.stem}"
        copy.mkdir()
        for product in products:
            shutil.copy2(product, copy)
    return copy


def run(folder: Path, board: str, inputs: Sequence[Sequence[Array]]) -> list[list[Array]]:
    """The firmware's outputs for each of these inputs, all in one start of the rig."""
    with open_rig(folder, load_board(board, BOARDS)) as rig:
        return [list(rig.invoke(list(each))) for each in inputs]


def _scons(arguments: Sequence[str], root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "SCons", "-Q", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=5 * MINUTES,
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
