"""Operators over the channels of images, and others that an op of TFLite computes."""

from collections.abc import Sequence

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.moves import axis_of
from opsmith.frontend.onnx.parts import Parts
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.shapes import with_axes
from opsmith.frontend.onnx.values import CHANNELS_LAST, Value, refuse, word
from opsmith.ir import Array
from opsmith.ir.types import i32, i64


def rearranged(reader: Reader, operator: Operator) -> None:
    """Write a DepthToSpace or SpaceToDepth; in mode CRD, the pixels of a channel are neighbours."""
    x, options = reader.value(operator, 0), operator.attributes
    if len(x.order) != 4:
        raise refuse(operator, "only images are read")
    x = reader.ordered(operator, x, CHANNELS_LAST)
    size = int(options.get("blocksize", 0))
    mode = word(operator, "mode", "DCR")
    batch, height, width, channels = reader.tensors[x.tensor].shape
    deep = operator.type == "DepthToSpace"
    fits = channels % (size * size) == 0 if deep else height % size == width % size == 0
    if size < 1 or not fits or mode not in ("DCR", "CRD"):
        raise refuse(operator, f"{reader.shape(x)} has no blocks of {size}", "MDL014")
    area = size * size
    shape = (batch, height // size, width // size, channels * area)
    if deep:
        shape = (batch, height * size, width * size, channels // area)
    places = np.arange(max(channels, shape[3]))
    tensor, name = x.tensor, operator.outputs[0]
    if mode == "CRD" and deep:
        places = places.reshape(-1, area).T.reshape(-1)
        tensor = _taken(reader, operator, tensor, places)
    made = reader.like(name, x, shape)
    op = "DEPTH_TO_SPACE" if deep else "SPACE_TO_DEPTH"
    reader.node(operator, op, [tensor], made, {"block_size": size})
    if mode == "CRD" and not deep:
        made = _taken(reader, operator, made, places.reshape(area, -1).T.reshape(-1))
    reader.values[name] = Value(made, CHANNELS_LAST)


def _taken(reader: Reader, operator: Operator, x: str, places: Array) -> str:
    """Tensor of the channels at the given places, in their order."""
    old = reader.tensors[x]
    made = reader.tensor(f"{operator.outputs[0]}_channels", old.shape, old.dtype, old.quantization)
    inputs: list[str | None] = [x, reader.numbers("channels", places)]
    return reader.node(operator, "GATHER", inputs, made, {"axis": 3, "batch_dims": 0})


def log_softmax(reader: Reader, operator: Operator) -> None:
    """Write a LogSoftmax of float32 along the last stored axis."""
    x = reader.value(operator, 0)
    axis = axis_of(operator, int(operator.attributes.get("axis", -1)), len(x.order))
    if x.order[-1] != axis:
        x = reader.ordered(operator, x, (*(a for a in x.order if a != axis), axis))
    made = Parts(reader, operator).of("LOG_SOFTMAX", x.tensor)
    reader.values[operator.outputs[0]] = Value(made, x.order)


def local_response(reader: Reader, operator: Operator) -> None:
    """Write an LRN of float32, whose windows are centred on a channel."""
    x, options = reader.value(operator, 0), operator.attributes
    size = int(options.get("size", 0))
    if len(x.order) != 4 or size < 1 or not size % 2:
        raise refuse(operator, "only images and odd sizes are read")
    x = reader.ordered(operator, x, CHANNELS_LAST)
    made = Parts(reader, operator).node(
        "LOCAL_RESPONSE_NORMALIZATION",
        [x.tensor],
        reader.tensors[x.tensor].shape,
        radius=size // 2,
        bias=float(options.get("bias", 1.0)),
        alpha=float(np.float32(options.get("alpha", 1e-4)) / np.float32(size)),
        beta=float(options.get("beta", 0.75)),
    )
    reader.values[operator.outputs[0]] = Value(made, CHANNELS_LAST)


def normalised(reader: Reader, operator: Operator) -> None:
    """Write an InstanceNormalization of float32: each image's channels by mean and variance."""
    x, parts = reader.value(operator, 0), Parts(reader, operator)
    shape = reader.tensors[x.tensor].shape
    factor, addend = reader.real(operator, 1), reader.real(operator, 2)
    axes = [place for place, axis in enumerate(x.order) if axis > 1]
    if len(shape) < 3 or not factor.shape == addend.shape == (shape[x.order.index(1)],):
        raise refuse(operator, f"its scale and bias do not fit {reader.shape(x)}", "MDL006")
    along = [-1 if axis == 1 else 1 for axis in x.order]
    less, variance = centred(parts, x.tensor, axes)
    epsilon = parts.real(operator.attributes.get("epsilon", 1e-5))
    inverse = parts.of("RSQRT", parts.pair("ADD", variance, epsilon))
    scaled = parts.pair("MUL", less, parts.pair("MUL", inverse, parts.real(factor.reshape(along))))
    made = parts.pair("ADD", scaled, parts.real(addend.reshape(along)))
    reader.values[operator.outputs[0]] = Value(made, x.order)


def by_groups(reader: Reader, operator: Operator) -> None:
    """Write a GroupNormalization of float32: each group of channels by its mean and variance."""
    x, parts = reader.value(operator, 0), Parts(reader, operator)
    groups, rank = int(operator.attributes.get("num_groups", 0)), len(x.order)
    x = reader.ordered(operator, x, (0, *range(2, rank), 1))
    shape = reader.tensors[x.tensor].shape
    factors = [reader.real(operator, index) for index in (1, 2)]
    if groups < 1 or shape[-1] % groups or rank < 3:
        raise refuse(operator, f"{reader.shape(x)} has no {groups} groups", "MDL014")
    each = shape[-1] // groups
    if {factor.shape for factor in factors} == {(groups,)}:  # before opset 21
        factors = [np.repeat(factor, each) for factor in factors]
    if {factor.shape for factor in factors} != {shape[-1:]}:
        raise refuse(operator, f"its scale and bias do not fit {reader.shape(x)}", "MDL006")
    grouped = parts.reshaped(x.tensor, (*shape[:-1], groups, each))
    axes = (*range(1, rank - 1), rank)
    less, variance = centred(parts, grouped, axes)
    epsilon = parts.real(operator.attributes.get("epsilon", 1e-5))
    inverse = parts.of("RSQRT", parts.pair("ADD", variance, epsilon))
    made = parts.reshaped(parts.pair("MUL", less, inverse), shape)
    made = parts.pair(
        "ADD", parts.pair("MUL", made, parts.real(factors[0])), parts.real(factors[1])
    )
    reader.values[operator.outputs[0]] = Value(made, x.order)


def by_variance(reader: Reader, operator: Operator) -> None:
    """Write a MeanVarianceNormalization of float32."""
    x, parts = reader.value(operator, 0), Parts(reader, operator)
    rank = len(x.order)
    gone = {axis_of(operator, int(a), rank) for a in operator.attributes.get("axes", (0, 2, 3))}
    axes = [place for place, axis in enumerate(x.order) if axis in gone]
    less, variance = centred(parts, x.tensor, axes)
    spread = parts.pair("ADD", parts.of("SQRT", variance), parts.real(1e-9))
    reader.values[operator.outputs[0]] = Value(parts.pair("DIV", less, spread), x.order)


def centred(parts: Parts, x: str, axes: Sequence[int]) -> tuple[str, str]:
    """Tensors of x less its means along the axes, and of its variances."""
    places = parts.reader.numbers("axes", axes)
    few = [1 if axis in axes else size for axis, size in enumerate(parts.shape(x))]
    less = parts.pair("SUB", x, parts.node("MEAN", [x, places], few, keep_dims=True))
    square = parts.pair("MUL", less, less)
    return less, parts.node("MEAN", [square, places], few, keep_dims=True)


def tile(reader: Reader, operator: Operator) -> None:
    """Write a Tile whose numbers of repetitions are constant."""
    x, times = reader.value(operator, 0), reader.plain(operator, 1).reshape(-1)
    old = reader.tensors[x.tensor].shape
    if times.dtype.kind != "i" or len(times) != len(old) or times.min(initial=1) < 1:
        raise refuse(operator, f"it does not repeat {old} {times.tolist()} times", "MDL014")
    _write_tile(reader, operator, x, [int(times[axis]) for axis in x.order])


def expand(reader: Reader, operator: Operator) -> None:
    """Write an Expand to a constant shape as a TILE of axes of one element."""
    x, sizes = reader.value(operator, 0), reader.plain(operator, 1).reshape(-1)
    if sizes.dtype.kind != "i":
        raise refuse(operator, "its shape is not of integers", "MDL012")
    shape = np.broadcast_shapes(reader.shape(x), tuple(map(int, sizes)))
    x = with_axes(reader, operator, x, len(shape))
    old = zip(x.order, reader.tensors[x.tensor].shape, strict=True)
    times = [int(shape[axis]) // size for axis, size in old]
    if {*times} <= {1}:
        reader.values[operator.outputs[0]] = x
        return
    _write_tile(reader, operator, x, times)


def _write_tile(reader: Reader, operator: Operator, x: Value, stored: list[int]) -> None:
    """Write a TILE with one number of repetitions for each stored axis."""
    old = reader.tensors[x.tensor].shape
    shape = [size * count for size, count in zip(old, stored, strict=True)]
    made = reader.like(operator.outputs[0], x, shape)
    reader.node(operator, "TILE", [x.tensor, reader.numbers("multiples", stored)], made)
    reader.values[operator.outputs[0]] = Value(made, x.order)


def greatest(reader: Reader, operator: Operator) -> None:
    """Write an ArgMax or ArgMin, of int32 unless another operator reads it."""
    x, options = reader.value(operator, 0), operator.attributes
    rank, name = len(x.order), operator.outputs[0]
    axis = axis_of(operator, int(options.get("axis", 0)), rank)
    if options.get("select_last_index"):
        raise refuse(operator, "only the first index is read")
    dtype = i64 if name in reader.readers else i32
    old, keep = reader.tensors[x.tensor].shape, bool(options.get("keepdims", 1))
    op = operator.type.upper().replace("ARG", "ARG_")
    order = tuple(a - (a > axis) for a in x.order if a != axis)
    shape = [n for a, n in zip(x.order, old, strict=True) if a != axis]
    made = reader.tensor(name if not keep else f"{name}_flat", shape, dtype)
    places = reader.numbers("axis", x.order.index(axis))
    reader.node(operator, op, [x.tensor, places], made, {"output_type": dtype.name.upper()})
    if keep:
        full = [1 if a == axis else n for a, n in zip(x.order, old, strict=True)]
        flat, order = made, x.order
        made = reader.tensor(name, full, dtype)
        reader.node(operator, "RESHAPE", [flat, reader.numbers("shape", full)], made)
    reader.values[name] = Value(made, order)
