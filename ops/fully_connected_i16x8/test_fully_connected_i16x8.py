"""FullyConnectedI16x8: sizes, 64-bit sums and LiteRT's rounding in double precision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_options import OptionValue
from toolchain.testing.tflite_writer import ModelWriter


@dataclass(frozen=True)
class FullyConnected:
    """A matrix product to build; what is not given is as plain as can be."""

    x: tuple[int, ...] = (2, 12)
    weights: tuple[int, ...] = (5, 12)
    y: tuple[int, ...] = (2, 5)
    keep: bool = False
    activation: str = "NONE"
    x_scale: float = 0.001
    x_zero_point: int = 0
    y_scale: float = 0.0041
    weights_scale: float = 0.011
    weights_scales: int = 1
    weights_axis: int = 0
    weights_zero_point: int = 0
    weights_value: int | None = None  # None: random
    bias: int | None = 200_000  # the first; the others are random up to it; None: without
    bias_elements: int | None = None
    bias_type: str = "int64"

    def __call__(self, m: ModelWriter) -> None:
        rng = np.random.default_rng(11)
        values = rng.integers(-128, 128, self.weights, np.int8)
        if self.weights_value is not None:
            values = np.full(self.weights, self.weights_value, np.int8)
        scales = [self.weights_scale * (1 + i / 7) for i in range(self.weights_scales)]
        zero_points = [self.weights_zero_point] * self.weights_scales
        given = [
            m.input("x", self.x, "int16", self.x_scale, self.x_zero_point),
            m.constant("weights", values, scales, zero_points, axis=self.weights_axis),
        ]
        if self.bias is not None:
            elements = self.bias_elements or self.weights[-2]
            bias = rng.integers(-self.bias, self.bias, elements, np.int64, endpoint=True)
            bias[0] = self.bias
            scale = self.x_scale * self.weights_scale
            given.append(m.constant("bias", bias.astype(self.bias_type), scale))
        y = m.tensor("y", self.y, "int16", self.y_scale)
        options: dict[str, OptionValue] = {
            "fused_activation_function": self.activation,
            "keep_num_dims": self.keep,
        }
        m.node("FULLY_CONNECTED", given, [y], options, version=4)
        m.output(y)


PLAIN = FullyConnected()
# x.scale * weights.scale / y.scale = 1/2 exactly: every odd sum is a tie.
TIES = replace(PLAIN, x_scale=0.5, weights_scale=0.5, y_scale=0.5, weights_value=1, bias=3)
# The same with 1/8, which has no digit that double precision would round.
EIGHTHS = replace(TIES, y_scale=2.0)
# Sums as near to 32 bits as they get.
FULL = FullyConnected((1, 511), (3, 511), (1, 3), weights_scale=0.001, y_scale=0.07)
# Sums beyond 32 bits that are elements of y within its bounds.
LONG = FullyConnected((2, 2000), (3, 2000), (2, 3), x_scale=0.001, weights_scale=0.001, y_scale=0.5)
CASES = (
    Case("plain", PLAIN),
    Case("per_channel", replace(PLAIN, weights_scales=5)),
    Case("without_bias", replace(PLAIN, bias=None)),
    Case("per_channel_without_bias", replace(PLAIN, weights_scales=5, bias=None)),
    Case("images", replace(PLAIN, x=(2, 2, 2, 3))),
    Case("kept", replace(PLAIN, x=(2, 1, 12), y=(2, 1, 5), keep=True)),
    Case("one_element", FullyConnected((1, 1), (1, 1), (1, 1))),
    Case("tails", FullyConnected((3, 37), (13, 37), (3, 13), weights_scales=13)),
    Case("relu", replace(PLAIN, activation="RELU")),
    Case("relu6", replace(PLAIN, activation="RELU6")),
    Case("relu_n1_to_1", replace(PLAIN, activation="RELU_N1_TO_1")),
    Case("ties", TIES),
    Case("eighths", EIGHTHS),
    Case("rounded_twice", replace(PLAIN, y_scale=0.004)),
    Case("whole_blocks", FullyConnected((2, 16), (16, 16), (2, 16), weights_scales=16)),
    Case("all_of_32_bits", replace(FULL, weights_value=-128, bias=4_000_000)),
    Case("below_one_half", replace(PLAIN, weights_scale=1e-12)),
    Case("beyond_32_bits", replace(LONG, weights_value=127)),
    Case("beyond_32_bits_below", replace(LONG, weights_value=-128)),
    Case("large_bias", replace(LONG, y_scale=40.0, bias=2**40)),
    Case("saturates", replace(PLAIN, weights_value=127, y_scale=0.0001)),
)
REJECTED = (
    Rejected(Case("rank", replace(PLAIN, weights=(1, 5, 12))), "must have two dimensions"),
    Rejected(Case("depth", replace(PLAIN, weights=(5, 7))), "does not divide into rows"),
    Rejected(Case("keep_depth", replace(PLAIN, x=(4, 6), keep=True)), "differ"),
    Rejected(Case("bias", replace(PLAIN, bias_elements=3)), "bias has 3 elements instead of 5"),
    Rejected(Case("scales", replace(PLAIN, weights_scales=12, weights_axis=1)), "1 or 5 scales"),
    Rejected(Case("int32_bias", replace(PLAIN, bias_type="int32")), "'x' is int16", "MDL012"),
    Rejected(Case("zero_point", replace(PLAIN, x_zero_point=1)), "x must have zero point 0"),
    Rejected(Case("weights_zero_point", replace(PLAIN, weights_zero_point=1)), "zero points 0"),
    Rejected(Case("bias_too_large", replace(PLAIN, bias=2**60)), "may overflow 32 bits"),
    Rejected(Case("bias_beyond", replace(PLAIN, bias=2**63 - 1)), "may overflow 64 bits"),
)


class TestFullyConnectedI16x8(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
