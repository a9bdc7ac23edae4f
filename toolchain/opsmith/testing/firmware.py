"""Builds firmware by SCons and runs it on its rig, as a user would: for tests."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from opsmith.board.manifest import load_board
from opsmith.home import HOME
from opsmith.oracle.litert import Array
from opsmith.rig.fill import Fill
from opsmith.rig.rig import open_rig
from opsmith.scons.folders import model_folder, target_folder
from opsmith.scons.settings import read_settings
from opsmith.testing.checkout import ROOT, models_folder
from opsmith.testing.failures import hides
from opsmith.testing.warm_scons import run_scons

__tracebackhide__ = hides

BOARDS = [HOME / "boards"]
SECONDS = 600.0  # seconds for an invoke; drivers build kernels in the first


def scons(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Completed run of `scons ARGUMENTS` in ROOT, with its products in `build/`."""
    kept = arguments if "tune" in arguments else list(map(_kept, arguments))
    return run_scons(["-Q", "debug=0", *kept], ROOT, os.environ)


def build(
    board: str, model: Path, into: Path, *, outputs: Sequence[str] = (), **settings: str
) -> Path:
    """Copy, in `into`, of the build folder of a firmware, which later builds do not change.

    The settings are SCons variables: opt, runtime, ops, app.
    """
    arguments = [f"board={board}", f"model={model}"]
    arguments += [f"outputs={','.join(outputs)}"] if outputs else []
    arguments += [f"{name}={value}" for name, value in settings.items() if value]
    done = scons(*arguments)
    assert done.returncode == 0, f"scons {' '.join(arguments)}\n{done.stdout}{done.stderr}"
    copy = into / f"{board}-{model.stem}"
    shutil.copytree(products(*arguments), copy, ignore=shutil.ignore_patterns("obj"))
    return copy


def products(*arguments: str) -> Path:
    """Folder that has the products of `scons ARGUMENTS`."""
    values = dict(word.split("=", 1) for word in map(_kept, arguments) if "=" in word)
    settings = read_settings(values, ROOT)
    roots = [ROOT / each for each in settings.board_roots]
    board = load_board(settings.board, roots, [ROOT / each for each in settings.platforms])
    inside = board.folder.is_relative_to(ROOT) and board.folder.parent not in BOARDS
    place = board.folder.relative_to(ROOT) if inside else board.folder
    target = target_folder(board.name, place, board.files, settings.runtime or board.runtime)
    return ROOT / target / model_folder(settings, ROOT)


def run(
    folder: Path,
    board: str,
    inputs: Sequence[Sequence[Array | Fill]],
    boards: Sequence[Path] = BOARDS,
) -> list[list[Array]]:
    """Outputs of a firmware for each set of inputs, all in one start of the rig."""
    with open_rig(folder, load_board(board, boards), invoke_timeout=SECONDS) as rig:
        return [list(rig.invoke(list(each))) for each in inputs]


def _kept(argument: str) -> str:
    """Argument unchanged; a model from elsewhere, with its `tune` file, is copied to a place where
    each run of the tests finds earlier builds of it.
    """
    name, _, value = argument.partition("=")
    model = Path(value)
    elsewhere = model.is_absolute() and not model.is_relative_to(ROOT)
    if name != "model" or not elsewhere or not model.is_file():
        return argument
    kept = models_folder() / model.name
    for path in (model, model.with_suffix(".tune.toml")):
        copy = ROOT / kept.with_name(path.name)
        copy.unlink(missing_ok=True)
        if path.is_file():
            shutil.copyfile(path, copy)
    return f"model={kept}"
