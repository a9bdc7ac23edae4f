"""Layers that are not products, and small recurrent ones, as models of users have them."""

from collections.abc import Callable
from random import Random
from typing import Any

from ops.svdf.test_svdf import RealSvdf, Svdf
from ops.unidirectional_sequence_lstm.test_unidirectional_sequence_lstm import I16, Lstm
from opsmith.tflite.one_node import one_node
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter
from runtimes.families.binary_cases import Binary
from runtimes.families.depthwise_cases import Depthwise, Depthwise16, DepthwiseF32
from runtimes.families.movement_cases import Moving, moving
from runtimes.families.pooling_cases import Pool
from runtimes.families.reduction_cases import ZERO_POINTS, Reduction
from runtimes.families.resize_cases import resized
from runtimes.families.unary_cases import Unary

Build = Callable[[ModelWriter], None]
Shape = tuple[int, ...]
TYPES = ("int8", "int8", "int8", "uint8", "int16", "float32")
HALF = {"int8": 0.05, "uint8": 0.05, "int16": 0.0002}  # scales by element type
# int8 functions of one input, and the scale and zero point of their outputs
FUNCTIONS: dict[str, tuple[float, int]] = {
    "LOGISTIC": (1 / 256, -128), "TANH": (1 / 128, 0), "HARD_SWISH": (0.04, -100),
    "RELU": (0.05, 4), "RELU6": (0.0235, -128), "LEAKY_RELU": (0.05, -20), "ABS": (0.05, 4),
    "ELU": (0.05, -100), "EXP": (0.1, -128), "GELU": (0.05, -100), "QUANTIZE": (0.04, -5),
}  # fmt: skip
REALS = ("LOGISTIC", "TANH", "RELU", "RELU6", "EXP", "SQRT", "ABS", "LEAKY_RELU", "ELU", "GELU")


def binary(chance: Random) -> Build:
    """Random sum, difference, product, maximum or squared difference: of images, of an image and
    its channels, and of an image and one number.
    """
    kind, x = chance.choice(TYPES), image(chance)
    op = chance.choice(
        ("ADD", "ADD", "ADD", "SUB", "MUL", "MUL", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE")
    )
    kind = "int8" if kind == "uint8" and op == "SQUARED_DIFFERENCE" else kind
    scale, zero = HALF.get(kind, 0.05), ZERO_POINTS.get(kind, 0)
    same = op in ("MAXIMUM", "MINIMUM") or chance.random() < 0.2
    scales = (scale,) * 3 if same else (scale, scale * 0.7, scale * chance.choice((1.3, 2.1, 0.5)))
    plain = op in ("MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE")
    return Binary(
        op,
        x,
        chance.choice((x, x, x[3:], (1, 1, 1, x[3]), ())),
        dtype=kind,
        scales=scales,
        zero_points=(zero,) * 3,
        constant="b" if chance.random() < 0.4 else "",
        activation="" if plain else chance.choice(("NONE", "NONE", "RELU")),
    )


def unary(chance: Random) -> Build:
    """Random function of one input."""
    shape, kind = image(chance), chance.choice(TYPES)
    if kind == "float32":
        return Unary(chance.choice(REALS), shape=shape).of_type(kind)
    if kind == "int16":
        op = chance.choice(("LOGISTIC", "TANH", "RELU"))
        return Unary(op, 2.0**-12, 0, 0.001 if op == "RELU" else 2.0**-15, 0, shape, kind, kind)
    op = chance.choice([*FUNCTIONS])
    if kind == "uint8":
        op = chance.choice(("LOGISTIC", "TANH", "HARD_SWISH", "RELU", "LEAKY_RELU", "QUANTIZE"))
    y_scale, y_zero = FUNCTIONS[op]
    shift = 128 if kind == "uint8" else 0
    return Unary(op, 0.05, 4 + shift, y_scale, y_zero + shift, shape, kind, kind)


def pool(chance: Random) -> Build:
    """Random average or maximum of windows."""
    _, height, width, channels = image(chance)
    side = chance.choice((2, 2, 3, 3, 5))
    window = chance.choice(((side, side), (side, side), (side, 1), (height, width)))
    stride = chance.choice((window, window, (1, 1), (2, 2)))
    kind = chance.choice(TYPES)
    padding = "VALID" if window == (height, width) else "SAME"
    return Pool(
        chance.choice(("AVERAGE_POOL_2D", "MAX_POOL_2D")),
        (1, height, width, channels),
        window,
        padding,
        stride,
        dtype=kind,
        zero_point=ZERO_POINTS.get(kind, 0),
    )


def softmax(chance: Random) -> Build:
    """Random softmax of a few rows, or log_softmax of bytes."""
    shape = chance.choice((1, 1, 1, 8, 49)), chance.choice((2, 3, 5, 10, 12, 20, 100))
    kind = chance.choice(("int8", "int8", "uint8", "int16", "float32"))
    scale = chance.choice((0.05, 0.1, 0.4))
    y = {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (2.0**-15, 0)}.get(kind)
    x = None if y is None else (0.0005 if kind == "int16" else scale, ZERO_POINTS[kind])
    given, made = (shape, kind, *(x or ())), (shape, kind, *(y or ()))
    return one_node("SOFTMAX", {"x": given}, {"y": made}, {"beta": 1.0}, version=2)


def reduction(chance: Random) -> Build:
    """Random mean, sum or maximum over an image, its rows or its channels."""
    kind, axes = chance.choice(TYPES), chance.choice(((1, 2), (1, 2), (1,), (2,), (3,)))
    op = chance.choice(("MEAN", "MEAN", "MEAN", "SUM", "REDUCE_MAX"))
    scale = HALF.get(kind, 0.05)
    y_scale = scale * (1 if op == "REDUCE_MAX" else chance.choice((1.0, 0.6)))
    return Reduction(
        op, image(chance), axes, chance.random() < 0.5, scale, y_scale=y_scale, dtype=kind
    )


def moved(chance: Random) -> Build:
    """Random concatenation, border, permutation or resized image."""
    x, kind = image(chance), chance.choice(TYPES)
    of: dict[str, Any] = {"dtype": kind, "zero_point": ZERO_POINTS.get(kind)}
    match chance.choice(("join", "pad", "turn", "nearest", "between")):
        case "join":
            other = (*x[:3], chance.choice((1, 4, x[3])))
            made = (*x[:3], x[3] + other[3])
            options: dict[str, OptionValue] = {"axis": 3, "fused_activation_function": "NONE"}
            return moving("CONCATENATION", {"x": x, "other": other}, [made], options, **of)
        case "pad":
            border = ((0, 0), (1, 1), (chance.randint(0, 1), 1), (0, 0))
            y = tuple(n + a + b for n, (a, b) in zip(x, border, strict=True))
            return Moving("PAD", "x", "paddings")(x, y, border, **of)
        case "turn":
            order = chance.choice(((0, 3, 1, 2), (0, 2, 3, 1), (0, 2, 1, 3)))
            return Moving("TRANSPOSE", "x", "perm")(x, tuple(x[i] for i in order), order, **of)
        case "nearest":
            return resized("RESIZE_NEAREST_NEIGHBOR", x, (2 * x[1], 2 * x[2]), **of)
    bilinear = kind if kind != "uint8" else "int8"
    of = {"dtype": bilinear, "zero_point": ZERO_POINTS.get(bilinear)}
    half, size = chance.random() < 0.5, (2 * x[1], 2 * x[2])
    return resized("RESIZE_BILINEAR", x, size, half=half, **of)


def recurrent(chance: Random) -> Build:
    """Random SVDF or LSTM."""
    depth, units = chance.choice((8, 10, 16, 32, 40)), chance.choice((4, 8, 16, 20, 32))
    if chance.random() < 0.5:
        memory, rank = chance.choice((2, 4, 8, 10)), chance.choice((1, 1, 2))
        if chance.random() < 0.3:
            return RealSvdf((1, depth), units, rank, memory, scale=chance.choice((None, 0.01)))
        return Svdf((1, depth), units, rank, memory)
    steps = chance.choice((1, 5, 10))
    if chance.random() < 0.4:
        plain = I16
        return Lstm(
            (1, steps, depth), units, plain.dtype, x_quantisation=plain.x_quantisation,
            hidden=plain.hidden, bias=plain.bias,
        )  # fmt: skip
    kind = chance.choice(("int8", "int8", "float32"))
    dynamic = chance.choice(("", "range")) if kind == "float32" else ""
    return Lstm((1, steps, depth), units, kind, dynamic=dynamic)


def depthwise(chance: Random) -> Build:
    """Random depthwise convolution of int16, or of floats by floats or bytes."""
    x, side = image(chance), chance.choice((3, 3, 5))
    stride = chance.choice((1, 1, 2))
    if chance.random() < 0.5:
        return Depthwise16(x, (side, side), stride=(stride, stride))
    channels = x[3] * chance.choice((1, 1, 2, 4))
    y = (1, -(-x[1] // stride), -(-x[2] // stride), channels)
    options = {"padding": "SAME", "stride_h": stride, "stride_w": stride}
    scales = chance.choice((0, channels))  # of filters of float32, or of int8
    return DepthwiseF32(x, (1, side, side, channels), y, options, filter_scales=scales)


def temporal(chance: Random) -> Build:
    """Random dilated depthwise convolution: of a sequence, or of an image as for segmentation."""
    channels, step = chance.choice((8, 16, 20, 24, 48)), chance.choice((2, 2, 3, 4, 8))
    x, window = (1, 1, chance.choice((32, 50, 64, 98)), channels), (1, chance.choice((3, 3, 5, 9)))
    dilation = (1, step)
    if chance.random() < 0.4:
        side = chance.choice((8, 12, 16))
        x, window, dilation = (1, side, side, channels), (3, 3), (step, step)
    if chance.random() < 0.6:
        return Depthwise(x, window, dilation=dilation)
    down, right = dilation
    options: dict[str, Any] = {"padding": "SAME", "dilation_h_factor": down}
    options["dilation_w_factor"] = right
    scales = chance.choice((0, channels))
    return DepthwiseF32(x, (1, *window, channels), x, options, filter_scales=scales)


def image(chance: Random) -> Shape:
    """Random shape of an image of 8,000 elements at most."""
    channels = chance.choice((1, 3, 4, 8, 10, 16, 24, 32, 64))
    height = chance.choice((1, 2, 4, 5, 7, 8, 12, 16))
    width = height if chance.random() < 0.7 else chance.choice((1, 4, 7, 10, 16))
    while height * width * channels > 8000:
        height, width = -(-height // 2), -(-width // 2)
    return 1, height, width, channels


KINDS: tuple[Callable[[Random], Build], ...] = (
    binary, unary, pool, softmax, reduction, moved, recurrent, depthwise,
    temporal,
)  # fmt: skip
