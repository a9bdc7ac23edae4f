"""FullyConnected: shapes, quantisation and LiteRT's rounding in double precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_emitter import Tensor
from toolchain.testing.tflite_options import OptionValue
from toolchain.testing.tflite_writer import ModelWriter


@dataclass(frozen=True)
class FullyConnected:
    """A fully connected layer; call it to add it to a model."""

    x: Sequence[int] = (1, 12)
    channels: int = 5
    depth: int | None = None  # None: the last size of x
    y: Sequence[int] | None = None
    keep: bool = False
    activation: str = "NONE"
    x_scale: float | tuple[()] = 0.05
    x_zero_point: int = -3
    y_scale: float = 0.1
    y_zero_point: int = 4
    weights_scale: float = 0.011
    weights_scales: int = 1
    weights_zero_point: int = 0
    weights_axis: int = 0
    weights_value: int | None = None  # None: random
    weights_rank: int = 2
    bias: int | None = 2000  # the first; the others are random up to it; None: without
    bias_elements: int | None = None
    weights_format: int = 0

    def __call__(self, m: ModelWriter) -> None:
        rng = np.random.default_rng(11)
        depth = self.depth or self.x[-1]
        shape = (1, self.channels, depth)[3 - self.weights_rank :]
        values = rng.integers(-128, 128, shape, np.int8)
        if self.weights_value is not None:
            values = np.full(shape, self.weights_value, np.int8)
        scales = [self.weights_scale * (1 + i / 7) for i in range(self.weights_scales)]
        x = m.input("x", self.x, "int8", self.x_scale, self.x_zero_point)
        zero_points = [self.weights_zero_point] * self.weights_scales
        weights = m.constant("weights", values, scales, zero_points, axis=self.weights_axis)
        inputs = [x, weights, None if self.bias is None else self._bias(m, rng)]
        rows = int(np.prod(self.x)) // depth
        y = self.y or ((*self.x[:-1], self.channels) if self.keep else (rows, self.channels))
        output = m.tensor("y", y, "int8", self.y_scale, self.y_zero_point)
        options: dict[str, OptionValue] = {
            "fused_activation_function": self.activation,
            "keep_num_dims": self.keep,
            "weights_format": self.weights_format,
        }
        m.node("FULLY_CONNECTED", inputs, [output], options, version=4)
        m.output(output)

    def _bias(self, m: ModelWriter, rng: np.random.Generator) -> Tensor:
        limit, elements = self.bias, self.bias_elements or self.channels
        assert limit is not None and self.x_scale
        values = rng.integers(-limit, limit, elements, np.int32, endpoint=True)
        values[0] = limit
        return m.constant("bias", values, self.x_scale * self.weights_scale)


def two_inputs(m: ModelWriter) -> None:
    """No third input at all, as version 6 writes it."""
    x = m.input("x", (2, 4), "int8", 0.1)
    weights = m.constant("weights", np.arange(-6, 6, dtype=np.int8).reshape(3, 4), 0.1)
    y = m.tensor("y", (2, 3), "int8", 0.3)
    m.node("FULLY_CONNECTED", [x, weights], [y], version=6)
    m.output(y)


def of_constant(m: ModelWriter) -> None:
    """Every input is constant: folded at build time."""
    x = m.constant("x", np.arange(-8, 8, dtype=np.int8).reshape(2, 8), 0.1)
    weights = m.constant("weights", np.arange(-12, 12, dtype=np.int8).reshape(3, 8), 0.1)
    y = m.tensor("y", (2, 3), "int8", 0.01)
    m.node("FULLY_CONNECTED", [x, weights], [y])
    m.output(y)


# x.scale * weights.scale / y.scale = 1/2 exactly: every odd sum is a tie.
TIES = FullyConnected(x_scale=0.5, weights_scale=0.5, y_scale=0.5, bias=3, weights_value=1)

CASES = (
    Case("plain", FullyConnected()),
    Case("equal_scales", FullyConnected(y_scale=0.05, y_zero_point=-3)),
    Case("per_channel", FullyConnected(weights_scales=5)),
    Case("per_channel_of_one", FullyConnected(channels=1)),
    Case("without_bias", FullyConnected(bias=None)),
    Case("per_channel_without_bias", FullyConnected(weights_scales=5, bias=None)),
    Case("two_inputs", two_inputs),
    Case("weights_zero_point", FullyConnected(weights_zero_point=17)),
    Case("depth_4_of_4", FullyConnected(x=(1, 4), channels=4)),
    Case("depth_8_of_8", FullyConnected(x=(1, 8), channels=8)),
    Case("depth_16_of_16", FullyConnected(x=(1, 16), channels=16)),
    Case("tails", FullyConnected(x=(1, 37), channels=13)),
    Case("one_element", FullyConnected(x=(1, 1), channels=1)),
    Case("rows", FullyConnected(x=(6, 10))),
    Case("flattened", FullyConnected(x=(2, 3, 4), depth=12)),
    Case("rows_across_dimensions", FullyConnected(x=(2, 3, 4), depth=6)),
    Case("rank_1", FullyConnected(x=(12,))),
    Case("rank_4", FullyConnected(x=(1, 2, 3, 12))),
    Case("keep_rank_3", FullyConnected(x=(2, 3, 12), keep=True)),
    Case("keep_rank_4", FullyConnected(x=(1, 2, 3, 12), keep=True)),
    Case("keep_rank_1", FullyConnected(x=(12,), keep=True)),
    Case("relu", FullyConnected(activation="RELU")),
    Case("relu6", FullyConnected(activation="RELU6", y_scale=0.04, y_zero_point=-100)),
    Case("relu_n1_to_1", FullyConnected(activation="RELU_N1_TO_1", y_scale=0.02)),
    Case("ties", TIES),
    Case("saturates_high", FullyConnected(weights_value=127, x_zero_point=-128, y_scale=0.01)),
    Case("saturates_low", FullyConnected(weights_value=-128, x_zero_point=-128, y_scale=0.01)),
    Case("zero_points_at_ends", FullyConnected(x_zero_point=127, y_zero_point=-128)),
    Case("scale_above_one", FullyConnected(x_scale=3.0, weights_scale=2.0, y_scale=0.7)),
    Case("tiny_scale", FullyConnected(x_scale=1e-6, weights_scale=1e-6, y_scale=3.0)),
    Case("many_channels", FullyConnected(x=(3, 64), channels=128, weights_scales=128, y_scale=0.5)),
    Case("of_constant", of_constant),
)


def refused(name: str, sentence: str, build: Callable[[ModelWriter], None]) -> Rejected:
    return Rejected(Case(name, build), sentence)


REJECTED = (
    refused("weights_rank_3", "must have two dimensions", FullyConnected(weights_rank=3)),
    refused("no_rows", "does not divide into rows", FullyConnected(depth=5)),
    refused("keep_other_depth", "differ", FullyConnected(x=(2, 6), depth=4, keep=True)),
    refused("axis", "along axis 0", FullyConnected(weights_scales=12, channels=12, weights_axis=1)),
    refused("scales", "1 or 5 scales", FullyConnected(weights_scales=12, weights_axis=1)),
    refused("zero_points", "zero points 0", FullyConnected(weights_scales=5, weights_zero_point=1)),
    refused("bias_elements", "bias has 4 elements", FullyConnected(bias_elements=4)),
    refused("bias_too_large", "may overflow 32 bits", FullyConnected(bias=2**31 - 1)),
    refused("scale_too_large", "may overflow 32 bits", FullyConnected(x_scale=1e9, bias=None)),
    refused("scale_infinite", "may overflow", FullyConnected(y_scale=1e-38, weights_scale=1e30)),
    refused("output", "follows from the inputs", FullyConnected(y=(1, 1, 5))),
    refused("unquantised", "x must be quantised", FullyConnected(x_scale=(), bias=None)),
    Rejected(Case("shuffled", FullyConnected(weights_format=1)), "weights_format", "MDL013"),
)


class TestFullyConnected(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
