"""Functions of single elements. For int8 they are tables of ONNX's definition: dequantise, compute
the function rounded to float32, quantise by a division, halves to even.
"""

import math
from collections.abc import Callable

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.functions import FUNCTIONS
from opsmith.frontend.onnx.parts import Parts
from opsmith.frontend.onnx.reader import OperatorOutput, Reader
from opsmith.frontend.onnx.values import StoredConstant, Value, refuse
from opsmith.ir import Array, Quantization

EVERY = np.arange(256).astype(np.uint8).view(np.int8)  # in the order of OpsmithTable
ARITHMETIC: dict[str, Callable[[Array, Array], Array]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Max": np.maximum,
    "Min": np.minimum,
}
BOUNDS = {"NONE": (-math.inf, math.inf), "RELU": (0.0, math.inf), "RELU6": (0.0, 6.0)}


def unary(reader: Reader, operator: Operator) -> None:
    """Write an elementwise operator of FUNCTIONS."""
    x, found = reader.value(operator, 0), FUNCTIONS[operator.type]
    target = reader.target(operator, reader.quantised(x), fuses=False)
    old = reader.tensors[x.tensor]
    if old.quantization is not None and (
        operator.type != "Relu" or target.quantization != old.quantization
    ):
        table(reader, operator, x, target, lambda real: found.function(real, operator))
        return
    if found.parts is not None:
        made = found.parts(Parts(reader, operator), x.tensor, operator)
        reader.values[operator.outputs[0]] = Value(made, x.order)
        return
    options = found.options(operator)
    reader.write(operator, found.op, [x.tensor], target, x.order, old.shape, options)


def clip(reader: Reader, operator: Operator) -> None:
    """Write a Clip: MAXIMUM and MINIMUM of float32, or RELU and RELU6 if the bounds are theirs."""
    low, high = reader.bounds(operator)
    x = reader.value(operator, 0)
    old, target = reader.tensors[x.tensor], reader.target(operator, reader.quantised(x), False)
    if old.quantization is not None:
        table(reader, operator, x, target, lambda real: np.minimum(np.maximum(real, low), high))
        return
    names = {(0.0, math.inf): "RELU", (0.0, 6.0): "RELU6"}
    if (low, high) in names:
        op = names[low, high]
        reader.write(operator, op, [x.tensor], target, x.order, old.shape, {})
        return
    made = x.tensor
    for op, bound in (("MAXIMUM", low), ("MINIMUM", high)):
        operand = reader.constant(op, np.asarray(bound, np.float32))
        output = reader.tensor(f"{target.name}_{op}", old.shape)
        made = reader.node(operator, op, [made, operand], output)
    reader.values[target.name] = Value(made, x.order)


def prelu(reader: Reader, operator: Operator) -> None:
    """Write a PRelu: a table of int8 where there is only one slope, else of float32."""
    x, slope = reader.value(operator, 0), reader.real(operator, 1)
    old = reader.tensors[x.tensor]
    target = reader.target(operator, old.quantization is not None, fuses=False)
    if old.quantization is not None:  # with one slope; others are computed literally
        factor = float(slope.reshape(-1)[0])
        table(reader, operator, x, target, lambda real: np.where(real < 0, factor * real, real))
        return
    rank, shape = len(x.order), reader.shape(x)
    sizes = (1,) * (rank - slope.ndim) + slope.shape
    if len(sizes) > rank or any(n not in (1, size) for n, size in zip(sizes, shape, strict=True)):
        raise refuse(operator, f"the slopes {slope.shape} do not fit {shape}", "MDL014")
    slopes = slope.reshape(sizes).transpose(x.order)
    operand = reader.constant(operator.inputs[1], slopes)
    reader.write(operator, "PRELU", [x.tensor, operand], target, x.order, old.shape, {})


def with_number(reader: Reader, operator: Operator, x: Value, number: Array, first: bool) -> None:
    """Write arithmetic of int8 with one constant number, which is the first or second operand."""
    target = reader.target(operator, quantised=True)
    low, high = BOUNDS[target.activation]

    def function(real: Array) -> Array:
        given = (number, real) if first else (real, number)
        return np.clip(ARITHMETIC[operator.type](*given), low, high)

    table(reader, operator, x, target, function)


def table(
    reader: Reader,
    operator: Operator,
    x: Value,
    target: OperatorOutput,
    function: Callable[[Array], Array],
) -> None:
    """Write a table of the function for each int8 element to the target."""
    old = reader.tensors[x.tensor]
    assert old.quantization is not None and target.quantization is not None
    with np.errstate(all="ignore"):
        real = function(dequantised(EVERY, old.quantization).astype(np.float64))
        values = quantised(np.asarray(real, np.float32), target.quantization, reader.multiplies)
    options = {"custom_options": values.tobytes()}
    op = "CUSTOM.OpsmithTable"
    reader.write(operator, op, [x.tensor], target, x.order, old.shape, options)


def quantize(reader: Reader, operator: Operator) -> None:
    """Write a QuantizeLinear that is not part of an operator before it; fold that of a constant."""
    if (constant := reader.weights.get(operator.inputs[0])) is not None:
        elements = quantised(constant.real, reader.parameters(operator), reader.multiplies)
        if not reader.signed(operator):
            elements = (elements.astype(np.int16) + 128).astype(np.uint8)
        reader.weights[operator.outputs[0]] = StoredConstant(elements)
        return
    x, wanted = reader.value(operator, 0), reader.parameters(operator)
    old, name = reader.tensors[x.tensor], operator.outputs[0]
    if old.quantization == wanted:
        reader.values[name] = x
        return
    target = OperatorOutput(name, "NONE", wanted)
    if old.quantization is not None:
        table(reader, operator, x, target, lambda real: real)
    else:
        options = {"custom_options": b"multiplied" if reader.multiplies else b""}
        op = "CUSTOM.OpsmithQuantize"
        reader.write(operator, op, [x.tensor], target, x.order, old.shape, options)
    if x.tensor in reader.columns:
        reader.columns[reader.values[name].tensor] = reader.columns[x.tensor]


def dequantize(reader: Reader, operator: Operator) -> None:
    """Let the output of a DequantizeLinear stand for the integers that it reads; where these were
    written at another scale, for the same integers at its own.
    """
    x = reader.values.get(operator.inputs[0])
    if x is not None and reader.quantised(x):
        old, wanted = reader.tensors[x.tensor], reader.parameters(operator)
        if old.quantization != wanted and not wanted.per_channel:
            made = reader.tensor(f"{old.name}_read", old.shape, old.dtype, wanted)
            options = {"custom_options": b""}
            reader.node(operator, "CUSTOM.OpsmithTable", [x.tensor], made, options)
            reader.values[operator.outputs[0]] = Value(made, x.order)
            if x.tensor in reader.columns:
                reader.columns[made] = reader.columns[x.tensor]
            return
    reader.dequantize(operator)


def dequantised(elements: Array, of: Quantization) -> Array:
    """DequantizeLinear in numpy, of elements with one scale."""
    lifted = (elements.astype(np.int32) - of.zero_points[0]).astype(np.float32)
    return np.asarray(lifted * np.float32(of.scales[0]))


def quantised(real: Array, to: Quantization, multiplies: bool = False) -> Array:
    """QuantizeLinear to int8 in numpy; NaN, undefined in ONNX, is onnxruntime's least element."""
    along = [1] * real.ndim
    if to.per_channel:
        along[to.axis] = len(to.scales)
    scales, points = (np.reshape(each, along) for each in (to.scales, to.zero_points))
    steps = real * np.float32(1 / scales) if multiplies else real / np.float32(scales)
    found = np.rint(np.where(np.isnan(steps), -np.inf, steps)) + points
    return np.asarray(np.clip(found, -128, 127), np.int8)
