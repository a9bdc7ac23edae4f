"""Rules about the Python types of a registration: a forgotten comma is the commonest mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolchain.errors import shown
from toolchain.ir import DType
from toolchain.op.describe import (
    Attribute,
    Code,
    Convert,
    Decompose,
    Example,
    Input,
    Kernel,
    ListOf,
    Match,
    Op,
    Output,
    Rename,
    Scratch,
    State,
)

Found = Iterator[tuple[str, str, str]]
_Test = Callable[[Any], bool]
_Kind = tuple[str, _Test, str]  # what it must be, whether it is, how to write it


def kind_problems(op: Op) -> Found:
    """What is no value of the type that its place wants."""
    yield from _fields(f"Op {shown(op.name)}", op, _OP)
    for values, kind, table in (
        (op.inputs, Input, _INPUT),
        (op.outputs, Output, _OUTPUT),
        (op.attributes, Attribute, _ATTRIBUTE),
        (op.legalize, Rename, _RENAME),
        (op.states, State, _BUFFER),
        (op.kernels, Kernel, _KERNEL),
    ):
        for value in values if isinstance(values, tuple) else ():
            if isinstance(value, kind):
                yield from _fields(_called(value, kind.__name__), value, table)
    yield from _inner(op)


def _inner(op: Op) -> Found:
    """The values within values."""
    if isinstance(op.decompose, Decompose):
        yield from _fields("Decompose", op.decompose, _DECOMPOSE)
    if isinstance(op.match, Match):
        yield from _fields("Match", op.match, _MATCH)
    for rename in op.legalize if isinstance(op.legalize, tuple) else ():
        targets = rename.attributes if isinstance(rename, Rename) else ()
        for target in targets.values() if isinstance(targets, Mapping) else ():
            if isinstance(target, Convert):
                yield from _fields(_called(rename, "Convert of"), target, _CONVERT)
    for kernel in op.kernels if isinstance(op.kernels, tuple) else ():
        if not isinstance(kernel, Kernel):
            continue
        for buffer in kernel.scratch if isinstance(kernel.scratch, tuple) else ():
            if isinstance(buffer, Scratch):
                yield from _fields(_called(buffer, "Scratch"), buffer, _SCRATCH)
        if isinstance(kernel.code, Code):
            yield from _fields(_called(kernel, "Code of"), kernel.code, _CODE)


def _called(value: Any, label: str) -> str:
    name = getattr(value, "name", None) or getattr(value, "source", None)
    return f"{label} {shown(name)}"


def _fields(where: str, value: Any, table: Mapping[str, _Kind]) -> Found:
    for field, (wanted, test, example) in table.items():
        found = getattr(value, field)
        if not test(found):
            said = type(found).__name__ + (f" {_text(found)}" if _short(found) else "")
            yield (
                "OPS021",
                f"{where}: {field}= must be {wanted}, not {said}",
                f"write {field}={example}",
            )


def _short(value: Any) -> bool:
    return isinstance(value, str | int | float | DType | type) and len(_text(value)) < 40


def _text(value: Any) -> str:
    return str(value) if isinstance(value, DType) else shown(value)


def _tuple(kind: type | tuple[type, ...], name: str, example: str) -> _Kind:
    def test(value: Any) -> bool:
        return isinstance(value, tuple) and all(isinstance(item, kind) for item in value)

    return f"a tuple of {name}", test, f"({example},), with the comma"


def _is(kind: Any, wanted: str, example: str) -> _Kind:
    return wanted, lambda value: isinstance(value, kind), example


def _optional(kind: _Kind) -> _Kind:
    wanted, test, example = kind
    return wanted, lambda value: value is None or test(value), example


def _types(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(item, DType) for item in value)


def _names_to(value: Any, kind: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(name, str) and isinstance(item, kind) for name, item in value.items()
    )


_FUNCTION: _Kind = ("a function", callable, "the function's name")
_NAME = _is(str, "a string", '"a_name"')
_TYPE = _is((DType, str), "an element type or the name of a domain", "i8")
_FLAG = _is(bool, "True or False", "True")
_BYTES: _Kind = (
    "a number of bytes",
    lambda v: isinstance(v, int) and not isinstance(v, bool) and 0 <= v < 1 << 31,
    "400",
)
_FACTOR: _Kind = (
    "a number of at least 1",
    lambda v: isinstance(v, int | float) and 1 <= v < 1e6,
    "1.3",
)
_STRINGS = _tuple(str, "strings", '"…"')
_SET: _Kind = (
    "a set of strings",
    lambda v: isinstance(v, set | frozenset) and all(isinstance(item, str) for item in v),
    '{"…"}',
)
_OP: Mapping[str, _Kind] = {
    "name": _NAME,
    "inputs": _tuple(Input, "Input", 'Input("x", i8)'),
    "outputs": _tuple(Output, "Output", 'Output("y", i8)'),
    "infer": _FUNCTION,
    "params": _FUNCTION,
    "kernels": _tuple(Kernel, "Kernel", 'Kernel("reference.h")'),
    "legalize": _tuple(Rename, "Rename", 'Rename("tflite.CUSTOM.MyOp")'),
    "attributes": _tuple(Attribute, "Attribute", 'Attribute("k", int)'),
    "domains": (
        "tuples of element types by name",
        lambda v: isinstance(v, Mapping) and all(_types(each) for each in v.values()),
        '{"T": (i8,)}',
    ),
    "tables": _optional(_FUNCTION),
    "check": _optional(_FUNCTION),
    "evaluate": _optional(_FUNCTION),
    "traits": _SET,
    "clamp": _optional(_FUNCTION),
    "border": _optional(_FUNCTION),
    "takes_border": _optional(_FUNCTION),
    "permutation": _optional(_FUNCTION),
    "permuted": _optional(_FUNCTION),
    "affine": _optional(_FUNCTION),
    "takes_affine": _optional(_FUNCTION),
    "restores": _optional(_FUNCTION),
    "identity": _optional(_FUNCTION),
    "value_range": _optional(_FUNCTION),
    "live_channels": _optional(_FUNCTION),
    "keep_channels": _optional(_FUNCTION),
    "macs": _optional(_FUNCTION),
    "parts": _optional(_FUNCTION),
    "part": _optional(_FUNCTION),
    "rows": _optional(_FUNCTION),
    "one_by_one": _NAME,
    "states": _tuple(State, "State", 'State("history", i8, count)'),
    "decompose": _optional(_is(Decompose, "a Decompose", "Decompose(function)")),
    "match": _optional(_is(Match, "a Match", 'Match("op", function)')),
    "examples": _tuple(Example, "Example", "Example({…})"),
}
_OUTPUT: Mapping[str, _Kind] = {"name": _NAME, "type": _TYPE, "variadic": _FLAG}
_INPUT: Mapping[str, _Kind] = {
    **_OUTPUT,
    "constant": _FLAG,
    "optional": _FLAG,
    "state": _FLAG,
}
_ATTRIBUTE: Mapping[str, _Kind] = {
    "name": _NAME,
    "type": _is((type, ListOf, DType), "a type, a ListOf or an element type", "int"),
    "choices": _tuple(object, "values", '"…"'),
}
_SCRATCH: Mapping[str, _Kind] = {
    "name": _NAME,
    "type": _is(DType, "an element type", "i8"),
    "elements": _FUNCTION,
}
_BUFFER: Mapping[str, _Kind] = {**_SCRATCH, "initial": _optional(_FUNCTION)}
_DECOMPOSE: Mapping[str, _Kind] = {"into": _FUNCTION, "when": _FUNCTION}
_MATCH: Mapping[str, _Kind] = {"root": _NAME, "find": _FUNCTION}
_CONVERT: Mapping[str, _Kind] = {"attribute": _NAME, "value": _FUNCTION}
_CODE: Mapping[str, _Kind] = {"instance": _BYTES, "general": _BYTES, "slowdown": _FACTOR}
_RENAME: Mapping[str, _Kind] = {
    "source": _NAME,
    "versions": _is(range, "a range", "range(1, 3)"),
    "attributes": (
        "names of attributes, or Convert, by option",
        lambda v: _names_to(v, (str, Convert)),
        '{"option": "attribute"}',
    ),
    "ignore": _STRINGS,
    "inputs": _optional(_tuple(int, "indices", "1, 0")),
    "options": _optional(_FUNCTION),
    "when": _optional(_FUNCTION),
    "overrides": _NAME,
    "reason": _NAME,
}
_KERNEL: Mapping[str, _Kind] = {
    "source": _NAME,
    "dtypes": _tuple(DType, "element types", "i8"),
    "requires": _SET,
    "excludes": _SET,
    "over_composite": _FLAG,
    "code": _is(Code, "a Code", "Code(instance=400)"),
    **{name: _optional(_FUNCTION) for name in ("when", "overlap", "cost", "growth", "inexact")},
    "params": _optional(_FUNCTION),
    "tables": _optional(_FUNCTION),
    "scratch": _tuple(Scratch, "Scratch", 'Scratch("sums", i32, count)'),
    "function": _NAME,
    "arguments": _STRINGS,
    "sources": _STRINGS,
    "defines": ("texts by name", lambda v: _names_to(v, str), '{"NAME": "1"}'),
    "libraries": _STRINGS,
    "copies": _STRINGS,
}
