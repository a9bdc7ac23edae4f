"""DepthwiseConv2DI16x8: geometry, 64-bit sums and multipliers of 16 bits against LiteRT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_options import OptionValue
from toolchain.testing.tflite_writer import ModelWriter


@dataclass(frozen=True)
class Depthwise:
    """A depthwise convolution; call it to add it to a model."""

    x: Sequence[int] = (1, 7, 6, 4)
    window: tuple[int, int] = (3, 3)
    multiplier: int = 1
    padding: str = "SAME"
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    activation: str = "NONE"
    x_scale: float = 0.001
    x_zero_point: int = 0
    y_scale: float = 0.004
    filter_scale: float = 0.011
    one_scale: bool = False  # for all channels
    filter_value: int | None = None  # None: random
    bias: int | None = 200_000  # the first; the others are random up to it; None: without
    bias_elements: int | None = None
    bias_type: str = "int64"

    def __call__(self, m: ModelWriter) -> None:
        rng = np.random.default_rng(7)
        channels = self.x[-1] * self.multiplier
        values = rng.integers(-128, 128, (1, *self.window, channels), np.int8)
        if self.filter_value is not None:
            values = np.full(values.shape, self.filter_value, np.int8)
        count = 1 if self.one_scale else channels
        scales = [self.filter_scale * (1 + i / 7) for i in range(count)]
        x = m.input("x", self.x, "int16", self.x_scale, self.x_zero_point)
        inputs = [x, m.constant("filter", values, scales, axis=3)]
        if self.bias is not None:
            elements = self.bias_elements or channels
            bias = rng.integers(-self.bias, self.bias, elements, np.int64, endpoint=True)
            bias[0] = self.bias
            scale = self.x_scale * self.filter_scale
            inputs.append(m.constant("bias", bias.astype(self.bias_type), scale))
        y = m.tensor("y", self._y(channels), "int16", self.y_scale)
        options: dict[str, OptionValue] = {
            "padding": self.padding,
            "stride_h": self.stride[0],
            "stride_w": self.stride[1],
            "depth_multiplier": self.multiplier,
            "dilation_h_factor": self.dilation[0],
            "dilation_w_factor": self.dilation[1],
            "fused_activation_function": self.activation,
        }
        m.node("DEPTHWISE_CONV_2D", inputs, [y], options, version=4)
        m.output(y)

    def _y(self, channels: int) -> tuple[int, ...]:
        sizes = []
        for size, window, stride, dilation in zip(
            self.x[1:3], self.window, self.stride, self.dilation, strict=False
        ):
            reach = 0 if self.padding == "SAME" else (window - 1) * dilation
            sizes.append(max(-(-(size - reach) // stride), 1))
        return (self.x[0], *sizes, channels)


ONE = Depthwise(x=(1, 1, 1, 1), window=(1, 1))
TIES = replace(ONE, x_scale=0.5, filter_scale=0.5, y_scale=0.5, filter_value=1, bias=1)
# Sums as near to 32 bits as they get.
FULL = Depthwise(
    x=(1, 21, 24, 4),
    window=(21, 24),
    padding="VALID",
    filter_scale=0.001,
    y_scale=0.07,
    filter_value=-128,
    bias=4_000_000,
)
ACTIVATIONS = ("RELU", "RELU6", "RELU_N1_TO_1")
CASES = (
    Case("same", Depthwise()),
    Case("valid", Depthwise(padding="VALID")),
    Case("one_scale", Depthwise(one_scale=True)),
    Case("without_bias", Depthwise(bias=None)),
    *(Case(name.lower(), Depthwise(activation=name)) for name in ACTIVATIONS),
    Case("channels_8", Depthwise(x=(1, 5, 5, 8))),
    Case("channels_16", Depthwise(x=(1, 4, 5, 16))),
    Case("channels_tail", Depthwise(x=(1, 4, 3, 19))),
    Case("one_element", ONE),
    Case("one_pixel", Depthwise(x=(1, 1, 1, 5))),
    Case("batches", Depthwise(x=(3, 4, 5, 2))),
    Case("multiplier_2", Depthwise(multiplier=2)),
    Case("multiplier_8_of_one", Depthwise(x=(1, 6, 6, 1), multiplier=8)),
    Case("stride_2", Depthwise(x=(1, 9, 8, 4), stride=(2, 2))),
    Case("stride_2_3_valid", Depthwise(x=(1, 9, 8, 4), stride=(2, 3), padding="VALID")),
    Case("stride_above_window", Depthwise(x=(1, 9, 9, 2), window=(2, 2), stride=(4, 3))),
    Case("dilation", Depthwise(x=(1, 9, 8, 4), dilation=(2, 3))),
    Case("dilation_valid", Depthwise(x=(1, 9, 9, 4), dilation=(2, 3), padding="VALID")),
    Case("no_tap_inside", Depthwise(x=(1, 3, 3, 2), window=(2, 2), dilation=(10, 10))),
    Case("window_above_image", Depthwise(x=(1, 3, 2, 4), window=(7, 8))),
    Case("window_10x4", Depthwise(x=(1, 25, 5, 3), window=(10, 4), stride=(2, 2))),
    Case("window_1x5", Depthwise(window=(1, 5))),
    Case("dead_channels", Depthwise(filter_value=0, filter_scale=1e-9, bias=2**33)),
    Case("all_of_32_bits", FULL),
    Case("ties", TIES),
    Case("greatest_multiplier", Depthwise(x_scale=0.5, filter_scale=1.9999995, y_scale=500.0)),
    Case("large_bias", Depthwise(y_scale=40.0, x_scale=0.001, filter_scale=0.001, bias=2**40)),
    Case("saturates", Depthwise(filter_value=127, y_scale=0.0001)),
    Case("saturates_below", Depthwise(filter_value=-128, y_scale=0.0001)),
)
REJECTED = (
    Rejected(Case("int32_bias", Depthwise(bias_type="int32")), "'x' is int16", "MDL012"),
    Rejected(Case("bias", Depthwise(bias_elements=3)), "bias has 3 elements instead of 4"),
    Rejected(Case("zero_point", Depthwise(x_zero_point=1)), "x must have zero point 0"),
    Rejected(Case("bias_too_large", Depthwise(bias=2**47)), "may overflow 48 bits"),
    Rejected(Case("scale", Depthwise(x_scale=100.0)), "must be below 128"),
    Rejected(Case("scaled", Depthwise(x_scale=1.0, bias=2**40)), "may overflow 32 bits"),
)


class TestDepthwiseConv2DI16x8(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
