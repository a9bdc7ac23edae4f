"""Real models that are fed row by row, on boards: bytes are LiteRT's, in the memory promised."""

import json
from pathlib import Path

import numpy as np
import pytest

from opsmith.board.manifest import load_board
from opsmith.oracle.litert import Reference
from opsmith.rig import arrays
from opsmith.rig.build import load_build
from opsmith.rig.protocol import Session
from opsmith.rig.rig import open_channel
from opsmith.testing.firmware import BOARDS, build, run, scons
from tests.commands import said
from tests.system.test_models import extremes, seeded
from tests.unit import time_series

pytestmark = [pytest.mark.system, pytest.mark.qemu]
STREAMS = (
    ("kws_int8", "rows"),
    ("resnet_int8", "rows"),
    ("vww_int8", "1"),
    ("sww_int8", "rows"),
    ("sww_int8", "frames"),
)
# What portable kernels make of them is what test_traced.py runs, and rows are pushed below.
TARGETS = {
    ("host", "reference"): (),
    ("mps2_an386", "cmsis"): (("vww_int8", "1"),),
    ("mps3_an547", "cmsis"): (("sww_int8", "frames"),),
}
WHOLE = 96 * 96 * 3  # bytes of vww's input


def cells(every: bool) -> list[tuple[str, str, str, str]]:
    """Cells (model, stream, board, runtime): the listed ones, or every stream on every board."""
    return [
        (*stream, *target)
        for target, streams in TARGETS.items()
        for stream in (STREAMS if every else streams)
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise by cells; with --examples=2, every stream is pushed on every board."""
    if "runtime" in metafunc.fixturenames:
        found = cells(metafunc.config.getoption("--examples") > 1)
        names = ("model", "stream", "board", "runtime")
        metafunc.parametrize(names, found, ids=["-".join(each) for each in found])


@pytest.mark.few(1)
def test_firmware_answers_as_litert(
    model: str, stream: str, board: str, runtime: str, models_dir: Path, tmp_path: Path
) -> None:
    path = models_dir / "mlperf_tiny" / f"{model}.tflite"
    firmware = build(board, path, tmp_path, runtime=runtime, stream=stream)
    (tensor,) = load_build(firmware).inputs
    inputs = [*seeded()[:4], *extremes(tensor)]
    reference = Reference(path)
    for each, got in zip(inputs, run(firmware, board, [[each] for each in inputs]), strict=True):
        for mine, theirs in zip(got, reference.run([each.array(tensor)]), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    report = json.loads((firmware / "report.json").read_text(encoding="utf-8"))
    if model == "vww_int8":
        stack = load_board(board, BOARDS).stack_bytes
        assert report["memory"]["ram"]["used"] - stack < WHOLE
    if stream == "frames":  # a hop multiplies for one frame
        assert (report["macs"], report["model_macs"]) == (46_040, 826_368)


@pytest.fixture
def causal(tmp_path: Path) -> Path:
    """Small model of causal convolutions over a sequence."""
    path = tmp_path / "causal.tflite"
    path.write_bytes(time_series.content(time_series.causal))
    return path


def test_a_sequence_is_pushed_step_by_step(causal: Path, tmp_path: Path) -> None:
    board = "mps2_an386"
    firmware = build(board, causal, tmp_path / "build", runtime="cmsis", stream="rows")
    (tensor,) = load_build(firmware).inputs
    inputs = [*seeded()[:2], *extremes(tensor)]
    reference = Reference(causal)
    for each, got in zip(inputs, run(firmware, board, [[each] for each in inputs]), strict=True):
        np.testing.assert_array_equal(got[0], reference.run([each.array(tensor)])[0])


def test_what_is_written_twice_is_pushed_once(causal: Path, tmp_path: Path) -> None:
    """Rows that are written twice are pushed once, as questions may be repeated; `hello` forgets
    all rows.
    """
    firmware = load_build(build("host", causal, tmp_path / "build", stream="rows"))
    (tensor,) = firmware.inputs
    sequence = seeded()[1].array(tensor)
    data = arrays.to_bytes(sequence)
    with open_channel(firmware, load_board("host", BOARDS)) as channel:
        Session(channel).write(0, data[: len(data) // 2])
        session = Session(channel)
        for _ in range(2):
            session.write(0, data)
        session.invoke()
        got = session.read(0, firmware.outputs[0].bytes)
    (right,) = Reference(causal).run([sequence])
    assert got == right.tobytes()


def test_the_bench_that_makes_rows_one_by_one_gives_the_same(causal: Path, tmp_path: Path) -> None:
    outputs = set()
    for stream in ("0", "rows"):
        folder = build("host", causal, tmp_path / stream, stream=stream, app="bench")
        told = said([folder / "firmware.elf"])
        outputs.add(told.partition("cycles")[0])
    assert len(outputs) == 1


def test_what_cannot_stream_ends_the_build_with_the_reason(causal: Path) -> None:
    done = scons("board=host", f"model={causal}", "stream=frames")
    assert done.returncode == 2
    assert "error MDL022: frames cannot be pushed: " in done.stdout + done.stderr
    assert "pads its input along time; it has to be VALID there" in done.stdout + done.stderr
