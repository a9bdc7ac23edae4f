"""Networks that look at sequences: convolutions along time, recurrent cells, attention."""

import math

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from tests.architectures.layers import WIDE, Layers


def tcn(n: Layers) -> None:
    """Temporal convolutions: causal, dilated by SPACE_TO_BATCH_ND, with residuals."""
    x = n.reshape(n.input(1, 12, 4), 1, 1, 12, 4)
    for dilation in (1, 2, 4):
        padded = n.moved("PAD", x, (1, 1, 12 + 2 * dilation, 4), _before(2 * dilation))
        x = n.binary("ADD", x, _dilated(n, padded, dilation), activation="RELU")
    n.output(
        n.dense(n.reshape(n.moved("SLICE", x, (1, 1, 1, 4), (0, 0, 11, 0), (1, 1, 1, 4)), 1, 4), 3)
    )


def _before(count: int) -> list[list[int]]:
    return [[0, 0], [0, 0], [count, 0], [0, 0]]


def _dilated(n: Layers, x: ModelTensor, dilation: int) -> ModelTensor:
    """A convolution of every n-th step, as Keras exports a dilated Conv1D."""
    if dilation == 1:
        return n.convolution(x, 4, (1, 3), padding="VALID", activation="NONE")
    time = x.shape[2] + -x.shape[2] % dilation
    pads = [[0, 0], [0, time - x.shape[2]]]
    shape = (dilation, 1, time // dilation, 4)
    x = n.moved("SPACE_TO_BATCH_ND", x, shape, (1, dilation), pads)
    y = n.convolution(x, 4, (1, 3), padding="VALID", activation="NONE")
    time = dilation * y.shape[2] - pads[1][1]
    return n.moved("BATCH_TO_SPACE_ND", y, (1, 1, time, 4), (1, dilation), pads)


def conv_1d(n: Layers) -> None:
    """A classifier of a signal by strided convolutions and a leaky activation."""
    x = n.input(1, 32, 2)
    for filters in (4, 8):
        image = n.moved("EXPAND_DIMS", x, (1, 1, *x.shape[1:]), 1)
        image = n.convolution(image, filters, (1, 5), activation="NONE")
        image = n.unary("LEAKY_RELU", image, options={"alpha": 0.125})
        image = n.pool("MAX_POOL_2D", image, (1, 2))
        x = n.moved("SQUEEZE", image, image.shape[1:], squeeze_dims=[0])
        x = n.reshape(x, *image.shape[1:])
    n.output(n.softmax(n.dense(n.mean(x, [1], keep=False), 4)))


def lstm(n: Layers) -> None:
    """Four gates of each step from primitives, as an unrolled Keras layer exports them."""
    steps = n.parts("UNPACK", n.input(1, 3, 4), 3, 1)
    h, c = n.zeros(1, 5), n.zeros(1, 5)
    for x in steps:
        gates = n.binary("ADD", n.dense(x, 20), n.dense(h, 20))
        i, f, g, o = n.parts("SPLIT", gates, 4, 1)
        kept = n.binary("MUL", n.unary("LOGISTIC", f), c)
        new = n.binary("MUL", n.unary("LOGISTIC", i), n.unary("TANH", g, (-1.0, 1.0)))
        c = n.binary("ADD", kept, new)
        h = n.binary("MUL", n.unary("LOGISTIC", o), n.unary("TANH", c, (-1.0, 1.0)))
    n.output(n.dense(h, 3), c)


def gru(n: Layers) -> None:
    """Update and reset gates from primitives, unrolled."""
    steps = n.parts("UNPACK", n.input(1, 3, 4), 3, 1)
    h, one = n.zeros(1, 5), n.constant(1.0)
    for x in steps:
        gates = n.binary("ADD", n.dense(x, 10), n.dense(h, 10))
        z, r = (n.unary("LOGISTIC", each) for each in n.parts("SPLIT", gates, 2, 1))
        new = n.binary("ADD", n.dense(x, 5), n.binary("MUL", r, n.dense(h, 5)))
        new = n.unary("TANH", new, (-1.0, 1.0))
        h = n.binary("ADD", n.binary("MUL", z, h), n.binary("MUL", n.binary("SUB", one, z), new))
    n.output(n.dense(h, 3))


def svdf(n: Layers) -> None:
    """Two layers that remember the last steps: keyword spotting by frames."""
    x = _svdf(n, n.input(1, 6), units=8, rank=2, memory=5)
    n.output(n.dense(_svdf(n, x, units=6, rank=1, memory=3), 4))


def _svdf(n: Layers, x: ModelTensor, units: int, rank: int, memory: int) -> ModelTensor:
    filters = units * rank
    y = n.made("svdf", (1, units), (0.0, 4.0))
    floats = [
        n.random.uniform(-0.3, 0.3, shape)
        for shape in ((filters, x.shape[1]), (filters, memory), (units,))
    ]
    if n.scheme.quantised:
        of_state = 8 / 32767
        quantised = zip(
            floats,
            ("int8", "int16", "int32"),
            (0.3 / 127, 0.3 / 32767, of_state * 0.3 / 32767),
            strict=True,
        )
        features, time, bias = (
            n.model.constant(f"{y.name}_{dtype}", np.round(each / scale).astype(dtype), scale, 0)
            for each, dtype, scale in quantised
        )
        state = n.model.tensor(
            f"{y.name}_state", (1, filters * memory), "int16", of_state, 0, variable=True
        )
    else:
        features, time, bias = n.matrix(floats[0]), n.matrix(floats[1]), n.constant(floats[2])
        state = n.model.tensor(f"{y.name}_state", (1, filters * memory), "float32", variable=True)
    inputs = [x, features, time, bias, state]
    return n.node("SVDF", inputs, y, {"rank": rank, "fused_activation_function": "RELU"})


def transformer(n: Layers) -> None:
    """Self-attention of two heads and a feed-forward layer, both with residuals and norms."""
    x = n.input(1, 6, 8)
    x = _normalised(n, n.binary("ADD", x, _attention(n, x, heads=2)))
    inner = n.dense(x, 16, "RELU")
    n.output(_normalised(n, n.binary("ADD", x, n.dense(inner, 8))))


def _attention(n: Layers, x: ModelTensor, heads: int) -> ModelTensor:
    batch, steps, depth = x.shape
    each = depth // heads
    queries, keys, values = (
        n.transpose(n.reshape(n.dense(x, depth), batch, steps, heads, each), 0, 2, 1, 3)
        for _ in range(3)
    )
    queries = n.binary("MUL", queries, n.constant(1 / math.sqrt(each)))
    weights = n.softmax(_product(n, queries, keys, (steps, steps), adj_y=True))
    mixed = _product(n, weights, values, (steps, each), adj_y=False)
    return n.dense(n.reshape(n.transpose(mixed, 0, 2, 1, 3), *x.shape), depth)


def _product(
    n: Layers, a: ModelTensor, b: ModelTensor, shape: tuple[int, int], *, adj_y: bool
) -> ModelTensor:
    y = n.made("product", (*a.shape[:-2], *shape))
    return n.node("BATCH_MATMUL", [a, b], y, {"adj_x": False, "adj_y": adj_y})


def _normalised(n: Layers, x: ModelTensor) -> ModelTensor:
    """Layer normalisation from primitives, over the last axis."""
    axes = [len(x.shape) - 1]
    middle = n.mean(x, axes)
    variance = n.mean(n.binary("SQUARED_DIFFERENCE", x, middle, bounds=(0.0, 16.0)), axes)
    spread = n.binary("ADD", variance, n.constant(0.01), bounds=(0.0, 6.0))
    scaled = n.binary("MUL", n.binary("SUB", x, middle), n.unary("RSQRT", spread, (0.0, 10.0)))
    gain, offset = (n.constant(n.random.normal(at, 0.2, x.shape[-1])) for at in (1, 0))
    return n.binary("ADD", n.binary("MUL", scaled, gain, bounds=WIDE), offset)


def autoencoder(n: Layers) -> None:
    """Anomaly detection: an input and what a bottleneck of dense layers leaves of it."""
    x = n.input(1, 24)
    y = x
    for units in (12, 4, 12):
        y = n.dense(y, units, "RELU")
    n.output(n.dense(y, 24))
