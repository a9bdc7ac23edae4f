"""DEPTHWISE_CONV_2D and a CONV_2D of 1x1, for tests; calling a pair adds it to a model."""

from dataclasses import dataclass

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from runtimes.families.depthwise_cases import Depthwise


@dataclass(frozen=True)
class Separable:
    """Depthwise convolution, and a convolution of its output with filters of 1x1."""

    first: Depthwise = Depthwise()  # noqa: RUF009 frozen
    channels: int = 6
    y_scale: float = 0.4
    y_zero_point: int = 4
    activation: str = "NONE"
    filter_scales: int | None = None  # None: one per channel
    stride: int = 1
    also_read: bool = False  # the inner tensor, by the application
    border: int = 0  # pixels of x above and left of the image, which a PAD adds

    def __call__(self, m: ModelWriter) -> None:
        first = self.first
        rng = np.random.default_rng(self.channels)
        inner = first.add(m, self._input(m), "inner_")
        values = rng.integers(-127, 128, (self.channels, 1, 1, inner.shape[3]), np.int8)
        scales = [0.01 + 0.002 * (i % 7) for i in range(self.filter_scales or self.channels)]
        weights = m.constant("filter", values, scales, [0] * len(scales))
        bias = m.constant("bias", rng.integers(-3000, 3000, self.channels, np.int32))
        batches, height, width, _ = inner.shape
        size = (-(-height // self.stride), -(-width // self.stride))
        shape = (batches, *size, self.channels)
        y = m.tensor("y", shape, "int8", self.y_scale, self.y_zero_point)
        options = {"stride_h": self.stride, "stride_w": self.stride}
        more = {"padding": "SAME", "fused_activation_function": self.activation}
        m.node("CONV_2D", [inner, weights, bias], [y], {**options, **more}, version=3)
        m.output(*([inner] if self.also_read else []), y)

    def _input(self, m: ModelWriter) -> ModelTensor:
        first, border = self.first, self.border
        batches, height, width, channels = first.x
        shape = (batches, height - border, width - border, channels)
        image = m.input("x", shape, "int8", first.x_scale, first.x_zero_point)
        if not border:
            return image
        x = m.tensor("bordered", first.x, "int8", first.x_scale, first.x_zero_point)
        sides = np.array([[0, 0], [border, 0], [border, 0], [0, 0]], np.int32)
        m.node("PAD", [image, m.constant("paddings", sides)], [x])
        return x


def of(channels: int, height: int = 3, width: int = 3) -> Depthwise:
    """Depthwise convolution of `channels` channels, whose outputs fill the range of int8."""
    return Depthwise((1, height, width, channels), y_scale=0.1 + 0.01 * channels)
