"""Table of the ONNX operators that are read; elementwise ones, and those that move elements."""

from collections.abc import Callable

import numpy as np

from opsmith.frontend.onnx.along import cumulative, top_k, triangle
from opsmith.frontend.onnx.attention import attention
from opsmith.frontend.onnx.batch_norm import BATCH_NORM, batch_norm
from opsmith.frontend.onnx.branches import condition
from opsmith.frontend.onnx.einsum import einsum
from opsmith.frontend.onnx.elements import (
    clip,
    dequantize,
    prelu,
    quantize,
    table,
    unary,
    with_number,
)
from opsmith.frontend.onnx.enlarging import resize
from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.folding import cast, shape, size
from opsmith.frontend.onnx.functions import FUNCTIONS
from opsmith.frontend.onnx.images import (
    by_groups,
    by_variance,
    expand,
    greatest,
    local_response,
    log_softmax,
    normalised,
    rearranged,
    tile,
)
from opsmith.frontend.onnx.layers import PRODUCTS, conv, product
from opsmith.frontend.onnx.moves import axis_of, pad, slices, split
from opsmith.frontend.onnx.operands import aligned
from opsmith.frontend.onnx.opset import READ
from opsmith.frontend.onnx.pairs import BINARY, write_pair
from opsmith.frontend.onnx.picks import gather, one_hot, picked, placed
from opsmith.frontend.onnx.pooling import global_pool, pool
from opsmith.frontend.onnx.reader import OperatorOutput, Reader
from opsmith.frontend.onnx.recurrent import GATES, recurrent
from opsmith.frontend.onnx.reductions import REDUCTIONS, layer_norm, of_norm, reduction
from opsmith.frontend.onnx.relations import OF_INTEGERS, RELATIONS, of_integers, relation
from opsmith.frontend.onnx.sequences import of_sequences
from opsmith.frontend.onnx.shapes import reshape
from opsmith.frontend.onnx.transposed import conv_transpose
from opsmith.frontend.onnx.values import Value, refuse
from opsmith.ir import Quantization

PLAIN = {"Max": "MAXIMUM", "Min": "MINIMUM", "Pow": "POW"}


def softmax(reader: Reader, operator: Operator) -> None:
    """Write a Softmax along the last stored axis."""
    x = reader.value(operator, 0)
    axis = _softmax_axis(reader, operator, x)
    if x.order[-1] != axis:
        x = reader.ordered(operator, x, (*(a for a in x.order if a != axis), axis))
    quantised, old = reader.quantised(x), reader.tensors[x.tensor]
    target = reader.target(operator, quantised, fuses=False)
    reader.departs(operator, quantised)
    shape = old.shape
    reader.write(operator, "SOFTMAX", [x.tensor], target, x.order, shape, {"beta": 1.0})


def _softmax_axis(reader: Reader, operator: Operator, x: Value) -> int:
    """Axis of a Softmax in ONNX's order. A QLinearSoftmax names the opset of its definition: before
    13 it covered all axes from its attribute on. Raises MDL013 where several of those have more
    than one element.
    """
    old = int(operator.attributes.get("opset", READ)) < READ
    stated = int(operator.attributes.get("axis", 1 if old else -1))
    axis = axis_of(operator, stated, len(x.order))
    sizes = zip(x.order, reader.tensors[x.tensor].shape, strict=True)
    if old and any(size > 1 for each, size in sizes if each > axis):
        raise refuse(operator, f"it goes along axis {axis} and those after it, as before opset 13")
    return axis


def binary(reader: Reader, operator: Operator) -> None:
    """Write arithmetic, extremes or powers of two tensors, one of which may broadcast."""
    if operator.type in OF_INTEGERS and of_integers(reader, operator):
        relation(reader, operator)
        return
    constant = [name in reader.weights for name in operator.inputs]
    if len(constant) != 2 or all(constant):
        raise refuse(operator, "it has not two operands that are computed")
    leading = constant.index(False)
    first = reader.value(operator, leading)
    quantised = reader.quantised(first)
    other = operator.inputs[1 - leading]
    number = reader.held(operator, other) if constant[1 - leading] else None
    if quantised and number and number.array.size == 1 and number.array.ndim <= len(first.order):
        real = number.real.reshape(()).astype(np.float64)
        with_number(reader, operator, first, real, first=bool(leading))
        return
    if not number and reader.quantised(reader.value(operator, 1)) != quantised:
        raise refuse(operator, "one of its operands is quantised, the other is not")
    names, order, shape = aligned(reader, operator, quantised)
    if operator.type in PLAIN:
        target = reader.target(operator, quantised, fuses=False)
        reader.write(operator, PLAIN[operator.type], [*names], target, order, shape, {})
        return
    target = reader.target(operator, quantised)
    write_pair(reader, operator, names, target, order, shape)


def same(reader: Reader, operator: Operator) -> None:
    """Write an Identity, or the Dropout of a model that is not being trained."""
    trained = len(operator.inputs) > 2 and operator.inputs[2]
    if trained and (trained not in reader.weights or reader.weights[trained].array.any()):
        raise refuse(operator, "it is that of training: export the model for inference")
    if any(map(reader.is_read, operator.outputs[1:])):
        raise refuse(operator, "its mask is not read as an output")
    reader.values[operator.outputs[0]] = reader.value(operator, 0)


def concat(reader: Reader, operator: Operator) -> None:
    """Write a Concat of tensors at the output's quantisation."""
    values = [reader.value(operator, index) for index in range(len(operator.inputs))]
    if not values or len({len(value.order) for value in values}) != 1:
        raise refuse(operator, "its operands differ in number of axes", "MDL014")
    order = values[0].order
    values = [reader.ordered(operator, value, order) for value in values]
    tensors = [reader.tensors[value.tensor] for value in values]
    stated = int(operator.attributes.get("axis", 0))
    axis = order.index(axis_of(operator, stated, len(order)))
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
    """Part of a Concat, rescaled to the output's quantisation."""
    old = reader.tensors[x.tensor]
    if old.quantization == wanted:
        return x
    target = OperatorOutput(f"{old.name}_rescaled", "NONE", wanted)
    table(reader, operator, x, target, lambda real: real)
    return reader.values.pop(target.name)


def transpose(reader: Reader, operator: Operator) -> None:
    """Write a Transpose, which only changes the order of axes and needs no node."""
    x = reader.value(operator, 0)
    rank = len(x.order)
    axes = [int(a) for a in operator.attributes.get("perm", range(rank)[::-1])]
    if sorted(axes) != list(range(rank)):
        raise refuse(operator, f"perm is {axes}", "MDL014")
    order = tuple(axes.index(axis) for axis in x.order)
    reader.values[operator.outputs[0]] = Value(x.tensor, order)


HANDLERS: dict[str, Callable[[Reader, Operator], None]] = {
    "QuantizeLinear": quantize,
    "DequantizeLinear": dequantize,
    BATCH_NORM: batch_norm,
    "Attention": attention,
    "GlobalAveragePool": global_pool,
    "GlobalMaxPool": global_pool,
    "Clip": clip,
    "Softmax": softmax,
    "Cast": cast,
    "Concat": concat,
    "Shape": shape,
    "Size": size,
    "CumSum": cumulative,
    "Einsum": einsum,
    "Gather": gather,
    "OneHot": one_hot,
    "TopK": top_k,
    "Trilu": triangle,
    **dict.fromkeys(("LayerNormalization", "RMSNormalization"), layer_norm),
    "GroupNormalization": by_groups,
    "If": condition,
    "LpNormalization": of_norm,
    "MeanVarianceNormalization": by_variance,
    "PRelu": prelu,
    "Pad": pad,
    "Slice": slices,
    "Split": split,
    "Transpose": transpose,
    "Conv": of_sequences(conv),
    "ConvTranspose": of_sequences(conv_transpose),
    "Resize": of_sequences(resize),
    **dict.fromkeys(("AveragePool", "MaxPool"), of_sequences(pool)),
    "InstanceNormalization": normalised,
    "LRN": local_response,
    "LogSoftmax": log_softmax,
    "Expand": expand,
    "Tile": tile,
    **dict.fromkeys(("ArgMax", "ArgMin"), greatest),
    **dict.fromkeys(("GatherElements", "GatherND"), picked),
    **dict.fromkeys(("ScatterElements", "ScatterND"), placed),
    **dict.fromkeys(("DepthToSpace", "SpaceToDepth"), rearranged),
    **dict.fromkeys(("Dropout", "Identity"), same),
    **dict.fromkeys(REDUCTIONS, reduction),
    **dict.fromkeys(GATES, recurrent),
    **dict.fromkeys(PRODUCTS, product),
    **dict.fromkeys((*BINARY, *PLAIN), binary),
    **dict.fromkeys(FUNCTIONS, unary),
    **dict.fromkeys(RELATIONS, relation),
    **dict.fromkeys(("Reshape", "Flatten", "Squeeze", "Unsqueeze"), reshape),
}
