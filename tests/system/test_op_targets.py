"""An op's folder is a target: its kernels compile for a board, its tests run."""

from __future__ import annotations

import pytest

from tests.system import broken_ops
from tests.system.project import IN_ONE_PROCESS, Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]
ARM = "board=mps2_an386"
TEST = '''"""Twice: six floats."""

from opsmith.testing.op_tests import Case, OpTests
from opsmith.testing.tflite_writer import ModelWriter


def twice(m: ModelWriter) -> None:
    """A Twice to build."""
    x, y = m.input("x", (6,), "float32"), m.tensor("y", (6,), "float32")
    m.node("CUSTOM", [x], [y], custom="Twice")
    m.output(y)


class TestTwice(OpTests):
    oracle = "numpy"
    cases = (Case("six", twice),)
'''


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project in which the kernels of some ops are compiled."""
    project = make_project(tmp_path_factory.mktemp("op_targets") / "p", ops=("abs", "top_k"))
    compiled = project.build("ops/abs", "ops/top_k", ARM).ran("CC")
    assert compiled == {"abs.check.cc", "top_k.check.cc"}
    return project


@pytest.fixture
def project(built: Project) -> Project:
    """A copy for a test of its own."""
    return built.lent()


@pytest.mark.parametrize("target", ["ops/abs", "ops/abs/", "./ops//abs"])
def test_the_folder_of_an_op_is_a_target(built: Project, target: str) -> None:
    outcome = built.build(target, ARM)
    assert outcome.text == "ops/abs is up to date for mps2_an386\n"


def test_an_edited_kernel_compiles_only_its_own_op(project: Project) -> None:
    project.append("ops/top_k/reference.h", "// edited\n")
    outcome = project.build("ops/abs", "ops/top_k", ARM)
    assert outcome.ran("CC") == {"top_k.check.cc"}
    assert not outcome.ran("BIND")


@pytest.mark.qemu
def test_the_tests_of_an_op_are_a_target(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(*IN_ONE_PROCESS)
    broken_ops.write_twice(project.root / "ops")
    (project.root / "ops" / "twice" / "test_twice.py").write_text(TEST, encoding="utf-8")
    assert " 5 passed in " in project.build("ops/twice/test").text
    on_boards = "#pragma once\n#ifdef __arm__\n#error broken on purpose\n#endif"
    project.edit("ops/twice/reference.h", "#pragma once", on_boards)
    outcome = project.scons("ops/twice/test")
    assert outcome.status == 2
    assert "broken on purpose" in outcome.text


def test_the_name_of_an_op_s_folder_is_no_code(project: Project) -> None:
    name = '${__import__("os").system("touch pwned")}'
    (project.root / "mine" / name).mkdir(parents=True)
    (project.root / "mine" / name / "op.py").write_text("OP = None\n", encoding="utf-8")
    outcome = project.scons("ops=mine", f"ops/{name}")
    assert outcome.status == 2
    assert "error OPS" in outcome.text
    assert not list(project.root.rglob("pwned"))
