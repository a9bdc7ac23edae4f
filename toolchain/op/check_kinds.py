"""Rules about the Python types of a registration: a forgotten comma is the commonest mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolchain.ir import DType
from toolchain.op.describe import (
    Attribute,
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
    yield from _fields(f"Op {op.name!r}", op, _OP)
    for values, label, table in (
        (op.inputs, "Input", _INPUT),
        (op.outputs, "Output", _OUTPUT),
        (op.attributes, "Attribute", _ATTRIBUTE),
        (op.legalize, "Rename", _RENAME),
        (op.states, "State", _BUFFER),
        (op.kernels, "Kernel", _KERNEL),
    ):
        for value in values if isinstance(values, tuple) else ():
            if type(value).__name__ == label:
                yield from _fields(_called(value, label), value, table)


def _called(value: Any, label: str) -> str:
    name = getattr(value, "name", None) or getattr(value, "source", None)
    return f"{label} {name!r}"


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
    return str(value) if isinstance(value, DType) else repr(value)


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
    "shape": _FUNCTION,
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
    "identity": _optional(_FUNCTION),
    "value_range": _optional(_FUNCTION),
    "live_channels": _optional(_FUNCTION),
    "keep_channels": _optional(_FUNCTION),
    "macs": _optional(_FUNCTION),
    "states": _tuple(State, "State", 'State("history", i8, count)'),
    "decompose": _optional(_is(Decompose, "a Decompose", "Decompose(function)")),
    "match": _optional(_is(Match, "a Match", 'Match("op", function)')),
    "examples": _tuple(Example, "Example", "Example({…})"),
}
_OUTPUT: Mapping[str, _Kind] = {"name": _NAME, "type": _TYPE}
_INPUT = _OUTPUT
_ATTRIBUTE: Mapping[str, _Kind] = {
    "name": _NAME,
    "type": _is((type, ListOf, DType), "a type, a ListOf or an element type", "int"),
    "choices": _tuple(object, "values", '"…"'),
}
_BUFFER: Mapping[str, _Kind] = {
    "name": _NAME,
    "type": _is(DType, "an element type", "i8"),
    "elements": _FUNCTION,
}
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
    "when": _optional(_FUNCTION),
    "shape": _optional(_FUNCTION),
    "tables": _optional(_FUNCTION),
    "scratch": _tuple(Scratch, "Scratch", 'Scratch("sums", i32, count)'),
    "function": _NAME,
    "arguments": _STRINGS,
    "sources": _STRINGS,
    "defines": ("texts by name", lambda v: _names_to(v, str), '{"NAME": "1"}'),
    "libraries": _STRINGS,
    "copies": _STRINGS,
}
