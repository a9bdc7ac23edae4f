"""Operators of constants, which become constants; exporters leave them at shapes and weights."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import ceil, prod

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.frontend.onnx.file import Content, Operator
from opsmith.frontend.onnx.reader import OperatorOutput, Reader
from opsmith.frontend.onnx.values import ConstantRoom, StoredConstant, TooManyError, legal, refuse
from opsmith.ir import Array
from opsmith.ir.types import BY_NAME, f32, i8

FOLDED = frozenset({"ConstantOfShape", "Range"})  # operators read only with constant inputs
MOST = 1 << 24  # largest constant that is made, in elements
TYPES = {1: np.float32, 6: np.int32, 7: np.int64, 9: np.bool_}  # types of a Cast, by number


def shape(reader: Reader, operator: Operator) -> None:
    """Fold a Shape, which does not depend on elements."""
    sizes = reader.shape(reader.value(operator, 0))
    ends = slice(operator.attributes.get("start", 0), operator.attributes.get("end", len(sizes)))
    reader.weights[operator.outputs[0]] = StoredConstant(np.array(sizes[ends], np.int64))


def size(reader: Reader, operator: Operator) -> None:
    """Fold a Size, the number of elements."""
    count = prod(reader.shape(reader.value(operator, 0)))
    reader.weights[operator.outputs[0]] = StoredConstant(np.array(count, np.int64))


def cast(reader: Reader, operator: Operator) -> None:
    """Write a Cast of float32, bool or integers; floats are cut to integers."""
    x = reader.value(operator, 0)
    old, wanted = reader.tensors[x.tensor], TYPES.get(operator.attributes.get("to", 0))
    if old.dtype in (f32, i8) and wanted == np.float32:
        reader.values[operator.outputs[0]] = x
        return
    if wanted is None or old.dtype == i8:
        raise refuse(operator, f"it casts {old.dtype.name} to a type that is not read", "MDL012")
    dtype = BY_NAME[np.dtype(wanted).name]
    target = OperatorOutput(operator.outputs[0], "NONE", None, dtype)
    reader.write(operator, "CAST", [x.tensor], target, x.order, old.shape, {})


def fold_constants(content: Content, room: ConstantRoom) -> Content:
    """Content in which operators of stored constants are constants themselves. What cannot be
    computed, or has no room, is left, to be reported where all operators are read.
    """
    constants = dict(content.constants)
    stored: dict[str, Operator] = {}  # DequantizeLinear of a constant, by its output
    left = []
    for operator in content.operators:
        arrays = [constants[name] for name in operator.inputs if name in constants]
        try:
            with legal(operator):
                if operator.type == "Transpose" and operator.inputs[0] in stored:
                    before = stored[operator.inputs[0]]
                    operator = _turned(before, operator, constants, room)
                if operator.type == "DequantizeLinear" and operator.inputs[0] in constants:
                    stored[operator.outputs[0]] = operator
            made = _computed(operator, arrays, room)
        except ToolchainError:
            made = None
        if made is None:
            left.append(operator)
        else:
            constants[operator.outputs[0]] = made
    return replace(content, operators=tuple(left), constants=constants)


def _turned(
    before: Operator, turn: Operator, constants: dict[str, Array], room: ConstantRoom
) -> Operator:
    """DequantizeLinear of a constant with its axes permuted, in place of a Transpose after one."""
    array, axis = constants[before.inputs[0]], int(before.attributes.get("axis", 1))
    made, name = _computed(turn, [array], room), f"{turn.outputs[0]} elements"
    if made is None or name in constants or not -array.ndim <= axis < array.ndim:
        return turn
    axes = [each % array.ndim for each in turn.attributes.get("perm", range(array.ndim)[::-1])]
    constants[name] = made
    attributes = {**before.attributes, "axis": axes.index(axis % array.ndim)}
    inputs = (name, *before.inputs[1:])
    return replace(turn, type=before.type, inputs=inputs, attributes=attributes)


def folded(reader: Reader, operator: Operator, room: ConstantRoom) -> bool:
    """True where an operator reads only constants, so that its output becomes a constant."""
    found = [reader.weights.get(name) for name in operator.inputs if name]
    arrays = [each.array for each in found if each is not None and each.quantization is None]
    made = _computed(operator, arrays, room)
    if made is not None:
        reader.weights[operator.outputs[0]] = StoredConstant(made)
    return made is not None


def _computed(operator: Operator, arrays: list[Array], room: ConstantRoom) -> Array | None:
    """Output of an operator whose inputs are these constants; None if it has others or several
    outputs, or its function is not known.
    """
    compute, one = FUNCTIONS.get(operator.type), len(operator.outputs) == 1
    if compute is None or not one or not arrays or len(arrays) != len(operator.inputs):
        return None
    try:
        with legal(operator), np.errstate(all="ignore"):
            room.take(0)
            made = np.asarray(compute(arrays, operator))
            room.take(made.nbytes)
            if made.dtype.kind == "f" and made.dtype != np.float32:
                raise TypeError(made.dtype)  # of operands that ONNX does not have
    except TooManyError as wrong:
        raise refuse(operator, str(wrong), "MDL014") from wrong
    return made


def check_few(operator: Operator, sizes: Iterable[int]) -> None:
    """Raise MDL014 if an array of these sizes, made while reading, has more than MOST elements."""
    if prod(sizes) > MOST:
        raise refuse(operator, f"it is read of {MOST} elements at most", "MDL014")


def _bounded(sizes: tuple[int, ...]) -> None:
    if prod(sizes) > MOST:
        raise TooManyError(f"its output, a constant, has more than {MOST} elements")


def _cast(arrays: list[Array], operator: Operator) -> Array:
    return arrays[0].astype(TYPES[int(operator.attributes["to"])])


def _concat(arrays: list[Array], operator: Operator) -> Array:
    _bounded((sum(each.size for each in arrays),))
    return np.concatenate(arrays, int(operator.attributes["axis"]))


def _gather(arrays: list[Array], operator: Operator) -> Array:
    x, places = arrays
    axis = int(operator.attributes.get("axis", 0))
    _bounded((*np.delete(x.shape, axis), *places.shape))
    return np.take(x, places, axis)


def _filled(arrays: list[Array], operator: Operator) -> Array:
    sizes = tuple(map(int, arrays[0].reshape(-1)))
    _bounded(sizes)
    (element,) = np.asarray(operator.attributes.get("value", np.float32(0))).reshape(-1)
    return np.full(sizes, element)


def _range(arrays: list[Array], operator: Operator) -> Array:
    """Elements of a Range as onnxruntime has them: floats are counted in double precision, and each
    is the one before it plus the step.
    """
    dtype = arrays[0].dtype
    start, limit, step = (each.item() for each in arrays)
    # Python's integers do not overflow.
    count = -((start - limit) // step) if dtype.kind == "i" else ceil((limit - start) / step)
    _bounded((max(0, count),))
    steps = np.full(max(0, count), step, dtype)
    steps[:1] = start
    return np.cumsum(steps, dtype=dtype)


def _expanded(arrays: list[Array], operator: Operator) -> Array:
    x, sizes = arrays
    shape = np.broadcast_shapes(x.shape, tuple(map(int, sizes.reshape(-1))))
    _bounded(shape)
    return np.broadcast_to(x, shape)


def _where(arrays: list[Array], operator: Operator) -> Array:
    _bounded(np.broadcast_shapes(*(each.shape for each in arrays)))
    return np.where(*arrays)


def _reshape(arrays: list[Array], operator: Operator) -> Array:
    x, sizes = arrays
    asked = [int(each) for each in sizes.reshape(-1)]
    if not operator.attributes.get("allowzero"):
        asked = [n or x.shape[i] for i, n in enumerate(asked)]
    return x.reshape(asked)


def _slice(arrays: list[Array], operator: Operator) -> Array:
    x, starts, ends, *rest = arrays
    axes = rest[0] if rest else np.arange(len(starts))
    steps = rest[1] if len(rest) > 1 else np.ones(len(starts), int)
    taken = [slice(None)] * x.ndim
    for axis, *bounds in zip(axes, starts, ends, steps, strict=True):
        taken[axis] = slice(*map(int, bounds))
    return x[tuple(taken)]


def _unsqueeze(arrays: list[Array], operator: Operator) -> Array:
    return np.expand_dims(arrays[0], tuple(map(int, arrays[1].reshape(-1))))


def _squeeze(arrays: list[Array], operator: Operator) -> Array:
    axes = tuple(map(int, arrays[1].reshape(-1))) if len(arrays) > 1 else None
    return np.squeeze(arrays[0], axes)


def _tiled(arrays: list[Array], operator: Operator) -> Array:
    x, times = arrays[0], tuple(map(int, arrays[1].reshape(-1)))
    if min(times, default=1) < 0:
        raise ValueError(times)
    _bounded((x.size, *(max(each, 1) for each in times)))  # numpy repeats axis by axis
    return np.tile(x, times)


def _pair(function: Callable[[Array, Array], Array]) -> Callable[[list[Array], Operator], Array]:
    def computed(arrays: list[Array], operator: Operator) -> Array:
        a, b = arrays
        _bounded(np.broadcast_shapes(a.shape, b.shape))
        return np.asarray(function(a, b)).astype(a.dtype)

    return computed


def _relation(
    function: Callable[[Array, Array], Array],
) -> Callable[[list[Array], Operator], Array]:
    def computed(arrays: list[Array], operator: Operator) -> Array:
        _bounded(np.broadcast_shapes(*(each.shape for each in arrays)))
        return np.asarray(function(*arrays))

    return computed


def _quotient(a: Array, b: Array) -> Array:
    """Quotient of two arrays; integers are divided towards zero."""
    if a.dtype.kind not in "iu":
        return np.asarray(a / b)
    if not b.all():
        raise ZeroDivisionError
    return np.asarray(a // b + ((a % b != 0) & ((a < 0) != (b < 0))))


def _remainder(arrays: list[Array], operator: Operator) -> Array:
    """Remainders with the sign of the divisor, or by `fmod` with that of the dividend."""
    if arrays[1].dtype.kind in "iu" and not arrays[1].all():
        raise ZeroDivisionError
    return _pair(np.fmod if operator.attributes.get("fmod") else np.mod)(arrays, operator)


def _product(arrays: list[Array], operator: Operator) -> Array:
    """Product along some axes, or along all, in the elements' type."""
    x, *given = arrays
    named = operator.attributes.get("axes", given[0].reshape(-1) if given else ())
    axes = tuple(map(int, named)) or None
    if axes is None and operator.attributes.get("noop_with_empty_axes"):
        return x
    keeps = bool(operator.attributes.get("keepdims", 1))
    return np.asarray(np.prod(x, axes, x.dtype, keepdims=keeps))


FUNCTIONS: Mapping[str, Callable[[list[Array], Operator], Array]] = {
    "Add": _pair(np.add),
    "Cast": _cast,
    "Concat": _concat,
    "ConstantOfShape": _filled,
    "Div": _pair(_quotient),
    "And": _relation(np.logical_and),
    "Equal": _relation(np.equal),
    "Greater": _relation(np.greater),
    "GreaterOrEqual": _relation(np.greater_equal),
    "Less": _relation(np.less),
    "LessOrEqual": _relation(np.less_equal),
    "Not": lambda arrays, operator: np.logical_not(arrays[0]),
    "Or": _relation(np.logical_or),
    "Ceil": lambda arrays, operator: np.ceil(arrays[0]),
    "Floor": lambda arrays, operator: np.floor(arrays[0]),
    "Neg": lambda arrays, operator: -arrays[0],
    "Sqrt": lambda arrays, operator: np.sqrt(arrays[0]),
    "Expand": _expanded,
    "Gather": _gather,
    "Max": _pair(np.maximum),
    "Min": _pair(np.minimum),
    "Mod": _remainder,
    "Mul": _pair(np.multiply),
    "Range": _range,
    "ReduceProd": _product,
    "Reshape": _reshape,
    "Slice": _slice,
    "Squeeze": _squeeze,
    "Sub": _pair(np.subtract),
    "Transpose": lambda arrays, operator: arrays[0].transpose(operator.attributes.get("perm")),
    "Tile": _tiled,
    "Unsqueeze": _unsqueeze,
    "Where": _where,
}
