"""Programs whose nodes run on a GPU, built as a user builds them: exact, whatever runs where, and
what the build says of kernels that are wrong.

Oclgrind plays the device: it interprets kernels, and tells what they read or write out of bounds.
"""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from runtimes.gpu import simulator
from tests.conftest import NO_PACKAGES
from tests.system.project import ROOT, Project, make_project
from toolchain.testing.tflite_writer import ModelWriter

pytestmark = [pytest.mark.system, pytest.mark.slow]
DIGITS = "model=digits_int8.tflite"
GPU = "board=host_gpu"
EXACT = "bit-exact with LiteRT: yes"


@pytest.fixture(scope="module", autouse=True)
def device() -> Iterator[None]:
    """Programs run on Oclgrind."""
    if absent := simulator.absent():
        pytest.skip(f"{NO_PACKAGES}: {absent}")
    with simulator.simulated():
        yield


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = make_project(tmp_path_factory.mktemp("gpu") / "p")
    shutil.copy(ROOT / "tests/models/digits_int8.tflite", made.root)
    return made


def bounded(low: int, high: int, types: Sequence[str] = ("int8",)) -> bytes:
    """minimum(maximum(x, low), high) of each type, which is a `bounded` of tests/data/my_ops."""
    m = ModelWriter()
    for dtype in types:
        x = m.input(f"x_{dtype}", (3, 50), dtype, 0.1, 0)
        least = m.constant(f"low_{dtype}", np.array([low], dtype), 0.1, 0)
        most = m.constant(f"high_{dtype}", np.array([high], dtype), 0.1, 0)
        above, y = (m.tensor(f"{name}_{dtype}", (3, 50), dtype, 0.1, 0) for name in ("above", "y"))
        m.node("MAXIMUM", [x, least], [above])
        m.node("MINIMUM", [above, most], [y])
        m.output(y)
    return m.bytes()


def own_op(project: Project, edit: dict[str, tuple[str, str]]) -> tuple[str, ...]:
    """Arguments for a model of `bounded`, in a folder of ops where texts are replaced: file ->
    (before, after).
    """
    folder = project.root / "my_ops" / "bounded"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "tests/data/my_ops/bounded", folder, ignore=lambda *_: ["__pycache__"])
    for name, (before, after) in edit.items():
        text = (folder / name).read_text("utf-8")
        assert before in text
        (folder / name).write_text(text.replace(before, after), encoding="utf-8")
    (project.root / "bounded.tflite").write_bytes(bounded(-20, 35))
    return GPU, "model=bounded.tflite", "ops=my_ops"


def test_a_model_is_exact_with_all_its_layers_on_the_gpu(project: Project) -> None:
    with simulator.simulated(thorough=True):
        done = project.scons(GPU, DIGITS, "require_gpu=1", "run")
    assert EXACT in done.text
    assert "  cpu            0 nodes" in done.text


@pytest.mark.parametrize("side", ["conv_2:cpu", "conv*:cpu,conv_2:gpu", "*:cpu"])
def test_a_model_is_exact_whatever_runs_on_the_cpu(project: Project, side: str) -> None:
    assert EXACT in project.scons(GPU, DIGITS, f"affinity={side}", "run").text


def test_a_debug_build_runs_node_by_node(project: Project) -> None:
    assert EXACT in project.scons(GPU, DIGITS, "guards=1", "affinity=*:gpu", "run").text


def test_an_op_of_ones_own_brings_its_kernel(project: Project) -> None:
    done = project.scons(*own_op(project, {}), "require_gpu=1", "run")
    assert EXACT in done.text


def test_two_variants_of_an_op_have_the_same_helper(project: Project) -> None:
    helper = "static int limited(int x, int low, int high) { return clamp(x, low, high); }\n"
    text = (ROOT / "tests/data/my_ops/bounded/gpu.cl").read_text("utf-8")
    text = helper + text.replace("clamp(", "limited(")
    args = own_op(project, {})
    (project.root / "my_ops" / "bounded" / "gpu.cl").write_text(text, encoding="utf-8")
    (project.root / "bounded.tflite").write_bytes(bounded(-20, 35, ("int8", "int16")))
    assert EXACT in project.scons(*args, "require_gpu=1", "run").text


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ({"gpu.cl": ("p.low,", "p.lowest,")}, "bounded/gpu.cl:5"),
        ({"gpu.cl": ("const Out out", "const Out out, int more")}, "bounded/gpu.cl:3"),
        ({"gpu.cl": ("// Bounded on", '#include "nowhere.cl"\n// ')}, "error KRN025"),
        ({"op.py": ("    low: int\n", "    low: float\n")}, "bounded/gpu.cl"),
        ({"op.py": ("    low: int\n", "    local: int\n")}, "error KRN028"),
        ({"gpu.cl": ("// Bounded on", '#include "../bounded/op.py"\n// ')}, "error KRN025"),
        ({"gpu.cl": ("// Bounded on", '#include "gpu.cl"\n// ')}, "includes itself"),
        ({"op.py": ("each_element)", "lambda node: None)")}, "error KRN027"),
        ({"op.py": ("each_element)", "lambda node: 5)")}, "error KRN027"),
    ],
)
def test_what_is_wrong_with_a_kernel_is_reported_before_anything_runs(
    project: Project, edit: dict[str, tuple[str, str]], said: str
) -> None:
    done = project.scons(*own_op(project, edit), "affinity=*:gpu")
    assert done.status != 0
    assert said in done.text
    assert done.text.count("BLD034") <= 1


def test_tune_measures_groups_on_the_device_and_they_change_no_byte(project: Project) -> None:
    args = own_op(project, {})
    said = project.build(*args, "affinity=*:gpu", "profile", "tune").text
    assert "on the device: nanoseconds of nodes on the device by its own clock" in said
    path = project.root / "bounded.tune.toml"
    stored = tomllib.loads(path.read_text("utf-8"))["host_gpu-gpu-balanced"]
    assert stored["unit"] == "device_nanoseconds"
    ((name, figures),) = stored["nodes"].items()
    assert {*figures} == {"gpu", "gpu@32", "gpu@128", "reference"}
    text = path.read_text("utf-8").replace(f'"gpu@32" = {figures["gpu@32"]}', '"gpu@32" = 0')
    path.write_text(text, encoding="utf-8")
    assert EXACT in project.build(*args, "affinity=*:gpu", "run").text
    path.unlink()
    (report,) = (
        found
        for folder in project.root.glob("build/host_gpu-gpu/bounded*")
        for found in [json.loads((folder / "report.json").read_text("utf-8"))]
        if found["nodes"][0]["kernel"] == "gpu@32" and not found["stepwise"]
    )
    assert [(each["node"], each["group"]) for each in report["emitted"]["launches"]] == [
        (name, [32, 1, 1])
    ]


def test_two_builds_give_the_same_bytes(project: Project) -> None:
    folder = project.root / "build/host_gpu-gpu/digits_int8"
    names = ("gpu/kernels.cl", "gpu/calls.cc", "gpu/kernels.ptx", "firmware.elf")
    project.build(GPU, DIGITS)
    first = [(folder / name).read_bytes() for name in names]
    shutil.rmtree(project.root / "build")
    project.build(GPU, DIGITS)
    assert [(folder / name).read_bytes() for name in names] == first
