"""Which files of an op's folder say what the op is: those that its `op.py` may import or read."""

from __future__ import annotations

import os
from pathlib import Path

COMPILED = (".h", ".c", ".cc", ".S", ".cl")  # what kernels are made of decides no registration
IGNORED = ("__pycache__",)


def registration_files(folder: Path) -> list[Path]:
    """The files below the folder, sorted, without kernels, tests, documents and what is hidden."""
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if each not in IGNORED and each[0] != ".")
        found += [Path(place, name) for name in sorted(names) if _counts(name)]
    return sorted(path for path in found if path.is_file())


def _counts(name: str) -> bool:
    return not name.startswith(("test_", ".")) and not name.endswith((*COMPILED, ".md", ".pyc"))
