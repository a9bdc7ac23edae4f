"""Test cases of matrix products: models of one node, of each element type."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter

Shape = Sequence[int]


@dataclass(frozen=True)
class MatMul:
    """int8 fully connected layer; calling it adds it to a model."""

    x: Shape = (1, 12)
    channels: int = 5
    depth: int | None = None  # None: the last size of x
    y: Shape | None = None
    keep: bool = False
    activation: str = "NONE"
    dtype: str = "int8"
    x_scale: float | tuple[()] = 0.05
    x_zero_point: int | None = -3
    y_scale: float | tuple[()] = 0.1
    y_zero_point: int | None = 4
    weights_scale: float = 0.011
    weights_scales: int = 1
    weights_zero_point: int = 0
    weights_axis: int = 0
    weights_value: int | None = None  # None: random
    weights_values: int = field(default=0, repr=False)  # of N values at most; 0: of any
    weights_rank: int = 2
    least: int = 1  # weight of uint8, as training with quantisation leaves it
    bias: int | None = 2000  # the first; the others are random up to it; None: without
    bias_type: str = "int32"
    bias_elements: int | None = None
    said: str = "FLOAT32"  # the bias's type, which LiteRT needs of int16
    weights_format: int = 0
    version: int = 4

    def __call__(self, m: ModelWriter) -> None:
        rng = np.random.default_rng(11)
        depth = self.depth or self.x[-1]
        x = m.input("x", self.x, self.dtype, self.x_scale, self.x_zero_point)
        given = [x, self._weights(m, rng, (1, self.channels, depth)[3 - self.weights_rank :])]
        given += [] if self.bias is None else [self._bias(m, rng, self.bias)]
        rows = int(np.prod(self.x)) // depth
        y = self.y or ((*self.x[:-1], self.channels) if self.keep else (rows, self.channels))
        output = m.tensor("y", y, self.dtype, self.y_scale, self.y_zero_point)
        options: dict[str, OptionValue] = {
            "fused_activation_function": self.activation,
            "keep_num_dims": self.keep,
            "weights_format": self.weights_format,
            "quantized_bias_type": self.said,
            **self._more(),
        }
        m.node("FULLY_CONNECTED", given, [output], options, version=self.version)
        m.output(output)

    def _more(self) -> dict[str, OptionValue]:
        """Further options of TFLite's operator."""
        return {}

    def _weights(self, m: ModelWriter, rng: np.random.Generator, shape: Shape) -> ModelTensor:
        if self.dtype == "uint8":
            return self._quantised(m, rng.integers(self.least, 256, shape, np.uint8))
        values = rng.integers(-128, 128, shape, np.int8)
        if self.weights_value is not None:
            values = np.full(shape, self.weights_value, np.int8)
        if self.weights_values:
            values = rng.choice(np.linspace(-128, 127, self.weights_values).astype(np.int8), shape)
        return self._quantised(m, values)

    def _quantised(self, m: ModelWriter, values: NDArray[Any]) -> ModelTensor:
        scales = [self.weights_scale * (1 + i / 7) for i in range(self.weights_scales)]
        zero_points = [self.weights_zero_point] * self.weights_scales
        return m.constant("weights", values, scales, zero_points, axis=self.weights_axis)

    def _bias(self, m: ModelWriter, rng: np.random.Generator, limit: int) -> ModelTensor:
        elements = self.bias_elements or self.channels
        values = rng.integers(-limit, limit, elements, np.int64, endpoint=True)
        values[0] = limit
        scale = self.x_scale * self.weights_scale if self.x_scale else ()
        return m.constant("bias", values.astype(self.bias_type), scale)


@dataclass(frozen=True)
class RealMatMul(MatMul):
    """float32 fully connected layer, to add to a test model."""

    x: Shape = (2, 12)
    dtype: str = "float32"
    x_scale: float | tuple[()] = ()
    x_zero_point: int | None = None
    y_scale: float | tuple[()] = ()
    y_zero_point: int | None = None
    bias: int | None = 1  # the deviation of all; None: without
    version: int = 1
    size: float = 1.0  # the deviation of weights
    bits: int = 0  # of integers that weights are, times a scale of each channel; 0: they are none

    def _weights(self, m: ModelWriter, rng: np.random.Generator, shape: Shape) -> ModelTensor:
        found = rng.normal(0, self.size, shape).astype(np.float32)
        if self.bits:
            most = 1 << self.bits - 1
            found = rng.integers(-most, most, shape).astype(np.float32) * np.abs(found[:, :1])
        return m.constant("weights", found)

    def _bias(self, m: ModelWriter, rng: np.random.Generator, limit: int) -> ModelTensor:
        values = rng.normal(0, limit, self.bias_elements or self.channels)
        return m.constant("bias", values.astype(np.float32))


@dataclass(frozen=True)
class DynamicMatMul(RealMatMul):
    """Fully connected layer of float32 by int8 weights, to add to a test model."""

    asymmetric: bool = False
    biases: Sequence[float] = ()  # none: random ones

    def _weights(self, m: ModelWriter, rng: np.random.Generator, shape: Shape) -> ModelTensor:
        integers = rng.integers(-127, 128, shape, np.int8)  # LiteRT for x86 fails to multiply -128
        return self._quantised(m, integers)

    def _bias(self, m: ModelWriter, rng: np.random.Generator, limit: int) -> ModelTensor:
        if self.biases:
            return m.constant("bias", np.array(self.biases, np.float32))
        return super()._bias(m, rng, limit)

    def _more(self) -> dict[str, OptionValue]:
        return {"asymmetric_quantize_inputs": self.asymmetric}


@dataclass(frozen=True)
class BatchMatMul:
    """Product of matrices a and b, of which b may be constant, to add to a test model."""

    a: Shape = (2, 3, 7)
    b: Shape | NDArray[Any] = (2, 7, 5)
    adj_x: bool = False
    adj_y: bool = False
    types: tuple[str, str] = ("int8", "int8")
    y_type: str = ""  # as that of a
    scales: tuple[float, ...] = (0.05, 0.03, 0.02)
    zero_points: tuple[int, ...] = ()  # those of int8 have some
    by_range: bool = False  # how a of float32 is quantised

    def __call__(self, m: ModelWriter) -> None:
        types = (*self.types, self.y_type or self.types[0])
        a = m.input("a", self.a, types[0], *self._quantisation(0, types[0]))
        of_b = self._quantisation(1, types[1])
        if isinstance(self.b, np.ndarray):
            b = m.constant("b", self.b, *of_b)
        else:
            b = m.input("b", self.b, types[1], *of_b)
        y = m.tensor("y", self._y(a.shape, b.shape), types[2], *self._quantisation(2, types[2]))
        options: dict[str, OptionValue] = {"adj_x": self.adj_x, "adj_y": self.adj_y}
        options |= {"asymmetric_quantize_inputs": self.by_range}
        m.node("BATCH_MATMUL", [a, b], [y], options)
        m.output(y)

    def _quantisation(self, i: int, dtype: str) -> tuple[float | tuple[()], int | None]:
        if dtype in ("float32", "int32") or not self.scales:
            return (), None
        zeros = self.zero_points or ((-3, 7, 4) if dtype == "int8" == self.types[0] else (0,) * 3)
        return self.scales[i], zeros[i]

    def _y(self, a: Shape, b: Shape) -> Shape:
        try:
            batches = np.broadcast_shapes(tuple(a[:-2]), tuple(b[:-2]))
        except ValueError:
            batches = ()
        return (
            *batches,
            a[-1 if self.adj_x else -2] if len(a) > 1 else 1,
            b[-2 if self.adj_y else -1],
        )
