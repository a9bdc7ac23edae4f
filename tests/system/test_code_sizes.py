"""Tests that kernels declare of their code what the compiler makes of it, for layers of any
shape, and that opt=size takes no more flash and RAM than opt=balanced.
"""

import json
from pathlib import Path
from random import Random

import pytest

from opsmith.testing.firmware import products, scons
from opsmith.tflite.writer import ModelWriter
from tests.architectures.layers import Layers
from tests.architectures.schemes import FLOAT32, INT8, Scheme

pytestmark = [pytest.mark.system, pytest.mark.slow]
TOLERANCE, AT_SPEED = 0.1, 0.15
SOME, WHOLE = "66K", ""  # pays for some instances; opt=speed
CASES = [  # some instances, by -O3, all, general forms
    ("mps2_an386", SOME),
    ("mps2_an386", WHOLE),
    ("mps3_an547", "4M"),
    ("mps2_an386", "0"),
    ("mps2_an386", "4M"),
]
DEFAULT = 4  # of these; all with --examples=2


SIZED = 30  # networks; two of them, one of each kind and board, without --examples=2


def network(seed: int, blocks: int, scheme: Scheme = INT8) -> bytes:
    """Model of blocks of a convolution, a depthwise one and a sum, with shapes by a seed."""
    chance, model = Random(seed), ModelWriter()
    n = Layers(model, scheme)
    x = n.convolution(n.input(1, 24, 24, 3), 16)
    for _ in range(blocks):
        size, channels = x.shape[1], x.shape[3]
        stride = chance.randint(1, 2) if size > 6 else 1
        y = n.pointwise(x, channels * chance.randint(2, 4) + chance.randint(0, 1))
        y = n.depthwise(y, stride=stride)
        narrow = channels if stride == 1 else channels + chance.randint(1, 8)
        y = n.pointwise(y, narrow, activation="NONE")
        x = n.binary("ADD", x, y) if stride == 1 else y
    n.output(x)
    return model.bytes()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every = metafunc.config.getoption("--examples") > 1
    if "budget" in metafunc.fixturenames:
        metafunc.parametrize(("board", "budget"), CASES if every else CASES[:DEFAULT])


@pytest.mark.few(1)
def test_estimates_are_what_is_linked(board: str, budget: str, tmp_path: Path) -> None:
    model = tmp_path / "sizes.tflite"
    model.write_bytes(network(seed=3, blocks=9))
    options = ("opt=speed",) if budget == WHOLE else (f"flash_budget={budget}",)
    settings = (f"board={board}", f"model={model}", "runtime=cmsis", *options)
    done = scons(*settings)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((products(*settings) / "report.json").read_text(encoding="utf-8"))
    used = report["memory"]["flash"]["used"]
    code = used - report["constant_bytes"]
    tolerance = AT_SPEED if budget == WHOLE else TOLERANCE
    assert report["estimated_code_bytes"] == pytest.approx(code, rel=tolerance)
    if budget == SOME:
        assert used <= report["flash_budget"]["bytes"]
        instances = [offer["bought"] for offer in report["flash_offers"]]
        assert any(instances)
        assert not all(instances)


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(SIZED))
def test_size_takes_no_more_than_balanced(seed: int, tmp_path: Path) -> None:
    model = tmp_path / "sizes.tflite"
    board, scheme = ("mps2_an386", "mps3_an547")[seed % 2], (INT8, FLOAT32)[seed // 2 % 2]
    model.write_bytes(network(seed, 1 + seed % 6, scheme))
    size, balanced = (used(board, model, opt) for opt in ("size", "balanced"))
    assert size <= balanced


def used(board: str, model: Path, opt: str) -> int:
    """Bytes of flash and RAM that a firmware of the model takes when linked."""
    settings = (f"board={board}", f"model={model}", "runtime=cmsis", f"opt={opt}")
    done = scons(*settings)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((products(*settings) / "report.json").read_text(encoding="utf-8"))
    return sum(int(report["memory"][each]["used"]) for each in ("flash", "ram"))
