"""Operators that pick or place elements: by constant indices of any form as one GATHER of the
flattened elements, by computed indices as GATHER, GATHER_ND and ONE_HOT.
"""

from collections.abc import Sequence

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.folding import check_few
from opsmith.frontend.onnx.moves import axis_of, given
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import Value, preferred, refuse, stated, word
from opsmith.ir import Array, DType
from opsmith.ir.types import BY_NAME, boolean, i32, i64

WHOLE = (i32, i64)  # types of computed indices


def gather(reader: Reader, operator: Operator) -> None:
    """Write a Gather by constant indices, or by computed ones, such as an embedding's."""
    if operator.inputs[1] not in reader.weights:
        _gathered_at_run_time(reader, operator)
        return
    x, indices = reader.value(operator, 0), reader.plain(operator, 1)
    axis = axis_of(operator, int(operator.attributes.get("axis", 0)), len(x.order))
    size = reader.shape(x)[axis]
    if indices.dtype.kind != "i" or not indices.size:
        raise refuse(operator, "its indices are no integers", "MDL012")
    if indices.min() < -size or indices.max() >= size:
        raise refuse(operator, f"an index is outside of {size} elements", "MDL014")
    if indices.ndim != 1:  # the number of axes changes
        x = reader.ordered(operator, x, stated(len(x.order)))
    at = x.order.index(axis)
    old = reader.tensors[x.tensor].shape
    shape = (*old[:at], *indices.shape, *old[at + 1 :])
    made = reader.like(operator.outputs[0], x, shape)
    places = reader.numbers("indices", np.where(indices < 0, indices + size, indices))
    options = {"axis": at, "batch_dims": 0}
    reader.node(operator, "GATHER", [x.tensor, places], made, options)
    value = Value(made, x.order if indices.ndim == 1 else stated(len(shape)))
    if indices.ndim != 1:
        value = reader.ordered(operator, value, preferred(len(shape)))
    reader.values[operator.outputs[0]] = value


def picked(reader: Reader, operator: Operator) -> None:
    """Write a GatherElements by constant indices, or a GatherND."""
    if operator.inputs[1] not in reader.weights:
        _picked_at_run_time(reader, operator)
        return
    x, indices = _stated(reader, operator, 0), _indices(reader, operator, 1)
    shape = reader.tensors[x.tensor].shape
    if operator.type == "GatherElements":
        axis = axis_of(operator, int(operator.attributes.get("axis", 0)), len(shape))
        places = _within(operator, indices, shape[axis])
        first = _first(operator, _numbered(operator, shape), indices.shape, axis)
        taken = np.take_along_axis(first, places, axis)
    else:
        batches = int(operator.attributes.get("batch_dims", 0))
        depth = indices.shape[-1]
        if not 0 <= batches < indices.ndim or not 0 < depth <= len(shape) - batches:
            raise refuse(operator, f"indices {indices.shape} do not fit {shape}", "MDL014")
        check_few(operator, (*indices.shape[:-1], *shape[batches + depth :]))
        sizes = np.array(shape[batches : batches + depth])
        leading = np.ix_(*map(np.arange, indices.shape[:batches]))
        along = (each[(..., *(None,) * (indices.ndim - 1 - batches))] for each in leading)
        places = np.moveaxis(_within(operator, indices, sizes), -1, 0)
        taken = _numbered(operator, shape)[(*along, *places)]
    _write(reader, operator, x, x.tensor, taken)


def placed(reader: Reader, operator: Operator) -> None:
    """Write a ScatterElements or ScatterND by constant indices, without a reduction."""
    if word(operator, "reduction", "none") != "none":
        raise refuse(operator, "its reduction is not read: update each place once")
    x, updates = _stated(reader, operator, 0), _stated(reader, operator, 2)
    indices, sizes = _indices(reader, operator, 1), reader.tensors[updates.tensor].shape
    shape = reader.tensors[x.tensor].shape
    taken = _numbered(operator, shape)
    numbers = taken.size + _numbered(operator, sizes)
    if operator.type == "ScatterElements":
        axis = axis_of(operator, int(operator.attributes.get("axis", 0)), len(shape))
        if sizes != indices.shape:
            raise refuse(operator, f"updates {sizes} do not fit {indices.shape}", "MDL014")
        first = _first(operator, taken, sizes, axis)  # a view
        np.put_along_axis(first, _within(operator, indices, shape[axis]), numbers, axis)
    else:
        depth = indices.shape[-1]
        if sizes != (*indices.shape[:-1], *shape[depth:]):
            raise refuse(operator, f"updates {sizes} do not fit {indices.shape}", "MDL014")
        places = _within(operator, indices, np.array(shape[:depth]))
        taken[tuple(np.moveaxis(places, -1, 0))] = numbers
    kinds = {
        (reader.tensors[t].dtype, reader.tensors[t].quantization)
        for t in (x.tensor, updates.tensor)
    }
    if len(kinds) > 1:
        raise refuse(operator, "its data and updates differ in type", "MDL012")
    flat = [_flat(reader, operator, each) for each in (x, updates)]
    both = reader.like(f"{operator.outputs[0]}_both", x, [taken.size + numbers.size])
    options = {"axis": 0, "fused_activation_function": "NONE"}
    _write(reader, operator, x, reader.node(operator, "CONCATENATION", flat, both, options), taken)


def _write(reader: Reader, operator: Operator, x: Value, source: str, taken: Array) -> None:
    """Write a GATHER of the elements of `source` that `taken` numbers, in blocks of the last axes
    where these stay together.
    """
    count = reader.tensors[source].shape
    total, block = int(np.prod(count)), _block(taken, int(np.prod(count)))
    rows = reader.like(f"{operator.outputs[0]}_rows", x, (total // block, block))
    shape = reader.numbers("shape", (total // block, block))
    reader.node(operator, "RESHAPE", [source, shape], rows)
    places = taken.reshape(-1, block)[:, 0] // block
    moved = reader.like(f"{operator.outputs[0]}_taken", x, (places.size, block))
    inputs, options = [rows, reader.numbers("places", places)], {"axis": 0, "batch_dims": 0}
    reader.node(operator, "GATHER", inputs, moved, options)
    made = reader.like(operator.outputs[0], x, taken.shape)
    reader.node(operator, "RESHAPE", [moved, reader.numbers("shape", taken.shape)], made)
    _keep(reader, operator, Value(made, stated(taken.ndim)))


def _block(taken: Array, total: int) -> int:
    """Greatest number of elements of the last axes that are neighbours in the source, too."""
    block = 1
    for size in reversed(taken.shape):
        rows = taken.reshape(-1, block * size)
        aligned = total % (block * size) == 0 and not (rows[:, 0] % (block * size)).any()
        if not aligned or not np.array_equal(rows, rows[:, :1] + np.arange(block * size)):
            break
        block *= size
    return block


def _picked_at_run_time(reader: Reader, operator: Operator) -> None:
    """Write a GATHER_ND by computed indices."""
    if operator.type != "GatherND" or operator.attributes.get("batch_dims"):
        raise refuse(operator, "its indices are not constant")
    x, indices = _stated(reader, operator, 0), _stated(reader, operator, 1)
    shape, sizes = (reader.tensors[each.tensor].shape for each in (x, indices))
    if not 0 < sizes[-1] <= len(shape):
        raise refuse(operator, f"indices {sizes} do not fit {shape}", "MDL014")
    places = _counted(reader, operator, indices, shape[: sizes[-1]])
    made = reader.like(operator.outputs[0], x, (*sizes[:-1], *shape[sizes[-1] :]))
    reader.node(operator, "GATHER_ND", [x.tensor, places], made)
    _keep(reader, operator, Value(made, stated(len(reader.tensors[made].shape))))


def _gathered_at_run_time(reader: Reader, operator: Operator) -> None:
    """Write a Gather by computed indices."""
    x, indices = _stated(reader, operator, 0), _stated(reader, operator, 1)
    quantization = reader.tensors[x.tensor].quantization
    if quantization is not None and quantization.per_channel:
        raise refuse(operator, "its elements are not quantised by one scale", "MDL005")
    shape, sizes = (reader.tensors[each.tensor].shape for each in (x, indices))
    axis = axis_of(operator, int(operator.attributes.get("axis", 0)), len(shape))
    places = _counted(reader, operator, indices, shape[axis])
    made = reader.like(operator.outputs[0], x, (*shape[:axis], *sizes, *shape[axis + 1 :]))
    options = {"axis": axis, "batch_dims": 0}
    reader.node(operator, "GATHER", [x.tensor, places], made, options)
    _keep(reader, operator, Value(made, stated(len(reader.tensors[made].shape))))


def _counted(reader: Reader, operator: Operator, x: Value, sizes: int | Sequence[int]) -> str:
    """Tensor of computed indices, with those that count from the end counted from the start."""
    dtype = _integers(reader, operator, x)
    counts = reader.constant("sizes", np.array(sizes, dtype.numpy))
    shape = reader.tensors[x.tensor].shape
    made = reader.tensor(f"{operator.outputs[0]}_places", shape, dtype)
    return reader.node(operator, "FLOOR_MOD", [x.tensor, counts], made)


def _integers(reader: Reader, operator: Operator, x: Value) -> DType:
    """Type of computed indices. Raises MDL012 where they are no integers."""
    dtype = reader.tensors[x.tensor].dtype
    if dtype not in WHOLE:
        raise refuse(operator, f"its indices are of {dtype.name}", "MDL012")
    return dtype


def one_hot(reader: Reader, operator: Operator) -> None:
    """Write a OneHot of computed indices; negative ones count from the end."""
    x = _stated(reader, operator, 0)
    dtype, shape = _integers(reader, operator, x), reader.tensors[x.tensor].shape
    (depth,), values = given(reader, operator, 1, ()), reader.real(operator, 2).reshape(-1)
    axis = int(operator.attributes.get("axis", -1))
    axis = axis_of(operator, axis, len(shape) + 1)
    if depth < 1 or values.size != 2:
        raise refuse(operator, "its depth or its values do not fit", "MDL014")
    name = operator.outputs[0]

    def made(op: str, inputs: Sequence[str], kind: DType) -> str:
        options = {"fused_activation_function": "NONE", "pot_scale_int16": True}
        tensor = reader.tensor(f"{name}_{op}", shape, kind)
        return reader.node(operator, op, [*inputs], tensor, options if op == "ADD" else {})

    zero, count = (reader.constant("number", np.array(n, dtype.numpy)) for n in (0, depth))
    below = made("LESS", [x.tensor, zero], boolean)
    places = made("SELECT_V2", [below, made("ADD", [x.tensor, count], dtype), x.tensor], dtype)
    off, on = (reader.constant("value", each) for each in values)
    rows = reader.tensor(name, (*shape[:axis], depth, *shape[axis:]), BY_NAME[values.dtype.name])
    inputs = [places, reader.numbers("depth", depth), on, off]
    reader.node(operator, "ONE_HOT", inputs, rows, {"axis": axis})
    _keep(reader, operator, Value(rows, stated(len(shape) + 1)))


def _stated(reader: Reader, operator: Operator, index: int) -> Value:
    """Operand with its axes in ONNX's order."""
    found = reader.value(operator, index)
    return reader.ordered(operator, found, stated(len(found.order)))


def _keep(reader: Reader, operator: Operator, made: Value) -> None:
    """Record the output, with channels last where it is an image."""
    order = preferred(len(made.order))
    reader.values[operator.outputs[0]] = reader.ordered(operator, made, order)


def _flat(reader: Reader, operator: Operator, x: Value) -> str:
    """Tensor of all elements in a row."""
    old = reader.tensors[x.tensor]
    size = int(np.prod(old.shape))
    made = reader.like(f"{old.name}_flat", x, [size])
    return reader.node(operator, "RESHAPE", [x.tensor, reader.numbers("shape", [size])], made)


def _numbered(operator: Operator, shape: Sequence[int]) -> Array:
    """Number of each element of a tensor of this shape, in order. Raises MDL014 above MOST."""
    check_few(operator, shape)
    return np.arange(int(np.prod(shape))).reshape(tuple(shape))


def _first(operator: Operator, x: Array, sizes: Sequence[int], axis: int) -> Array:
    """View of x with as many positions of each axis but one as indices have."""
    if len(sizes) != x.ndim or any(n > x.shape[i] for i, n in enumerate(sizes) if i != axis):
        raise refuse(operator, f"indices {tuple(sizes)} do not fit {x.shape}", "MDL014")
    return x[tuple(slice(None if i == axis else n) for i, n in enumerate(sizes))]


def _indices(reader: Reader, operator: Operator, index: int) -> Array:
    """Constant indices. Raises MDL012 where they are no integers."""
    found = reader.plain(operator, index)
    if found.dtype.kind != "i" or not found.size:
        raise refuse(operator, "its indices are no integers", "MDL012")
    return found.astype(np.int64)


def _within(operator: Operator, indices: Array, sizes: int | Array) -> Array:
    """Indices counted from the start. Raises MDL014 where one is outside of the sizes."""
    if (indices < -np.asarray(sizes)).any() or (indices >= sizes).any():
        raise refuse(operator, f"an index is outside of {sizes} elements", "MDL014")
    return np.where(indices < 0, indices + sizes, indices)
