"""Handlers of operators that move elements: Split, Slice and Pad."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.integers import INTEGERS, as_int8
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import MOST, Value, refuse, word
from opsmith.ir import Array

PADS = {"constant": "PADV2", "reflect": "MIRROR_PAD"}
PLACES: Mapping[str, Callable[[Array, int], Array]] = {  # sources of border elements
    "edge": lambda places, size: np.clip(places, 0, size - 1),
    "wrap": lambda places, size: places % size,
}


def axis_of(operator: Operator, axis: int, rank: int) -> int:
    """Axis of an operator as an index from 0. Raises MDL014."""
    if not -rank <= axis < rank:
        raise refuse(operator, f"axis {axis} is none of {rank}", "MDL014")
    return axis % rank


def given(reader: Reader, operator: Operator, index: int, default: Sequence[int]) -> list[int]:
    """Numbers of a constant integer operand; `default` where it is left out."""
    if index >= len(operator.inputs) or not operator.inputs[index]:
        return [*default]
    found = reader.plain(operator, index)
    if found.dtype.kind != "i":
        raise refuse(operator, f"operand {index} is not of integers", "MDL012")
    return [int(each) for each in found.reshape(-1)]


def cut(reader: Reader, operator: Operator, x: Value, name: str, taken: list[slice]) -> None:
    """Write a slice of x along ONNX's axes under a new name."""
    stored = [taken[axis] for axis in x.order]
    reader.values[name] = Value(cut_stored(reader, operator, x.tensor, name, stored), x.order)


def cut_stored(reader: Reader, operator: Operator, x: str, name: str, taken: list[slice]) -> str:
    """Tensor of a slice of x along its stored axes."""
    old = reader.tensors[x]
    parts = [part.indices(size) for part, size in zip(taken, old.shape, strict=True)]
    shape = [len(range(*part)) for part in parts]
    if min(shape, default=1) < 1:
        raise refuse(operator, "it leaves no elements", "MDL014")
    made = reader.tensor(name, shape, old.dtype, old.quantization)
    begin = reader.numbers("begin", [part[0] for part in parts])
    if {part[2] for part in parts} <= {1}:
        return reader.node(operator, "SLICE", [x, begin, reader.numbers("size", shape)], made)
    end, steps = ([part[i] for part in parts] for i in (1, 2))
    masks = dict.fromkeys(("begin_mask", "ellipsis_mask", "new_axis_mask"), 0)
    masks |= {"shrink_axis_mask": 0, "offset": False}
    masks["end_mask"] = sum(1 << i for i, stop in enumerate(end) if stop < 0)
    bounds = [reader.numbers("end", end), reader.numbers("steps", steps)]
    return reader.node(operator, "STRIDED_SLICE", [x, begin, *bounds], made, masks)


def split(reader: Reader, operator: Operator) -> None:
    """Write a Split, each part as a slice of its own."""
    x, outputs = reader.value(operator, 0), operator.outputs
    rank = len(x.order)
    axis = axis_of(operator, int(operator.attributes.get("axis", 0)), rank)
    size = reader.shape(x)[axis]
    each = -(-size // len(outputs))
    equal = [min(each, size - each * i) for i in range(len(outputs))]
    sizes = given(reader, operator, 1, equal)
    count = int(operator.attributes.get("num_outputs", len(outputs)))
    if count != len(outputs) or len(sizes) != count or sum(sizes) != size or min(sizes) < 1:
        raise refuse(operator, f"{size} elements make no parts of {sizes}", "MDL014")
    start = 0
    for name, part in zip(outputs, sizes, strict=True):
        taken = [slice(None)] * rank
        taken[axis] = slice(start, start + part)
        if name:
            cut(reader, operator, x, name, taken)
        start += part


def slices(reader: Reader, operator: Operator) -> None:
    """Write a Slice with constant bounds."""
    x = reader.value(operator, 0)
    starts, ends = given(reader, operator, 1, ()), given(reader, operator, 2, ())
    axes = given(reader, operator, 3, range(len(starts)))
    steps = given(reader, operator, 4, [1] * len(starts))
    axes = [axis_of(operator, axis, len(x.order)) for axis in axes]
    if not len(starts) == len(ends) == len(steps) == len(axes) == len({*axes}) or 0 in steps:
        raise refuse(operator, "starts, ends, axes and steps do not fit", "MDL014")
    taken = [slice(None)] * len(x.order)
    for axis, *bounds in zip(axes, starts, ends, steps, strict=True):
        taken[axis] = slice(*bounds)
    cut(reader, operator, x, operator.outputs[0], taken)


def pad(reader: Reader, operator: Operator) -> None:
    """Write a Pad; its value is quantised as by QuantizeLinear."""
    x = reader.value(operator, 0)
    rank, old = len(x.order), reader.tensors[x.tensor]
    mode = word(operator, "mode", "constant")
    if mode not in PADS and mode not in PLACES:
        raise refuse(operator, f"its mode is none of {', '.join((*PADS, *PLACES))}")
    axes = [axis_of(operator, axis, rank) for axis in given(reader, operator, 3, range(rank))]
    pads = given(reader, operator, 1, ())
    if len(pads) != 2 * len(axes) or len({*axes}) != len(axes) or min(pads, default=0) < 0:
        raise refuse(operator, "its pads do not fit, or take elements away", "MDL014")
    around = dict.fromkeys(range(rank), (0, 0))
    around |= dict(zip(axes, zip(pads, pads[len(axes) :], strict=False), strict=True))
    borders = [around[axis] for axis in x.order]
    if not any(map(sum, borders)):
        reader.values[operator.outputs[0]] = x
        return
    shape = [size + sum(border) for size, border in zip(old.shape, borders, strict=True)]
    if mode in PLACES:
        if max(shape) > MOST:
            raise refuse(operator, f"an axis becomes longer than {MOST}", "MDL014")
        sides = zip(borders, old.shape, strict=True)
        places = [PLACES[mode](np.arange(-b, n + a), n) for (b, a), n in sides]
        reader.values[operator.outputs[0]] = gathered(reader, operator, x, places)
        return
    made = reader.like(operator.outputs[0], x, shape)
    inputs: list[str | None] = [x.tensor, reader.numbers("paddings", borders)]
    if mode == "constant":
        inputs.append(_border(reader, operator, x))
    options = {} if mode == "constant" else {"mode": "REFLECT"}
    reader.node(operator, PADS[mode], inputs, made, options)
    reader.values[operator.outputs[0]] = Value(made, x.order)


def _border(reader: Reader, operator: Operator, x: Value) -> str:
    """Tensor with the element of which a border is made."""
    tensor = reader.tensors[x.tensor]
    if kind := operator.attributes.get(INTEGERS):
        return reader.constant("border", _element(reader, operator, kind)[0], tensor.quantization)
    array = np.zeros(1, np.float32)
    if len(operator.inputs) > 2 and operator.inputs[2]:
        array = reader.real(operator, 2).reshape(-1)
    if array.size != 1 or array.dtype != np.float32 or np.isnan(array[0]):
        raise refuse(operator, "its value is no number of float32", "MDL014")
    if tensor.quantization is not None:
        scale, point = tensor.quantization.scales[0], tensor.quantization.zero_points[0]
        units = np.rint(array / np.float32(scale)) + point
        array = np.clip(units, *tensor.dtype.limits).astype(np.int8)
    return reader.constant("border", array[0], tensor.quantization)


def _element(reader: Reader, operator: Operator, kind: str) -> Array:
    """Element of a border as int8, where the file has int8 or uint8; 0 if it has none."""
    found = np.zeros(1, kind)
    if len(operator.inputs) > 2 and operator.inputs[2]:
        found = reader.plain(operator, 2).reshape(-1)
    if found.size != 1 or found.dtype != kind:
        raise refuse(operator, f"its value is no element of {kind}", "MDL014")
    return as_int8(found)


def gathered(reader: Reader, operator: Operator, x: Value, places: Sequence[Array]) -> Value:
    """The value with only the elements at given places of each stored axis."""
    tensor = x.tensor
    for axis, each in enumerate(places):
        shape = [*reader.tensors[tensor].shape]
        if np.array_equal(each, np.arange(shape[axis])):
            continue
        shape[axis] = len(each)
        made = reader.like(operator.outputs[0], x, shape)
        inputs: list[str | None] = [tensor, reader.numbers("places", each)]
        tensor = reader.node(operator, "GATHER", inputs, made, {"axis": axis, "batch_dims": 0})
    return Value(tensor, x.order)
