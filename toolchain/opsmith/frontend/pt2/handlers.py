"""Functions of int8 as ExecuTorch computes them, for the ONNX reader."""

import math
from collections.abc import Callable, Mapping

import numpy as np

from opsmith.frontend.onnx.elements import EVERY
from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.operators import HANDLERS as SHARED
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import refuse
from opsmith.frontend.onnx.walk import Handlers
from opsmith.frontend.pt2.hard import SAME, hard_swish, same_elements
from opsmith.ir import Quantization
from opsmith.ir.types import i8

SILU = "Silu"  # operator type of Opsmith's own
# operators that give ExecuTorch's elements with numerics=tflm
EXACT = frozenset({"Add", "Sub", "Mul", "AveragePool", "Softmax", "ConvTranspose"})


def function(reader: Reader, operator: Operator) -> None:
    """Write a function of int8 as ExecuTorch's table in double precision; where the function is
    undefined, the table has the nearest defined value.
    """
    x = reader.value(operator, 0)
    old = reader.tensors[x.tensor]
    by_tanh = operator.attributes.get("approximate", b"none") == b"tanh"
    if old.quantization is None or by_tanh:
        FLOATS[operator.type](reader, operator)
        return
    target, compute = reader.target(operator, True, fuses=False), FUNCTIONS[operator.type]
    assert target.quantization is not None
    (scale,), (point,) = old.quantization.scales, old.quantization.zero_points
    real = {int(q): compute((int(q) - point) * scale) for q in EVERY}
    known = np.array([q for q, y in real.items() if not math.isnan(y)])
    if not known.size:
        raise refuse(operator, "it is defined for no element of its input", "MDL014")
    nearest = [int(known[np.argmin(abs(known - int(q)))]) for q in EVERY]
    values = [_element(real[q], target.quantization) for q in nearest]
    options = {"custom_options": np.array(values, np.int8).tobytes()}
    reader.write(operator, "CUSTOM.OpsmithTable", [x.tensor], target, x.order, old.shape, options)


def swish(reader: Reader, operator: Operator) -> None:
    """Write a hard swish as a table of int8."""
    x = reader.value(operator, 0)
    old = reader.tensors[x.tensor]
    if old.quantization is None:
        FLOATS[operator.type](reader, operator)
        return
    target = reader.target(operator, True, fuses=False)
    assert target.quantization is not None
    values = np.array(hard_swish(old.quantization, target.quantization), np.int8)
    options = {"custom_options": values.tobytes()}
    reader.write(operator, "CUSTOM.OpsmithTable", [x.tensor], target, x.order, old.shape, options)


def _element(y: float, found: Quantization) -> int:
    """Element nearest to a real value, halves away from zero."""
    units = y / found.scales[0] + found.zero_points[0]
    if math.isfinite(units):
        units = math.copysign(math.floor(abs(units) + 0.5), units)
    return int(max(i8.limits[0], min(i8.limits[1], units)))


def _sigmoid(x: float) -> float:
    """Sigmoid of x, computed without overflow of the exponential."""
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    return math.exp(x) / (1.0 + math.exp(x))


def _silu_of_floats(reader: Reader, operator: Operator) -> None:
    """Write a SiLU of float32, x * sigmoid(x)."""
    x = reader.value(operator, 0)
    shape = reader.tensors[x.tensor].shape
    shares = reader.tensor(f"{operator.outputs[0]}_sigmoid", shape)
    reader.node(operator, "LOGISTIC", [x.tensor], shares)
    target = reader.target(operator, False, fuses=False)
    options = {"fused_activation_function": target.activation}
    reader.write(operator, "MUL", [x.tensor, shares], target, x.order, shape, options)


FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "Sigmoid": _sigmoid,
    "Tanh": math.tanh,
    SILU: lambda x: x * _sigmoid(x),
    "Gelu": lambda x: 0.5 * x * (1.0 + math.erf(x / math.sqrt(2.0))),
    "Log": lambda x: math.log(x) if x > 0 else -math.inf if x == 0 else math.nan,
    "Sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
}
FLOATS: Handlers = {**SHARED, SILU: _silu_of_floats}
HANDLERS: Handlers = {
    **FLOATS,
    **dict.fromkeys(FUNCTIONS, function),
    "HardSwish": swish,
    SAME: same_elements,
}
