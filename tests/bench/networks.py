"""Models of many layers, for measuring conversions."""

from opsmith.tflite.writer import ModelWriter
from tests.architectures.layers import Layers
from tests.architectures.schemes import INT8

SIZE = 8  # pixels of an image along both axes
CHANNELS = 96


def residual(nodes: int) -> bytes:
    """Model of residual blocks of a 1x1, a depthwise 3x3 and a 1x1 convolution, no two with equal
    weights.
    """
    model = ModelWriter()
    n = Layers(model, INT8)
    x = n.input(1, SIZE, SIZE, CHANNELS)
    for _ in range(nodes // 4):
        y = n.depthwise(n.pointwise(x, CHANNELS, "RELU"))
        x = n.binary("ADD", x, n.pointwise(y, CHANNELS, "NONE"))
    n.output(x)
    return model.bytes()


# Of MobileNetV2: expansion, channels at width 1, blocks and stride of each group.
INVERTED = (
    (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
    (6, 320, 1, 1),
)  # fmt: skip


def mobilenet_v2(size: int, width: float, classes: int) -> bytes:
    """MobileNetV2 for square images of three channels, with random weights."""
    model = ModelWriter()
    n = Layers(model, INT8)
    x = n.convolution(n.input(1, size, size, 3), _by_eight(32 * width), stride=2)
    for expansion, filters, blocks, stride in INVERTED:
        for step in (stride, *[1] * (blocks - 1)):
            y = x if expansion == 1 else n.pointwise(x, expansion * x.shape[3])
            y = n.pointwise(n.depthwise(y, stride=step), _by_eight(filters * width), "NONE")
            x = n.binary("ADD", x, y) if step == 1 and x.shape == y.shape else y
    x = n.mean(n.pointwise(x, 1280), [1, 2], keep=False)
    n.output(n.softmax(n.dense(x, classes)))
    return model.bytes()


def _by_eight(channels: float) -> int:
    """Nearest multiple of eight to a width, at most a tenth below it and at least eight."""
    found = max(8, int(channels + 4) // 8 * 8)
    return found if found >= 0.9 * channels else found + 8
