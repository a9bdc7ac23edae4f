"""Operators along an axis that order, sum up or leave out elements: TopK, CumSum, Trilu."""

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.folding import check_few
from opsmith.frontend.onnx.moves import axis_of, given
from opsmith.frontend.onnx.parts import Parts
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import Value, refuse
from opsmith.ir.types import f32, i32, i64


def top_k(reader: Reader, operator: Operator) -> None:
    """Write a TopK of a constant number of elements, largest or smallest first."""
    x, (count,) = reader.value(operator, 0), given(reader, operator, 1, ())
    axis = axis_of(operator, int(operator.attributes.get("axis", -1)), len(x.order))
    x = reader.ordered(operator, x, (*(a for a in x.order if a != axis), axis))
    old, least = reader.tensors[x.tensor], not operator.attributes.get("largest", 1)
    if not 1 <= count <= old.shape[-1]:
        raise refuse(operator, f"{old.shape[-1]} elements have no {count} largest", "MDL014")
    source, parts = x.tensor, Parts(reader, operator)
    if least and (old.quantization is not None or old.dtype != f32):
        raise refuse(operator, "smallest elements are read of float32 alone")
    source = parts.of("NEG", source) if least else source
    shape = (*old.shape[:-1], count)
    name = next(filter(None, operator.outputs), "top")
    values = reader.like(f"{name}_values", x, shape)
    places = reader.tensor(f"{name}_places", shape, i32)
    inputs = (source, reader.numbers("count", count))
    reader.node(operator, "TOPK_V2", inputs, values, also=(places,))
    made = [parts.of("NEG", values) if least else values, places]
    if any(each and reader.readers.get(each) for each in operator.outputs[1:2]):
        made[1] = reader.node(
            operator, "CAST", [places], reader.tensor(f"{name}_counts", shape, i64)
        )
    for output, tensor in zip(operator.outputs, made, strict=False):
        if output:
            reader.values[output] = Value(tensor, x.order)


def triangle(reader: Reader, operator: Operator) -> None:
    """Write a Trilu as a selection by a constant mask."""
    x = reader.value(operator, 0)
    old, shape = reader.tensors[x.tensor], reader.shape(x)
    if len(shape) < 2:
        raise refuse(operator, f"{shape} is no matrix", "MDL014")
    check_few(operator, shape[-2:])
    (offset,) = given(reader, operator, 1, (0,))
    after = np.arange(shape[-1]) - np.arange(shape[-2])[:, None]
    kept = after >= offset if operator.attributes.get("upper", 1) else after <= offset
    kept = kept.reshape((1,) * (len(shape) - 2) + kept.shape).transpose(x.order)
    zero = 0 if old.quantization is None else old.quantization.zero_points[0]
    rest = reader.constant("zero", np.array(zero, old.dtype.numpy), old.quantization)
    made = reader.like(operator.outputs[0], x, old.shape)
    inputs = [reader.constant("kept", kept), x.tensor, rest]
    reader.values[operator.outputs[0]] = Value(
        reader.node(operator, "SELECT_V2", inputs, made), x.order
    )


def cumulative(reader: Reader, operator: Operator) -> None:
    """Write a CumSum along a constant axis."""
    x, (stated_axis,) = reader.value(operator, 0), given(reader, operator, 1, ())
    axis = x.order.index(axis_of(operator, stated_axis, len(x.order)))
    made = reader.like(operator.outputs[0], x, reader.tensors[x.tensor].shape)
    options = {name: bool(operator.attributes.get(name)) for name in ("exclusive", "reverse")}
    inputs = [x.tensor, reader.numbers("axis", axis)]
    reader.values[operator.outputs[0]] = Value(
        reader.node(operator, "CUMSUM", inputs, made, options), x.order
    )
