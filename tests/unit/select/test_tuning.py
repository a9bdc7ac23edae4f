"""Tests of measurements by `tune`: stored for each target, read for one model, refused where
stale.
"""

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import KernelChoice
from opsmith.op.kernel import Plan, Work
from opsmith.op.view import NodeView
from opsmith.report.profile import Profile
from opsmith.rig.tune import tuned
from opsmith.select.choice import Preferences
from opsmith.select.kernel_sources import edited_problems, kernel_files, source_digests
from opsmith.select.select_kernels import select_kernels
from opsmith.select.tuning import Tuning, check_replaceable, read_tuning, unreadable, write_tuning
from tests.special import SPECIAL, replace_by
from tests.unit.graphs import graph, kernel, node, op, ops, params, tensor

HASH = "ab" * 32
CYCLES = Tuning("modelled_cycles", {"y": {"fast": 5, "reference": 7}})
OTHER = Tuning("cycles", {}, {"work": "0123456789ab"})
WORK = ops(
    op(
        "work",
        kernels=(
            kernel("mve", requires={"mve"}),
            kernel("fast"),
            kernel("slow", cost=lambda node: 1),
            kernel(),
        ),
    )
)


def stored(folder: Path, text: str) -> Path:
    path = folder / "m.tune.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    tunings = {"mps2_an386-cmsis-balanced": CYCLES, "stm32f405-cmsis-speed": OTHER}
    path = stored(tmp_path, write_tuning(HASH, tunings))
    assert read_tuning(path, HASH) == tunings


def test_the_text_is_the_same_whatever_the_order_of_targets() -> None:
    one, other = {"a": CYCLES, "b": OTHER}, {"b": OTHER, "a": CYCLES}
    assert write_tuning(HASH, one) == write_tuning(HASH, other)


def test_a_file_of_another_model_is_refused(tmp_path: Path) -> None:
    path = stored(tmp_path, write_tuning("cd" * 32, {}))
    with pytest.raises(ToolchainError, match=r"BLD071.*cdcdcdcdcdcd…[\s\S]*measure again"):
        read_tuning(path, HASH)


@pytest.mark.parametrize(
    "text",
    [
        "no toml",
        "",
        f'model_sha256 = "{HASH}"\n[t]\nnodes.y = {{ "a" = 1 }}\n',
        f'model_sha256 = "{HASH}"\n[t]\nunit = "cycles"\nnodes.y = {{ "a" = "1" }}\n',
        f'model_sha256 = "{HASH}"\nt = 3\n',
        f'model_sha256 = "{HASH}"\n[t]\nunit = "cycles"\n',  # without digests of kernels
        *(
            f'model_sha256 = "{HASH}"\n[t]\nunit = "cycles"\nsources = {{}}\nnodes = {nodes}\n'
            for nodes in (
                "[1]", "{a = 1}", f"{{a = {{k = {'9' * 5000}}}}}",
                f"{{a = {{k = 0x{'f' * 5000}}}}}", "{a = {k = true}}", "{a = {k = -1}}",
                "[" * 5000, "{a = {b = " * 20,
            )
        ),
        f'model_sha256 = 0x{"f" * 5000}\n',
        f'model_sha256 = "{HASH}"\n[t]\nunit = 0x{"f" * 5000}\nsources = {{}}\n',
        f'model_sha256 = "{HASH}"\n[t]\nunit = "cycles"\nsources = [1]\n',
        write_tuning(HASH, {"t": Tuning("hours", {})}),
        "#" * (3 << 20),
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ToolchainError, match="BLD070: is not a file that `tune` wrote: ") as error:
        read_tuning(stored(tmp_path, text), HASH)
    assert "Error" not in str(error.value)  # Python's names say nothing to a user
    assert "leave out tune=" in str(error.value)


@pytest.mark.parametrize("kind", SPECIAL)
def test_what_is_no_file_is_neither_read_nor_replaced(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "m.tune.toml"
    replace_by(path, kind)
    for look in (partial(read_tuning, sha256=HASH), check_replaceable):
        with pytest.raises(ToolchainError, match="BLD070: is not a file that `tune` wrote"):
            look(path)
    (problem,) = unreadable(path)
    assert problem.code == "BLD070"


@pytest.mark.parametrize(("text", "kept"), [
    ("# My project\n", True),
    ("constexpr uint8_t model_sha256[32] = {\n", True),
    ("", False),
    (None, False),
])  # fmt: skip
def test_a_file_of_something_else_is_not_replaced(
    tmp_path: Path, text: str | None, kept: bool
) -> None:
    path = tmp_path / "README.md" if text is None else stored(tmp_path, text)
    with pytest.raises(ToolchainError, match="BLD070") if kept else nullcontext():
        check_replaceable(path)
    check_replaceable(stored(tmp_path, write_tuning(HASH, {"a": CYCLES})))
    with pytest.raises(ToolchainError, match="BLD070"):
        check_replaceable(tmp_path)


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_measured(
    tmp_path: Path,
) -> None:
    long = tmp_path / f"{'m' * 242}.tune.toml"  # of 252 bytes, and 256 while it is written
    for path in (Path("/proc/m.tune.toml"), tmp_path / "missing/m.tune.toml", long):
        with pytest.raises(ToolchainError, match="BLD002") as caught:
            check_replaceable(path)
        assert "tune=" in caught.value.problems[0].fix
    assert "shorter" in caught.value.problems[0].fix
    check_replaceable(tmp_path / f"{'m' * 241}.tune.toml")


def chosen(preferences: Preferences) -> KernelChoice:
    """Choice of the kernel that a graph's only node gets."""
    g = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
    found = select_kernels(g, WORK, frozenset(), preferences).nodes[0].kernel
    assert found is not None
    return found


def test_every_candidate_gets_its_turn_and_the_last_stays() -> None:
    taken = [chosen(Preferences(candidate=number)).name for number in range(5)]
    assert taken == ["fast", "slow", "reference", "reference", "reference"]


def test_the_cheapest_as_measured_is_taken() -> None:
    figures = {"fast": 7, "slow": 9, "reference": 5}
    assert chosen(Preferences(measured={"y": figures})).name == "reference"


def grouped(node: NodeView) -> Plan:
    """Plan of work-items in groups of 64, or of two further sizes."""
    return Plan(params(node), work=Work((100,), (64,), others=((32,), (8, 4))))


IN_GROUPS = ops(op("work", kernels=(kernel("gpu", plan=grouped), kernel())))


def in_groups(preferences: Preferences) -> KernelChoice:
    g = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
    found = select_kernels(g, IN_GROUPS, frozenset(), preferences).nodes[0].kernel
    assert found is not None
    return found


def test_groups_of_every_size_get_their_turn_before_the_next_kernel() -> None:
    found = [in_groups(Preferences(candidate=number)) for number in range(5)]
    assert [each.name for each in found] == ["gpu", "gpu@32", "gpu@8x4", "reference", "reference"]
    assert [each.plan.work.group for each in found[:3]] == [(64,), (32,), (8, 4)]
    assert {each.symbol for each in found[:3]} == {found[0].symbol}


def test_the_cheapest_groups_as_measured_are_taken() -> None:
    figures = {"gpu": 7, "gpu@32": 6, "gpu@8x4": 3, "reference": 5}
    found = in_groups(Preferences(measured={"y": figures}))
    assert (found.name, found.index, found.plan.work.group) == ("gpu@8x4", 0, (8, 4))
    assert in_groups(Preferences()).name == "gpu"
    assert len(in_groups(Preferences()).candidates) == 2


def test_groups_that_were_not_measured_are_stale() -> None:
    with pytest.raises(ToolchainError, match=r"BLD072.*gpu@8x4 of node y was not measured"):
        in_groups(Preferences(measured={"y": {"gpu": 7, "gpu@32": 6, "reference": 5}}))


@pytest.mark.parametrize(("measured", "told"), [
    ({"y": {"fast": 7, "reference": 5}}, "slow of node y was not measured"),
    ({"gone": {"fast": 7, "reference": 5}}, "node gone is gone"),
])  # fmt: skip
def test_stale_measurements_are_refused(measured: dict[str, dict[str, int]], told: str) -> None:
    with pytest.raises(ToolchainError, match=f"BLD072.*{told}"):
        chosen(Preferences(measured=measured))


def test_with_a_preference_measurements_decide_nothing() -> None:
    preferences = Preferences(prefer="slow", measured={"y": {"fast": 7, "reference": 5}})
    assert chosen(preferences).name == "slow"


def test_an_edit_of_what_a_kernel_includes_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "reference.h").write_text('#include "work/inner.h"\n', encoding="utf-8")
    (folder / "inner.h").write_text("int one;\n", encoding="utf-8")
    (folder / "mve.h").write_text("int lanes;\n", encoding="utf-8")
    work = replace(WORK.by_name["work"], folder=folder)
    assert [file.name for file in kernel_files(work, frozenset())] == ["inner.h", "reference.h"]
    tuning = replace(CYCLES, sources=source_digests([work], frozenset()))
    (folder / "mve.h").write_text("", encoding="utf-8")  # which this target cannot have
    assert not [*edited_problems(tuning, [work], frozenset(), "m.tune.toml")]
    (folder / "inner.h").write_text("int two;\n", encoding="utf-8")
    (problem,) = edited_problems(tuning, [work], frozenset(), "m.tune.toml")
    assert problem.code == "BLD072"
    assert problem.what.endswith("since `tune` measured them: those of work")


def profile(taken: str, figures: tuple[int, int]) -> Profile:
    """Profile of a firmware whose first node has the given kernel."""
    several = [{"kernel": taken, "taken": True}, {"kernel": "other", "taken": False}]
    only = [{"kernel": "reference", "taken": True}]
    nodes = [{"name": "y", "candidates": several}, {"name": "z", "candidates": only}]
    meaning = {"instructions": "", "modelled_cycles": ""}
    return Profile("", meaning, nodes, [figures, (1, 1)], (0, 0))


def test_nodes_with_several_kernels_are_stored_with_the_figure_nearest_to_time() -> None:
    found = tuned([profile("fast", (9, 5)), profile("reference", (8, 7))])
    assert found == CYCLES


def test_a_node_that_did_not_run_is_not_measured() -> None:
    idle = replace(profile("reference", (0, 0)), runs=(0, 1))
    assert tuned([profile("fast", (9, 5)), idle]).nodes == {}
