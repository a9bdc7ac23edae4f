"""Fixtures that several system tests share, and that take long to make."""

import shutil
from pathlib import Path

import pytest

from tests.system.applications import answers
from tests.system.project import Project, convolutions, make_project

TINY = ("board=host", "model=tiny.tflite", "opt=size", "debug=0")


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder for the projects of all modules, as SCons servers that know a project's Python serve
    the next. Projects stay, since `make_project` and `copy` make new projects of old ones.
    """
    folder = tmp_path_factory.getbasetemp() / "projects"
    folder.mkdir(exist_ok=True)
    for entry in folder.iterdir():
        if not entry.is_dir():
            entry.unlink()
        elif not (entry / "SConstruct").is_file():
            shutil.rmtree(entry)
    return folder


@pytest.fixture(scope="session")
def two_packages(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Project with packages of two models, between which the convolution was edited."""
    project = make_project(tmp_path_factory.mktemp("library") / "p", ops=("conv_2d",))
    (project.root / "other.tflite").write_bytes(convolutions(changed=1))
    project.build(*TINY, "library")
    project.build("board=mps2_an386", "model=tiny.tflite", "debug=0", "library")
    kernel = project.root / "ops/conv_2d/i8/reference.h"
    kept = kernel.read_text(encoding="utf-8")
    project.edit("ops/conv_2d/i8/reference.h", "return window_sum", "return 5000 + window_sum")
    project.build("board=host", "model=other.tflite", "opt=size", "debug=0", "library")
    project.build("board=mps2_an386", "model=other.tflite", "debug=0", "library")
    kernel.write_text(kept, encoding="utf-8")
    return project


@pytest.fixture(scope="session")
def output_of_two() -> str:
    """Output of a program of both models; the edit acts like larger biases."""
    return " ".join([*answers(convolutions(), convolutions(changed=1, bias=5000)), "32"])
