"""CONV_2D nodes for tests; calling a node adds it to a model."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter

# Scales of x, filter and y, and sums that end where the precision of their product decides.
PARTING_SCALES = (0.01809106394648552, 0.006828772369772196, 1235.3975830078125)
PARTING_SUMS = (205_000_007, 315_000_011, 445_000_015, 675_000_023)


@dataclass(frozen=True)
class Filtered:
    """Convolution with stride 1 and no border, unless fields say otherwise."""

    x: tuple[int, ...] = (1, 5, 6, 3)
    filter: tuple[int, ...] = (4, 3, 3, 3)
    y: tuple[int, ...] = (1, 3, 4, 4)
    options: Mapping[str, Any] = field(default_factory=dict)
    source: ClassVar[str] = "CONV_2D"
    channels: ClassVar[int] = 0  # where the filter has its output channels

    def add(
        self, m: ModelWriter, inputs: Sequence[ModelTensor], y: ModelTensor, version: int
    ) -> None:
        """Add the last node, the convolution of these inputs."""
        options = {"padding": "VALID", "stride_h": 1, "stride_w": 1, **self.options}
        if self.channels:
            options["depth_multiplier"] = self.filter[self.channels] // self.x[3]
        m.node(self.source, inputs, [y], options, version=version)
        m.output(y)


BIAS_SCALE = 2.0**-12  # which no kernel reads; XNNPACK takes no bias without one


@dataclass(frozen=True)
class Conv(Filtered):
    """int8 convolution, to add to a test model."""

    x_scale: float | Sequence[float] = 0.05
    x_zero_point: int | Sequence[int] = -3
    y_scale: float | Sequence[float] = 0.11
    y_zero_point: int | Sequence[int] = 4
    filter_scale: Sequence[float] | None = None  # None: one per output channel
    filter_zero_point: int = 0
    filter_axis: int = 0
    constant: bool = True  # the filter
    bias: int | None = 4000  # its largest element; None: no bias
    bias_size: int | None = None
    weights: Sequence[int] | None = field(default=None, repr=False)  # in turn; None: random
    border: tuple[int, ...] = field(default=(), repr=False)  # top, bottom, left, right: of a PAD

    def __call__(self, m: ModelWriter) -> None:
        random = np.random.default_rng(zlib.crc32(repr(self).encode()))
        channels = self.filter[self.filter_axis]
        scales = self.filter_scale or [0.004 + 0.003 * i for i in range(channels)]
        x = self._bordered(m, m.input("x", self.x, "int8", self.x_scale, self.x_zero_point))
        inputs = [x, self._filter(m, random, scales)]
        if self.bias is not None:
            size = self.filter[0] if self.bias_size is None else self.bias_size
            values = random.integers(-self.bias, self.bias, size, np.int32, endpoint=True)
            inputs.append(m.constant("bias", values, BIAS_SCALE))
        y = m.tensor("y", self.y, "int8", self.y_scale, self.y_zero_point)
        self.add(m, inputs, y, version=3)

    def _bordered(self, m: ModelWriter, x: ModelTensor) -> ModelTensor:
        if not self.border:
            return x
        sides = np.array([0, 0, *self.border, 0, 0], np.int32).reshape(4, 2)
        shape = [size + int(added) for size, added in zip(self.x, sides.sum(axis=1), strict=True)]
        made = m.tensor("bordered", shape, "int8", self.x_scale, self.x_zero_point)
        m.node("PAD", [x, m.constant("paddings", sides)], [made])
        return made

    def _filter(
        self, m: ModelWriter, random: np.random.Generator, scales: Sequence[float]
    ) -> ModelTensor:
        zeros = [self.filter_zero_point] * len(scales)
        if not self.constant:
            return m.input("filter", self.filter, "int8", scales, zeros)
        weights = random.integers(-127, 127, self.filter, np.int8, endpoint=True)
        if self.weights is not None:
            weights = np.resize(np.array(self.weights, np.int8), self.filter)
        return m.constant("filter", weights, scales, zeros, axis=self.filter_axis)


@dataclass(frozen=True)
class Conv16(Filtered):
    """Convolution of int16 with int8 filters, to add to a test model."""

    x_scale: float = 0.001
    x_zero_point: int = 0
    y_scale: float = 0.004
    filter_scale: float = 0.011
    filter_scales: int = 1
    filter_value: int | None = None  # None: random
    bias: int = 200_000  # the first; the others are random up to it
    bias_elements: int | None = None
    bias_type: str = "int64"

    def __call__(self, m: ModelWriter) -> None:
        rng = np.random.default_rng(11)
        values = rng.integers(-128, 128, self.filter, np.int8)
        if self.filter_value is not None:
            values = np.full(self.filter, self.filter_value, np.int8)
        scales = [self.filter_scale * (1 + i / 7) for i in range(self.filter_scales)]
        elements = self.bias_elements or self.filter[0]
        bias = rng.integers(-self.bias, self.bias, elements, np.int64, endpoint=True)
        bias[0] = self.bias
        x = m.input("x", self.x, "int16", self.x_scale, self.x_zero_point)
        weights = m.constant("filter", values, scales)
        b = m.constant("bias", bias.astype(self.bias_type), self.x_scale * scales[0])
        self.add(m, [x, weights, b], m.tensor("y", self.y, "int16", self.y_scale), version=4)


@dataclass(frozen=True)
class ConvU8(Filtered):
    """uint8 convolution, to add to a test model."""

    x_zero_point: int = 120
    y_scale: float = 0.3
    filter_zero_point: int = 100
    filter_scales: int = 1
    least: int = 1  # of the filter, as training with quantisation leaves it
    bias: int = 4000  # the first; the others are random up to it
    parting: bool = field(default=False, repr=False)  # the sums of channels are PARTING_SUMS

    def __call__(self, m: ModelWriter) -> None:
        random = np.random.default_rng(zlib.crc32(repr(self).encode()))
        values = random.integers(self.least, 256, self.filter, np.uint8)
        bias = random.integers(-self.bias, self.bias, self.filter[self.channels], endpoint=True)
        bias[0] = self.bias
        scales = PARTING_SCALES if self.parting else (0.05, 0.01, self.y_scale)
        if self.parting:
            bias = np.resize(PARTING_SUMS, bias.shape)
            values = np.full_like(values, self.filter_zero_point)
        zeros = [self.filter_zero_point] * self.filter_scales
        x = m.input("x", self.x, "uint8", scales[0], self.x_zero_point)
        weights = m.constant("filter", values, [scales[1]] * len(zeros), zeros, axis=self.channels)
        b = m.constant("bias", bias.astype(np.int32), scales[0] * scales[1])
        self.add(m, [x, weights, b], m.tensor("y", self.y, "uint8", scales[2], 110), version=1)


@dataclass(frozen=True)
class ConvF32(Filtered):
    """float32 convolution, to add to a test model."""

    bias: int | None = None  # its elements, none of 0; None: one for each channel
    last_bias: float | None = None  # of the last channel, if not random
    size: float = 1.0  # of weights
    filter_scales: int = 0  # of a filter of int8; 0: of float32
    filter_zero_point: int = 0

    def __call__(self, m: ModelWriter) -> None:
        random = np.random.default_rng(len(repr(self)))
        given = [m.input("x", self.x, "float32"), self._filter(m, random)]
        size = self.filter[self.channels] if self.bias is None else self.bias
        if size:
            bias = random.normal(0, 1, size).astype(np.float32)
            bias[-1:] = bias[-1:] if self.last_bias is None else self.last_bias
            given.append(m.constant("bias", bias))
        self.add(m, given, m.tensor("y", self.y, "float32"), version=1)

    def _filter(self, m: ModelWriter, random: np.random.Generator) -> ModelTensor:
        if not self.filter_scales:
            return m.constant("filter", random.normal(0, self.size, self.filter).astype("f4"))
        integers = random.integers(-127, 128, self.filter, np.int8)
        scales = [self.size * (0.01 + 0.002 * i) for i in range(self.filter_scales)]
        zeros = [self.filter_zero_point] * len(scales)
        return m.constant("filter", integers, scales, zeros, axis=self.channels)


@dataclass(frozen=True)
class TransposeConv:
    """Transposed convolution of any types; filters other than uint8 are symmetric."""

    x: tuple[int, ...] = (1, 3, 4, 2)
    filter: tuple[int, ...] = (3, 3, 3, 2)
    y: tuple[int, ...] = (1, 6, 8, 3)
    padding: str = "SAME"
    strides: tuple[int, int] = (2, 2)
    activation: str = "NONE"
    x_type: str = "int8"
    filter_type: str = "int8"
    bias_type: str = "int32"
    bias: int | None = 4000  # its largest element, of floats 1; None: no bias
    bias_size: int | None = None
    scales: int = 1  # of the filter
    filter_zero_point: int = 0  # besides that of uint8
    y_scale: float = 0.11
    said: str = "FLOAT32"  # the bias's type, which LiteRT needs of int16
    parting: bool = field(default=False, repr=False)  # the sums of channels are PARTING_SUMS

    def __call__(self, m: ModelWriter) -> None:
        random = np.random.default_rng(zlib.crc32(repr(self).encode()))
        shape = m.constant("output_shape", np.array(self.y, np.int32))
        plain = (0.05, 0.004, self.y_scale)
        x_scale, filter_scale, y_scale = PARTING_SCALES if self.parting else plain
        scales = tuple(filter_scale + 0.003 * i for i in range(self.scales))
        zero = {"uint8": 100}.get(self.filter_type, self.filter_zero_point)
        weights = self._filter(m, random, scales, zero)
        x = m.input("x", self.x, self.x_type, *self._quantisation(x_scale))
        inputs = [shape, weights, x]
        if self.bias is not None:
            size = self.bias_size or self.filter[0]
            values = random.integers(-self.bias, self.bias, size, endpoint=True)
            values[0] = self.bias
            values = np.resize(PARTING_SUMS, size) if self.parting else values
            inputs.append(m.constant("bias", values.astype(self.bias_type)))
        y = m.tensor("y", self.y, self.x_type, *self._quantisation(y_scale))
        options: dict[str, Any] = {
            "padding": self.padding,
            "stride_h": self.strides[0],
            "stride_w": self.strides[1],
            "fused_activation_function": self.activation,
            "quantized_bias_type": self.said,
        }
        m.node("TRANSPOSE_CONV", inputs, [y], options, version=3)
        m.output(y)

    def _filter(
        self, m: ModelWriter, random: np.random.Generator, scales: Sequence[float], zero: int
    ) -> ModelTensor:
        if self.filter_type == "float32":
            return m.constant("filter", random.normal(0, 1, self.filter).astype(np.float32))
        info = np.iinfo(self.filter_type)
        values = random.integers(info.min, info.max, self.filter, endpoint=True)
        values = np.full_like(values, zero) if self.parting else values
        return m.constant(
            "filter", values.astype(self.filter_type), scales, [zero] * len(scales), axis=0
        )

    def _quantisation(self, scale: float) -> tuple[Any, ...]:
        zero_points = {"int8": -3, "uint8": 120, "int16": 0}
        known = self.x_type in zero_points
        return (scale, zero_points[self.x_type]) if known else ()


# Of few pixels, and strided so that y is as large as x is without its border.
POINTWISE_WITH_BORDER = {
    "pointwise_below_border": Conv((1, 1, 1, 64), (8, 1, 1, 64), (1, 2, 1, 8), border=(1, 0, 0, 0)),
    "pointwise_strided_border": Conv(
        (1, 4, 4, 8),
        (6, 1, 1, 8),
        (1, 4, 4, 6),
        {"stride_h": 2, "stride_w": 2},
        border=(2, 2, 2, 2),
    ),
    "pointwise_odd_border": Conv((1, 3, 3, 6), (4, 1, 1, 6), (1, 5, 5, 4), border=(1, 1, 1, 1)),
}
# Of groups of channels, of few pixels, and of more inputs than the sums of a pair of weights hold.
# The large ones have more than the smallest board has memory for.
WINDOWS = {
    "groups_of_odd_channels": Conv(
        (1, 5, 5, 16), (12, 3, 3, 4), (1, 5, 5, 12), {"padding": "SAME"}
    ),
    "groups_strided": Conv(
        (1, 6, 7, 24),
        (16, 3, 3, 12),
        (1, 3, 4, 16),
        {"padding": "SAME", "stride_h": 2, "stride_w": 2, "fused_activation_function": "RELU"},
        y_zero_point=-128,
    ),
    "groups_pointwise": Conv((2, 3, 3, 32), (10, 1, 1, 16), (2, 3, 3, 10)),
    "groups_dilated": Conv(
        (1, 6, 5, 8), (18, 2, 2, 4), (1, 6, 5, 18), {"padding": "SAME", "dilation_h_factor": 2}
    ),
    "groups_of_strips": Conv((1, 3, 12, 20), (16, 3, 3, 10), (1, 1, 10, 16)),
    "few_pixels": Conv((3, 1, 1, 24), (11, 1, 1, 24), (3, 1, 1, 11)),
    **POINTWISE_WITH_BORDER,
    "three_pixels": Conv((1, 3, 3, 9), (10, 3, 1, 9), (1, 1, 3, 10)),
    "columns": Conv(
        (2, 9, 1, 18), (6, 3, 1, 18), (2, 9, 1, 6), {"padding": "SAME", "dilation_h_factor": 2}
    ),
    "sums_beyond_24_bits": Conv(
        (1, 3, 3, 60), (2, 3, 3, 60), (1, 1, 1, 2), filter_scale=(1e-4,), weights=(127, 126)
    ),
    # Polynomials: rows of whole blocks, columns in strips, several parts of a window, and extremes.
    "last_outputs_of_5_rows": Conv((1, 5, 8, 8), (3, 3, 3, 8), (1, 5, 8, 3), {"padding": "SAME"}),
    "large_column_in_strips": Conv((1, 150, 1, 8), (2, 3, 1, 8), (1, 148, 1, 2)),
    **{
        f"coefficients_of_{a}_and_{b}": Conv(
            (1, 4, 4, 16), (2, 3, 3, 16), (1, 4, 4, 2), {"padding": "SAME"}, weights=(a, b)
        )
        for a, b in ((-128, -128), (127, 127), (127, -128))
    },
    # More inputs than the smallest board has memory for.
    "large_window": Conv((1, 3, 4, 150), (3, 3, 3, 150), (1, 1, 2, 3), filter_scale=(0.0004,)),
    "large_groups": Conv((1, 3, 31, 80), (6, 3, 3, 40), (1, 1, 29, 6)),
    "large_columns": Conv((1, 40, 1, 60), (5, 3, 1, 60), (1, 38, 1, 5)),
}
