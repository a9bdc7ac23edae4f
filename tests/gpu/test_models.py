"""Real models on PoCL, which compiles kernels for this machine's processor: exact, as on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import NO_PACKAGES
from tests.gpu import pocl
from toolchain.testing.firmware import build, run
from toolchain.testing.inputs import seeded_inputs
from toolchain.testing.litert import Reference

pytestmark = [pytest.mark.system, pytest.mark.slow]
MODELS = (
    "kws_int8",
    "ad_int8",
    "resnet_int8",
    "micro_speech_quantized",
    "dsconv_b1_i16",
    "kws_float",
)


@pytest.fixture(scope="module", autouse=True)
def device(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Programs run on PoCL."""
    if missing := pocl.absent():
        pytest.skip(f"{NO_PACKAGES}: {missing}")
    with pocl.on_pocl(tmp_path_factory.mktemp("pocl")):
        yield


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_exact(name: str, real_model: Callable[[str], Path], tmp_path: Path) -> None:
    model = real_model(f"{name}.tflite")
    reference = Reference(model)
    sets = seeded_inputs(reference.inputs, 2)
    firmware = build("host_gpu", model, tmp_path, affinity="*:gpu")
    for given, outputs in zip(sets, run(firmware, "host_gpu", sets), strict=True):
        for wanted, got in zip(reference.run(given), outputs, strict=True):
            assert wanted.tobytes() == got.tobytes()
