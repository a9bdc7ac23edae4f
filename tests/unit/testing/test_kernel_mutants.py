"""Mutants of kernels: every way finds what it is for, and leaves alone what is no arithmetic."""

from itertools import islice
from pathlib import Path

import pytest

from tests.mutants.__main__ import MACHINES, _by_file_and_way, _chosen, _object, run_for
from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.ways import WAYS, mutants
from tests.system.project import ROOT, Project, make_project
from tests.unit.rig.test_qemu import gone

FOUND = {
    "sign": ("y = a + b;", "y = a - b;"),
    "shift": ("y = a >> kLeft;", "y = a >> (kLeft + 1);"),
    "bound": ("if (i < n) y = a;", "if (i <= n) y = a;"),
    "stride": ("x += 2 * p.row_stride;", "x += 2 * (p.row_stride + 1);"),
    "dropped tail": ("for (; i < n; ++i) y = a;", "for (; false; ++i) y = a;"),
    "scratch off by one": ("f(scratch.columns, n);", "f((scratch.columns + 1), n);"),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_way_edits_what_it_is_for(way: str) -> None:
    right, wrong = FOUND[way]
    text = f"// a + b\n{right}\n"
    (mutant,) = (each for each in mutants("x.h", text) if each.way == way)
    assert mutant.applied(text) == f"// a + b\n{wrong}\n"
    assert (mutant.line, mutant.text) == (2, right)


@pytest.mark.parametrize("text", [
    "// a + b >> 1 < c\n", "/* a + b\n a < b */\n", '#include "a + b"\n', '"a + b"\n',
    "template <int a = b + 1, class T>\n", "static_assert(a + b < c);\n", "std::array<int, 3> a;\n",
    "p->x = y;\n",
])  # fmt: skip
def test_what_is_no_arithmetic_is_left_alone(text: str) -> None:
    assert not list(mutants("x.h", text))


@pytest.mark.slow
def test_what_an_op_only_calls_is_no_equal_object(tmp_path: Path) -> None:
    project, file = make_project(tmp_path / "project"), "runtimes/families/movement.h"
    right = _object(project, "transpose", MACHINES[0])
    text = (project.root / file).read_text(encoding="utf-8")
    mutant = next(each for each in mutants(file, text) if each.way == "sign")
    (project.root / file).write_text(mutant.applied(text), encoding="utf-8")
    broken = _object(project, "transpose", MACHINES[0])
    assert right is not None
    assert broken is not None
    assert broken != right


def test_a_mutant_that_is_known_to_be_equal_is_one() -> None:
    for file, way, text in EQUIVALENT:
        found = mutants(file, (ROOT / file).read_text(encoding="utf-8"))
        assert (way, text) in {(each.way, each.text) for each in found}, file


@pytest.mark.slow
def test_equal_seeds_choose_equal_mutants() -> None:
    first, again, other = (
        [str(each) for each in islice(_chosen(Project(ROOT), ["mean", "split"], seed), 20)]
        for seed in (1, 1, 2)
    )
    assert first == again != other
    assert len(set(first)) == 20


@pytest.mark.slow
def test_an_op_that_has_no_kernels_in_cpp_has_no_mutants() -> None:
    assert not list(_chosen(Project(ROOT), ["separable_conv_2d"], 1))


def test_what_loops_for_ever_ends_with_all_that_it_started(tmp_path: Path) -> None:
    script = "sleep 1000 & echo $! > started; wait"
    assert run_for(["sh", "-c", script], tmp_path, 0.3) is None
    assert gone(tmp_path / "started")
    assert run_for(["sh", "-c", "echo said; exit 3"], tmp_path, 60) == (3, "said\n")


@pytest.mark.slow
def test_every_op_has_mutants_in_a_file_of_its_own() -> None:
    for op in ("conv_2d", "mean", "softmax"):
        found = _by_file_and_way(Project(ROOT), op)
        assert any(file.startswith(f"ops/{op}/") for file, _ in found)
        assert any(file.startswith("runtimes/") for file, _ in found)
        assert not any(file.endswith("/cmsis_nn.h") for file, _ in found)
