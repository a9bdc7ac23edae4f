"""The layers that the models of this folder are trained with, in numpy."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Layer:
    """A function of one array with parameters; `backward` follows the `forward` it belongs to."""

    parameters: tuple[Array, ...] = ()
    gradients: tuple[Array, ...] = ()

    def forward(self, x: Array) -> Array:
        """Value of the layer at x."""
        raise NotImplementedError

    def backward(self, gradient: Array) -> Array:
        """Gradient of the loss by the last x; stores the gradients by parameters in `gradients`."""
        raise NotImplementedError


class Convolution(Layer):
    """SAME convolution, NHWC; weights as TFLite stores them: OHWI, depthwise 1HWC."""

    def __init__(
        self,
        random: np.random.Generator,
        channels: tuple[int, int],
        kernel: int,
        *,
        stride: int = 1,
        depthwise: bool = False,
        relu: bool = True,
    ) -> None:
        first, last = (1, channels[1]) if depthwise else (channels[1], channels[0])
        spread = math.sqrt(2 / (kernel * kernel * (1 if depthwise else channels[0])))
        self.weights = (random.normal(size=(first, kernel, kernel, last)) * spread).astype("f4")
        self.bias = np.zeros(channels[1], "f4")
        self.kernel, self.stride, self.depthwise, self.relu = kernel, stride, depthwise, relu
        self.parameters = (self.weights, self.bias)

    def forward(self, x: Array) -> Array:
        """The activated convolution of x."""
        self._pads = [self._padding(size) for size in x.shape[1:3]]
        self._padded = np.pad(x, ((0, 0), *self._pads, (0, 0)))
        self._size = [-(-size // self.stride) for size in x.shape[1:3]]
        taps = [self._padded[self._window(y, x)] for y, x in self._offsets()]
        self._patches = np.stack(taps, axis=3)  # N, H, W, kernel * kernel, C
        patches = self._patches.reshape(*self._patches.shape[:3], -1)
        if self.depthwise:
            y = np.einsum("nhwkc,kc->nhwc", self._patches, self._taps())
        else:
            y = patches @ self.weights.reshape(len(self.weights), -1).T
        y = y + self.bias
        self._active = (y > 0) if self.relu else np.ones_like(y, bool)
        return np.asarray(y * self._active)

    def backward(self, gradient: Array) -> Array:
        """Gradient of the loss by the layer's input."""
        gradient = gradient * self._active
        if self.depthwise:
            by_weights = np.einsum("nhwc,nhwkc->kc", gradient, self._patches)
            by_patches = gradient[:, :, :, None, :] * self._taps()
        else:
            flat = gradient.reshape(-1, gradient.shape[-1])
            by_weights = flat.T @ self._patches.reshape(len(flat), -1)
            by_patches = (flat @ self.weights.reshape(len(self.weights), -1)).reshape(
                self._patches.shape
            )
        self.gradients = (by_weights.reshape(self.weights.shape), gradient.sum((0, 1, 2)))
        by_padded = np.zeros_like(self._padded)
        for tap, (y, x) in enumerate(self._offsets()):
            by_padded[self._window(y, x)] += by_patches[:, :, :, tap]
        return self._unpadded(by_padded)

    def _taps(self) -> Array:
        return self.weights.reshape(self.kernel * self.kernel, -1)

    def _offsets(self) -> list[tuple[int, int]]:
        return [(y, x) for y in range(self.kernel) for x in range(self.kernel)]

    def _padding(self, size: int) -> tuple[int, int]:
        """TFLite's SAME: the odd pixel goes after."""
        total = max((-(-size // self.stride) - 1) * self.stride + self.kernel - size, 0)
        return total // 2, total - total // 2

    def _window(self, y: int, x: int) -> tuple[slice, ...]:
        ends = (at + self.stride * size for at, size in zip((y, x), self._size, strict=True))
        rows, columns = (slice(at, end, self.stride) for at, end in zip((y, x), ends, strict=True))
        return slice(None), rows, columns

    def _unpadded(self, padded: Array) -> Array:
        (top, bottom), (left, right) = self._pads
        return padded[:, top : padded.shape[1] - bottom, left : padded.shape[2] - right]


class Residual(Layer):
    """Residual block: relu(x + inner(x))."""

    def __init__(self, *inner: Layer) -> None:
        self.inner = inner

    def forward(self, x: Array) -> Array:
        """The activated sum."""
        self.branch = run(self.inner, x)
        y = x + self.branch
        self._active = y > 0
        self.parameters = tuple(each for layer in self.inner for each in layer.parameters)
        return np.asarray(y * self._active)

    def backward(self, gradient: Array) -> Array:
        """Gradient of the loss by the layer's input."""
        gradient = by_input = gradient * self._active
        for layer in reversed(self.inner):
            by_input = layer.backward(by_input)
        self.gradients = tuple(each for layer in self.inner for each in layer.gradients)
        return np.asarray(gradient + by_input)


class AveragePool(Layer):
    """Means of 2x2 blocks."""

    def forward(self, x: Array) -> Array:
        """The means."""
        blocks = x.reshape(len(x), x.shape[1] // 2, 2, x.shape[2] // 2, 2, -1)
        return np.asarray(blocks.mean((2, 4)))

    def backward(self, gradient: Array) -> Array:
        """Gradient of the loss by the layer's input."""
        return np.asarray(gradient.repeat(2, axis=1).repeat(2, axis=2) / 4)


class FullyConnected(Layer):
    """Fully connected layer, which flattens its input; weights as in TFLite: outputs, inputs."""

    def __init__(self, random: np.random.Generator, inputs: int, outputs: int) -> None:
        self.weights = (random.normal(size=(outputs, inputs)) / math.sqrt(inputs)).astype("f4")
        self.bias = np.zeros(outputs, "f4")
        self.parameters = (self.weights, self.bias)

    def forward(self, x: Array) -> Array:
        """The products."""
        self._shape = x.shape
        self._x = x.reshape(len(x), -1)
        return np.asarray(self._x @ self.weights.T + self.bias)

    def backward(self, gradient: Array) -> Array:
        """Gradient of the loss by the layer's input."""
        self.gradients = (gradient.T @ self._x, gradient.sum(0))
        return np.asarray((gradient @ self.weights).reshape(self._shape))


def run(layers: tuple[Layer, ...], x: Array) -> Array:
    """The value of layers, one after another."""
    for layer in layers:
        x = layer.forward(x)
    return x
