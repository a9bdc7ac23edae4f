"""Handlers of torch's calls that move elements: shapes, slices, concatenation and pads."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from opsmith.frontend.onnx.values import StoredConstant
from opsmith.frontend.pt2.writer import Arguments, Writer

Handler = Callable[[Writer, Arguments], None]
PADDINGS = {"constant": b"constant", "reflect": b"reflect", "replicate": b"edge"}  # ONNX's modes
FAR = 1 << 31  # position beyond the end of any axis


def axis_of(writer: Writer, axis: int, rank: int) -> int:
    """Axis of a call as an index from 0."""
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise writer.refuse(f"axis {axis} is none of {rank}", "MDL014")
    return axis % rank


def reshaped(writer: Writer, given: Arguments) -> None:
    """Write a view or reshape, to the shape that the file states."""
    given.seen |= {"size", "shape", "dim", "start_dim", "end_dim", "sizes"}
    _reshape(writer, given.get("self"), writer.sizes(writer.call.outputs[0]))


def _reshape(writer: Writer, name: str, shape: Sequence[int]) -> None:
    found = writer.known.get(name)
    if found is not None and (found.quantization is None or not found.quantization.per_channel):
        if found.array.size != np.prod(shape, dtype=np.float64):
            raise writer.refuse(f"{found.array.shape} cannot become {shape}", "MDL014")
        writer.known[writer.call.outputs[0]] = replace(found, array=found.array.reshape(shape))
        return
    places = writer.constant(np.array(shape, np.int64))
    writer.emit("Reshape", [writer.operand(name), places])


def permute(writer: Writer, given: Arguments) -> None:
    """Write permute, transpose or t."""
    x = given.get("self")
    rank = writer.rank(x)
    axes = list(range(rank))
    if "dims" in writer.call.arguments:
        axes = [axis_of(writer, axis, rank) for axis in given.get("dims")]
    elif "dim0" in writer.call.arguments:
        i, j = (axis_of(writer, given.get(name), rank) for name in ("dim0", "dim1"))
        axes[i], axes[j] = j, i
    else:
        axes.reverse()
    if sorted(axes) != list(range(rank)):
        raise writer.refuse(f"its axes are {axes}", "MDL014")
    found = writer.known.get(x)
    if found is None:
        writer.emit("Transpose", [x], perm=axes)
        return
    quantization = found.quantization
    if quantization is not None and quantization.per_channel:
        quantization = replace(quantization, axis=axes.index(quantization.axis))
    array = np.ascontiguousarray(np.transpose(found.array, axes))
    writer.known[writer.call.outputs[0]] = StoredConstant(array, quantization)


def expand(writer: Writer, given: Arguments) -> None:
    """Write an expand that keeps the shape."""
    given.seen.add("size")
    x = given.get("self")
    if writer.sizes(x) != (shape := writer.sizes(writer.call.outputs[0])):
        raise writer.refuse("it repeats elements", "MDL014")
    _reshape(writer, x, shape)


def part(writer: Writer, given: Arguments) -> None:
    """Write a slice, or a select, which drops the axis."""
    x, rank = given.get("self"), writer.rank(given.get("self"))
    axis = axis_of(writer, given.get("dim", 0), rank)
    if "index" not in writer.call.arguments:
        bounds = given.get("start", 0), given.get("end", FAR), given.get("step", 1)
        _slice(writer, x, axis, bounds, writer.call.outputs[0])
        return
    index, size = given.get("index"), writer.sizes(x)[axis]
    if not isinstance(index, int) or not -size <= index < size:
        raise writer.refuse(f"{index} is outside of {size} elements", "MDL014")
    made = writer.fresh(f"{writer.call.outputs[0]}_slice")
    _slice(writer, x, axis, (index % size, index % size + 1, 1), made)
    _reshape(writer, made, writer.sizes(writer.call.outputs[0]))


def _slice(writer: Writer, x: str, axis: int, bounds: tuple[int, int, int], output: str) -> None:
    if not all(isinstance(each, int) for each in bounds):
        raise writer.refuse("its bounds are computed", "MDL013")
    numbers = [max(min(each, FAR), -FAR) for each in bounds]
    start, end, step = (writer.constant(np.array([each], np.int64)) for each in numbers)
    axes = writer.constant(np.array([axis], np.int64))
    writer.emit("Slice", [writer.operand(x), start, end, axes, step], [output])


def split(writer: Writer, given: Arguments) -> None:
    """Write a split into parts of the sizes that the file states."""
    x, outputs = given.get("self"), writer.call.outputs
    given.seen |= {"split_size", "split_sizes", "chunks"}
    axis = axis_of(writer, given.get("dim", 0), writer.rank(x))
    sizes = [writer.sizes(name)[axis] for name in outputs]
    places = writer.constant(np.array(sizes, np.int64), f"{outputs[0]}_sizes")
    writer.emit("Split", [writer.operand(x), places], list(outputs), axis=axis)


def cat(writer: Writer, given: Arguments) -> None:
    """Write cat: a concatenation of tensors."""
    names = given.get("tensors", ())
    if not names or {*names} <= {*writer.known}:
        raise writer.refuse("its operands are all constant")
    axis = axis_of(writer, given.get("dim", 0), writer.rank(names[0]))
    writer.emit("Concat", [writer.operand(name) for name in names], axis=axis)


def pad(writer: Writer, given: Arguments) -> None:
    """Write pad or constant_pad_nd, whose pads begin with the last axis."""
    x, pads = given.get("self"), given.get("pad", [])
    mode, value = given.get("mode", "constant"), given.get("value", 0.0)
    rank = writer.rank(x)
    if len(pads) % 2 or len(pads) > 2 * rank or mode not in PADDINGS:
        raise writer.refuse(f"its pads are {pads}, of mode {mode!r}", "MDL014")
    around = [(0, 0)] * rank
    for index, pair in enumerate(zip(pads[::2], pads[1::2], strict=True)):
        around[rank - 1 - index] = (int(pair[0]), int(pair[1]))
    ends = [pair[side] for side in (0, 1) for pair in around]
    names = [writer.operand(x), writer.constant(np.array(ends, np.int64))]
    if mode == "constant":
        names.append(writer.constant(np.float32(value)))
    writer.emit("Pad", names, mode=PADDINGS[mode])


MOVES: dict[str, Handler] = {
    **dict.fromkeys("view reshape flatten unflatten squeeze unsqueeze".split(), reshaped),
    **dict.fromkeys(("permute", "transpose", "t"), permute),
    **dict.fromkeys(("slice", "select"), part),
    **dict.fromkeys(("split", "split_with_sizes", "chunk"), split),
    "cat": cat,
    **dict.fromkeys(("pad", "constant_pad_nd"), pad),
    "expand": expand,
}
