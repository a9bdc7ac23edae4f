"""Real models, built for real boards: every byte that the firmware answers is LiteRT's."""

from pathlib import Path

import numpy as np
import pytest
import tflite  # type: ignore[import-untyped, unused-ignore]

from opsmith.board.manifest import load_board
from opsmith.oracle.litert import Array, Reference
from opsmith.rig.build import PortTensor, load_build
from opsmith.rig.fill import Fill
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import build, run
from tests.system.tools import require_tools

pytestmark = [pytest.mark.system, pytest.mark.qemu, pytest.mark.slow]
MODELS = (
    "mlperf_tiny/ad_int8", "mlperf_tiny/kws_int8", "mlperf_tiny/resnet_int8",
    "mlperf_tiny/sww_int8", "mlperf_tiny/vww_int8", "tflite_micro/hello_world_int8",
    "tflite_micro/micro_speech_quantized",
)  # fmt: skip
# One for each set of kernels; all seven models fit each, and test_speed.py counts on the same.
BOARDS = ("mps3_an547", "mps2_an386")
PORTABLE = ("host", "qemu_riscv32")  # have portable kernels alone, from two compilers
SEEDS = 8


def cells(every: bool) -> list[tuple[str, str]]:
    """Pairs of model and board: each model with one set of kernels (test_streams.py streams some
    with the other set), and one model with portable kernels, as test_traced.py runs all so. Or
    every model on every board.
    """
    if every:
        return [(model, board) for model in MODELS for board in (*BOARDS, *PORTABLE)]
    found = [(model, BOARDS[number % 2]) for number, model in enumerate(MODELS)]
    return [*found, (MODELS[-1], PORTABLE[-1])]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise by model and board; with --examples=2, every model runs on every board."""
    found = cells(metafunc.config.getoption("--examples") > 1)
    names = [f"{model}-{board}" for model, board in found]
    metafunc.parametrize(("model", "board"), found, ids=names)


@pytest.mark.few(1)
def test_firmware_answers_as_litert(
    model: str, board: str, models_dir: Path, tmp_path: Path
) -> None:
    require_tools(load_board(board, [ROOT / "boards"]))
    path = models_dir / f"{model}.tflite"
    inner = before_output(path)
    firmware = build(board, path, tmp_path, outputs=[inner])
    names, inputs, expected = golden(path, inner, firmware)
    outputs = run(firmware, board, inputs)
    for number, (got, want) in enumerate(zip(outputs, expected, strict=True)):
        for name, mine, theirs in zip(names, got, want, strict=True):
            assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
            np.testing.assert_array_equal(mine, theirs, f"input {number}, tensor '{name}'")


def golden(
    path: Path, inner: str, firmware: Path
) -> tuple[list[str], list[list[Fill]], list[list[Array]]]:
    """Names of the outputs, the inputs to try, and what LiteRT's reference kernels answer."""
    tensors = load_build(firmware).inputs
    reference = Reference(path, outputs=[inner])
    inputs = [[each for _ in tensors] for each in (*seeded(), *extremes(tensors[0]))]
    names = [detail.name for detail in reference.outputs]
    arrays = [[f.array(t) for f, t in zip(each, tensors, strict=True)] for each in inputs]
    return names, inputs, [reference.run(each) for each in arrays]


def seeded() -> list[Fill]:
    """Random bytes, and for half of the seeds ramps, which reach further into a network."""
    random = np.random.default_rng(0)
    starts, steps = random.integers(2**32, size=SEEDS), random.integers(2**28, size=SEEDS)
    return [
        Fill.ramp(int(start), int(step)) if number % 2 else Fill(int(start))
        for number, (start, step) in enumerate(zip(starts, steps, strict=True))
    ]


def extremes(tensor: PortTensor) -> list[Fill]:
    """Inputs of extremes: all smallest, all largest, all zero point, and smallest and largest in
    turn.
    """
    limits = np.iinfo(tensor.dtype)
    return [
        Fill.constant(limits.min),
        Fill.constant(limits.max),
        Fill.constant(tensor.zero_point or 0),
        Fill.alternating(limits.min, limits.max),
    ]


def before_output(path: Path) -> str:
    """Name of the tensor before the last node, such as a softmax, which hides errors."""
    graph = tflite.Model.GetRootAs(path.read_bytes(), 0).Subgraphs(0)
    last = graph.Operators(graph.OperatorsLength() - 1)
    assert last.Outputs(0) == graph.Outputs(0)
    name: bytes = graph.Tensors(last.Inputs(0)).Name()
    return name.decode()
