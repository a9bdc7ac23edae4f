"""Table of the torch operators that are read: elementwise ones, reductions, and all others."""

import math
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import replace

import numpy as np

from opsmith.errors import Problem, raise_all, together
from opsmith.frontend.names import shown
from opsmith.frontend.onnx.file import Content, Operator
from opsmith.frontend.pt2.handlers import SILU
from opsmith.frontend.pt2.hard import hard_sigmoid
from opsmith.frontend.pt2.layers import LAYERS
from opsmith.frontend.pt2.moves import MOVES
from opsmith.frontend.pt2.program import ExportedProgram, Name, TorchCall
from opsmith.frontend.pt2.quantised import (
    IDENTITIES,
    bounds_of,
    dequantize,
    name_of,
    quantize,
    simplified,
)
from opsmith.frontend.pt2.writer import OTHERWISE, Arguments, Writer

BINARY = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div"}
BINARY |= {"maximum": "Max", "minimum": "Min"}
UNARY = {
    **{name: name.capitalize() for name in "abs ceil cos exp floor log neg sin sqrt".split()},
    "round": "Round",
    "relu": "Relu",
    "sigmoid": "Sigmoid",
    "tanh": "Tanh",
    "hardswish": "HardSwish",
    "silu": SILU,
    "mish": "Mish",
}
REDUCTIONS = {"mean": "ReduceMean", "sum": "ReduceSum", "amax": "ReduceMax", "amin": "ReduceMin"}
DOMAINS = ("aten", "quantized_decomposed")


def unary(writer: Writer, given: Arguments) -> None:
    """Write a function of each element."""
    writer.emit(UNARY[name_of(writer.call)], [writer.operand(given.get("self"))])


def gelu(writer: Writer, given: Arguments) -> None:
    """Write a GELU, exact or by tanh."""
    way = str(given.get("approximate", "none")).encode()
    writer.emit("Gelu", [writer.operand(given.get("self"))], approximate=way)


def leaky_relu(writer: Writer, given: Arguments) -> None:
    """Write a leaky ReLU."""
    slope = float(given.get("negative_slope", 0.01))
    writer.emit("LeakyRelu", [writer.operand(given.get("self"))], alpha=slope)


def elu(writer: Writer, given: Arguments) -> None:
    """Write an ELU with both factors 1 but that of its exponential."""
    if {given.get("scale", 1), given.get("input_scale", 1)} != {1}:
        raise writer.refuse("scale and input_scale are not read but as 1")
    alpha = float(given.get("alpha", 1))
    writer.emit("Elu", [writer.operand(given.get("self"))], alpha=alpha)


def prelu(writer: Writer, given: Arguments) -> None:
    """Write a PReLU with a slope for each channel, or with one."""
    x, name = given.get("self"), given.get("weight")
    slopes = writer.array(name).reshape(-1, *(1,) * max(writer.rank(x) - 2, 0))
    writer.emit("PRelu", [writer.operand(x), writer.constant(slopes)])


def clamp(writer: Writer, given: Arguments) -> None:
    """Write clamp, relu6 or hardtanh with bounds that are numbers."""
    found = bounds_of(writer.call)
    given.seen |= {"min", "max", "min_val", "max_val"}
    if found is None:
        raise writer.refuse("its bounds are no numbers")
    x = writer.operand(given.get("self"))
    bounds = ["" if math.isinf(end) else writer.constant(np.float32(end)) for end in found]
    writer.emit("Clip", [x, *bounds])


def softmax(writer: Writer, given: Arguments) -> None:
    """Write a softmax along an axis."""
    given.seen.add("dtype")  # float32, like all floats here
    axis = int(given.get("dim", -1))
    writer.emit("Softmax", [writer.operand(given.get("self"))], axis=axis)


def binary(writer: Writer, given: Arguments) -> None:
    """Write arithmetic of two tensors, or of a tensor and a number."""
    x, other = given.get("self"), given.get("other")
    if given.get("alpha", 1) != 1 or given.get("rounding_mode") is not None:
        raise writer.refuse("alpha is not read but as 1, nor is rounding_mode")
    names = [
        writer.operand(each) if isinstance(each, Name) else writer.constant(np.float32(each))
        for each in (x, other)
    ]
    writer.emit(BINARY[name_of(writer.call)], names)


def reduction(writer: Writer, given: Arguments) -> None:
    """Write a reduction along some axes, or along all."""
    axes = given.get("dim", [])
    axes = [axes] if isinstance(axes, int) else axes
    keep = bool(given.get("keepdim", False))
    given.seen.add("dtype")
    names = [writer.operand(given.get("self"))]
    names += [writer.constant(np.array(axes, np.int64))] if axes else []
    kind = REDUCTIONS[name_of(writer.call)]
    writer.emit(kind, names, keepdims=keep)


HANDLERS: dict[str, Callable[[Writer, Arguments], None]] = {
    "quantize_per_tensor": quantize,
    **dict.fromkeys(("dequantize_per_tensor", "dequantize_per_channel"), dequantize),
    **dict.fromkeys(UNARY, unary),
    **{each.__name__: each for each in (elu, gelu, leaky_relu, prelu, softmax)},
    "hardsigmoid": hard_sigmoid,
    **dict.fromkeys(("clamp", "relu6", "hardtanh"), clamp),
    **dict.fromkeys(BINARY, binary),
    **dict.fromkeys(REDUCTIONS, reduction),
    **LAYERS,
    **MOVES,
}
KNOWN = frozenset(HANDLERS) | IDENTITIES


def content(program: ExportedProgram, claimed: Container[str] = ()) -> Content:
    """Program converted to the ONNX reader's terms; operators `aten.NAME` that folders have
    `claimed` are left to them. Raises codes MDL.
    """
    marked = [_marked(call, claimed) for call in program.calls]
    raise_all(together(_unknown(marked)))
    calls, outputs = simplified(marked, program.outputs)
    writer = Writer(program, calls)
    for call in calls:
        writer.call = call
        try:
            _write(writer, call)
        except (TypeError, ValueError, LookupError, ArithmeticError) as wrong:
            what = "an argument is missing, or has a type or number that it cannot have"
            raise writer.refuse(what) from wrong
    return writer.content(tuple(outputs))


def as_written(program: ExportedProgram) -> Content:
    """Calls with the tensors that they read and write, for a check of their order."""
    operators = [
        Operator(call.where, call.target, tuple(call.tensors()), call.outputs, {})
        for call in program.calls
    ]
    return Content(program.inputs, {}, program.outputs, tuple(operators), program.constants, ())


def unread_names(program: ExportedProgram) -> frozenset[str]:
    """Source ops `aten.NAME` of the program's operators that no handler reads."""
    named = {call.target: name_of(call) for call in program.calls if call.outputs}
    return frozenset(
        f"aten.{name}"
        for target, name in named.items()
        if target.startswith("aten.") and name not in KNOWN
    )


def _marked(call: TorchCall, claimed: Container[str]) -> TorchCall:
    """Call with the source op `aten.NAME`, whatever its overload, where a folder claims it."""
    source = f"aten.{name_of(call)}"
    taken = call.target.startswith("aten.") and source in claimed
    return replace(call, claimed=source) if taken else call


def _unknown(calls: Iterable[TorchCall]) -> Iterator[Problem]:
    """Problems of calls that no handler reads and no folder claims."""
    for call in calls:
        known = name_of(call) in KNOWN or not call.outputs or call.claimed
        if not known or not call.target.startswith(DOMAINS):
            what = f"nothing reads torch's {shown(call.target)}"
            fix = f"build the layer otherwise, or {OTHERWISE}"
            if call.target.startswith("aten."):
                fix = f"write an op: opsmith new-op --from MODEL.pt2 --into DIR; or {fix}"
            yield Problem("MDL010", what, call.where, fix)


def _write(writer: Writer, call: TorchCall) -> None:
    """Write the operators for a call."""
    if not call.outputs:
        raise writer.refuse("it writes no tensor")
    if call.claimed:
        writer.leave()
        return
    arguments = Arguments(call)
    HANDLERS[name_of(call)](writer, arguments)
    if unread := arguments.unread():
        raise writer.refuse(f"its arguments {', '.join(unread)} are not read")
