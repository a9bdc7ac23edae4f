"""Arithmetic of two tensors, which ONNX defines as float32 that is quantised once."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from opsmith.frontend.onnx.elements import EVERY, dequantised, quantised
from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.parts import Parts
from opsmith.frontend.onnx.reader import OperatorOutput, Reader
from opsmith.frontend.onnx.values import Value, refuse
from opsmith.ir import Quantization

BINARY = {"Add": "ADD", "Sub": "SUB", "Mul": "MUL", "Div": "DIV"}
MOST_AXES = 6  # most axes that XNNPACK multiplies


def write_pair(
    reader: Reader,
    operator: Operator,
    names: Sequence[str],
    target: OperatorOutput,
    order: tuple[int, ...],
    shape: tuple[int, ...],
) -> None:
    """Write the arithmetic of two tensors by an op of ONNX's definition, or by TFLite's if both
    agree for each pair of elements.
    """
    op = BINARY[operator.type]
    options: dict[str, object] = {"fused_activation_function": target.activation}
    if op in ("ADD", "SUB"):
        options |= {"pot_scale_int16": True}
    a, b = (reader.tensors[name].quantization for name in names)
    if a is not None and b is not None and target.quantization is not None:
        same = op == "MUL" and names[0] != names[1] and len(shape) <= MOST_AXES
        if op == "DIV":
            op = "CUSTOM.OpsmithDiv"
            kind = "/" if reader.multiplies else ""  # quotients of elements, as in ExecuTorch
            options = {"custom_options": f"{kind}{target.activation}".encode()}
        elif reader.multiplies:
            reader.departs(operator)
        elif not same or not _products_agree(a, b, target.quantization):
            op = f"CUSTOM.Opsmith{operator.type}"
            options = {"custom_options": target.activation.encode()}
    if infinite := [name for name in names if _is_infinite(reader, name)]:
        _write_infinite(reader, operator, names, infinite[0], target, order, shape)
        return
    reader.write(operator, op, [*names], target, order, shape, options)


def _is_infinite(reader: Reader, name: str) -> bool:
    """True if a tensor is a float32 constant with an infinite element."""
    constant = reader.tensors[name].constant
    return constant is not None and bool(np.isinf(constant.array).any())


def _write_infinite(
    reader: Reader,
    operator: Operator,
    names: Sequence[str],
    name: str,
    target: OperatorOutput,
    order: tuple[int, ...],
    shape: tuple[int, ...],
) -> None:
    """Write a sum with infinite elements of a constant by MINIMUM and MAXIMUM, since TFLite's ADD
    and SUB would turn infinities into the greatest numbers.
    """
    if operator.type == "Div" and name == names[1]:  # by infinity: 0, or NaN
        options = {"fused_activation_function": target.activation}
        reader.write(operator, "DIV", [*names], target, order, shape, options)
        return
    if operator.type not in ("Add", "Sub"):
        raise refuse(operator, "a factor of it is infinite", "MDL014")
    constant = reader.tensors[name].constant
    assert constant is not None
    array, parts = constant.array, Parts(reader, operator)
    reached = -array if operator.type == "Sub" and name == names[1] else array
    finite = parts.real(np.where(np.isinf(array), 0, array))
    made = parts.pair(BINARY[operator.type], *(finite if each == name else each for each in names))
    for op, end in (("MINIMUM", -np.inf), ("MAXIMUM", np.inf)):
        made = parts.pair(op, made, parts.real(np.where(reached == end, end, -end)))
    if target.activation != "NONE":
        made = parts.of(target.activation, made)
    reader.values[target.name] = Value(made, order)


@lru_cache(maxsize=64)
def _products_agree(a: Quantization, b: Quantization, y: Quantization) -> bool:
    """True if products of integers by one float32 factor, as in the notebook's MUL, are rounded to
    the elements of the products of values.
    """
    with np.errstate(all="ignore"):
        one, scale = np.float32(a.scales[0]), np.float32(y.scales[0])
        factor = one * np.float32(b.scales[0]) / scale
        if not 2.0**-16 <= factor < 2.0**8:
            return False
        values = dequantised(EVERY, a)[:, None] * dequantised(EVERY, b)
        lifted = [EVERY.astype(np.int32) - each.zero_points[0] for each in (a, b)]
        products = (lifted[0][:, None] * lifted[1]).astype(np.float32)
        steps = np.rint(products * factor) + y.zero_points[0]
        return bool(np.array_equal(quantised(values, y), np.clip(steps, -128, 127)))
