"""Networks that look at images: classifiers, encoders and decoders, detectors."""

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from tests.architectures.layers import Layers

HARD = (0.0, 1.0)  # of a hard sigmoid


def ds_cnn(n: Layers) -> None:
    """Keyword spotting: depthwise-separable convolutions over a spectrogram."""
    x = n.convolution(n.input(1, 12, 6, 1), 8, (10, 4), stride=2, activation="RELU")
    for _ in range(2):
        x = n.pointwise(n.depthwise(x, activation="RELU"), 8, "RELU")
    x = n.pool("AVERAGE_POOL_2D", x, x.shape[1:3])
    n.output(n.softmax(n.dense(n.reshape(x, 1, 8), 5)))


def mobilenet_v1(n: Layers) -> None:
    """Depthwise-separable convolutions, the last layer a convolution."""
    x = n.convolution(n.input(1, 8, 8, 3), 4, stride=2)
    x = n.pointwise(n.depthwise(x), 8)
    x = n.pointwise(n.depthwise(x, stride=2), 12)
    x = n.pool("AVERAGE_POOL_2D", x, x.shape[1:3])
    n.output(n.softmax(n.reshape(n.pointwise(x, 5, "NONE"), 1, 5)))


def mobilenet_v2(n: Layers) -> None:
    """Inverted residuals, whose narrow ends have no activation."""
    x = n.pointwise(n.depthwise(n.convolution(n.input(1, 8, 8, 3), 4, stride=2)), 4, "NONE")
    wide = n.depthwise(n.pointwise(x, 12))
    x = n.binary("ADD", x, n.pointwise(wide, 4, "NONE"))
    x = n.pointwise(n.depthwise(n.pointwise(x, 12), stride=2), 6, "NONE")
    n.output(n.dense(n.mean(n.pointwise(x, 16), [1, 2], keep=False), 5))


def mobilenet_v3(n: Layers) -> None:
    """Hard swish, and squeeze-and-excite by a hard sigmoid."""
    x = n.unary("HARD_SWISH", n.convolution(n.input(1, 8, 8, 3), 4, stride=2, activation="NONE"))
    wide = n.unary("HARD_SWISH", n.pointwise(x, 12, "NONE"))
    wide = n.unary("HARD_SWISH", n.depthwise(wide, (5, 5), activation="NONE"))
    few = n.pointwise(n.mean(wide, [1, 2]), 4, "RELU")
    gate = n.binary("ADD", n.pointwise(few, 12, "NONE"), n.constant(3.0), activation="RELU6")
    gate = n.binary("MUL", gate, n.constant(1 / 6), bounds=HARD)
    x = n.binary("ADD", x, n.pointwise(n.binary("MUL", wide, gate), 4, "NONE"))
    n.output(n.dense(n.mean(x, [1, 2], keep=False), 5))


def efficientnet_lite(n: Layers) -> None:
    """An inverted residual with squeeze-and-excite by a sigmoid."""
    x = n.convolution(n.input(1, 6, 6, 3), 4)
    wide = n.depthwise(n.pointwise(x, 12), (5, 5))
    few = n.pointwise(n.mean(wide, [1, 2]), 2, "RELU")
    gate = n.unary("LOGISTIC", n.pointwise(few, 12, "NONE"))
    narrow = n.pointwise(n.binary("MUL", wide, gate), 4, "NONE")
    n.output(n.pool("MAX_POOL_2D", n.binary("ADD", narrow, x), (2, 2)))


def resnet(n: Layers) -> None:
    """Residual blocks, the second with a convolution in its shortcut."""
    x = n.convolution(n.input(1, 8, 8, 3), 4, activation="RELU")
    inner = n.convolution(n.convolution(x, 4, activation="RELU"), 4, activation="NONE")
    x = n.binary("ADD", x, inner, activation="RELU")
    inner = n.convolution(x, 8, stride=2, activation="RELU")
    inner = n.convolution(inner, 8, activation="NONE")
    shortcut = n.convolution(x, 8, (1, 1), stride=2, activation="NONE")
    x = n.binary("ADD", inner, shortcut, activation="RELU")
    x = n.pool("AVERAGE_POOL_2D", x, (4, 4))
    n.output(n.softmax(n.dense(n.reshape(x, 1, 8), 5)))


def u_net(n: Layers) -> None:
    """Segmentation: an encoder, and a decoder that also reads what the encoder kept."""
    fine = n.convolution(n.input(1, 8, 8, 1), 4, activation="RELU")
    coarse = n.convolution(n.pool("MAX_POOL_2D", fine, (2, 2)), 8, activation="RELU")
    deep = n.convolution(n.pool("MAX_POOL_2D", coarse, (2, 2)), 8, activation="RELU")
    up = n.joined(3, coarse, n.upsampled(deep, 4))
    up = n.convolution(up, 4, activation="RELU")
    up = n.moved("RESIZE_NEAREST_NEIGHBOR", up, (1, 8, 8, 4), (8, 8), align_corners=False)
    up = n.convolution(n.joined(3, fine, up), 4, activation="RELU")
    n.output(n.unary("LOGISTIC", n.pointwise(up, 1, "NONE")))


def super_resolution(n: Layers) -> None:
    """Details by DEPTH_TO_SPACE, added to the image that is enlarged smoothly."""
    x = n.input(1, 5, 6, 1)
    details = n.convolution(n.convolution(x, 6, (5, 5), activation="RELU"), 4, activation="NONE")
    details = n.moved("DEPTH_TO_SPACE", details, (1, 10, 12, 1), block_size=2)
    smooth = n.moved("RESIZE_BILINEAR", x, (1, 10, 12, 1), (10, 12), half_pixel_centers=True)
    n.output(n.binary("ADD", details, smooth))


def detector(n: Layers) -> None:
    """Boxes and scores from features of two sizes; boxes are offsets from anchors."""
    fine = n.convolution(n.input(1, 8, 8, 3), 6, stride=2)
    coarse = n.convolution(fine, 6, stride=2)
    boxes = n.joined(
        1, *(_flat(n, n.convolution(x, 8, activation="NONE"), 4) for x in (fine, coarse))
    )
    scores = n.joined(
        1, *(_flat(n, n.convolution(x, 6, activation="NONE"), 3) for x in (fine, coarse))
    )
    centres, sizes = n.parts("SPLIT", boxes, 2, 2)
    anchors = n.random.uniform(0, 1, (1, boxes.shape[1], 2))
    centres = n.binary("ADD", n.binary("MUL", centres, n.constant(0.1)), n.constant(anchors))
    sizes = n.unary("EXP", n.binary("MUL", sizes, n.constant(0.2)), (0.0, 2.5))
    half = n.binary("MUL", sizes, n.constant(0.5))
    corners = n.joined(2, n.binary("SUB", centres, half), n.binary("ADD", centres, half))
    best = n.model.tensor("best", (1, scores.shape[1]), "int32")
    n.model.node("ARG_MAX", [scores, n.numbers(2)], [best], {"output_type": "INT32"})
    n.output(corners, n.unary("LOGISTIC", scores), best)


def _flat(n: Layers, x: ModelTensor, size: int) -> ModelTensor:
    """Tensor reshaped to rows of N elements."""
    return n.reshape(x, 1, int(np.prod(x.shape)) // size, size)
