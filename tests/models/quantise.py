"""Post-training int8 quantisation by TFLite's specification, written as a .tflite file.

Activations: asymmetric, per tensor, from the extremes seen on the training images. Weights:
symmetric, per output channel for convolutions. Bias: int32 at input scale times weight scale.
"""

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.models.layers import Array, AveragePool, Convolution, FullyConnected, Layer, Residual

PIXEL = (1 / 255, -128)
PROBABILITY = (1 / 256, -128)


def quantise(layers: tuple[Layer, ...], images: Array, name: str) -> bytes:
    """The int8 model of `layers` followed by softmax; `images` calibrate the activations."""
    return _Quantiser(images, name).model(layers)


class _Quantiser:
    """Walks the layers with real values beside the tensors they belong to."""

    def __init__(self, images: Array, name: str) -> None:
        self._images = images
        self._writer = ModelWriter(description=f"{name}, int8")
        self._count: dict[str, int] = {}

    def model(self, layers: tuple[Layer, ...]) -> bytes:
        """Bytes of the finished .tflite file."""
        real = self._images
        tensor = self._writer.input("image", (1, *real.shape[1:]), "int8", *PIXEL)
        for layer in layers:
            tensor, real = self._layer(layer, tensor, real)
        answer = self._writer.tensor("probabilities", tensor.shape, "int8", *PROBABILITY)
        self._writer.node("SOFTMAX", [tensor], [answer], {"beta": 1.0}, version=2)
        self._writer.output(answer)
        return self._writer.bytes()

    def _layer(self, layer: Layer, x: ModelTensor, real: Array) -> tuple[ModelTensor, Array]:
        result = layer.forward(real)
        match layer:
            case Convolution():
                return self._convolution(layer, x, result), result
            case Residual():
                return self._residual(layer, x, real, result), result
            case AveragePool():
                return self._average_pool(x, result), result
            case FullyConnected():
                return self._fully_connected(layer, x, result), result
        raise TypeError(f"no quantisation of {type(layer).__name__}")

    def _convolution(self, layer: Convolution, x: ModelTensor, result: Array) -> ModelTensor:
        name = self._name("depthwise" if layer.depthwise else "conv")
        axis = 3 if layer.depthwise else 0
        others = tuple(each for each in range(4) if each != axis)
        scale = np.abs(layer.weights).max(axis=others) / 127
        shape = [1, 1, 1, 1]
        shape[axis] = -1
        weights = np.rint(layer.weights / scale.reshape(shape)).astype(np.int8)
        options: dict[str, int | str] = {
            "padding": "SAME",
            "stride_h": layer.stride,
            "stride_w": layer.stride,
            "fused_activation_function": "RELU" if layer.relu else "NONE",
        }
        if layer.depthwise:
            options["depth_multiplier"] = 1
        y = self._activation(name, result)
        constants = self._constants(name, x, weights, layer.bias, scale, axis)
        op = "DEPTHWISE_CONV_2D" if layer.depthwise else "CONV_2D"
        self._writer.node(op, [x, *constants], [y], options, version=3)
        return y

    def _residual(self, layer: Residual, x: ModelTensor, real: Array, result: Array) -> ModelTensor:
        branch = x
        for inner in layer.inner:
            branch, real = self._layer(inner, branch, real)
        y = self._activation(self._name("add"), result)
        options = {"fused_activation_function": "RELU"}
        self._writer.node("ADD", [x, branch], [y], options, version=2)
        return y

    def _average_pool(self, x: ModelTensor, result: Array) -> ModelTensor:
        shape = (1, *result.shape[1:])
        y = self._writer.tensor(self._name("pool"), shape, "int8", x.scale, x.zero_point)
        options: dict[str, int | str] = {
            "padding": "VALID",
            "stride_h": 2,
            "stride_w": 2,
            "filter_height": 2,
            "filter_width": 2,
        }
        self._writer.node("AVERAGE_POOL_2D", [x], [y], options, version=2)
        return y

    def _fully_connected(self, layer: FullyConnected, x: ModelTensor, result: Array) -> ModelTensor:
        flat = self._reshape(x, (1, layer.weights.shape[1]))
        name = self._name("logits")
        scale = np.abs(layer.weights).max(keepdims=True).reshape(1) / 127
        weights = np.rint(layer.weights / scale).astype(np.int8)
        y = self._activation(name, result)
        constants = self._constants(name, flat, weights, layer.bias, scale, 0)
        self._writer.node("FULLY_CONNECTED", [flat, *constants], [y], version=4)
        return y

    def _reshape(self, x: ModelTensor, shape: tuple[int, ...]) -> ModelTensor:
        name = self._name("flat")
        to = self._writer.constant(f"{name}_shape", np.array(shape, np.int32))
        y = self._writer.tensor(name, shape, "int8", x.scale, x.zero_point)
        self._writer.node("RESHAPE", [x, to], [y], {"new_shape": shape})
        return y

    def _constants(
        self, name: str, x: ModelTensor, weights: Array, bias: Array, scale: Array, axis: int
    ) -> tuple[ModelTensor, ModelTensor]:
        """Weights and bias: the bias has the accumulator's scale."""
        scales = [float(np.float32(each)) for each in scale]
        bias_scales = [float(np.float32(x.scale[0]) * np.float32(each)) for each in scales]
        steps = np.rint(bias.astype(np.float64) / np.array(bias_scales)).astype(np.int32)
        return (
            self._writer.constant(f"{name}_weights", weights, scales, axis=axis),
            self._writer.constant(f"{name}_bias", steps, bias_scales),
        )

    def _activation(self, name: str, result: Array) -> ModelTensor:
        """New activation tensor whose quantisation covers the real values, and has zero exactly."""
        low, high = min(float(result.min()), 0.0), max(float(result.max()), 0.0)
        scale = float(np.float32((high - low) / 255))
        zero_point = int(np.clip(np.rint(-128 - low / scale), -128, 127))
        return self._writer.tensor(name, (1, *result.shape[1:]), "int8", scale, zero_point)

    def _name(self, kind: str) -> str:
        """Unique name of a layer: 'conv', then 'conv_2', …"""
        self._count[kind] = self._count.get(kind, 0) + 1
        return kind if self._count[kind] == 1 else f"{kind}_{self._count[kind]}"
