"""Handlers of Reshape, Flatten, Squeeze and Unsqueeze."""

import math

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.layers import PRODUCTS
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import Value, preferred, refuse, stated

_OWN_ORDER = ("Conv", "Gemm", "MatMul")  # operators whose output's order of axes is their own


def reshape(reader: Reader, operator: Operator) -> None:
    """Write a Reshape, Flatten, Squeeze or Unsqueeze."""
    x = reader.value(operator, 0)
    shape = _new_shape(reader, operator, reader.shape(x))
    name, old = operator.outputs[0], reader.tensors[x.tensor]
    if shape == reader.shape(x):
        reader.values[name] = x
        return
    columns = None
    if operator.type in ("Squeeze", "Unsqueeze"):
        _with_ones(reader, operator, x, shape)
        return
    if (kept := kept_order(reader.shape(x), x.order, shape)) and _fades(reader, name):
        stored = [shape[axis] for axis in kept]
        made = reader.like(name, x, stored)
        reader.node(operator, "RESHAPE", [x.tensor, reader.numbers("shape", stored)], made)
        reader.values[name] = Value(made, kept)
        return
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


def kept_order(
    old: tuple[int, ...], order: tuple[int, ...], new: tuple[int, ...]
) -> tuple[int, ...]:
    """Order of axes of shape `new` in which the elements of a tensor of shape `old` lie that is
    stored in `order`, as tokens of an image with channels last do: the places of the image are one
    axis. () where axes that become others are not neighbours, or nothing is permuted.
    """
    starts: dict[int, tuple[range, range]] = {}
    found: list[int] = []
    at = end = 0
    while at < len(old):
        first, begun = at, end
        at, end = at + 1, end + 1
        while math.prod(old[first:at]) != math.prod(new[begun:end]):
            few = math.prod(old[first:at]) < math.prod(new[begun:end])
            at, end = (at + 1, end) if few else (at, end + 1)
            if at > len(old) or end > len(new):
                return ()
        starts[first] = range(first, at), range(begun, end)
    place = 0
    while place < len(order):
        axes, made = starts.get(order[place], (range(0), range(0)))
        if not axes or order[place : place + len(axes)] != (*axes,):
            return ()
        found += made
        place += len(axes)
    return tuple(found) if end == len(new) and found != [*range(len(new))] else ()


def _fades(reader: Reader, name: str) -> bool:
    """True if no output of the model has its order of axes from this tensor."""
    todo, seen = [name], {name}
    while todo:
        name = todo.pop()
        if name in reader.content.outputs:
            return False
        after = [each for each in reader.readers.get(name, []) if each.type not in _OWN_ORDER]
        more = {output for each in after for output in each.outputs} - seen
        seen |= more
        todo += more
    return True


def _with_ones(reader: Reader, operator: Operator, x: Value, shape: tuple[int, ...]) -> None:
    """Write a Squeeze or Unsqueeze as a reshape that keeps the stored order of axes."""
    rank = len(shape)
    some, rest = _ones(reader, operator, reader.shape(x)), iter(x.order)
    if operator.type == "Unsqueeze":
        kept = [axis for axis in range(rank) if axis not in some]
        others = iter([kept[axis] for axis in x.order])
        order = tuple(next(others) if axis not in some else axis for axis in preferred(rank))
    else:
        kept = [axis for axis in range(len(x.order)) if axis not in some]
        order = tuple(kept.index(axis) for axis in rest if axis not in some)
    stored = [shape[axis] for axis in order]
    made = reader.like(operator.outputs[0], x, stored)
    reader.node(operator, "RESHAPE", [x.tensor, reader.numbers("shape", stored)], made)
    value = Value(made, order)
    reader.values[operator.outputs[0]] = reader.ordered(operator, value, preferred(rank))


def with_axes(reader: Reader, operator: Operator, x: Value, rank: int) -> Value:
    """The value with leading axes of one element up to `rank`, as operands of higher rank need."""
    more, old = rank - len(x.order), reader.tensors[x.tensor]
    if more <= 0:
        return x
    shape = (1,) * more + old.shape
    made = reader.like(f"{old.name}_axes", x, shape)
    reader.node(operator, "RESHAPE", [x.tensor, reader.numbers("shape", shape)], made)
    return Value(made, (*range(more), *(axis + more for axis in x.order)))


def _only_products(reader: Reader, name: str) -> bool:
    """True if only matrix products by constants read a tensor."""
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
        some = _ones(reader, operator, old)
        if operator.type == "Unsqueeze":
            rest = iter(old)
            shape = tuple(1 if axis in some else next(rest) for axis in range(len(old) + len(some)))
        else:
            shape = tuple(size for axis, size in enumerate(old) if axis not in some)
    if min(shape, default=1) < 1 or int(np.prod(shape, dtype=np.int64)) != total:
        raise refuse(operator, f"{old} cannot become {shape}", "MDL014")
    return shape


def _ones(reader: Reader, operator: Operator, old: tuple[int, ...]) -> set[int]:
    """Axes of one element that a Squeeze removes, or that an Unsqueeze adds to its output."""
    ones = [axis for axis, size in enumerate(old) if size == 1]
    axes = reader.plain(operator, 1).reshape(-1) if len(operator.inputs) > 1 else np.array(ones)
    rank = len(old) + axes.size if operator.type == "Unsqueeze" else len(old)
    some = {int(axis) % max(rank, 1) for axis in axes}
    if len(some) != axes.size or any(not -rank <= int(a) < rank for a in axes):
        raise refuse(operator, f"its axes are none of {rank}", "MDL014")
    return some
