"""Rules about inputs, outputs, states, attributes and their types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolchain.errors import did_you_mean, shown
from toolchain.ir import DType
from toolchain.keywords import KEYWORDS
from toolchain.op.attributes import SCALARS, type_name, typed
from toolchain.op.describe import Attribute, Input, ListOf, Op, OpError, Output

Found = Iterator[tuple[str, str, str]]


def value_problems(op: Op) -> Found:
    """What is wrong with what the op takes, gives and keeps."""
    yield from _names(op)
    yield from _domains(op)
    yield from _inputs(op.inputs)
    for output in op.outputs[:-1]:
        if output.variadic:
            what = f"output '{output.name}' is variadic but not the last"
            yield "OPS025", what, "put it last"
    if not op.outputs:
        yield "OPS027", "the op has no output", "declare what it computes in outputs="
    for attribute in op.attributes:
        yield from _attribute(attribute)


def name_problem(name: str) -> str | None:
    """Why this cannot be a name in Python and C++, or None."""
    if not name.isascii() or not name.isidentifier() or name != name.lower():
        return f"'{name}' is no lower-case identifier"
    if name in KEYWORDS:
        return f"'{name}' is a word of C++"
    return None


def repeated(names: Sequence[str]) -> list[str]:
    """The names that are there more than once, sorted."""
    return sorted({name for name in names if names.count(name) > 1})


def _names(op: Op) -> Found:
    problem = name_problem(op.name)
    if problem:
        yield "OPS012", problem, "rename it"
    for group in (op.inputs + op.outputs, op.attributes, op.states):
        names = [value.name for value in group]
        for name in repeated(names):
            yield "OPS011", f"the name '{name}' is declared twice", "give each its own name"
        for problem in filter(None, map(name_problem, dict.fromkeys(names))):
            yield "OPS012", problem, "rename it"


def _domains(op: Op) -> Found:
    values: tuple[Input | Output, ...] = (*op.inputs, *op.outputs)
    for value in values:
        if isinstance(value.type, str) and value.type not in op.domains:
            near = did_you_mean(value.type, op.domains)
            what = f"'{value.name}' has unknown domain '{value.type}'{near}"
            yield "OPS013", what, "add it to domains="
    used = {value.type for value in values}
    for name, dtypes in op.domains.items():
        if name not in used:
            yield "OPS014", f"domain '{name}' types no input or output", "remove it"
        elif all(
            isinstance(value, Input) and value.optional for value in values if value.type == name
        ):
            what = f"domain '{name}' types optional inputs only, so it may stay open"
            yield "OPS014", what, "give the input an element type"
        if not dtypes:
            yield "OPS015", f"domain '{name}' is empty", "list its element types"
        for dtype in repeated([each.short for each in dtypes]):
            yield "OPS028", f"domain '{name}' lists {dtype} twice", "list it once"


def _inputs(inputs: Sequence[Input]) -> Found:
    optional = [value.name for value in inputs if value.optional]
    for i, value in enumerate(inputs):
        before = [name for name in optional if name in {v.name for v in inputs[:i]}]
        if before and not value.optional:
            what = f"input '{value.name}' is required but comes after optional '{before[0]}'"
            yield "OPS024", what, "put optional inputs last"
        if value.variadic and value is not inputs[-1]:
            what = f"input '{value.name}' is variadic but not the last"
            yield "OPS025", what, "put it last"
        flags = [flag for flag in ("constant", "variadic", "state") if getattr(value, flag)]
        flags += ["optional"] if value.optional and (value.variadic or value.state) else []
        if len(flags) > 1:
            what = f"input '{value.name}' is {' and '.join(flags)}, which exclude each other"
            yield "OPS026", what, "keep one of them"


def _attribute(attribute: Attribute) -> Found:
    kind = attribute.type
    scalar = kind.type if isinstance(kind, ListOf) else kind
    if not isinstance(scalar, DType) and scalar not in SCALARS:
        kind_name = getattr(scalar, "__name__", shown(scalar))
        what = f"attribute '{attribute.name}' has type {kind_name}, which no option can have"
        fix = f"one of {', '.join(k.__name__ for k in SCALARS)}, ListOf(one of them), or i8, f32, …"
        yield "OPS023", what, fix
        return
    if attribute.choices and isinstance(kind, DType):
        what = f"attribute '{attribute.name}' is an array, which cannot have choices"
        yield "OPS022", what, "check its elements in check="
        return
    plain = Attribute(attribute.name, kind)
    for choice in attribute.choices:
        if _refuses(plain, choice):
            what = f"attribute '{attribute.name}': choice {shown(choice)} is no {type_name(kind)}"
            yield "OPS022", what, "correct choices="
    default = attribute.default
    if default is None:
        return
    if _refuses(plain, default):
        what = f"attribute '{attribute.name}': default {shown(default)} is no {type_name(kind)}"
        yield "OPS022", what, "correct default="
    elif attribute.choices and default not in attribute.choices:
        near = did_you_mean(shown(default)[1:-1], [shown(c)[1:-1] for c in attribute.choices])
        what = f"attribute '{attribute.name}': default {shown(default)} is none of choices={near}"
        yield "OPS029", what, "correct default= or choices="


def _refuses(attribute: Attribute, value: object) -> bool:
    try:
        typed(attribute, value)
    except OpError:
        return True
    return False
