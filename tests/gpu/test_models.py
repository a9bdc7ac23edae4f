"""Real models on PoCL, which compiles kernels for this machine's processor: exact, as on a GPU."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from opsmith.ir import Numerics
from opsmith.op import OTHER_RULES
from opsmith.oracle.litert import Reference
from opsmith.oracle.rules import answers_to
from opsmith.pipeline import Reading
from opsmith.testing.inputs import seeded_inputs
from tests.conftest import NO_PACKAGES
from tests.gpu import pocl
from tests.gpu.opencl_board import build, run
from tests.oracles import need_oracle

pytestmark = [pytest.mark.system, pytest.mark.slow]
# One of each element type, and rule. Op by op all kernels are proved on Oclgrind by the
# reference's, pairs by test_fused.py.
MODELS = {
    "micro_speech_quantized": Numerics.NOTEBOOK,
    "dsconv_b1_i16": Numerics.REFERENCE,
    "kws_float": Numerics.REFERENCE,
}
FURTHER = (
    *("ad_float", "ad_int8", "kws_int8", "resnet_float", "resnet_int8", "sww_int8", "vww_float"),
    *("vww_int8", "hello_world_float", "hello_world_int8", "dsplain_b1_f32", "grouped_i8"),
    *("mbv2_035_96_i8", "mcunet5x5_i8", "mlp512_i8", "resnet20_i8", "se_pool_i8", "tcn2d_b1_i8"),
)
LAYERS = ("conv_2d", "fully_connected")
ORACLE_SECONDS = 60.0
# PoCL takes four times as long to optimise kernels as to run them as they are.
OPTIMISED = ("micro_speech_quantized", "dsconv_b1_i16")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder for the kernels that PoCL compiles."""
    if missing := pocl.absent():
        pytest.skip(f"{NO_PACKAGES}: {missing}")
    return tmp_path_factory.mktemp("pocl")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise by model and rule; with --examples=2, by all models that LiteRT can run, int8 by
    all rules.
    """
    pairs = [*MODELS.items()]
    if metafunc.config.getoption("--examples") > 1:
        pairs += [(name, Numerics.REFERENCE) for name in (*MODELS, *FURTHER)]
        of_int8 = [name for name in FURTHER if name.endswith(("_int8", "_i8"))]
        pairs += [(name, rule) for name in of_int8 for rule in OTHER_RULES]
    metafunc.parametrize(("name", "rule"), dict.fromkeys(pairs))


@pytest.mark.few(1)
def test_a_model_is_exact(
    name: str, rule: Numerics, real_model: Callable[[str], Path], cache: Path, tmp_path: Path
) -> None:
    need_oracle(rule)
    model = real_model(f"{name}.tflite")
    sets = seeded_inputs(Reference(model).inputs, 2)
    firmware = build(model, tmp_path, affinity="*:gpu", numerics=str(rule))
    report = json.loads((firmware / "report.json").read_text("utf-8"))
    layers = [node for node in report["nodes"] if node["op"].endswith(LAYERS)]
    assert layers and all(node["kernel"].startswith("gpu") for node in layers)
    with pocl.on_pocl(cache, optimised=name in OPTIMISED):
        answers = run(firmware, sets)
    wanted = answers_to(rule, model, sets, Reading(numerics=rule), ORACLE_SECONDS)
    for theirs, ours in zip(wanted, answers, strict=True):
        for expected, got in zip(theirs.values(), ours, strict=True):
            assert expected.tobytes() == got.tobytes()
