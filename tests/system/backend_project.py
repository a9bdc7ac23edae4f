"""A project beside backends of tests/data/, which tests edit."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.copies import copied
from tests.system.project import ROOT, Project, make_project

BACKENDS = "backends=../my_backends"
SHIPPED = ROOT / "tests/data/my_backends"


def project_of_sums(folder: Path, sums: bytes) -> Project:
    """Project with the given model as sums.tflite, beside a copy of the backends."""
    copied(SHIPPED, folder / "my_backends")
    project = make_project(folder / "p", ops=("add", "conv_2d", "mul"))
    (project.root / "sums.tflite").write_bytes(sums)
    return project


def edited(project: Project, backend: str) -> Iterator[Path]:
    """Folder of a backend for a test to edit, which is restored afterwards."""
    folder = project.root.parent / "my_backends" / backend
    yield folder
    shutil.rmtree(folder)
    copied(SHIPPED / backend, folder)
