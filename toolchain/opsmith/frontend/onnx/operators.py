"""The operators of ONNX that are read, and how: elementwise ones, and those that move elements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from opsmith.frontend.onnx.attention import attention
from opsmith.frontend.onnx.batch_norm import BATCH_NORM, batch_norm
from opsmith.frontend.onnx.elements import (
    FUNCTIONS,
    clip,
    prelu,
    quantize,
    table,
    unary,
    with_number,
)
from opsmith.frontend.onnx.enlarging import conv_transpose, resize
from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.layers import conv, global_average, pool, product
from opsmith.frontend.onnx.moves import gather, pad, slices, split
from opsmith.frontend.onnx.pairs import BINARY, write_pair
from opsmith.frontend.onnx.reader import Reader, Target, Weights
from opsmith.frontend.onnx.recurrent import GATES, recurrent
from opsmith.frontend.onnx.reductions import REDUCTIONS, layer_norm, reduction
from opsmith.frontend.onnx.values import Value, preferred, refuse, stated
from opsmith.ir import Array, Quantization

EXTREMES = {"Max": "MAXIMUM", "Min": "MINIMUM"}
PRODUCTS = ("Gemm", "MatMul")


def softmax(reader: Reader, operator: Operator) -> None:
    """Softmax along the last axis that is stored."""
    x = reader.value(operator, 0)
    axis = int(operator.attributes.get("axis", -1)) % len(x.order)
    if x.order[-1] != axis:
        x = reader.ordered(operator, x, (*(a for a in x.order if a != axis), axis))
    quantised, old = reader.quantised(x), reader.tensors[x.tensor]
    target = reader.target(operator, quantised, fuses=False)
    reader.departs(operator, quantised)
    shape = old.shape
    reader.write(operator, "SOFTMAX", [x.tensor], target, x.order, shape, {"beta": 1.0})


def binary(reader: Reader, operator: Operator) -> None:
    """Arithmetic, or the extremes, of two tensors, one of which may be repeated along axes."""
    constant = [name in reader.weights for name in operator.inputs]
    if len(constant) != 2 or all(constant):
        raise refuse(operator, "it has not two operands that are computed")
    leading = constant.index(False)
    first = reader.value(operator, leading)
    order = first.order
    names = [first.tensor, first.tensor]
    quantised = reader.quantised(first)
    number = reader.weights.get(operator.inputs[1 - leading])
    if quantised and number and number.array.size == 1 and number.array.ndim <= len(order):
        real = number.real.reshape(()).astype(np.float64)
        with_number(reader, operator, first, real, first=bool(leading))
        return
    if constant[1 - leading]:
        names[1 - leading] = _operand(reader, operator, 1 - leading, order, quantised)
    else:
        second = reader.value(operator, 1 - leading)
        if len(second.order) != len(order) or reader.quantised(second) != quantised:
            raise refuse(operator, "its operands differ in number of axes or quantisation")
        names[1 - leading] = reader.ordered(operator, second, order).tensor
    shapes = [reader.tensors[name].shape for name in names]
    try:
        shape = tuple(map(int, np.broadcast_shapes(*shapes)))
    except ValueError as error:
        raise refuse(operator, f"the shapes {shapes} do not fit", "MDL014") from error
    if operator.type in EXTREMES:
        target = reader.target(operator, quantised, fuses=False)
        reader.write(operator, EXTREMES[operator.type], [*names], target, order, shape, {})
        return
    target = reader.target(operator, quantised)
    write_pair(reader, operator, names, target, order, shape)


def _operand(
    reader: Reader, operator: Operator, index: int, order: tuple[int, ...], quantised: bool
) -> str:
    """A constant operand, with its axes in this order."""
    name = operator.inputs[index]
    found: Weights = reader.weights[name]
    if quantised and (found.quantization is None or found.quantization.per_channel):
        raise refuse(operator, f"operand {index} is not quantised by one scale", "MDL005")
    array: Array = found.array if quantised else found.real
    if array.ndim > len(order):
        raise refuse(operator, f"operand {index} has more axes than the other", "MDL014")
    array = array.reshape((1,) * (len(order) - array.ndim) + array.shape)
    kept = found.quantization if quantised else None
    return reader.constant(name, np.transpose(array, order), kept)


def concat(reader: Reader, operator: Operator) -> None:
    """Concat of tensors with one quantisation, which is the output's."""
    values = [reader.value(operator, index) for index in range(len(operator.inputs))]
    if not values or len({len(value.order) for value in values}) != 1:
        raise refuse(operator, "its operands differ in number of axes", "MDL014")
    order = values[0].order
    values = [reader.ordered(operator, value, order) for value in values]
    tensors = [reader.tensors[value.tensor] for value in values]
    axis = order.index(int(operator.attributes.get("axis", 0)) % len(order))
    rest = {each.shape[:axis] + each.shape[axis + 1 :] for each in tensors}
    kinds = {each.quantization is not None for each in tensors}
    if len(rest) != 1 or len(kinds) != 1:
        raise refuse(operator, "its operands differ in shape or type", "MDL014")
    shape = list(tensors[0].shape)
    shape[axis] = sum(each.shape[axis] for each in tensors)
    target = reader.target(operator, kinds == {True}, fuses=False)
    if target.quantization is not None:
        values = [_rescaled(reader, operator, value, target.quantization) for value in values]
    options = {"axis": axis, "fused_activation_function": "NONE"}
    names: list[str | None] = [value.tensor for value in values]
    reader.write(operator, "CONCATENATION", names, target, order, tuple(shape), options)


def _rescaled(reader: Reader, operator: Operator, x: Value, wanted: Quantization) -> Value:
    """A part of a Concat at the output's quantisation."""
    old = reader.tensors[x.tensor]
    if old.quantization == wanted:
        return x
    target = Target(f"{old.name}_rescaled", "NONE", wanted)
    table(reader, operator, x, target, lambda real: real)
    return reader.values.pop(target.name)


def transpose(reader: Reader, operator: Operator) -> None:
    """Transpose: other names of the axes, no node."""
    x = reader.value(operator, 0)
    rank = len(x.order)
    axes = [int(a) for a in operator.attributes.get("perm", range(rank)[::-1])]
    if sorted(axes) != list(range(rank)):
        raise refuse(operator, f"perm is {axes}", "MDL014")
    order = tuple(axes.index(axis) for axis in x.order)
    reader.values[operator.outputs[0]] = Value(x.tensor, order)


def reshape(reader: Reader, operator: Operator) -> None:
    """Reshape, Flatten, Squeeze and Unsqueeze."""
    x = reader.value(operator, 0)
    shape = _new_shape(reader, operator, reader.shape(x))
    name, old = operator.outputs[0], reader.tensors[x.tensor]
    if shape == reader.shape(x):
        reader.values[name] = x
        return
    columns = None
    if x.order != stated(len(x.order)):
        flat = len(shape) == 2 and shape[0] == old.shape[0] and x.order[0] == 0
        if flat and _only_products(reader, name):
            places = np.arange(shape[1]).reshape(reader.shape(x)[1:])
            columns = np.transpose(places, [axis - 1 for axis in x.order[1:]]).reshape(-1)
        else:
            x = reader.ordered(operator, x, stated(len(x.order)))
    made = reader.like(name, x, shape)
    reader.node(operator, "RESHAPE", [x.tensor, reader.numbers("shape", shape)], made)
    if columns is not None:
        reader.columns[made] = columns
    made_value = Value(made, stated(len(shape)))
    order = preferred(len(shape))
    if order != made_value.order and len(x.order) != len(shape):
        made_value = reader.ordered(operator, made_value, order)
    reader.values[name] = made_value


def _only_products(reader: Reader, name: str) -> bool:
    """Whether nothing but matrix products by constants reads a tensor."""
    if name in reader.content.outputs:
        return False
    for each in reader.readers.get(name, []):
        again = each.type == "Flatten" and each.attributes.get("axis", 1) == 1
        if again or each.type in ("QuantizeLinear", "DequantizeLinear"):
            if not _only_products(reader, each.outputs[0]):
                return False
        elif each.type not in PRODUCTS or each.inputs[0] != name:
            return False
    return True


def _new_shape(reader: Reader, operator: Operator, old: tuple[int, ...]) -> tuple[int, ...]:
    total = int(np.prod(old, dtype=np.int64))
    if operator.type == "Flatten":
        axis = int(operator.attributes.get("axis", 1))
        if not -len(old) <= axis <= len(old):
            raise refuse(operator, f"axis {axis} is none of {old}", "MDL014")
        rows = int(np.prod(old[: axis + len(old) if axis < 0 else axis], dtype=np.int64))
        return rows, total // rows
    if operator.type == "Reshape":
        asked = [int(each) for each in reader.plain(operator, 1).reshape(-1)]
        if not operator.attributes.get("allowzero"):
            asked = [old[i] if not n and i < len(old) else n for i, n in enumerate(asked)]
        known = int(np.prod([n for n in asked if n != -1], dtype=np.int64))
        shape = tuple(total // known if n == -1 and known > 0 else n for n in asked)
    else:
        ones = [axis for axis, size in enumerate(old) if size == 1]
        axes = reader.plain(operator, 1) if len(operator.inputs) > 1 else np.array(ones)
        shape = _squeezed(operator, axes, old)
    if min(shape, default=1) < 1 or int(np.prod(shape, dtype=np.int64)) != total:
        raise refuse(operator, f"{old} cannot become {shape}", "MDL014")
    return shape


def _squeezed(operator: Operator, axes: Array, old: tuple[int, ...]) -> tuple[int, ...]:
    adds = operator.type == "Unsqueeze"
    rank = len(old) + axes.size if adds else len(old)
    some = {int(axis) % max(rank, 1) for axis in axes.reshape(-1)}
    if len(some) != axes.size or any(not -rank <= int(a) < rank for a in axes.reshape(-1)):
        raise refuse(operator, f"its axes are none of {rank}", "MDL014")
    if adds:
        rest = iter(old)
        return tuple(1 if axis in some else next(rest) for axis in range(rank))
    return tuple(size for axis, size in enumerate(old) if axis not in some)


HANDLERS: dict[str, Callable[[Reader, Operator], None]] = {
    "QuantizeLinear": quantize,
    "DequantizeLinear": Reader.dequantize,
    BATCH_NORM: batch_norm,
    "Conv": conv,
    "Attention": attention,
    "AveragePool": pool,
    "MaxPool": pool,
    "GlobalAveragePool": global_average,
    "Clip": clip,
    "Softmax": softmax,
    "Concat": concat,
    "ConvTranspose": conv_transpose,
    "Gather": gather,
    "LayerNormalization": layer_norm,
    "PRelu": prelu,
    "Pad": pad,
    "Resize": resize,
    "Slice": slices,
    "Split": split,
    "Transpose": transpose,
    **dict.fromkeys(REDUCTIONS, reduction),
    **dict.fromkeys(GATES, recurrent),
    **dict.fromkeys(PRODUCTS, product),
    **dict.fromkeys((*BINARY, *EXTREMES), binary),
    **dict.fromkeys(FUNCTIONS, unary),
    **dict.fromkeys(("Reshape", "Flatten", "Squeeze", "Unsqueeze"), reshape),
}
