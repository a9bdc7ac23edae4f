"""What several of these tests share, and what takes long to make."""

from __future__ import annotations

import numpy as np
import pytest

from opsmith.testing.litert import Reference
from tests.system.project import Project, convolutions, make_project

INPUT = np.arange(-16, 16, dtype=np.int8).reshape(1, 2, 2, 8) * 3
TINY = ("board=host", "model=tiny.tflite", "opt=size", "debug=0")


@pytest.fixture(scope="session")
def two_packages(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with two models; the convolution was edited between their packages."""
    project = make_project(tmp_path_factory.mktemp("library") / "p", ops=("conv_2d",))
    (project.root / "other.tflite").write_bytes(convolutions(changed=1))
    project.build(*TINY, "library")
    project.build("board=mps2_an386", "model=tiny.tflite", "debug=0", "library")
    kernel = project.root / "ops/conv_2d/i8/reference.h"
    kept = kernel.read_text(encoding="utf-8")
    project.edit("ops/conv_2d/i8/reference.h", "int32_t sum = 0", "int32_t sum = 5000")
    project.build("board=host", "model=other.tflite", "opt=size", "debug=0", "library")
    project.build("board=mps2_an386", "model=other.tflite", "debug=0", "library")
    kernel.write_text(kept, encoding="utf-8")
    return project


@pytest.fixture(scope="session")
def output_of_two() -> str:
    """What a program of both models prints: with the edit, sums are those of larger biases."""
    models = (convolutions(), convolutions(changed=1, bias=5000))
    outputs = [Reference(model).run([INPUT])[0].ravel() for model in models]
    return " ".join(map(str, [*outputs[0], *outputs[1], len(outputs[1])]))
