"""What kernels declare of their code is what the compiler makes of it, for layers of any shape."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.testing.firmware import products, scons
from opsmith.tflite.emitter import Tensor
from opsmith.tflite.writer import ModelWriter

pytestmark = [pytest.mark.system, pytest.mark.slow]
TOLERANCE = 0.1
SOME = "73K"  # pays for some instances
CASES = [  # some instances, all, general forms
    ("mps2_an386", SOME),
    ("mps3_an547", "4M"),
    ("mps2_an386", "0"),
    ("mps2_an386", "4M"),
]
DEFAULT = 3  # of these; all with --examples=2


@dataclass
class Network:
    """Blocks of a convolution, a depthwise one and a sum, of shapes that a seed decides."""

    model: ModelWriter
    seed: int
    scale: float = 0.05
    rng: np.random.Generator = field(init=False)
    count: int = 0  # of tensors

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def name(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def build(self, blocks: int) -> bytes:
        x = self.model.input("x", (1, 24, 24, 3), "int8", self.scale, -1)
        x = self.convolution(x, (24, 24, 3), 16, 3, 1)
        shape = (24, 24, 16)
        for _ in range(blocks):
            size, channels = shape[0], shape[2]
            wide = channels * int(self.rng.integers(2, 5)) + int(self.rng.integers(0, 2))
            stride = int(self.rng.integers(1, 3)) if size > 6 else 1
            y = self.convolution(x, shape, wide, 1, 1)
            y = self.depthwise(y, (size, size, wide), 3, stride)
            size = -(-size // stride)
            narrow = channels if stride == 1 else channels + int(self.rng.integers(1, 9))
            y = self.convolution(y, (size, size, wide), narrow, 1, 1)
            x = self.sum(x, y, (size, size, narrow)) if stride == 1 else y
            shape = (size, size, narrow)
        self.model.output(x)
        return bytes(self.model.bytes())

    def convolution(
        self, x: Tensor, shape: tuple[int, ...], channels: int, size: int, stride: int
    ) -> Tensor:
        weights = self.weights((channels, size, size, shape[2]), 0, channels)
        return self.filtered("CONV_2D", x, shape, channels, weights, stride, {})

    def depthwise(self, x: Tensor, shape: tuple[int, ...], size: int, stride: int) -> Tensor:
        weights = self.weights((1, size, size, shape[2]), 3, shape[2])
        more = {"depth_multiplier": 1}
        return self.filtered("DEPTHWISE_CONV_2D", x, shape, shape[2], weights, stride, more)

    def weights(self, shape: tuple[int, ...], axis: int, channels: int) -> Tensor:
        values = self.rng.integers(-127, 128, shape).astype(np.int8)
        scales = self.rng.uniform(0.002, 0.004, channels).tolist()
        return self.model.constant(self.name(), values, scales, [0] * channels, axis=axis)

    def filtered(
        self,
        op: str,
        x: Tensor,
        shape: tuple[int, ...],
        channels: int,
        weights: Tensor,
        stride: int,
        more: dict[str, int],
    ) -> Tensor:
        bias = self.rng.integers(-500, 500, channels).astype(np.int32)
        b = self.model.constant(self.name(), bias)
        height, width = (-(-side // stride) for side in shape[:2])
        y = self.tensor((1, height, width, channels))
        options: dict[str, Any] = {"padding": "SAME", "fused_activation_function": "RELU"}
        options |= {"stride_h": stride, "stride_w": stride, **more}
        self.model.node(op, [x, weights, b], [y], options, version=3)
        return y

    def sum(self, x: Tensor, y: Tensor, shape: tuple[int, ...]) -> Tensor:
        total = self.tensor((1, *shape))
        self.model.node("ADD", [x, y], [total], {}, version=2)
        return total

    def tensor(self, shape: tuple[int, ...]) -> Tensor:
        zero_point = -128 if self.rng.random() < 0.7 else -5
        return self.model.tensor(self.name(), shape, "int8", self.scale, zero_point)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every = metafunc.config.getoption("--examples") > 1
    metafunc.parametrize(("board", "budget"), CASES if every else CASES[:DEFAULT])


def test_estimates_are_what_is_linked(board: str, budget: str, tmp_path: Path) -> None:
    model = tmp_path / "sizes.tflite"
    model.write_bytes(Network(ModelWriter(), seed=3).build(blocks=9))
    settings = (f"board={board}", f"model={model}", "runtime=cmsis", f"flash_budget={budget}")
    done = scons(*settings)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((products(*settings) / "report.json").read_text(encoding="utf-8"))
    used = report["memory"]["flash"]["used"]
    code = used - report["constant_bytes"]
    assert report["estimated_code_bytes"] == pytest.approx(code, rel=TOLERANCE)
    if budget == SOME:
        assert used <= report["flash_budget"]["bytes"]
        instances = [offer["bought"] for offer in report["flash_offers"]]
        assert any(instances)
        assert not all(instances)
