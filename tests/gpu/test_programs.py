"""Programs whose nodes run on a GPU, built as a user builds them: exact, whatever runs where, and
what the build says of kernels that are wrong.

Oclgrind plays the device: it interprets kernels, and tells what they read or write out of bounds.
"""

import json
import shutil
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from opsmith.testing.checkout import ROOT, models_folder
from opsmith.testing.firmware import products, scons
from opsmith.tflite.writer import ModelWriter
from runtimes.gpu import simulator
from tests.gpu.opencl_board import OPENCL
from tests.system.project import convolutions

pytestmark = [pytest.mark.system, pytest.mark.slow]
DIGITS = Path("tests/models/digits_int8.tflite")
EXACT = "bit-exact with LiteRT: yes"


@pytest.fixture(scope="module", autouse=True)
def device() -> Iterator[None]:
    """Oclgrind as the device on which programs of the tests run."""
    if absent := simulator.absent():
        pytest.skip(absent)
    with simulator.simulated():
        yield


def check_exact(*arguments: str) -> str:
    """Fail unless the program of `scons ARGUMENTS` is exact; returns what is said."""
    done = scons(*OPENCL, *arguments, "run")
    assert EXACT in done.stdout, done.stdout + done.stderr
    return done.stdout


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


def own_op(edit: dict[str, tuple[str, str]], types: Sequence[str] = ("int8",)) -> tuple[str, str]:
    """Arguments for a model of `bounded`, in a folder of ops where texts are replaced: file ->
    (before, after).
    """
    place = models_folder()
    folder = ROOT / place / "my_ops" / "bounded"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "tests/data/my_ops/bounded", folder, ignore=lambda *_: ["__pycache__"])
    for name, (before, after) in edit.items():
        text = (folder / name).read_text("utf-8")
        assert before in text
        (folder / name).write_text(text.replace(before, after), encoding="utf-8")
    (ROOT / place / "bounded.tflite").write_bytes(bounded(-20, 35, types))
    return f"model={place}/bounded.tflite", f"ops={place}/my_ops"


def test_a_model_is_exact_with_all_its_layers_on_the_gpu() -> None:
    with simulator.simulated(thorough=True):
        check_exact(f"model={DIGITS}", "require_gpu=1")
    report = products(*OPENCL, f"model={DIGITS}", "require_gpu=1") / "report.json"
    assert json.loads(report.read_text("utf-8"))["placement"]["sides"]["cpu"]["nodes"] == 0


@pytest.mark.few(0)  # test_placement.py has nodes run there
@pytest.mark.parametrize("side", ["conv*:cpu,conv_2:gpu", "*:cpu", "conv_2:cpu"])
def test_a_model_is_exact_whatever_runs_on_the_cpu(side: str) -> None:
    check_exact(f"model={DIGITS}", f"affinity={side}")


@pytest.mark.few(0)  # test_guards.py has one of a processor
def test_a_debug_build_runs_node_by_node() -> None:
    model = models_folder() / "convolutions.tflite"
    (ROOT / model).write_bytes(convolutions())
    check_exact(f"model={model}", "guards=1", "affinity=*:gpu")


def test_an_op_of_ones_own_brings_its_kernel_whose_variants_have_the_same_helper() -> None:
    # A constant of four bytes is no double, which Oclgrind has.
    helper = "static int limited(int x, int low, int high) {\n"
    helper += "return clamp(x, low, high) + (int)sizeof(0.1) - 4;\n}\n"
    edit = {"gpu.cl": ("clamp(", "limited(")}
    args = own_op(edit, ("int8", "int16"))
    kernel = ROOT / models_folder() / "my_ops" / "bounded" / "gpu.cl"
    kernel.write_text(helper + kernel.read_text("utf-8"), encoding="utf-8")
    check_exact(*args, "require_gpu=1")


@pytest.mark.few(5)
@pytest.mark.parametrize(("edit", "said"), [
    ({"gpu.cl": ("p.low,", "p.lowest,")}, "bounded/gpu.cl:5"),
    ({"gpu.cl": ("const Out out", "const Out out, int more")}, "bounded/gpu.cl:3"),
    ({"op.py": ("    low: int\n", "    low: float\n")}, "bounded/gpu.cl"),
    ({"op.py": ("    low: int\n", "    local: int\n")}, "error KRN028"),
    ({"gpu.cl": ("// Bounded on", '#include "../bounded/op.py"\n// ')}, "error KRN025"),
    ({"gpu.cl": ("// Bounded on", '#include "gpu.cl"\n// ')}, "includes itself"),
    ({"gpu.py": ("each_element)", 'each_element, sources=("reference.h",))')}, "error KRN025"),
    ({"gpu.py": ("each_element)", "lambda node: None)")}, "error KRN027"),
    ({"gpu.py": ("each_element)", "lambda node: 5)")}, "error OPS070"),
])  # fmt: skip
def test_what_is_wrong_with_a_kernel_is_reported_before_anything_runs(
    edit: dict[str, tuple[str, str]], said: str
) -> None:
    done = scons(*OPENCL, *own_op(edit), "affinity=*:gpu")
    text = done.stdout + done.stderr
    assert done.returncode != 0
    assert "Traceback" not in text
    assert said in text
    assert text.count("BLD034") <= 1


@pytest.mark.few(0)
def test_tune_measures_groups_on_the_device_and_they_change_no_byte() -> None:
    args = (*own_op({}), "affinity=*:gpu")
    tuned = scons(*OPENCL, *args, "profile", "tune")
    assert "on the device: nanoseconds of nodes on the device by its own clock" in tuned.stdout
    path = ROOT / models_folder() / "bounded.tune.toml"
    stored = tomllib.loads(path.read_text("utf-8"))["host_opencl-gpu-balanced"]
    assert stored["unit"] == "device_nanoseconds"
    ((name, figures),) = stored["nodes"].items()
    assert {*figures} == {"gpu", "gpu@32", "gpu@128", "reference"}
    text = path.read_text("utf-8").replace(f'"gpu@32" = {figures["gpu@32"]}', '"gpu@32" = 0')
    path.write_text(text, encoding="utf-8")
    check_exact(*args)
    path.unlink()
    report = json.loads((products(*OPENCL, *args) / "report.json").read_text("utf-8"))
    assert report["nodes"][0]["kernel"] == "gpu@32"
    assert [(each["node"], each["group"]) for each in report["emitted"]["launches"]] == [
        (name, [32, 1, 1])
    ]


@pytest.mark.few(0)  # test_verify_build.py has a whole firmware
def test_two_builds_give_the_same_bytes(tmp_path: Path) -> None:
    """The second ends with the kernels' files; test_verify_build.py has a whole firmware."""
    model = tmp_path / "twice.tflite"  # whose folder nobody else builds in
    shutil.copy(ROOT / DIGITS, model)
    args = ("board=host_gpu", f"model={model}")
    names, folder = ("gpu/kernels.cl", "gpu/calls.cc", "gpu/kernels.ptx"), products(*args)
    made = []
    for target in ([], [str((folder / names[-1]).relative_to(ROOT))]):
        shutil.rmtree(folder, ignore_errors=True)
        done = scons(*args, *target)
        assert done.returncode == 0, done.stdout + done.stderr
        made.append([(folder / name).read_bytes() for name in names])
    assert made[0] == made[1]
