"""Real models on PoCL, which compiles kernels for this machine's processor: exact, as on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from opsmith.oracle.litert import Reference
from opsmith.testing.inputs import seeded_inputs
from tests.conftest import NO_PACKAGES
from tests.gpu import pocl
from tests.gpu.opencl_board import build, run

pytestmark = [pytest.mark.system, pytest.mark.slow]
# One of each element type. Op by op all kernels are proved on Oclgrind, pairs by test_fused.py.
MODELS = ("micro_speech_quantized", "dsconv_b1_i16", "kws_float")
FURTHER = (
    *("ad_float", "ad_int8", "kws_int8", "resnet_float", "resnet_int8", "sww_int8", "vww_float"),
    *("vww_int8", "hello_world_float", "hello_world_int8", "dsplain_b1_f32", "grouped_i8"),
    *("mbv2_035_96_i8", "mcunet5x5_i8", "mlp512_i8", "resnet20_i8", "se_pool_i8", "tcn2d_b1_i8"),
)
# PoCL takes four times as long to optimise kernels as to run them as they are.
OPTIMISED = ("micro_speech_quantized", "dsconv_b1_i16")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder for the kernels that PoCL compiles."""
    if missing := pocl.absent():
        pytest.skip(f"{NO_PACKAGES}: {missing}")
    return tmp_path_factory.mktemp("pocl")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """With --examples=2, all models run that LiteRT can run."""
    every = metafunc.config.getoption("--examples") > 1
    metafunc.parametrize("name", [*MODELS, *(FURTHER if every else ())])


def test_a_model_is_exact(
    name: str, real_model: Callable[[str], Path], cache: Path, tmp_path: Path
) -> None:
    model = real_model(f"{name}.tflite")
    reference = Reference(model)
    sets = seeded_inputs(reference.inputs, 2)
    firmware = build(model, tmp_path, affinity="*:gpu")
    with pocl.on_pocl(cache, optimised=name in OPTIMISED):
        answers = run(firmware, sets)
    for given, outputs in zip(sets, answers, strict=True):
        for wanted, got in zip(reference.run(given), outputs, strict=True):
            assert wanted.tobytes() == got.tobytes()
