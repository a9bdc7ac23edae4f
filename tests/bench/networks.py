"""Models of many layers, for measuring conversions."""

from __future__ import annotations

import numpy as np

from opsmith.tflite.emitter import Tensor
from opsmith.tflite.writer import ModelWriter

SIZE = 8  # pixels of an image along both axes
CHANNELS = 96
_STEPS = ("stride_w", "stride_h", "dilation_w_factor", "dilation_h_factor")


def residual(nodes: int) -> bytes:
    """Blocks of 1x1, depthwise 3x3 and 1x1 with an addition, no two with equal weights."""
    network = _Network()
    for _ in range(nodes // 4):
        network.block()
    return network.bytes()


class _Network:
    def __init__(self) -> None:
        self._model = ModelWriter()
        self._random = np.random.default_rng(1)
        shape = (1, SIZE, SIZE, CHANNELS)
        self._x = self._model.input("x", shape, "int8", [0.05], [3])
        self._made = 0

    def bytes(self) -> bytes:
        """The model."""
        self._model.output(self._x)
        return bytes(self._model.bytes())

    def block(self) -> None:
        """Append four nodes."""
        skipped = self._x
        self._filter("CONV_2D", (CHANNELS, 1, 1, CHANNELS), "RELU", -128)
        self._filter("DEPTHWISE_CONV_2D", (1, 3, 3, CHANNELS), "RELU6", -128)
        self._filter("CONV_2D", (CHANNELS, 1, 1, CHANNELS), "NONE", -7)
        y = self._tensor(0.09, 5)
        self._model.node("ADD", [skipped, self._x], [y], version=2)
        self._x = y

    def _tensor(self, scale: float, zero_point: int) -> Tensor:
        self._made += 1
        return self._model.tensor(f"t{self._made}", self._x.shape, "int8", [scale], [zero_point])

    def _filter(self, op: str, shape: tuple[int, ...], activation: str, zero_point: int) -> None:
        """Append a convolution whose outputs use all of int8."""
        axis = 3 if op == "DEPTHWISE_CONV_2D" else 0
        weights = self._random.normal(size=shape)
        others = tuple(each for each in range(4) if each != axis)
        steps = np.abs(weights).max(axis=others, keepdims=True) / 127
        scales = (steps / np.sqrt(weights.size / CHANNELS)).reshape(-1).astype(np.float32)
        added = (np.float32(self._x.scale[0]) * scales).astype(np.float32)
        bias = np.rint(self._random.normal(0, 0.3, CHANNELS) / added).astype(np.int32)
        y, zeros = self._tensor(0.05, zero_point), [0] * CHANNELS
        values = np.rint(weights / steps).astype(np.int8)
        inputs = [
            self._x,
            self._model.constant(f"w{self._made}", values, scales.tolist(), zeros, axis=axis),
            self._model.constant(f"b{self._made}", bias, added.tolist(), zeros),
        ]
        options = {"padding": "SAME", "fused_activation_function": activation}
        more = {"depth_multiplier": 1} if axis else {}
        self._model.node(
            op, inputs, [y], {**options, **dict.fromkeys(_STEPS, 1), **more}, version=3
        )
        self._x = y
