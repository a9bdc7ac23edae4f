"""Layers as models of users have them: shapes that `tests.fuzz.trained` draws seldom or never."""

from collections.abc import Callable
from random import Random

from ops.fully_connected_blocks.test_fully_connected_blocks import blocks
from opsmith.tflite.writer import ModelWriter
from runtimes.families.convolution_cases import Conv, Conv16, ConvF32, ConvU8, TransposeConv
from runtimes.families.matmul_cases import BatchMatMul, DynamicMatMul, MatMul, RealMatMul
from runtimes.families.trained_cases import TrainedConv, TrainedMatMul
from tests.bench import usual_elements

Build = Callable[[ModelWriter], None]
Shape = tuple[int, ...]
TYPES = ("int8", "int8", "int8", "uint8", "int16", "float32")
MOST = 300_000  # multiplications of a layer, so that many are profiled at once


def _pointwise(chance: Random) -> Build:
    """Random 1x1 convolution; few channels of x or y are as frequent as many."""
    inputs, outputs = _channels(chance), _channels(chance)
    stride = chance.choice((1, 1, 1, 2))
    return _convolution(chance, _plane(chance), inputs, outputs, (1, 1), stride)


def _first(chance: Random) -> Build:
    """Random first layer of a network, of one or three channels."""
    window = chance.choice(((3, 3), (3, 3), (5, 5), (7, 7), (10, 4), (3, 1), (9, 1)))
    plane, stride = _plane(chance, 8, 28), chance.choice((1, 2, 2))
    return _convolution(
        chance, plane, chance.choice((1, 1, 3)), chance.choice((4, 8, 16)), window, stride
    )


def _window(chance: Random) -> Build:
    """Random convolution of windows of several pixels, over a plane with a border."""
    window = chance.choice(((3, 3), (3, 3), (3, 3), (5, 5), (2, 2), (3, 1), (1, 5)))
    inputs, outputs = _channels(chance), _channels(chance)
    return _convolution(chance, _plane(chance), inputs, outputs, window, chance.choice((1, 1, 2)))


def _grouped(chance: Random) -> Build:
    """Random convolution of groups of channels."""
    groups, window = chance.choice((2, 4, 8)), chance.choice(((1, 1), (3, 3)))
    inputs, outputs = (groups * chance.choice((1, 2, 3, 4, 8, 12)) for _ in range(2))
    stride = chance.choice((1, 1, 2))
    return _convolution(chance, _plane(chance), inputs, outputs, window, stride, groups)


def _dense(chance: Random) -> Build:
    """Random fully connected layer; one row is most frequent, short rows as frequent as long."""
    rows, depth = chance.choice((1, 1, 1, 2, 3, 8)), chance.choice((1, 2, 4, 5, 8, 10, 16, 33))
    depth = chance.choice((depth, chance.randint(40, 784)))
    channels = chance.choice((1, 2, 3, 4, 5, 8, 10, 12, 16, 32, 64))
    kind, activation = chance.choice(TYPES), chance.choice(("NONE", "RELU"))
    match kind:
        case "int8":
            return TrainedMatMul(
                (rows, depth), channels, activation=activation, same=chance.choice((0.0, 0.002)),
                lowest=chance.random() < 0.2,
            )  # fmt: skip
        case "uint8":
            zero = chance.randint(64, 192)
            return MatMul(
                (rows, depth), channels, dtype=kind, x_zero_point=120, y_zero_point=110,
                weights_zero_point=zero,
            )  # fmt: skip
        case "int16":
            return MatMul(
                (rows, depth), channels, dtype=kind, x_scale=0.001, x_zero_point=0, y_zero_point=0,
                bias_type="int64",
            )  # fmt: skip
    return chance.choice((RealMatMul, DynamicMatMul))((rows, depth), channels)


def _packed(chance: Random) -> Build:
    """Random fully connected layer of float32 whose weights are integers, times scales of channels
    or of blocks.
    """
    rows, count = chance.choice((1, 1, 1, 8)), chance.choice((1, 2, 4, 8))
    channels, bits = chance.choice((2, 4, 10, 16, 32)), chance.choice((4, 8))
    if chance.random() < 0.5:
        return blocks(rows, channels, block=32, count=count, bits=bits)
    return RealMatMul((rows, 32 * count), channels, bits=bits)


def _transposed(chance: Random) -> Build:
    """Random transposed convolution of stride 2."""
    height, width, inputs, outputs = *_plane(chance, 2, 8), _channels(chance), _channels(chance)
    size = chance.choice((2, 3, 4))
    shapes = (
        (1, height, width, inputs),
        (outputs, size, size, inputs),
        (1, 2 * height, 2 * width, outputs),
    )
    match chance.choice(("int8", "int8", "int16", "float32")):
        case "int16":
            return TransposeConv(*shapes, x_type="int16", bias_type="int64")
        case "float32":
            kind = "float32"
            return TransposeConv(*shapes, x_type=kind, filter_type=kind, bias_type=kind, bias=1)
    return TransposeConv(*shapes)


def _products(chance: Random) -> Build:
    """Random product of matrices, as in attention."""
    count, rows, depth, columns = (chance.choice((1, 2, 4, 8, 16, 31)) for _ in range(4))
    kind, adjoint = chance.choice(("int8", "int8", "int16", "float32")), chance.random() < 0.5
    b = (count, columns, depth) if adjoint else (count, depth, columns)
    return BatchMatMul((count, rows, depth), b, adj_y=adjoint, types=(kind, kind))


def _convolution(
    chance: Random,
    plane: Shape,
    inputs: int,
    outputs: int,
    window: Shape,
    stride: int,
    groups: int = 1,
) -> Build:
    """Convolution with a border, over a smaller plane where the layer would be too large."""
    multiplied = window[0] * window[1] * inputs // groups * outputs
    height, width = plane
    while height * width * multiplied > MOST * stride**2 and height * width > 1:
        height, width = -(-height // 2), -(-width // 2)
    y = (1, -(-height // stride), -(-width // stride), outputs)
    shapes = (1, height, width, inputs), (outputs, *window, inputs // groups), y
    options = {
        "padding": "SAME",
        "stride_h": stride,
        "stride_w": stride,
        "fused_activation_function": chance.choice(("NONE", "RELU", "RELU6")),
    }
    match chance.choice(TYPES if groups == 1 else ("int8", "int8", "float32")):
        case "int8":
            if chance.random() < 0.5:
                return TrainedConv(*shapes, options, large=7, lowest=chance.random() < 0.3)
            return Conv(*shapes, options)
        case "uint8":
            return ConvU8(*shapes, options, filter_zero_point=chance.randint(64, 192))
        case "int16":
            return Conv16(*shapes, options, filter_scale=chance.choice((0.0005, 0.011)))
    return ConvF32(*shapes, options, filter_scales=chance.choice((0, outputs)))


def _plane(chance: Random, least: int = 1, most: int = 16) -> Shape:
    """Random height and width of an image, mostly equal."""
    height = chance.randint(least, most)
    return height, height if chance.random() < 0.7 else chance.randint(least, most)


def _channels(chance: Random) -> int:
    return chance.choice((1, 2, 3, 4, 6, 8, 10, 12, 16, 16, 24, 32, 32, 48, 64, 96))


KINDS: tuple[Callable[[Random], Build], ...] = (
    _pointwise, _first, _window, _grouped, _dense, _packed, _transposed, _products,
    *usual_elements.KINDS,
)  # fmt: skip
