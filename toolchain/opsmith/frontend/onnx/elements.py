"""Functions of single elements. Of int8 they are tables of ONNX's definition: dequantise, compute
the function rounded to float32, quantise by a division, halves to even.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.parts import Parts
from opsmith.frontend.onnx.reader import Reader, Target, Weights
from opsmith.frontend.onnx.values import Value, refuse
from opsmith.ir import Array, Quantization

EVERY = np.arange(256).astype(np.uint8).view(np.int8)  # in the order of OpsmithTable
Function = Callable[[Array, Operator], Array]  # of float64


@dataclass(frozen=True)
class Elementwise:
    """An operator of ONNX's: what it computes, and the op of float32 that does."""

    function: Function
    op: str = ""  # "" where a handler of its own writes nodes
    options: Callable[[Operator], Mapping[str, Any]] = lambda operator: {}


def number(operator: Operator, name: str, default: float) -> float:
    """An attribute of float32."""
    return float(np.float32(operator.attributes.get(name, default)))


def _alpha(operator: Operator) -> dict[str, Any]:
    return {"alpha": number(operator, "alpha", 0.01)}


def _tanh_is_used(operator: Operator) -> bool:
    return bool(operator.attributes.get("approximate", b"none") == b"tanh")


def _gelu(x: Array, operator: Operator) -> Array:
    if _tanh_is_used(operator):
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        return np.asarray(x / 2 * (1 + np.tanh(inner)))
    return np.asarray(x / 2 * (1 + _erf(x / math.sqrt(2))))


def _erf(x: Array) -> Array:
    return np.array([math.erf(each) for each in x.flat]).reshape(x.shape)


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _elu(x: Array, operator: Operator) -> Array:
    return np.where(x < 0, number(operator, "alpha", 1.0) * np.expm1(x), x)


def _hard_sigmoid(x: Array, operator: Operator) -> Array:
    alpha, beta = number(operator, "alpha", 0.2), number(operator, "beta", 0.5)
    return np.asarray(np.clip((alpha * x).astype(np.float32) + np.float32(beta), 0, 1))


def _hard_swish(x: Array, operator: Operator) -> Array:
    return x * np.clip(x / 6 + 0.5, 0, 1)


FUNCTIONS = {
    "Abs": Elementwise(lambda x, o: np.abs(x), "ABS"),
    "Ceil": Elementwise(lambda x, o: np.ceil(x), "CEIL"),
    "Cos": Elementwise(lambda x, o: np.cos(x), "COS"),
    "Elu": Elementwise(_elu, "ELU"),
    "Exp": Elementwise(lambda x, o: np.exp(x), "EXP"),
    "Floor": Elementwise(lambda x, o: np.floor(x), "FLOOR"),
    "Gelu": Elementwise(_gelu, "GELU", lambda o: {"approximate": _tanh_is_used(o)}),
    "HardSigmoid": Elementwise(_hard_sigmoid),
    "HardSwish": Elementwise(_hard_swish, "HARD_SWISH"),
    "LeakyRelu": Elementwise(
        lambda x, o: np.where(x < 0, _alpha(o)["alpha"] * x, x), "LEAKY_RELU", _alpha
    ),
    "Log": Elementwise(lambda x, o: np.log(x), "LOG"),
    "Neg": Elementwise(lambda x, o: -x, "NEG"),
    "Relu": Elementwise(lambda x, o: np.maximum(x, 0), "RELU"),
    "Round": Elementwise(lambda x, o: np.rint(x), "ROUND"),
    "Sigmoid": Elementwise(lambda x, o: _sigmoid(x), "LOGISTIC"),
    "Sin": Elementwise(lambda x, o: np.sin(x), "SIN"),
    "Sqrt": Elementwise(lambda x, o: np.sqrt(x), "SQRT"),
    "Tanh": Elementwise(lambda x, o: np.tanh(x), "TANH"),
}

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
    """An operator of FUNCTIONS."""
    x, found = reader.value(operator, 0), FUNCTIONS[operator.type]
    target = reader.target(operator, reader.quantised(x), fuses=False)
    old = reader.tensors[x.tensor]
    if old.quantization is not None and (
        operator.type != "Relu" or target.quantization != old.quantization
    ):
        table(reader, operator, x, target, lambda real: found.function(real, operator))
        return
    if not found.op:
        _hard_sigmoid_of_floats(reader, operator, x, target)
        return
    if operator.type == "Elu" and number(operator, "alpha", 1.0) != 1:
        _elu_of_floats(reader, operator, x)
        return
    options = found.options(operator)
    reader.write(operator, found.op, [x.tensor], target, x.order, old.shape, options)


def _elu_of_floats(reader: Reader, operator: Operator, x: Value) -> None:
    """The greater of x and 0, and the exponential of the lesser less 1, times alpha."""
    parts = Parts(reader, operator)
    low = parts.of("ELU", parts.pair("MINIMUM", x.tensor, parts.real(0)))
    low = parts.pair("MUL", low, parts.real(number(operator, "alpha", 1.0)))
    made = parts.pair("ADD", parts.of("RELU", x.tensor), low)
    reader.values[operator.outputs[0]] = Value(made, x.order)


def _hard_sigmoid_of_floats(reader: Reader, operator: Operator, x: Value, target: Target) -> None:
    alpha, beta = (number(operator, name, each) for name, each in (("alpha", 0.2), ("beta", 0.5)))
    shape, plain = reader.tensors[x.tensor].shape, {"fused_activation_function": "NONE"}
    made = x.tensor
    for op, factor in (("MUL", alpha), ("ADD", beta)):
        operand = reader.constant(op, np.asarray(factor, np.float32))
        options = plain if op == "MUL" else plain | {"pot_scale_int16": True}
        output = reader.tensor(f"{target.name}_{op}", shape)
        made = reader.node(operator, op, [made, operand], output, options)
    reader.write(operator, "RELU_0_TO_1", [made], target, x.order, shape, {})


def clip(reader: Reader, operator: Operator) -> None:
    """Clip: MAXIMUM and MINIMUM of float32, or RELU and RELU6 with their bounds."""
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
    """PRelu: a table where there is one slope for all of int8, else of float32."""
    x, slope = reader.value(operator, 0), reader.real(operator, 1)
    old = reader.tensors[x.tensor]
    target = reader.target(operator, old.quantization is not None, fuses=False)
    if old.quantization is not None:  # of one slope: others are literal
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
    """Arithmetic of int8 and one constant number, which is the first operand or the second."""
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
    target: Target,
    function: Callable[[Array], Array],
) -> None:
    """Write the function of each element of int8 to the target."""
    old = reader.tensors[x.tensor]
    assert old.quantization is not None and target.quantization is not None
    with np.errstate(all="ignore"):
        real = function(dequantised(EVERY, old.quantization).astype(np.float64))
        values = quantised(np.asarray(real, np.float32), target.quantization, reader.multiplies)
    options = {"custom_options": values.tobytes()}
    op = "CUSTOM.OpsmithTable"
    reader.write(operator, op, [x.tensor], target, x.order, old.shape, options)


def quantize(reader: Reader, operator: Operator) -> None:
    """Write a QuantizeLinear that no operator before it computes; of a constant fold it."""
    if (constant := reader.weights.get(operator.inputs[0])) is not None:
        elements = quantised(constant.real, reader.parameters(operator), reader.multiplies)
        if not reader.signed(operator):
            elements = (elements.astype(np.int16) + 128).astype(np.uint8)
        reader.weights[operator.outputs[0]] = Weights(elements)
        return
    x, wanted = reader.value(operator, 0), reader.parameters(operator)
    old, name = reader.tensors[x.tensor], operator.outputs[0]
    if old.quantization == wanted:
        reader.values[name] = x
        return
    target = Target(name, "NONE", wanted)
    if old.quantization is not None:
        table(reader, operator, x, target, lambda real: real)
    else:
        options = {"custom_options": b"multiplied" if reader.multiplies else b""}
        op = "CUSTOM.OpsmithQuantize"
        reader.write(operator, op, [x.tensor], target, x.order, old.shape, options)
    if x.tensor in reader.columns:
        reader.columns[reader.values[name].tensor] = reader.columns[x.tensor]


def dequantised(elements: Array, of: Quantization) -> Array:
    """DequantizeLinear of elements that have one scale."""
    lifted = (elements.astype(np.int32) - of.zero_points[0]).astype(np.float32)
    return np.asarray(lifted * np.float32(of.scales[0]))


def quantised(real: Array, to: Quantization, multiplies: bool = False) -> Array:
    """QuantizeLinear to int8. ONNX does not define it of NaN, of which onnxruntime makes the least
    element.
    """
    along = [1] * real.ndim
    if to.per_channel:
        along[to.axis] = len(to.scales)
    scales, points = (np.reshape(each, along) for each in (to.scales, to.zero_points))
    steps = real * np.float32(1 / scales) if multiplies else real / np.float32(scales)
    found = np.rint(np.where(np.isnan(steps), -np.inf, steps)) + points
    return np.asarray(np.clip(found, -128, 127), np.int8)
