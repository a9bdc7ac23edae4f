"""Models of many layers, for measuring conversions."""

from __future__ import annotations

from opsmith.tflite.writer import ModelWriter
from tests.architectures.layers import Layers
from tests.architectures.schemes import INT8

SIZE = 8  # pixels of an image along both axes
CHANNELS = 96


def residual(nodes: int) -> bytes:
    """Blocks of 1x1, depthwise 3x3 and 1x1 with an addition, no two with equal weights."""
    model = ModelWriter()
    n = Layers(model, INT8)
    x = n.input(1, SIZE, SIZE, CHANNELS)
    for _ in range(nodes // 4):
        y = n.depthwise(n.pointwise(x, CHANNELS, "RELU"))
        x = n.binary("ADD", x, n.pointwise(y, CHANNELS, "NONE"))
    n.output(x)
    return model.bytes()
