"""The comparison with ExecuTorch's Cortex-M backend, and digits by .pt2 on boards."""

import os
from pathlib import Path

import numpy as np
import pytest

from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import Reading, read
from opsmith.testing.known_ops import shipped_ops
from tests.conftest import NO_EXECUTORCH
from tests.cortex_m.__main__ import main, networks, shown
from tests.cortex_m.boards import BOARDS, compared, quantised
from tests.cortex_m.digits import write_digits
from tests.roads.network import MODEL
from tests.unit.frontend.pt2_models import Pt2Writer

FEW = "conv_pad_stride,add_relu,avg_pool,sqrt,float_between"


def test_an_interpreter_that_lacks_it_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--python=/nowhere/python", "--only=conv"]) == 2
    assert "/nowhere/python" in capsys.readouterr().err


@pytest.mark.slow
def test_the_command_exports_and_compares(capsys: pytest.CaptureFixture[str]) -> None:
    python = os.environ.get("OPSMITH_EXECUTORCH")
    if not python:
        pytest.skip(NO_EXECUTORCH)
    assert main([f"--python={python}", f"--only={FEW}", "--count=3"]) == 0
    assert "\n0 of 4,284 elements differ, " in capsys.readouterr().out


@pytest.mark.parametrize(("more", "status"), [(0, 0), (1, 1)])
def test_elements_are_compared_with_those_of_the_exporter(
    more: int, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "conv" in networks()
    m, scale = Pt2Writer((1, 5)), float(np.float32(0.1))
    y = m.through(m.call("relu", (1, 5), self=m.through("x", scale, 3)), scale, 3)
    m.save(tmp_path / "conv.pt2", y)
    x = np.array([[[-1, -0.05, 0.05, 0.15, 9]]], np.float32)  # 0.15 is between two elements
    steps = np.array([[[0, 0, 0, 2 + more, 90]]])
    kernels, python = (np.float32(scale) * each.astype(np.float32) for each in (steps, steps + 1))
    np.savez(tmp_path / "conv.npz", x0=x, kernels=kernels, python=python)
    (tmp_path / "add.txt").write_text("ValueError: no", encoding="utf-8")
    assert shown(tmp_path, ["conv", "add"]) == status
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"conv                    {more} of       5, by up to {more}; 0 op")
    assert lines[1] == "add                  not exported: ValueError: no"
    assert lines[2].startswith(f"{more} of 5 elements differ, ")


def test_digits_are_those_of_the_tflite_file(tmp_path: Path) -> None:
    graphs = [read(write_digits(tmp_path / "digits.pt2"), "digits", shipped_ops())[1]]
    graphs.append(read(MODEL, "digits", shipped_ops(), Reading(numerics="tflm"))[1])
    for image in quantised(5):
        values = [
            Evaluator(g, shipped_ops()).run([image.reshape(g.tensors[g.inputs[0]].shape)])
            for g in graphs
        ]
        one, other = (v[g.outputs[0]] for v, g in zip(values, graphs, strict=True))
        assert one.tobytes() == other.tobytes()


@pytest.mark.system
@pytest.mark.qemu
@pytest.mark.slow
@pytest.mark.few(1)
@pytest.mark.parametrize("board", [board for board in BOARDS if board != "pico"])
def test_firmware_reads_digits(board: str, tmp_path: Path) -> None:
    model = write_digits(tmp_path / "digits.pt2")
    assert compared(board, model, tmp_path, 5) == (50, 0, 5)
