"""Small .onnx models as quantisers export them, and what the fused rule of ONNX makes of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from opsmith.ir import Array

onnx = pytest.importorskip("onnx", reason="onnx is not installed: ./bootstrap --all")


class OnnxWriter:
    """A model that grows operator by operator; tensors are called n0, n1 and so on."""

    def __init__(self, folder: Path = Path()) -> None:
        self.folder = folder  # in which a test keeps its files
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.count = 0

    def constant(self, array: Any) -> str:
        """Name of a new constant."""
        name = f"c{len(self.constants)}"
        self.constants.append(onnx.numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, kind: str, inputs: Sequence[str], **attributes: Any) -> str:
        """Name of a new operator's output."""
        name, self.count = f"n{self.count}", self.count + 1
        self.nodes.append(onnx.helper.make_node(kind, inputs, [name], **attributes))
        return name

    def scales(self, scale: Any, point: Any, kind: str = "int8") -> tuple[str, str]:
        """Constants of a scale and a zero point for an operator."""
        return self.constant(np.asarray(scale, np.float32)), self.constant(np.asarray(point, kind))

    def through(self, name: str, scale: float, point: int, kind: str = "int8") -> str:
        """Name of the tensor after QuantizeLinear and DequantizeLinear."""
        constants = self.scales(scale, point, kind)
        made = self.node("QuantizeLinear", [name, *constants])
        return self.node("DequantizeLinear", [made, *constants])

    def weights(self, array: Array, scales: Any, axis: int = 0) -> str:
        """Name of weights: integers, dequantised by DequantizeLinear."""
        scale = self.constant(np.asarray(scales, np.float32))
        point = self.constant(np.zeros(np.shape(scales), array.dtype))
        return self.node("DequantizeLinear", [self.constant(array), scale, point], axis=axis)

    def model(self, x: Sequence[int | str], output: str, opset: int = 17) -> Any:
        """Model with one input, x, and the given output."""
        real = onnx.TensorProto.FLOAT
        inputs = [onnx.helper.make_tensor_value_info("x", real, x)]
        outputs = [onnx.helper.make_tensor_value_info(output, real, None)]
        graph = onnx.helper.make_graph(self.nodes, "main", inputs, outputs, self.constants)
        versions = [onnx.helper.make_opsetid("", opset)]
        return onnx.helper.make_model(graph, opset_imports=versions)

    def save(self, path: Path, x: Sequence[int | str], output: str, opset: int = 17) -> Path:
        """Path of the model, saved as a file."""
        path.write_bytes(self.model(x, output, opset).SerializeToString())
        return path


def requantised(sums: Array, factor: Array, point: int, least: int = -128) -> Array:
    """Sums times a float32 factor, halves to even, plus the zero point: ONNX's QLinearConv."""
    scaled = np.rint(sums.astype(np.float32) * factor.astype(np.float32))
    return np.asarray(np.clip(scaled + point, least, 127), np.int8)


def convolved(x: Array, w: Array, strides: int, pads: int, groups: int = 1) -> Array:
    """Sums of int64 of an image in NCHW, its zero point taken away."""
    sides = [(0, 0), (0, 0), (pads, pads), (pads, pads)]
    windows = sliding_window_view(np.pad(x.astype(np.int64), sides), w.shape[2:], axis=(2, 3))[
        :, :, ::strides, ::strides
    ]
    parts = zip(np.split(windows, groups, 1), np.split(w.astype(np.int64), groups), strict=True)
    sums = [np.einsum("nchwij,mcij->nmhw", part, each) for part, each in parts]
    return np.concatenate(sums, 1)


def mobilenet_v2() -> Any:
    """MobileNetV2 of width 1 for images of 224 x 224, QDQ of int8 with random weights."""
    m, random = OnnxWriter(), np.random.default_rng(2)

    def conv(x: str, before: int, after: int, size: int, stride: int = 1, groups: int = 1) -> str:
        shape = (after, before // groups, size, size)
        weights = m.weights(random.integers(-127, 128, shape, np.int8), np.full(after, 0.004))
        bias = m.constant(random.normal(0, 0.1, after).astype(np.float32))
        pads, strides = [size // 2] * 4, [stride] * 2
        given = [x, weights, bias]
        return m.node("Conv", given, group=groups, pads=pads, strides=strides)

    def clipped(x: str) -> str:
        bounds = [m.constant(np.float32(each)) for each in (0, 6)]
        return m.through(m.node("Clip", [x, *bounds]), 0.0235, -128)

    y, width = clipped(conv(m.through("x", 0.025, 0), 3, 32, 3, 2)), 32
    rows = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1))
    for factor, after, count, first in (*rows, (6, 160, 3, 2), (6, 320, 1, 1)):
        for stride in (first, *[1] * (count - 1)):
            inner, z = width * factor, y
            if factor > 1:
                z = clipped(conv(z, width, inner, 1))
            z = clipped(conv(z, inner, inner, 3, stride, inner))
            z = m.through(conv(z, inner, after, 1), 0.025, 0)
            same = stride == 1 and width == after
            y = m.through(m.node("Add", [y, z]), 0.025, 0) if same else z
            width = after
    y = m.node("GlobalAveragePool", [clipped(conv(y, width, 1280, 1))])
    y = m.node("Flatten", [m.through(y, 0.0235, -128)])
    weights = m.weights(random.integers(-127, 128, (1000, 1280), np.int8), 0.004)
    return m.model(["N", 3, 224, 224], m.through(m.node("Gemm", [y, weights], transB=1), 0.1, 0))
