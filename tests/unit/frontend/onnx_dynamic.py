"""Layers that find the scale of what they read, as onnxruntime's quantize_dynamic() writes them."""

from typing import Any

import numpy as np

from opsmith.ir import Array
from tests.unit.frontend.onnx_models import OnnxWriter, onnx


def found(m: OnnxWriter, x: str) -> tuple[str, str, str]:
    """Elements, scale and zero point that a DynamicQuantizeLinear writes."""
    names = f"elements{m.count}", f"scale{m.count}", f"point{m.count}"
    m.count += 1
    m.nodes.append(onnx.helper.make_node("DynamicQuantizeLinear", [x], names))
    return names


def layer(m: OnnxWriter, x: str, weights: Array, scales: Any, points: Any, **options: Any) -> str:
    """Output of a ConvInteger, or of a MatMulInteger if the weights are a matrix, times scales."""
    elements, scale, point = found(m, x)
    kind = "MatMulInteger" if weights.ndim == 2 else "ConvInteger"
    zero = m.constant(np.asarray(points, weights.dtype))
    sums = m.node(kind, [elements, m.constant(weights), point, zero], **options)
    factor = m.node("Mul", [scale, m.constant(np.asarray(scales, np.float32))])
    return m.node("Mul", [m.node("Cast", [sums], to=1), factor])


def network() -> tuple[OnnxWriter, str]:
    """Layers of all kinds for an image of 1x3x8x8, and their output."""
    m, random = OnnxWriter(), np.random.default_rng(19)

    def integers(*shape: int, kind: Any = np.int8) -> Array:
        limits = np.iinfo(kind)
        return random.integers(limits.min, limits.max + 1, shape, kind)

    y = layer(m, "x", integers(8, 3, 3, 3), 0.01, 0, pads=[1] * 4)
    bias = random.normal(0, 0.5, (1, 8, 1, 1)).astype(np.float32)
    y = m.node("Relu", [m.node("Add", [y, m.constant(bias)])])
    w = integers(8, 1, 3, 3, kind=np.uint8)
    y = layer(m, y, w, 0.02, 131, group=8, strides=[2, 2], pads=[1] * 4)
    y = m.node("Flatten", [m.node("MaxPool", [y], kernel_shape=[2, 2], strides=[2, 2])])
    return m, layer(m, y, integers(32, 10), np.arange(1, 11) / 1000, [0] * 10)
