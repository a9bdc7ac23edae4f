"""GPU programs for aarch64 compute on PoCL under an emulator, where its packages were fetched."""

import json
from pathlib import Path

import pytest

from opsmith.testing.firmware import products, scons
from runtimes.gpu import simulator
from tests.conftest import NO_ARM64_POCL
from tests.gpu.arm64 import BOARD, fetched, variables
from tests.system.project import convolutions
from tests.system.tools import require_tools

pytestmark = [pytest.mark.system, pytest.mark.qemu]
ARM64 = (f"board={BOARD.name}", "runtime=gpu")
# Under QEMU, PoCL takes seconds for each kernel.
GPU = (
    *ARM64,
    "model=tests/models/digits_int8.tflite",
    "affinity=*:cpu,add:gpu,logits:gpu",
)


@pytest.fixture(autouse=True)
def tools() -> None:
    """Skip tests without the compilers of the board and of its kernels."""
    require_tools(BOARD)
    if absent := simulator.absent():
        pytest.skip(absent)


@pytest.fixture
def pocl() -> Path:
    """Folder of PoCL for aarch64; skips the test where it is absent."""
    root = fetched()
    if root is None:
        pytest.skip(NO_ARM64_POCL)
    return root


def test_a_program_is_exact(pocl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    for name, value in variables(pocl, kernels).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    done = scons(*GPU, "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "(qemu-aarch64)" in done.stdout
    assert "bit-exact with LiteRT: yes" in done.stdout
    report = json.loads((products(*GPU) / "report.json").read_text("utf-8"))
    on_gpu = [node["op"] for node in report["nodes"] if node["kernel"].startswith("gpu")]
    assert on_gpu == ["add", "fully_connected"]
    assert list(kernels.rglob("*.so")), "PoCL compiled nothing"


@pytest.mark.few(0)
def test_without_a_driver_the_program_says_so_and_computes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "tiny.tflite"
    model.write_bytes(convolutions())
    monkeypatch.setenv("OPSMITH_OPENCL", "/nowhere/libOpenCL.so")
    done = scons(*ARM64, f"model={model}", "affinity=*:gpu", "run")
    assert done.returncode == 2
    assert "GPU001" in done.stderr
    assert "bit-exact" not in done.stdout
