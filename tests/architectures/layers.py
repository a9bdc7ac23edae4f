"""Layers of networks, described in floats and written in the types of any quantisation scheme.

Weights are random and quantised as converters do it, so that activations keep to their ranges.
"""

import math
from collections.abc import Sequence

import numpy as np

from opsmith.ir import Array
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import SubgraphWriter
from tests.architectures.schemes import (
    Affine,
    Bounds,
    Scheme,
    affine,
    fixed,
    per_channel,
    per_tensor,
)

Options = dict[str, OptionValue]
WIDE: Bounds = (-4.0, 4.0)
RANGES: dict[str, Bounds] = {"NONE": WIDE, "RELU": (0.0, 4.0), "RELU6": (0.0, 6.0)}
# Operators whose outputs have the scale that LiteRT demands, and whether they may be negative.
FIXED = {"LOGISTIC": False, "SOFTMAX": False, "TANH": True}


class Layers:
    """A network under construction: each layer reads a tensor and gives the next."""

    def __init__(self, model: SubgraphWriter, scheme: Scheme) -> None:
        self.model = model
        self.scheme = scheme
        self.random = np.random.default_rng(7)

    def input(self, *shape: int, bounds: Bounds = WIDE) -> ModelTensor:
        """The next input of the network."""
        made = self.made("x", shape, bounds)
        self.model.content.inputs.append(made.index)
        return made

    def output(self, *tensors: ModelTensor) -> None:
        """Make the given tensors the next outputs of the network."""
        self.model.output(*tensors)

    def made(self, name: str, shape: Sequence[int], bounds: Bounds = WIDE) -> ModelTensor:
        """New activation whose values lie about within bounds, with a scale of its own."""
        wider = self.random.uniform(0.8, 1.2)
        if not self.scheme.quantised:
            return self.model.tensor(self._unique(name), shape, "float32")
        dtype = self.scheme.activations
        return self._quantised(name, shape, affine((bounds[0] * wider, bounds[1] * wider), dtype))

    def like(self, x: ModelTensor, name: str, shape: Sequence[int]) -> ModelTensor:
        """New activation with the type and quantisation of x."""
        if not x.scale:
            return self.model.tensor(self._unique(name), shape, x.dtype)
        return self._quantised(name, shape, (x.scale[0], x.zero_point[0]))

    def numbers(self, values: object) -> ModelTensor:
        """A constant of int32: a shape, axes, paddings."""
        return self.model.constant(self._unique("numbers"), np.array(values, np.int32))

    def constant(self, values: object) -> ModelTensor:
        """Floats as a constant in the type of activations."""
        floats = np.array(values, np.float32)
        if not self.scheme.quantised:
            return self.model.constant(self._unique("constant"), floats)
        elements, quantisation = per_tensor(floats, self.scheme.activations)
        return self.model.constant(self._unique("constant"), elements, *quantisation)

    def zeros(self, *shape: int) -> ModelTensor:
        """Initial state of zeros; for int16, a tensor that is always 0 gets a scale of 0."""
        if self.scheme.activations != "int16":
            return self.constant(np.zeros(shape))
        return self.model.constant(self._unique("zeros"), np.zeros(shape, np.int16), 0.0, 0)

    def matrix(self, floats: Array) -> ModelTensor:
        """Floats as a constant in the type of weights, with one scale."""
        if self.scheme.weights == "float32":
            return self.constant(floats)
        scale = float(np.abs(floats).max()) / 127
        elements = np.round(floats / scale).astype(np.int8)
        return self.model.constant(self._unique("matrix"), elements, scale, 0)

    def node(
        self,
        op: str,
        inputs: Sequence[ModelTensor | None],
        y: ModelTensor,
        options: Options | None = None,
    ) -> ModelTensor:
        """Append a node of one output, which is returned."""
        self.model.node(op, inputs, [y], options)
        return y

    def convolution(
        self,
        x: ModelTensor,
        filters: int,
        size: tuple[int, int] = (3, 3),
        *,
        stride: int = 1,
        padding: str = "SAME",
        activation: str = "RELU6",
    ) -> ModelTensor:
        """Output of a CONV_2D."""
        options, sizes = _window(x, size, stride, padding, activation)
        constants = self.weights(x, (filters, *size, x.shape[3]), axis=0)
        y = self.made("conv", (x.shape[0], *sizes, filters), RANGES[activation])
        return self.node("CONV_2D", [x, *constants], y, options)

    def pointwise(self, x: ModelTensor, filters: int, activation: str = "RELU6") -> ModelTensor:
        """Output of a CONV_2D of single pixels."""
        return self.convolution(x, filters, (1, 1), activation=activation)

    def depthwise(
        self,
        x: ModelTensor,
        size: tuple[int, int] = (3, 3),
        *,
        stride: int = 1,
        activation: str = "RELU6",
    ) -> ModelTensor:
        """Output of a DEPTHWISE_CONV_2D, padded to keep the image's size over the stride."""
        options, sizes = _window(x, size, stride, "SAME", activation)
        constants = self.weights(x, (1, *size, x.shape[3]), axis=3)
        y = self.made("depthwise", (x.shape[0], *sizes, x.shape[3]), RANGES[activation])
        options["depth_multiplier"] = 1
        return self.node("DEPTHWISE_CONV_2D", [x, *constants], y, options)

    def upsampled(self, x: ModelTensor, filters: int) -> ModelTensor:
        """Output of a TRANSPOSE_CONV: an image of twice the height and width."""
        batch, height, width, depth = x.shape
        weights, bias = self.weights(x, (filters, 2, 2, depth), axis=0)
        y = self.made("upsampled", (batch, 2 * height, 2 * width, filters))
        options: Options = {"padding": "SAME", "stride_h": 2, "stride_w": 2}
        return self.node("TRANSPOSE_CONV", [self.numbers(y.shape), weights, x, bias], y, options)

    def dense(self, x: ModelTensor, units: int, activation: str = "NONE") -> ModelTensor:
        """Output of a FULLY_CONNECTED of the last axis, which keeps the axes before."""
        constants = self.weights(x, (units, x.shape[-1]), axis=0)
        y = self.made("dense", (*x.shape[:-1], units), RANGES[activation])
        options: Options = {
            "fused_activation_function": activation,
            "keep_num_dims": len(x.shape) > 2,
        }
        return self.node("FULLY_CONNECTED", [x, *constants], y, options)

    def weights(
        self, x: ModelTensor, shape: tuple[int, ...], axis: int
    ) -> tuple[ModelTensor, ModelTensor | None]:
        """Weights and a bias of a layer that reads x; `axis` is that of the output's channels.

        The bias of a layer that reads zeros would have a scale of 0: converters leave it out.
        """
        channels = shape[axis]
        deviation = 1.3 / math.sqrt(math.prod(shape) / channels)
        floats = self.random.normal(0, deviation, shape)
        biases = self.random.normal(0, 0.3, channels)
        weights = self._quantised_weights(floats, axis)
        name = self._unique("bias")
        if not self.scheme.quantised:
            return weights, self.model.constant(name, biases.astype(np.float32))
        if x.scale[0] == 0:
            return weights, None
        scales = [float(np.float32(x.scale[0]) * np.float32(each)) for each in weights.scale]
        wide = np.int64 if self.scheme.activations == "int16" else np.int32
        elements = np.round(biases / np.array(scales)).astype(wide)
        return weights, self.model.constant(name, elements, scales, (0,) * len(scales))

    def pool(self, op: str, x: ModelTensor, size: Sequence[int]) -> ModelTensor:
        """Output of an AVERAGE_POOL_2D or MAX_POOL_2D of adjacent windows."""
        options: Options = {
            "padding": "VALID",
            "filter_height": size[0],
            "filter_width": size[1],
            "stride_h": size[0],
            "stride_w": size[1],
        }
        batch, height, width, depth = x.shape
        shape = (batch, height // size[0], width // size[1], depth)
        return self.node(op, [x], self.like(x, "pool", shape), options)

    def mean(self, x: ModelTensor, axes: Sequence[int], *, keep: bool = True) -> ModelTensor:
        """Output of a MEAN over the given axes."""
        sizes = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
        kept = [size for axis, size in enumerate(sizes) if keep or axis not in axes]
        y = self.made("mean", kept)
        return self.node("MEAN", [x, self.numbers(list(axes))], y, {"keep_dims": keep})

    def binary(
        self,
        op: str,
        a: ModelTensor,
        b: ModelTensor,
        *,
        activation: str = "NONE",
        bounds: Bounds | None = None,
    ) -> ModelTensor:
        """Output of an ADD, SUB, MUL or SQUARED_DIFFERENCE of tensors that broadcast."""
        shape = np.broadcast_shapes(a.shape, b.shape)
        options: Options = {"fused_activation_function": activation}
        if op == "SQUARED_DIFFERENCE":
            options = {}
        if op in ("ADD", "SUB"):
            options["pot_scale_int16"] = False
        y = self.made(op.lower(), shape, bounds or RANGES[activation])
        return self.node(op, [a, b], y, options)

    def unary(
        self, op: str, x: ModelTensor, bounds: Bounds = WIDE, options: Options | None = None
    ) -> ModelTensor:
        """Output of an operator that computes each element by itself."""
        if op in FIXED and self.scheme.quantised:
            quantisation = fixed(self.scheme.activations, signed=FIXED[op])
            y = self._quantised(op.lower(), x.shape, quantisation)
        else:
            y = self.made(op.lower(), x.shape, bounds)
        return self.node(op, [x], y, options)

    def softmax(self, x: ModelTensor) -> ModelTensor:
        """Output of a SOFTMAX along the last axis."""
        return self.unary("SOFTMAX", x, options={"beta": 1.0})

    def moved(
        self,
        op: str,
        x: ModelTensor,
        shape: Sequence[int],
        *operands: object,
        **options: OptionValue,
    ) -> ModelTensor:
        """Output of an operator that moves elements; its operands are constants of int32."""
        inputs = [x, *map(self.numbers, operands)]
        return self.node(op, inputs, self.like(x, op.lower(), shape), options)

    def reshape(self, x: ModelTensor, *shape: int) -> ModelTensor:
        """Output of a RESHAPE."""
        return self.moved("RESHAPE", x, shape, shape)

    def transpose(self, x: ModelTensor, *order: int) -> ModelTensor:
        """Output of a TRANSPOSE."""
        return self.moved("TRANSPOSE", x, [x.shape[axis] for axis in order], order)

    def parts(self, op: str, x: ModelTensor, count: int, axis: int) -> list[ModelTensor]:
        """Outputs of a SPLIT or UNPACK along an axis."""
        shape = list(x.shape)
        options: Options = {"num_splits": count}
        inputs = [self.numbers(axis), x]
        if op == "UNPACK":
            del shape[axis]
            options, inputs = {"num": count, "axis": axis}, [x]
        else:
            shape[axis] //= count
        made = [self.like(x, op.lower(), shape) for _ in range(count)]
        self.model.node(op, inputs, made, options)
        return made

    def joined(self, axis: int, *parts: ModelTensor) -> ModelTensor:
        """Output of a CONCATENATION; parts of different scales are requantised first, as by
        converters.
        """
        first = parts[0]
        alike = [
            part if part.scale == first.scale else self.requantised(part, first) for part in parts
        ]
        shape = list(first.shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        return self.node("CONCATENATION", alike, self.like(first, "joined", shape), {"axis": axis})

    def requantised(self, x: ModelTensor, to: ModelTensor) -> ModelTensor:
        """Output of a QUANTIZE to the scale and zero point of the tensor `like`."""
        return self.node("QUANTIZE", [x], self.like(to, "requantised", x.shape))

    def _quantised_weights(self, floats: Array, axis: int) -> ModelTensor:
        name = self._unique("weights")
        if self.scheme.weights == "float32":
            return self.model.constant(name, floats.astype(np.float32))
        if self.scheme.weights == "uint8":
            elements, quantisation = per_tensor(floats, "uint8")
            return self.model.constant(name, elements, *quantisation)
        elements, scales = per_channel(floats, axis)
        return self.model.constant(name, elements, scales, (0,) * len(scales), axis=axis)

    def _quantised(self, name: str, shape: Sequence[int], quantisation: Affine) -> ModelTensor:
        dtype = self.scheme.activations
        return self.model.tensor(self._unique(name), shape, dtype, *quantisation)

    def _unique(self, name: str) -> str:
        return f"{name}_{len(self.model.content.tensors)}"


def _window(
    x: ModelTensor, size: tuple[int, int], stride: int, padding: str, activation: str
) -> tuple[Options, list[int]]:
    """Options of a window that slides over the image x, and the size of its result."""
    options: Options = {"padding": padding, "stride_h": stride, "stride_w": stride}
    options["fused_activation_function"] = activation
    less = [0, 0] if padding == "SAME" else [each - 1 for each in size]
    return options, [-(-(n - k) // stride) for n, k in zip(x.shape[1:3], less, strict=True)]
