"""Networks made for streaming, as .tflite bytes: what each of them needs is in its docstring."""

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.layers import conv_2d

SCALE = 0.05
Options = dict[str, int | str]


class Layers:
    """Writer of layers whose weights are random and use the whole range."""

    def __init__(
        self, height: int, width: int, channels: int, model: ModelWriter | None = None
    ) -> None:
        self.random = np.random.default_rng(1)
        self.model = model or ModelWriter()
        self.x = self.model.input("x", (1, height, width, channels), "int8", SCALE, -3)

    def made(self, shape: tuple[int, ...], like: ModelTensor | None = None) -> ModelTensor:
        zero_point = 5 if like is None else like.zero_point[0]
        number = len(self.model.content.tensors)
        return self.model.tensor(f"t{number}", shape, "int8", SCALE, zero_point)

    def convolution(
        self, x: ModelTensor, channels: int, size: tuple[int, int], stride: int, padding: str
    ) -> ModelTensor:
        weights = self.random.integers(-127, 128, (channels, *size, x.shape[3])).astype(np.int8)
        number = len(self.model.content.tensors)
        scales = [0.002 * (1 + c % 3) for c in range(channels)]
        zeros = (0,) * channels
        w = self.model.constant(f"w{number}", weights, scales, zeros)
        values = self.random.integers(-500, 500, channels).astype(np.int32)
        b = self.model.constant(f"b{number}", values, [SCALE * s for s in scales], zeros)
        pairs = zip(x.shape[1:3], size, strict=True)
        reach = [image if padding == "SAME" else image - k + 1 for image, k in pairs]
        y = self.made((1, *(-(-each // stride) for each in reach), channels))
        return conv_2d(self.model, x, w, b, y, padding=padding, stride=stride)

    def pool(self, name: str, x: ModelTensor, size: tuple[int, int], padding: str) -> ModelTensor:
        pairs = zip(x.shape[1:3], size, strict=True)
        reach = [-(-image // k) if padding == "SAME" else image // k for image, k in pairs]
        y = self.made((1, *reach, x.shape[3]), x)
        options: Options = {"padding": padding, "stride_h": size[0], "stride_w": size[1]}
        options |= {"filter_height": size[0], "filter_width": size[1]}
        self.model.node(name, [x], [y], options, version=2)
        return y

    def add(self, a: ModelTensor, b: ModelTensor) -> ModelTensor:
        y = self.made(a.shape)
        self.model.node("ADD", [a, b], [y], {"fused_activation_function": "RELU"}, version=2)
        return y

    def flat(self, x: ModelTensor) -> ModelTensor:
        y = self.made((1, int(np.prod(x.shape))), x)
        self.model.node("RESHAPE", [x], [y], {"new_shape": list(y.shape)})
        return y

    def done(self, *outputs: ModelTensor) -> bytes:
        self.model.output(*outputs)
        return self.model.bytes()


def residual() -> bytes:
    """Network with a residual over an odd height, so that rows of its branches alternate."""
    layers = Layers(15, 6, 3)
    x = layers.convolution(layers.x, 4, (3, 3), 1, "SAME")
    a = layers.convolution(x, 8, (1, 1), 2, "SAME")
    b = layers.convolution(x, 8, (3, 3), 2, "SAME")
    b = layers.convolution(b, 8, (3, 3), 1, "SAME")
    y = layers.add(a, b)
    y = layers.pool("MAX_POOL_2D", y, (3, 2), "SAME")
    return layers.done(layers.flat(y), x)


def shared() -> bytes:
    """Network of two windows of unequal height over one tensor with unaligned rows."""
    layers = Layers(12, 3, 3)
    a = layers.convolution(layers.x, 3, (3, 3), 1, "SAME")
    b = layers.convolution(layers.x, 3, (5, 1), 1, "SAME")
    return layers.done(layers.pool("AVERAGE_POOL_2D", layers.add(a, b), (12, 3), "VALID"))


def tower() -> bytes:
    """Network that reduces a high image to few rows."""
    layers = Layers(64, 16, 4)
    x = layers.convolution(layers.x, 16, (3, 3), 1, "SAME")
    x = layers.convolution(x, 16, (3, 3), 1, "SAME")
    return layers.done(layers.flat(layers.pool("MAX_POOL_2D", x, (8, 8), "VALID")))


def speech(height: int = 14, stride: int = 1, padding: str = "VALID") -> bytes:
    """Network of frames of three numbers: a dense layer reads a convolution's newest rows."""
    layers = Layers(height, 1, 3)
    x = layers.convolution(layers.x, 8, (3, 1), stride, padding)
    x = layers.convolution(x, 5, (1, 1), 1, "VALID")
    x = layers.convolution(x, 6, (4, 1), 1, "VALID")
    return layers.done(layers.flat(x))
