"""An op's folder is a target: its kernels compile for a board, its tests run."""

from pathlib import Path

import pytest

from tests.system.project import Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]
ARM = "board=mps2_an386"
TEST = """\
def test_right() -> None:
    assert True

def test_wrong() -> None:
    assert False, "broken on purpose"
"""


@pytest.fixture(scope="module")
def built(projects: Path) -> Project:
    """Project in which the kernels of some ops are compiled."""
    project = make_project(projects / "p", ops=("abs", "top_k"))
    compiled = project.build("ops/abs", "ops/top_k", ARM).ran("CC")
    assert compiled == {"abs.check.cc", "top_k.check.cc"}
    return project


@pytest.fixture
def project(built: Project) -> Project:
    """Copy of the built project for one test to change."""
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


def test_the_tests_of_an_op_are_a_target_which_fails_as_they_do(project: Project) -> None:
    """Tests of an op run as a target; test_out_of_tree.py and test_ops_readme.py test that they run
    kernels here and on boards.
    """
    project.test_in_one_process()
    (project.root / "ops" / "abs" / "test_abs.py").write_text(TEST, encoding="utf-8")
    outcome = project.scons("ops/abs/test")
    assert outcome.status == 2
    assert "broken on purpose" in outcome.text
    assert " 1 failed, 1 passed in " in outcome.text


def test_an_op_without_tests_has_no_target_for_them(project: Project) -> None:
    (project.root / "ops/top_k/test_top_k.py").unlink()
    outcome = project.scons("ops/top_k/test")
    assert outcome.status == 2
    assert "error BLD005: 'top_k' has no tests" in outcome.text
    assert "write ops/top_k/test_top_k.py" in outcome.text
    right = TEST.partition("\n\n")[0]
    (project.root / "ops/top_k/top_k_test.py").write_text(right, encoding="utf-8")
    outcome = project.scons("ops/top_k/test")  # pytest finds files of this name, too
    assert (outcome.status, " 1 passed in " in outcome.text) == (0, True), outcome.text


def test_the_name_of_an_op_s_folder_is_no_code(project: Project) -> None:
    name = '${__import__("os").system("touch pwned")}'
    (project.root / "mine" / name).mkdir(parents=True)
    (project.root / "mine" / name / "op.py").write_text("OP = None\n", encoding="utf-8")
    outcome = project.scons("ops=mine", f"ops/{name}")
    assert outcome.status == 2
    assert "error OPS" in outcome.text
    assert not list(project.root.rglob("pwned"))
