"""Operands of an elementwise operator, with equal rank and order of axes."""

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.shapes import with_axes
from opsmith.frontend.onnx.values import refuse
from opsmith.ir import Array


def aligned(
    reader: Reader, operator: Operator, quantised: bool = False
) -> tuple[list[str], tuple[int, ...], tuple[int, ...]]:
    """Tensors of the operands, of which at least one is computed, their order of axes, and the
    stored shape to which they broadcast. Raises MDL014 where the shapes do not fit.
    """
    given = operator.inputs
    values = {n: reader.value(operator, i) for i, n in enumerate(given) if n not in reader.weights}
    held = [reader.weights[name].array.ndim for name in given if name in reader.weights]
    longest = max(values.values(), key=lambda each: len(each.order))
    more = max([0, *(rank - len(longest.order) for rank in held)])
    order = (*range(more), *(axis + more for axis in longest.order))
    names = []
    for index, name in enumerate(given):
        if name in values:
            value = with_axes(reader, operator, values[name], len(order))
            names.append(reader.ordered(operator, value, order).tensor)
        else:
            names.append(_operand(reader, operator, index, order, quantised))
    shapes = [reader.tensors[name].shape for name in names]
    try:
        shape = tuple(map(int, np.broadcast_shapes(*shapes)))
    except ValueError as error:
        raise refuse(operator, f"the shapes {shapes} do not fit", "MDL014") from error
    return names, order, shape


def _operand(
    reader: Reader, operator: Operator, index: int, order: tuple[int, ...], quantised: bool
) -> str:
    """Tensor of a constant operand, with its axes in the given order."""
    name = operator.inputs[index]
    found = reader.held(operator, name)
    if quantised and (found.quantization is None or found.quantization.per_channel):
        raise refuse(operator, f"operand {index} is not quantised by one scale", "MDL005")
    array: Array = found.array if quantised else found.real
    array = array.reshape((1,) * (len(order) - array.ndim) + array.shape)
    kept = found.quantization if quantised else None
    return reader.constant(name, np.transpose(array, order), kept)
