"""Walk of a reader over the operators of a file, and its outputs; shared by front ends."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from opsmith.errors import Problem, ToolchainError
from opsmith.frontend.names import shown
from opsmith.frontend.onnx.custom import write_custom
from opsmith.frontend.onnx.file import Operator, error
from opsmith.frontend.onnx.folding import FOLDED, folded
from opsmith.frontend.onnx.literal import is_literal
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.relations import OF_INTEGERS, RELATIONS
from opsmith.frontend.onnx.values import ConstantRoom, Value, legal, refuse, stated
from opsmith.ir.types import f32, i8

# Operators that read elements of any type; others read float32 and quantised ones.
ANY = frozenset({*RELATIONS, *OF_INTEGERS}) | frozenset(
    "Cast CumSum Expand Flatten Gather GatherElements GatherND Identity If OneHot Reshape"
    " ScatterElements ScatterND Shape Size Slice Split Squeeze Tile TopK Transpose Trilu"
    " Unsqueeze".split()
)
_OF_SIZES = ("MDL006", "MDL014")
_OF_AXES = (*_OF_SIZES, "MDL013")
Handlers = Mapping[str, Callable[[Reader, Operator], None]]


@contextmanager
def within(path: Path, request: str = "", unranked: str = "") -> Iterator[None]:
    """Context that adds the file's path to the places in errors, and to fixes of those about sizes
    the advice to give the sizes that were assumed, of those about axes that about unranked inputs.
    """
    try:
        yield
    except ToolchainError as wrong:
        raise ToolchainError(
            *(_within(path, each, request, unranked) for each in wrong.problems)
        ) from wrong


def read_all(reader: Reader, handlers: Handlers, room: ConstantRoom | None = None) -> None:
    """Read the operators that no earlier node computes; `room` is what is left for constants that
    are computed. Raises codes MDL.
    """
    room = room or ConstantRoom(reader.content.constants.values())
    for operator in reader.content.operators:
        if operator.name not in reader.fused:
            _read(reader, operator, handlers, room)


def _read(reader: Reader, operator: Operator, handlers: Handlers, room: ConstantRoom) -> None:
    with legal(operator):
        if folded(reader, operator, room):
            return
        if operator.type in FOLDED:
            raise refuse(operator, "its operands are not constant")
        if operator.made is None:
            _check_types(reader, operator)
        if is_literal(reader, operator):
            reader.compute_literally(operator)
        write = handlers[operator.type] if operator.made is None else write_custom
        write(reader, operator)


def _check_types(reader: Reader, operator: Operator) -> None:
    computed = [n for n in operator.inputs if n in reader.values and n not in reader.weights]
    found = {reader.tensors[reader.values[name].tensor].dtype for name in computed}
    if operator.type not in ANY and (other := found - {f32, i8}):
        names = ", ".join(sorted(each.name for each in other))
        raise refuse(operator, f"it is not read of {names}", "MDL012")


def _within(path: Path, problem: Problem, request: str, unranked: str) -> Problem:
    where, fix = problem.where, problem.fix
    if request and problem.code in _OF_SIZES:
        fix = f"{fix}; if the open first axis is no batch of 1: {request}"
    if unranked and problem.code in _OF_AXES:
        fix = f"{fix}; {unranked}"
    if where != str(path) and not where.startswith(f"{path}:"):
        where = f"{path}: {where}"
    return Problem(problem.code, problem.what, where, fix)


def outputs_of(path: Path, reader: Reader) -> list[Value]:
    """Values of the file's outputs. A tensor that is one output takes over the output's name."""
    computed = any(name in reader.values for name in reader.content.outputs)
    for name in reader.content.outputs:
        if computed and name in reader.weights and name not in reader.values:
            held = reader.weights[name]
            made = reader.constant(name, held.array, held.quantization)
            reader.values[name] = Value(made, stated(held.array.ndim))
        if name not in reader.values:
            what = f"output '{shown(name)}' is constant, or fused into the operator after it"
            fix = "export with outputs that operators compute at the end"
            raise error("MDL007", what, path, fix)
    found = [reader.values[name] for name in reader.content.outputs]
    kept = {*reader.content.outputs, *reader.content.inputs}
    for name, value in zip(reader.content.outputs, found, strict=True):
        if reader.tensors[value.tensor].name not in kept:
            reader.called.setdefault(value.tensor, name)
    return found


def reordered(reader: Reader, outputs: list[Value], whose: str) -> Iterator[str]:
    """Sentences about outputs whose axes are stored in another order than in the file."""
    for name, value in zip(reader.content.outputs, outputs, strict=True):
        long = [size for size in reader.tensors[value.tensor].shape if size > 1]
        if value.order != stated(len(value.order)) and len(long) > 1:
            axes = " ".join(map(str, value.order))
            yield f"'{shown(name)}': the output has {whose}'s axes in order {axes}"
