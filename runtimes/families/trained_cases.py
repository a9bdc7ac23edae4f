"""Layers of int8 as training leaves some: multipliers are log-normal, with tails at both ends, and
outputs of all channels within int8.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from opsmith.ir import Array
from opsmith.tflite.writer import ModelWriter
from runtimes.families.convolution_cases import BIAS_SCALE, Conv
from runtimes.families.depthwise_cases import Depthwise
from runtimes.families.matmul_cases import MatMul

MEDIAN, SPREAD = 0.005, 1.5  # of multipliers, and of their logarithms
Shape = tuple[int, ...]
# Multipliers whose rounding is seldom that of random ones: products are halves, or sums many.
KINDS: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "powers": lambda random, count: np.asarray(2.0 ** random.integers(-10, 1, count)),
    "one_power": lambda random, count: np.full(count, 2.0 ** random.integers(-10, 0)),
    "multiples": lambda random, count: random.integers(1, 20, count) / 1024,
    "decimals": lambda random, count: random.integers(1, 100, count) / 10_000,
    "near_one": lambda random, count: random.uniform(0.9, 1.1, count),
    "above_one": lambda random, count: random.uniform(1, 8, count),
    "tiny": lambda random, count: np.asarray(2.0 ** random.integers(-24, -18, count)),
}
LARGE = (0.5, 0.75, 0.99, 1.0, 1.7, 3.3, 40.0)  # in turn
OUTPUT = 60.0  # about how far outputs are from the zero point
INPUT = 74.0  # deviation of random inputs
TINY, LARGEST_BIAS = 1e-6, 2**31 - 2**26  # multipliers, and biases that leave room for products
LOWEST = 0.1  # of weights where some are -128
RELU: dict[str, int | str] = {"fused_activation_function": "RELU"}


@dataclass(frozen=True)
class TrainedConv(Conv):
    """int8 convolution in which every Nth channel has a large multiplier."""

    large: int = 5
    lowest: bool = field(default=False, repr=False)  # some weights are -128
    kind: str = field(default="", repr=False)  # of multipliers; "": as training leaves them

    def __call__(self, m: ModelWriter) -> None:
        assert isinstance(self.x_scale, float) and isinstance(self.y_scale, float)
        random = np.random.default_rng(zlib.crc32(repr(self).encode()))
        multipliers = multipliers_of(random, self.filter[0], self.large, self.kind)
        rows, biases = rows_of(random, multipliers, int(np.prod(self.filter[1:])), self.lowest)
        x = self._bordered(m, m.input("x", self.x, "int8", self.x_scale, self.x_zero_point))
        scales = (multipliers * self.y_scale / self.x_scale).tolist()
        filters = m.constant("filter", rows.reshape(self.filter), scales)
        y = m.tensor("y", self.y, "int8", self.y_scale, self.y_zero_point)
        self.add(m, [x, filters, m.constant("bias", biases, BIAS_SCALE)], y, version=3)


@dataclass(frozen=True)
class TrainedDepthwise(Depthwise):
    """int8 depthwise convolution in which every Nth channel has a large multiplier."""

    large: int = 5
    lowest: bool = field(default=False, repr=False)  # some weights are -128
    kind: str = field(default="", repr=False)  # of multipliers; "": as training leaves them

    def __call__(self, m: ModelWriter) -> None:
        assert isinstance(self.x_scale, float)
        random = np.random.default_rng(zlib.crc32(repr(self).encode()))
        channels, (height, width) = self.x[3] * self.multiplier, self.window
        multipliers = multipliers_of(random, channels, self.large, self.kind)
        rows, biases = rows_of(random, multipliers, height * width, self.lowest)
        x = m.input("x", self.x, "int8", self.x_scale, self.x_zero_point)
        scales = (multipliers * self.y_scale / self.x_scale).tolist()
        shape = (1, height, width, channels)
        filters = m.constant("filter", rows.T.reshape(shape), scales, [0] * channels, axis=3)
        bias = m.constant("bias", biases, BIAS_SCALE)
        y = m.tensor("y", self.y_shape(channels), "int8", self.y_scale, self.y_zero_point)
        m.node("DEPTHWISE_CONV_2D", [x, filters, bias], [y], self.options(), version=3)
        m.output(y)


@dataclass(frozen=True)
class TrainedMatMul(MatMul):
    """int8 fully connected layer in which every Nth channel has a large multiplier; with one scale,
    all channels have it.
    """

    large: int = 5
    same: float = 0.0  # 0: a scale for each channel
    lowest: bool = field(default=False, repr=False)  # some weights are -128
    kind: str = field(default="", repr=False)  # of multipliers; "": as training leaves them

    def __call__(self, m: ModelWriter) -> None:
        assert isinstance(self.x_scale, float) and isinstance(self.y_scale, float)
        random = np.random.default_rng(zlib.crc32(repr(self).encode()))
        multipliers = multipliers_of(random, self.channels, self.large, self.kind)
        multipliers = np.full(self.channels, self.same) if self.same else multipliers
        rows, biases = rows_of(random, multipliers, self.x[-1], self.lowest)
        x = m.input("x", self.x, "int8", self.x_scale, self.x_zero_point)
        scales = (multipliers * self.y_scale / self.x_scale).tolist()
        weights = m.constant("weights", rows, scales[0] if self.same else scales)
        bias = m.constant("bias", biases, self.x_scale * scales[0] if self.same else BIAS_SCALE)
        y = m.tensor("y", (self.x[0], self.channels), "int8", self.y_scale, self.y_zero_point)
        options = {"fused_activation_function": self.activation}
        m.node("FULLY_CONNECTED", [x, weights, bias], [y], options, version=4)
        m.output(y)


def multipliers_of(random: np.random.Generator, channels: int, large: int, kind: str) -> Array:
    """Multipliers of a kind, or log-normal ones, of which every `large`th is large, the next one
    vanishes, and one more is tiny.
    """
    if kind:
        return KINDS[kind](random, channels)
    found: Array = np.exp(random.normal(np.log(MEDIAN), SPREAD, channels))
    found = np.minimum(found, 0.49)
    for i, channel in enumerate(range(0, channels, large)):
        found[channel] = LARGE[i % len(LARGE)]
        found[channel + 1 : channel + 2] *= 1e-7
        found[channel + 2 : channel + 3] = random.uniform(2.0**-26, 2.0**-22)
    return found


def rows_of(
    random: np.random.Generator, multipliers: Array, inputs: int, lowest: bool
) -> tuple[Array, Array]:
    """Weights and bias of each channel. For tiny multipliers, zero weights give an output just
    before a step. With `lowest`, some weights are -128.
    """
    size = OUTPUT / (multipliers * INPUT * np.sqrt(inputs))
    weights = random.normal(0, np.clip(size, 0.6, 60)[:, None], (len(multipliers), inputs))
    bias = random.normal(0, np.minimum(OUTPUT / multipliers, 1e6))
    most = np.minimum(OUTPUT, LARGEST_BIAS * multipliers - 0.5)
    step = np.trunc(random.uniform(-1, 1, len(multipliers)) * most) + 0.5
    bias = np.where((multipliers < TINY) & (most >= 0), step / multipliers, bias)
    rows = np.clip(np.rint(weights), -127, 127).astype(np.int8)
    if lowest:
        rows[random.random(rows.shape) < LOWEST] = -128
    return rows, np.rint(bias).astype(np.int32)


def _of_pixels(pixels: Shape, inputs: int, outputs: int) -> tuple[Shape, Shape, Shape]:
    """Shapes of x, of filters of one pixel, and of y."""
    return (1, *pixels, inputs), (outputs, 1, 1, inputs), (1, *pixels, outputs)


def large_beside_constant(m: ModelWriter) -> None:
    """Add an int8 convolution where one channel has a multiplier of 0.9, and the next, with nonzero
    weights, always gives 4.
    """
    scales = np.full(16, 0.01)
    scales[4:6] = 1.8, 1e-9
    filters = np.random.default_rng(3).integers(-100, 100, (16, 1, 1, 16)).astype(np.int8)
    biases = np.full(16, 100, np.int32)
    x = m.input("x", (1, 4, 4, 16), "int8", 0.05, -3)
    y = m.tensor("y", (1, 4, 4, 16), "int8", 0.1, 4)
    constants = (
        m.constant("filter", filters, scales.tolist()),
        m.constant("bias", biases, BIAS_SCALE),
    )
    m.node("CONV_2D", [x, *constants], [y], {"stride_h": 1, "stride_w": 1}, version=3)
    m.output(y)


SAME: dict[str, int | str] = {"padding": "SAME"}
CONVOLUTIONS: dict[str, Callable[[ModelWriter], None]] = {
    "trained_large_beside_constant": large_beside_constant,
    "trained": TrainedConv(*_of_pixels((4, 5), 8, 12)),
    "trained_relu": TrainedConv(*_of_pixels((4, 5), 8, 12), options=RELU, y_zero_point=-128),
    "trained_odd": TrainedConv(*_of_pixels((3, 5), 20, 7)),
    "trained_odd_relu": TrainedConv(*_of_pixels((3, 5), 20, 7), options=RELU, y_zero_point=-128),
    "trained_bounds": TrainedConv(*_of_pixels((3, 3), 24, 6), options={**RELU}, y_zero_point=-100),
    "trained_all_large": TrainedConv(*_of_pixels((2, 3), 16, 8), large=1),
    "trained_window": TrainedConv((1, 6, 6, 8), (12, 3, 3, 8), (1, 6, 6, 12), SAME),
    "trained_window_of_3": TrainedConv((1, 6, 6, 3), (12, 3, 3, 3), (1, 6, 6, 12), SAME | RELU),
    "trained_groups": TrainedConv((1, 4, 4, 8), (12, 3, 3, 4), (1, 2, 2, 12)),
    "trained_groups_of_5": TrainedConv(
        (2, 5, 3, 12), (20, 3, 3, 3), (2, 5, 3, 20), SAME, lowest=True
    ),
    "trained_line": TrainedConv((1, 24, 1, 8), (8, 9, 1, 8), (1, 16, 1, 8)),
    "trained_dilated": TrainedConv(
        (1, 11, 1, 8), (6, 9, 1, 8), (1, 11, 1, 6), SAME | {"dilation_h_factor": 4}
    ),
    "trained_winograd": TrainedConv((1, 6, 10, 32), (6, 3, 3, 32), (1, 4, 8, 6)),
    "trained_to_a_pixel": TrainedConv((1, 4, 4, 32), (16, 4, 4, 32), (1, 1, 1, 16)),
    "trained_polynomials": TrainedConv((1, 5, 8, 8), (6, 3, 3, 8), (1, 5, 8, 6), SAME),
    "trained_quads": TrainedConv((1, 4, 8, 32), (16, 3, 3, 32), (1, 4, 8, 16), SAME),
}
DEPTHWISES = {
    "trained": TrainedDepthwise(x=(1, 6, 7, 12)),
    "trained_relu": TrainedDepthwise(x=(1, 7, 6, 16), activation="RELU", y_zero_point=-128),
    "trained_relu6": TrainedDepthwise(
        (1, 5, 5, 24), activation="RELU6", y_zero_point=-100, large=9
    ),
    "trained_stride_2": TrainedDepthwise(
        (1, 9, 8, 20), stride=(2, 2), activation="RELU", y_zero_point=-128, large=7
    ),
    "trained_5x5": TrainedDepthwise(
        (1, 9, 9, 10), (5, 5), activation="RELU", y_zero_point=-128, padding="VALID"
    ),
    "trained_2x2": TrainedDepthwise((1, 7, 5, 10), (2, 2), padding="VALID"),
    "trained_to_a_pixel": TrainedDepthwise((2, 5, 5, 16), (5, 5), padding="VALID"),
    "trained_multiplier": TrainedDepthwise((1, 5, 5, 3), multiplier=4),
}
MATMULS = {
    "trained": TrainedMatMul((3, 64), 12),
    "trained_relu": TrainedMatMul((1, 30), 9, activation="RELU", y_zero_point=-128),
    "trained_long": TrainedMatMul((1, 600), 10),
    "trained_rows": TrainedMatMul((6, 64), 24, large=20),
    "trained_rows_odd": TrainedMatMul((4, 30), 25, activation="RELU", y_zero_point=-90, large=24),
    "trained_to_one": TrainedMatMul((2, 40), 1, same=0.8),
    "trained_alike": TrainedMatMul((2, 48), 8, same=1.7),
    "trained_all_large": TrainedMatMul((1, 20), 8, large=1),
}
