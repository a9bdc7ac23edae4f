"""Layers with constant weights, and products of matrices."""

import math

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from tests.fuzz.graphs.builder import CHANNELS, NONE, Array, Builder, Quantisation
from tests.fuzz.graphs.kind import kinds
from tests.fuzz.graphs.window import Options, activation, window

FAST = "int8/int8/int32 int16/int8/int64"  # which have kernels for some cores
OTHERS = "float32/int8/float32 uint8/uint8/int32 int8/int4/int32"
NARROW = "int16/int8/int32"
FLOATS = "float32/float32/float32 float32/float16/float32"  # half-precision, through DEQUANTIZE
LARGEST_BIAS = 2000
SATURATING = 1 << 24  # a bias beyond all sums
PIXEL_CHANNELS = 4  # a multiple of which the kernels for one pixel take
LARGEST_SCALE = 0.9  # comparisons refuse 1 and more
STEPS = 60  # about this number of y's steps are the sums of a layer wide


def made_weights(
    build: Builder, x: ModelTensor, dtype: str, shape: tuple[int, ...], axis: int
) -> tuple[ModelTensor, list[float]]:
    """Weights, quantised for each channel where their type allows it, and their scales."""
    if dtype in ("float32", "float16"):
        return _floats(build, shape, half=dtype == "float16"), []
    channels = shape[axis]
    typical = build.quantisation(x.dtype).scale or 1.0
    assert isinstance(typical, float)
    of_x = x.scale[0] if x.scale else 0.1
    base = typical / (of_x * STEPS * math.sqrt(math.prod(shape) / channels))
    factors = np.ones(1) if dtype == "uint8" else _factors(build, channels)
    scales, zeros = (base * factors).tolist(), [0] * len(factors)
    if dtype == "uint8":
        zeros = [build.chance.randint(100, 150)]
    name = f"w{len(build.model.content.tensors)}"
    if dtype == "int4":
        values = build.random.integers(-7, 7, shape, endpoint=True)
        data = _nibbles(values)
        return build.model.tensor(name, shape, dtype, scales, zeros, axis=axis, data=data), scales
    values = np.maximum(build.values(dtype, shape), np.iinfo(dtype).min + 1)
    if dtype != "uint8":  # whose large scales have small weights, as if their outputs were alike
        sizes = [-1 if i == axis else 1 for i in range(len(shape))]
        values = np.rint(values / np.maximum(factors / 2, 1).reshape(sizes)).astype(dtype)
    for along in (axis, -1):  # of outputs, and of inputs
        np.moveaxis(values, along, 0)[build.random.random(shape[along]) < build.dead] = 0
    return build.model.constant(name, values, scales, zeros, axis=axis), scales


def _factors(build: Builder, channels: int) -> Array:
    """Factors of the usual scale, by channel: about 1, or, as training leaves them, log-normal with
    tails at both ends.
    """
    if build.chance.random() < 0.6:
        return np.asarray([build.chance.uniform(0.3, 2) for _ in range(channels)])
    found = np.exp(build.random.normal(0, 1.2, channels))
    tail = build.random.random(channels)
    found[tail < 0.1] = build.one(50.0, 100.0, 250.0)
    found[tail > 0.9] = build.one(1e-6, 1e-3)
    return np.clip(found, 1e-6, 250)


def _floats(build: Builder, shape: tuple[int, ...], *, half: bool) -> ModelTensor:
    """Constant of floats; of half precision, it passes through a DEQUANTIZE."""
    values = build.values("float32", shape)
    if not half:
        return build.constant(values)
    made = build.tensor("dequantize", shape, "float32")
    build.model.node("DEQUANTIZE", [build.constant(values.astype(np.float16))], [made], version=3)
    return made


def _nibbles(values: Array) -> bytes:
    """Elements of four bits packed in bytes, the first of each pair in the lower half."""
    flat = np.append(values.reshape(-1), 0)[: (values.size + 1) // 2 * 2].astype(np.int8) & 15
    return (flat[0::2] | flat[1::2] << 4).astype(np.uint8).tobytes()


def made_bias(
    build: Builder, x: ModelTensor, dtype: str, channels: int, scales: list[float]
) -> ModelTensor:
    """Constant bias: of floats, or of integers at the accumulators' scale."""
    if dtype == "float32":
        return build.constant(build.values(dtype, (channels,)))
    exact = [float(np.float32(x.scale[0])) * float(np.float32(each)) for each in scales]
    added = build.random.integers(-LARGEST_BIAS, LARGEST_BIAS, channels).astype(dtype)
    added[build.random.random(channels) < build.dead] = build.one(SATURATING, -SATURATING)
    name = f"b{len(build.model.content.tensors)}"
    return build.model.constant(name, added, exact, [0] * len(exact), axis=0)


def convolution(build: Builder, op: str, dtype: str, weights: str, bias: str) -> None:
    """Add a convolution, dilated at times, and in groups where weights and activations are of one
    kind.
    """
    x = build.pick(dtype, rank=4)
    sizes = build.one((1, 1), (3, 3), (2, 1), (1, 3))
    dilation = build.one((1, 1), (1, 1), (2, 1))
    whole = dtype == "uint8" or weights == "int4" or (dtype, weights) == ("float32", "int8")
    groups = 1 if whole else build.one(1, 1, 1, x.shape[3])
    filters = groups * build.chance.randint(1, max(1, 8 // groups))
    options, size = window(build, x, sizes, dilation)
    options |= {"dilation_h_factor": dilation[0], "dilation_w_factor": dilation[1]}
    if (dtype, bias) == ("int16", "int32"):
        options["quantized_bias_type"] = "INT32"
    w, scales = made_weights(build, x, weights, (filters, *sizes, x.shape[3] // groups), 0)
    b = made_bias(build, x, bias, filters, scales)
    _layer(build, op, [x, w, b], (x.shape[0], *size, filters), options)


def deep_convolution(build: Builder, op: str, dtype: str, weights: str, bias: str) -> None:
    """Add a convolution of enough channels for kernels of deep images."""
    x = build.pick(dtype, rank=4, fits=lambda t: t.shape[0] == 1 and t.shape[3] == CHANNELS)
    filters = build.chance.randint(1, 5)
    options: Options = {"padding": "SAME", "stride_h": 1, "stride_w": 1}
    options["fused_activation_function"] = activation(build)
    w, scales = made_weights(build, x, weights, (filters, 3, 3, CHANNELS), 0)
    b = made_bias(build, x, bias, filters, scales)
    _layer(build, op, [x, w, b], (*x.shape[:3], filters), options)


def depthwise(build: Builder, op: str, dtype: str, weights: str, bias: str) -> None:
    x = build.pick(dtype, rank=4)
    sizes = build.one((3, 3), (1, 1), (2, 3), x.shape[1:3])
    multiplier = build.one(1, 1, 2)
    options, size = window(build, x, sizes)
    channels = x.shape[3] * multiplier
    options |= {"depth_multiplier": multiplier, "dilation_h_factor": 1, "dilation_w_factor": 1}
    w, scales = made_weights(build, x, weights, (1, *sizes, channels), 3)
    b = made_bias(build, x, bias, channels, scales)
    _layer(build, op, [x, w, b], (x.shape[0], *size, channels), options)


def whole_depthwise(build: Builder, op: str, dtype: str, weights: str, bias: str) -> None:
    """Add a depthwise convolution by filters as large as the image, for kernels of one pixel."""
    x = build.pick(dtype, rank=4, fits=lambda t: t.shape[3] % PIXEL_CHANNELS == 0)
    options: Options = {"padding": "VALID", "stride_h": 1, "stride_w": 1, "depth_multiplier": 1}
    options["fused_activation_function"] = activation(build)
    w, scales = made_weights(build, x, weights, (1, *x.shape[1:]), 3)
    b = made_bias(build, x, bias, x.shape[3], scales)
    _layer(build, op, [x, w, b], (x.shape[0], 1, 1, x.shape[3]), options)


def fully_connected(build: Builder, op: str, dtype: str, weights: str, bias: str) -> None:
    """Add a fully connected layer of a matrix, or of more axes that are kept."""
    x = build.pick(dtype, fits=lambda t: len(t.shape) > 1)
    units = build.chance.randint(1, 9)
    w, scales = made_weights(build, x, weights, (units, x.shape[-1]), 0)
    biased = bias != "none"
    inputs = [x, w, made_bias(build, x, bias, units, scales) if biased else None]
    keep = len(x.shape) > 2
    options: Options = {"keep_num_dims": keep, "fused_activation_function": activation(build)}
    if dtype == "int16" and biased:
        options["quantized_bias_type"] = bias.upper()
    if (dtype, weights) == ("float32", "int8"):
        options["asymmetric_quantize_inputs"] = build.one(True, False)
    shape = (*x.shape[:-1], units) if keep else (math.prod(x.shape[:-1]), units)
    _layer(build, op, inputs, shape, options, version=9)


def computed(build: Builder, op: str, dtype: str, bias: str) -> None:
    """Add a fully connected layer whose weights are an existing tensor or a new input."""
    x = build.pick(dtype, fits=lambda t: len(t.shape) > 1)
    depth = x.shape[-1]
    w = build.pick(dtype, rank=2, fits=lambda t: t.shape[1] == depth and t is not x)
    scale = NONE
    inputs: list[ModelTensor | None] = [x, w, None]
    if w.scale:
        unit = x.scale[0] * w.scale[0]
        typical = unit * math.sqrt(depth) * build.one(30.0, 300.0)
        scale = build.quantisation(dtype, min(typical, LARGEST_SCALE))
        values = build.random.integers(-LARGEST_BIAS, LARGEST_BIAS, w.shape[0]).astype(bias)
        inputs[2] = build.constant(values, Quantisation(unit, 0))
    elif build.one(True, False):
        inputs[2] = build.pick(dtype, rank=1, fits=lambda t: t.shape[0] == w.shape[0])
    options: Options = {"keep_num_dims": True, "fused_activation_function": activation(build)}
    if dtype == "int16":
        options["quantized_bias_type"] = bias.upper()
    shape = (*x.shape[:-1], w.shape[0])
    build.node(op, inputs, shape, dtype, scale, options, version=14)


def transpose_conv(build: Builder, op: str, dtype: str, weights: str, bias: str) -> None:
    """Add a TRANSPOSE_CONV, which enlarges an image."""
    x = build.pick(dtype, rank=4)
    size, stride, filters = build.one(1, 2, 3), build.one(1, 2), build.chance.randint(1, 4)
    same = size >= stride and build.one(True, False)
    spatial = [n * stride if same else (n - 1) * stride + max(size, stride) for n in x.shape[1:3]]
    w, scales = made_weights(build, x, weights, (filters, size, size, x.shape[3]), 0)
    b = made_bias(build, x, bias, filters, scales)
    shape = (x.shape[0], *spatial, filters)
    options: Options = {"padding": "SAME" if same else "VALID", "stride_w": stride}
    options |= {"stride_h": stride, "fused_activation_function": activation(build)}
    if dtype == "int16":
        options["quantized_bias_type"] = bias.upper()
    y = build.tensor(op, shape, dtype, build.quantisation(dtype))
    build.model.node(op, [build.numbers(shape), w, x, b], [y], options, version=3)
    build.tensors.append(y)


def _layer(
    build: Builder,
    op: str,
    inputs: list[ModelTensor | None],
    shape: tuple[int, ...],
    options: Options,
    version: int = 3,
) -> None:
    x = inputs[0]
    assert x is not None
    build.node(op, inputs, shape, x.dtype, build.quantisation(x.dtype), options, version=version)


def batch_matmul(build: Builder, op: str, dtype: str, other: str, result: str) -> None:
    """Add a BATCH_MATMUL of two tensors, or of a tensor and a constant."""
    dynamic = (dtype, other) == ("float32", "int8")  # which LiteRT has of one axis of batches

    def fits(x: ModelTensor) -> bool:
        batches = sum(size > 1 for size in x.shape[:-2])
        return len(x.shape) in (3, 4) and not (dynamic and batches > 1)

    x = build.pick(dtype, fits=fits)
    adjoint = build.one(True, False)
    depth = x.shape[-1]
    along = -1 if adjoint else -2
    found = [
        t
        for t in build.tensors
        if (t.dtype, t.shape[:-2]) == (other, x.shape[:-2]) and t.shape[along] == depth
        if dtype == other or t.zero_point == (0,)
    ]
    if found and not dynamic and build.one(True, False):
        y = build.one(*found)
    else:
        columns = build.chance.randint(1, 5)
        shape = (*x.shape[:-2], *((columns, depth) if adjoint else (depth, columns)))
        y = build.constant(build.values(other, shape), _of_factor(build, dtype, other))
    columns = y.shape[-2 if adjoint else -1]
    options = {"adj_x": False, "adj_y": adjoint, "asymmetric_quantize_inputs": dynamic}
    build.node(
        op, [x, y], (*x.shape[:-1], columns), result, build.quantisation(result), options, version=3
    )


def _of_factor(build: Builder, x_type: str, dtype: str) -> Quantisation:
    """Random quantisation of an operand: symmetric where x is of int16 or float32, and at times
    where it is of int8, as XNNPACK demands; floats have none.
    """
    symmetric = x_type in ("int16", "float32") or build.one(True, False)
    symmetric &= dtype != "float32"
    return Quantisation(0.01, 0) if symmetric else build.quantisation(dtype, 0.01)


def volumes(build: Builder, op: str, dtype: str) -> None:
    """Add a CONV_3D or a CONV_3D_TRANSPOSE of a volume."""
    x = build.pick(dtype, rank=5)
    channels, sizes = build.one(1, 2, 3), [build.one(1, 2) for _ in range(3)]
    options = {f"stride_{letter}": build.one(1, 2) for letter in "dhw"}
    steps = [*options.values()]
    if op == "CONV_3D":
        weights = (*sizes, x.shape[4], channels)
        y = [-(-size // step) for size, step in zip(x.shape[1:4], steps, strict=True)]
    else:
        weights = (*sizes, channels, x.shape[4])
        y = [size * step for size, step in zip(x.shape[1:4], steps, strict=True)]
    shape = (x.shape[0], *y, channels)
    inputs = [x, build.constant(build.values(dtype, weights))]
    if op == "CONV_3D_TRANSPOSE":
        inputs = [build.numbers(shape), *inputs[::-1]]
    inputs.append(build.constant(build.values(dtype, (channels,))))
    build.node(op, inputs, shape, dtype, options={"padding": "SAME", **options})


KINDS = (
    *kinds(volumes, CONV_3D="float32", CONV_3D_TRANSPOSE="float32"),
    *kinds(convolution, weight=4, CONV_2D=FAST),
    *kinds(convolution, CONV_2D=f"{NARROW} {FLOATS} {OTHERS}"),
    *kinds(deep_convolution, weight=4, CONV_2D=FAST),
    *kinds(depthwise, weight=6, DEPTHWISE_CONV_2D=FAST),
    *kinds(depthwise, DEPTHWISE_CONV_2D=f"{FLOATS} {OTHERS}"),
    *kinds(whole_depthwise, weight=6, DEPTHWISE_CONV_2D="int8/int8/int32"),
    *kinds(fully_connected, weight=4, FULLY_CONNECTED=f"{FAST} {NARROW} int8/int8/none"),
    *kinds(
        fully_connected,
        FULLY_CONNECTED=f"{FLOATS} {OTHERS} int16/int8/none float32/int8/none float32/float32/none",
    ),
    *kinds(
        computed, FULLY_CONNECTED="int8/int32 uint8/int32 int16/int64 int16/int32 float32/float32"
    ),
    *kinds(
        transpose_conv,
        TRANSPOSE_CONV=f"{FAST} {NARROW} {FLOATS} float32/int8/float32 uint8/uint8/int32",
    ),
    *kinds(
        batch_matmul,
        BATCH_MATMUL="int8/int8/int8 int8/int8/int32 int16/int16/int16 int16/int8/int16 "
        "float32/float32/float32 float32/int8/float32",
    ),
)
