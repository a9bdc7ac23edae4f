"""Hard swish and hard sigmoid of int8, by ExecuTorch's arithmetic."""

import math

import numpy as np

from opsmith.frontend.onnx.elements import EVERY
from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.pt2.program import Name, TorchCall
from opsmith.frontend.pt2.writer import DQ, Arguments, Q, Writer
from opsmith.ir import Quantization
from opsmith.ir.types import i8

SAME = "FusedHardSigmoid"  # operator type of Opsmith's own, for elements of another quantisation
LAYERS = ("aten.conv2d.default", "aten.linear.default")
NOBODY = TorchCall("", "", {}, ())


def hard_swish(x: Quantization, y: Quantization) -> list[int]:
    """Table of x * (min(x, 3) + 3) / 6 for each int8 x, in which 3 is added by the zero point."""
    (scale,), (point,) = x.scales, x.zero_points
    most = max(i8.limits[0], min(i8.limits[1], round(float(np.float32(3 / scale + point)))))
    shifted = point - round(3 / scale)
    ratio = scale * scale / (y.scales[0] * 6)
    values = [_rescaled((q - point) * (min(q, most) - shifted), ratio) for q in map(int, EVERY)]
    return [max(i8.limits[0], min(i8.limits[1], each + y.zero_points[0])) for each in values]


def _rescaled(value: int, ratio: float) -> int:
    """Product of a value with a Q31 multiplier, rounded twice."""
    mantissa, shift = math.frexp(ratio)
    factor = round(mantissa * (1 << 31))
    if factor == 1 << 31:
        factor, shift = factor // 2, shift + 1
    high = ((value << max(shift, 0)) * factor + (1 << 30)) >> 31
    right = max(-shift, 0)
    rest, half = high & ((1 << right) - 1), ((1 << right) - 1) >> 1
    return (high >> right) + (rest > half + (high < 0))


def hard_sigmoid(writer: Writer, given: Arguments) -> None:
    """Write a hard sigmoid; after a layer it is another quantisation of the layer's sums."""
    x, output = given.get("self"), writer.call.outputs[0]
    found = _after(writer, x, output)
    if found is None:
        writer.emit("HardSigmoid", [writer.operand(x)], alpha=1 / 6, beta=0.5)
        return
    scale, point = found
    wide, shifted = np.float32(6 * scale), min(i8.limits[1], point + round(1 / (2 * scale)))
    names = [writer.constant(wide), writer.constant(np.int8(shifted))]
    made, real = writer.fresh(f"{output}_elements"), writer.fresh(f"{output}_real")
    writer.emit(Q, [x, *names], [made])
    writer.emit(DQ, [made, *names], [real])
    writer.emit(SAME, [real])


def _after(writer: Writer, x: object, output: str) -> tuple[float, int] | None:
    """Scale and zero point that make the limits of int8 the bounds of a hard sigmoid, if it is the
    only reader of an int8 layer; else None.
    """
    after = writer.users.get(output, [])
    if not isinstance(x, Name) or not len(writer.users[x]) == len(after) == 1:
        return None
    if after[0].target != "quantized_decomposed.quantize_per_tensor.default":
        return None
    scale, point = after[0].get("scale", 0), after[0].get("zero_point", None)
    fits = isinstance(scale, float) and 0 < scale < 1 and point == i8.limits[0]
    if not fits or round(1 / scale) + point < i8.limits[1]:
        return None
    makers = {name: call for call in writer.calls for name in call.outputs}
    layer = makers.get(x, NOBODY)
    first = makers.get(layer.get("input", ""), NOBODY)
    quantised = first.target.startswith("quantized_decomposed.dequantize")
    return (scale, point) if quantised and layer.target in LAYERS else None


def same_elements(reader: Reader, operator: Operator) -> None:
    """Write x with its elements unchanged, but with the output's quantisation."""
    x = reader.value(operator, 0)
    target, shape = reader.target(operator, True, fuses=False), reader.tensors[x.tensor].shape
    assert target.quantization is not None
    wide = 6 * target.quantization.scales[0]
    reader.departs(operator, float(np.float32(wide)) != wide)  # ExecuTorch uses double
    options = {"custom_options": b""}
    reader.write(operator, "CUSTOM.OpsmithTable", [x.tensor], target, x.order, shape, options)
