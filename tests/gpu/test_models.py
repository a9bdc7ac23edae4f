"""Real models on PoCL, which compiles kernels for this machine's processor: exact, as on a GPU."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from ctypes import CDLL
from pathlib import Path

import pytest

from tests.conftest import NO_PACKAGES
from toolchain.testing.firmware import build, run
from toolchain.testing.inputs import seeded_inputs
from toolchain.testing.litert import Reference

pytestmark = [pytest.mark.system, pytest.mark.slow]
ICD = Path("/etc/OpenCL/vendors/pocl.icd")
MODELS = (
    "kws_int8",
    "ad_int8",
    "resnet_int8",
    "micro_speech_quantized",
    "dsconv_b1_i16",
    "kws_float",
)
# PoCL takes four times as long to optimise kernels as to run them as they are.
OPTIMISED = ("micro_speech_quantized", "dsconv_b1_i16")


@pytest.fixture(scope="module", autouse=True)
def pocl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Programs run on PoCL, which keeps what it compiles in a folder of these tests."""
    try:
        CDLL("libOpenCL.so.1")
    except OSError as error:
        pytest.skip(f"{NO_PACKAGES}: {error}")
    if not ICD.is_file():
        pytest.skip(f"{NO_PACKAGES}: there is no {ICD}")
    folder = tmp_path_factory.mktemp("pocl")
    settings = {
        "OPSMITH_DEVICE": "opencl",
        "OCL_ICD_VENDORS": str(ICD),
        "POCL_CACHE_DIR": str(folder),
        "XDG_CACHE_HOME": str(folder),
    }
    before = dict(os.environ)
    os.environ.update(settings)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_exact(
    name: str,
    real_model: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if name not in OPTIMISED:
        monkeypatch.setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable")
    model = real_model(f"{name}.tflite")
    reference = Reference(model)
    sets = seeded_inputs(reference.inputs, 2)
    firmware = build("host_gpu", model, tmp_path, affinity="*:gpu")
    for given, outputs in zip(sets, run(firmware, "host_gpu", sets), strict=True):
        for wanted, got in zip(reference.run(given), outputs, strict=True):
            assert wanted.tobytes() == got.tobytes()
