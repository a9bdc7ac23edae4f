"""An op's folder is a target: its kernels compile for a board, its tests run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.project import Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with nothing built."""
    return make_project(tmp_path_factory.mktemp("pristine") / "p")


@pytest.mark.parametrize("target", ["ops/conv_2d", "ops/conv_2d/", "./ops//conv_2d"])
def test_the_folder_of_an_op_is_a_target(pristine: Project, tmp_path: Path, target: str) -> None:
    project = pristine.copy(tmp_path / "project")
    assert project.build(target, "board=mps2_an386").ran("CC") == {"conv_2d.check.cc"}


def test_an_edited_kernel_compiles_only_its_own_op(pristine: Project, tmp_path: Path) -> None:
    project = pristine.copy(tmp_path / "project")
    both = ("ops/conv_2d", "ops/top_k", "board=mps2_an386")
    assert project.build(*both).ran("CC") == {"conv_2d.check.cc", "top_k.check.cc"}
    project.append("ops/top_k/reference.h", "// edited\n")
    outcome = project.build(*both)
    assert outcome.ran("CC") == {"top_k.check.cc"}
    assert not outcome.ran("BIND")


@pytest.mark.qemu
def test_the_tests_of_an_op_are_a_target(pristine: Project, tmp_path: Path) -> None:
    project = pristine.copy(tmp_path / "project")
    outcome = project.build("ops/top_k/test")
    assert " passed" in outcome.text
    built = {path.parents[1].name for path in project.root.glob("build/**/firmware.elf")}
    assert built == {"mps2_an386-cmsis"}
    project.edit("ops/top_k/reference.h", "#pragma once", "#pragma once\n#error broken on purpose")
    outcome = project.scons("ops/top_k/test")
    assert outcome.status == 2
    assert "broken on purpose" in outcome.text


def test_the_name_of_an_op_s_folder_is_no_code(pristine: Project, tmp_path: Path) -> None:
    project = pristine.copy(tmp_path / "project")
    name = '${__import__("os").system("touch pwned")}'
    (project.root / "mine" / name).mkdir(parents=True)
    (project.root / "mine" / name / "op.py").write_text("OP = None\n", encoding="utf-8")
    outcome = project.scons("ops=mine", f"ops/{name}")
    assert outcome.status == 2
    assert "error OPS" in outcome.text
    assert not list(project.root.rglob("pwned"))
