"""ops/README.md: its op is written as it says, and every command that it shows is run."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.commands import said
from tests.readme_op import commands, files, write_files
from tests.system.project import ROOT, Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow, pytest.mark.qemu]


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Project with the op of ops/README.md."""
    made = make_project(projects / "p", ops=("conv_2d",))
    made.test_in_one_process()
    write_files(made.root)
    return made


def run(project: Project, command: str) -> str:
    """Output of a command, with the programs of this environment first; it must succeed."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = os.environ | {"PATH": path, "PYTHONPATH": str(project.root)}
    return said(command, shell=True, cwd=project.root, env=env)


def test_the_op_is_complete() -> None:
    assert set(files()) == {
        "my_ops/gain_model.py",
        *(f"my_ops/gain/{name}" for name in ("op.py", "reference.h", "test_gain.py")),
    }
    assert len(commands()) == 6


def test_every_command_does_what_is_said_of_it(project: Project) -> None:
    model, new_op, check, compile_kernels, test, firmware = commands()
    shutil.rmtree(project.root / "my_ops" / "gain")
    run(project, model)
    assert "my_ops/gain: tflite.CUSTOM.Gain" in run(project, new_op)
    written = {path.name for path in (project.root / "my_ops" / "gain").iterdir()}
    assert "NOT FINISHED" in run(project, firmware)
    assert written == {"op.py", "reference.h", "test_gain.py"}
    write_files(project.root)
    assert "1 op folder, no problems" in run(project, check)
    assert "CC gain.check.cc" in run(project, compile_kernels)
    said = run(project, test)
    assert re.search(r"\b6 passed in ", said), said
    said = run(project, firmware)
    assert "equal to the numpy models: yes" in said
    assert "NOT FINISHED" not in said


def test_its_files_are_in_the_style_of_the_others(project: Project) -> None:
    config = f"--config={ROOT / 'pyproject.toml'}"
    star = "--extend-per-file-ignores='my_ops/*/op.py:F403,my_ops/*/op.py:F405'"  # as in ops/
    run(project, f"ruff check {config} {star} my_ops && ruff format {config} --check my_ops")
    run(project, f"clang-format --style=file:{ROOT}/.clang-format -n -Werror my_ops/gain/*.h")
