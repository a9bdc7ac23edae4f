"""Networks of the size that GPUs are for, with random weights."""

from opsmith.tflite.writer import ModelWriter
from tests.architectures.layers import Layers
from tests.architectures.schemes import INT8, Scheme

# Filters and stride.
STAGES = (
    *((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)),
    *((512, 1),) * 5,
    *((1024, 2), (1024, 1)),
)


def mobilenet_v1(scheme: Scheme = INT8, size: int = 224) -> bytes:
    """MobileNetV1 1.0: a convolution, 13 pairs of depthwise and pointwise ones, and a classifier
    (Howard et al. 2017, arXiv:1704.04861).
    """
    model = ModelWriter()
    n = Layers(model, scheme)
    x = n.convolution(n.input(1, size, size, 3), 32, stride=2)
    for filters, stride in STAGES:
        x = n.pointwise(n.depthwise(x, stride=stride), filters)
    x = n.pool("AVERAGE_POOL_2D", x, x.shape[1:3])
    n.output(n.softmax(n.reshape(n.pointwise(x, 1000, "NONE"), 1, 1000)))
    return model.bytes()
