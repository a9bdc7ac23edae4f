"""DEPTHWISE_CONV_2D nodes for tests; calling a node adds it to a model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter
from runtimes.families.convolution_cases import ConvF32, ConvU8


@dataclass(frozen=True)
class DepthwiseLayer:
    """Strides, padding, dilations and multiplier of a depthwise convolution in a test."""

    x: Sequence[int] = (1, 7, 6, 4)
    window: tuple[int, int] = (3, 3)
    multiplier: int = 1
    padding: str = "SAME"
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    activation: str = "NONE"

    def options(self) -> dict[str, OptionValue]:
        """Options of TFLite's operator for this geometry."""
        return {
            "padding": self.padding,
            "stride_h": self.stride[0],
            "stride_w": self.stride[1],
            "depth_multiplier": self.multiplier,
            "dilation_h_factor": self.dilation[0],
            "dilation_w_factor": self.dilation[1],
            "fused_activation_function": self.activation,
        }

    def y_shape(self, channels: int) -> tuple[int, ...]:
        """Shape of y; any shape where the windows do not fit."""
        sizes = []
        for size, window, stride, dilation in zip(
            self.x[1:3], self.window, self.stride, self.dilation, strict=False
        ):
            reach = 0 if self.padding == "SAME" else (window - 1) * dilation
            sizes.append(max(-(-(size - reach) // max(stride, 1)), 1))
        return (self.x[0], *sizes, channels)


@dataclass(frozen=True)
class Depthwise(DepthwiseLayer):
    """int8 depthwise convolution with stride 1 and no border, unless fields say otherwise."""

    x_scale: float | tuple[()] = 0.05
    x_zero_point: int = -3
    y_scale: float = 0.1
    y_zero_point: int = 4
    filter_scales: int | None = None  # None: one per channel
    filter_axis: int = 3
    filter_zero_point: int = 0
    filter_channels: int | None = None
    filter_rank: int = 4
    filter_value: int | None = None  # None: random
    bias: int | None = 2000  # the first; the others are random up to it; None: without
    bias_elements: int | None = None
    y: Sequence[int] | None = None

    def __call__(self, m: ModelWriter) -> None:
        x = m.input("x", self.x, "int8", self.x_scale, self.x_zero_point)
        m.output(self.add(m, x))

    def add(self, m: ModelWriter, x: ModelTensor, prefix: str = "") -> ModelTensor:
        """Add the node, with `x` as its input, and return its output."""
        rng = np.random.default_rng(7)
        channels = self.filter_channels or self.x[-1] * self.multiplier
        filter_shape = (1, *self.window, channels)[4 - self.filter_rank :]
        values = rng.integers(-127, 128, filter_shape, np.int8)
        if self.filter_value is not None:
            values = np.full(filter_shape, self.filter_value, np.int8)
        count = self.filter_scales or channels
        scales = [0.01 + 0.002 * i for i in range(count)]
        zero_points = [self.filter_zero_point] * count
        weights = m.constant(f"{prefix}filter", values, scales, zero_points, axis=self.filter_axis)
        inputs = [x, weights]
        if self.bias is not None:
            elements = self.bias_elements or channels
            bias = rng.integers(-self.bias, self.bias, elements, np.int32, endpoint=True)
            bias[0] = self.bias
            inputs.append(m.constant(f"{prefix}bias", bias, [0.001] * elements))
        shape = self.y or self.y_shape(channels)
        y = m.tensor(f"{prefix}y", shape, "int8", self.y_scale, self.y_zero_point)
        m.node("DEPTHWISE_CONV_2D", inputs, [y], self.options(), version=3)
        return y


@dataclass(frozen=True)
class Chain:
    """Depthwise convolutions one after the other; calling it adds all to a model."""

    layers: Sequence[Depthwise]

    def __call__(self, m: ModelWriter) -> None:
        first = self.layers[0]
        x = m.input("x", first.x, "int8", first.x_scale, first.x_zero_point)
        for i, layer in enumerate(self.layers):
            assert tuple(x.shape) == tuple(layer.x)
            x = layer.add(m, x, f"{i}_")
        m.output(x)


@dataclass(frozen=True)
class Depthwise16(DepthwiseLayer):
    """Depthwise convolution of int16 by int8 filters, plain unless fields say otherwise."""

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
        y = m.tensor("y", self.y_shape(channels), "int16", self.y_scale)
        m.node("DEPTHWISE_CONV_2D", inputs, [y], self.options(), version=4)
        m.output(y)


class _Depthwise:
    """Fields that turn a test case of a convolution into one of a depthwise convolution."""

    source: ClassVar[str] = "DEPTHWISE_CONV_2D"
    channels: ClassVar[int] = 3


@dataclass(frozen=True)
class DepthwiseF32(_Depthwise, ConvF32):
    """float32 depthwise convolution with plain geometry, unless fields say otherwise."""

    x: tuple[int, ...] = (1, 5, 6, 4)
    filter: tuple[int, ...] = (1, 3, 3, 4)


@dataclass(frozen=True)
class DepthwiseU8(_Depthwise, ConvU8):
    """uint8 depthwise convolution with plain geometry, unless fields say otherwise."""

    x: tuple[int, ...] = (1, 5, 6, 4)
    filter: tuple[int, ...] = (1, 3, 3, 4)


# Lines with five, seven or other numbers of taps, mostly more than a vector holds.
WINDOWS = {
    "window_5x5_stride_2": Depthwise(x=(1, 9, 10, 3), window=(5, 5), stride=(2, 2)),
    "window_7x7_stride_2": Depthwise(
        x=(1, 9, 11, 3), window=(7, 7), stride=(2, 2), activation="RELU6"
    ),
    "window_7x7_valid": Depthwise(x=(2, 9, 13, 2), window=(7, 7), padding="VALID", y_scale=0.9),
    "window_5x5_of_13_channels": Depthwise(x=(1, 5, 6, 13), window=(5, 5), activation="RELU6"),
    "window_5x7_of_images": Depthwise(x=(2, 5, 7, 9), window=(5, 7), stride=(2, 1)),
    "window_8x8": Depthwise(x=(1, 8, 9, 4), window=(8, 8)),
    "window_3x7_dilated": Depthwise(x=(1, 7, 6, 3), window=(3, 7), dilation=(2, 1)),
    "window_10x4": Depthwise(x=(1, 25, 5, 3), window=(10, 4), stride=(2, 2)),
    "window_1x5": Depthwise(window=(1, 5)),
    "window_2x6_dilated": Depthwise(x=(1, 7, 9, 2), window=(2, 6), dilation=(2, 1)),
    "window_1x7_of_rows": Depthwise(x=(1, 5, 20, 9), window=(1, 7)),
    "stride_of_no_immediate": Depthwise(
        (1, 1, 4107, 1), stride=(1, 4107), activation="RELU", y_zero_point=-128
    ),
}
# float32 channels in groups of eight and of sixteen, and channels left.
OF_CHANNELS = {
    "channels_13": DepthwiseF32(
        (2, 5, 6, 13),
        (1, 3, 3, 13),
        (2, 5, 6, 13),
        {"padding": "SAME", "fused_activation_function": "RELU6"},
    ),
    "channels_21": DepthwiseF32((1, 4, 5, 21), (1, 3, 2, 21), (1, 2, 4, 21)),
    "nan": DepthwiseF32((1, 4, 5, 21), (1, 3, 2, 21), (1, 2, 4, 21), last_bias=math.nan),
    "nan_below_six": DepthwiseF32(
        (1, 4, 4, 5),
        (1, 3, 3, 5),
        (1, 4, 4, 5),
        {"padding": "SAME", "fused_activation_function": "RELU6"},
        last_bias=math.nan,
    ),
    "eights": DepthwiseF32(
        (2, 4, 16, 5),
        (1, 3, 3, 5),
        (2, 4, 16, 5),
        {"padding": "SAME", "fused_activation_function": "RELU6"},
    ),
    "eights_valid": DepthwiseF32((1, 4, 10, 2), (1, 3, 3, 2), (1, 2, 8, 2)),
    "eights_dilated": DepthwiseF32(
        (1, 4, 8, 6),
        (1, 3, 3, 6),
        (1, 4, 8, 6),
        {"padding": "SAME", "dilation_h_factor": 2, "fused_activation_function": "RELU"},
        last_bias=math.nan,
    ),
    "channels_6_strides": DepthwiseF32(
        (2, 7, 8, 6),
        (1, 3, 3, 6),
        (2, 4, 4, 6),
        {"padding": "SAME", "stride_h": 2, "stride_w": 2, "fused_activation_function": "RELU"},
    ),
    "odd_width_strides": DepthwiseF32(
        (1, 3, 9, 4), (1, 3, 3, 4), (1, 3, 5, 4), {"padding": "SAME", "stride_w": 2}
    ),
    "rows_dilated": DepthwiseF32(
        (1, 5, 1, 7),
        (1, 3, 3, 7),
        (1, 5, 1, 7),
        {"padding": "SAME", "dilation_h_factor": 2, "fused_activation_function": "RELU_N1_TO_1"},
    ),
    "channels_8_strides": DepthwiseF32(
        (1, 7, 8, 8), (1, 5, 4, 8), (1, 4, 4, 8), {"padding": "SAME", "stride_h": 2, "stride_w": 2}
    ),
    "channels_8_dilated": DepthwiseF32(
        (1, 6, 9, 8),
        (1, 2, 3, 8),
        (1, 6, 9, 8),
        {"padding": "SAME", "dilation_h_factor": 3, "dilation_w_factor": 2},
    ),
}
