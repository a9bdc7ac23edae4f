"""Reductions along axes; LayerNormalization and others that consist of reductions."""

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.means import write_mean
from opsmith.frontend.onnx.moves import axis_of, given
from opsmith.frontend.onnx.parts import Parts
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import Value, refuse, stated

REDUCTIONS = {
    "ReduceMean": "MEAN",
    "ReduceSum": "SUM",
    "ReduceMax": "REDUCE_MAX",
    "ReduceMin": "REDUCE_MIN",
    "ReduceProd": "REDUCE_PROD",
}
LEAST = 1e-45  # least positive float32: zeros have the norm 0, and stay zeros


def reduction(reader: Reader, operator: Operator) -> None:
    """Write a reduction of REDUCTIONS, which keeps or drops reduced axes."""
    x, options = reader.value(operator, 0), operator.attributes
    rank, name = len(x.order), operator.outputs[0]
    asked = given(reader, operator, 1, options.get("axes", ()))
    if not asked and options.get("noop_with_empty_axes"):
        reader.values[name] = x
        return
    gone = {axis_of(operator, int(axis), rank) for axis in asked} or set(range(rank))
    old, keep = reader.tensors[x.tensor], bool(options.get("keepdims", 1))
    kept = [axis for axis in range(rank) if keep or axis not in gone]
    order = tuple(kept.index(axis) for axis in x.order if axis in kept)
    sizes = zip(x.order, old.shape, strict=True)
    shape = tuple(1 if a in gone else size for a, size in sizes if a in kept)
    axes, op = sorted(x.order.index(axis) for axis in gone), REDUCTIONS[operator.type]
    if op.startswith("REDUCE"):
        made, places = reader.like(name, x, shape), reader.numbers("axes", axes)
        reader.node(operator, op, [x.tensor, places], made, {"keep_dims": keep})
        reader.values[name] = Value(made, order)
        return
    target = reader.target(operator, reader.quantised(x), fuses=False)
    write_mean(reader, operator, op, x.tensor, axes, target, order, shape, keep)


def layer_norm(reader: Reader, operator: Operator) -> None:
    """Write a LayerNormalization of float32: (x - mean) / sqrt(variance + epsilon), scaled and
    shifted; or an RMSNormalization, whose mean counts as 0.
    """
    x = reader.value(operator, 0)
    rank = len(x.order)
    x = reader.ordered(operator, x, stated(rank))
    first = axis_of(operator, int(operator.attributes.get("axis", -1)), rank)
    old = reader.tensors[x.tensor].shape
    name, few = operator.outputs[0], (*old[:first], *(1 for _ in old[first:]))
    axes = reader.numbers("axes", range(first, rank))

    def made(op: str, inputs: list[str | None], shape: tuple[int, ...], **more: object) -> str:
        return reader.node(operator, op, inputs, reader.tensor(f"{name}_{op}", shape), more)

    none = {"fused_activation_function": "NONE"}
    summed = none | {"pot_scale_int16": True}
    epsilon = np.float32(operator.attributes.get("epsilon", 1e-5))
    less, means = x.tensor, []
    if operator.type == "LayerNormalization":
        means = [made("MEAN", [x.tensor, axes], few, keep_dims=True)]
        less = made("SUB", [x.tensor, *means], old, **summed)
    square = made("MUL", [less, less], old, **none)
    variance = made("MEAN", [square, axes], few, keep_dims=True)
    above = made("ADD", [variance, reader.constant("epsilon", np.asarray(epsilon))], few, **summed)
    inverse = made("RSQRT", [above], few)
    for output, each in zip(operator.outputs[1:], (*means, inverse), strict=False):
        if output:
            reader.values[output] = Value(each, x.order)
    found = made("MUL", [less, inverse], old, **none)
    found = made("MUL", [found, _factor(reader, operator, 1, old)], old, **none)
    if len(operator.inputs) > 2 and operator.inputs[2]:
        found = made("ADD", [found, _factor(reader, operator, 2, old)], old, **summed)
    reader.values[name] = Value(found, x.order)


def _factor(reader: Reader, operator: Operator, index: int, shape: tuple[int, ...]) -> str:
    """Tensor of the scale or the bias, whose shape must not be larger than that of x."""
    array = reader.real(operator, index)
    if np.broadcast_shapes(array.shape, shape) != shape:
        raise refuse(operator, f"operand {index} does not fit {shape}", "MDL014")
    return reader.constant(operator.inputs[index], array)


def of_norm(reader: Reader, operator: Operator) -> None:
    """Write an LpNormalization of float32: elements divided by their sum or Euclidean norm."""
    x, parts = reader.value(operator, 0), Parts(reader, operator)
    place = x.order.index(axis_of(operator, int(operator.attributes.get("axis", -1)), len(x.order)))
    p = operator.attributes.get("p", 2)
    if p not in (1, 2):
        raise refuse(operator, f"p is {p}, neither 1 nor 2", "MDL014")
    few = [1 if at == place else size for at, size in enumerate(parts.shape(x.tensor))]
    terms = parts.pair("MUL", x.tensor, x.tensor) if p == 2 else parts.of("ABS", x.tensor)
    sums = parts.node("SUM", [terms, reader.numbers("axes", [place])], few, keep_dims=True)
    norm = parts.of("SQRT", sums) if p == 2 else sums
    made = parts.pair("DIV", x.tensor, parts.pair("MAXIMUM", norm, parts.real(LEAST)))
    reader.values[operator.outputs[0]] = Value(made, x.order)
