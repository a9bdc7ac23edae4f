"""Copies of the checkout's folders, while other processes import from them."""

import shutil
from pathlib import Path


def copied(folder: Path, target: Path) -> Path:
    """`target`, a new copy of the folder without bytecode: half-written files of it disappear.

    Links stay links: of the packages of opsmith, one leads to a folder beside them.
    """
    shutil.copytree(folder, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    return target
