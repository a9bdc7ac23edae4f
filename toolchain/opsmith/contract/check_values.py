"""Rules about inputs, outputs, states, attributes and their types."""

from collections.abc import Iterator, Sequence

from opsmith.errors import did_you_mean, shown
from opsmith.ir import DType
from opsmith.ir.types import BY_NAME, i32
from opsmith.keywords import KEYWORDS
from opsmith.op.attributes import SCALARS, type_name, typed
from opsmith.op.declare import Attribute, Input, ListOf, OpError, Output
from opsmith.op.describe import Op, Variant

Found = Iterator[tuple[str, str, str]]


def value_problems(op: Op) -> Found:
    """Problems of the op's inputs, outputs, attributes, states and variants."""
    yield from _names(op)
    yield from _variables(op)
    yield from _inputs(op.inputs)
    yield from _shapes(op)
    for output in op.outputs[:-1]:
        if output.variadic:
            what = f"output '{output.name}' is variadic but not the last"
            yield "OPS025", what, "put it last"
    if not op.outputs:
        yield "OPS027", "the op has no output", "declare what it computes in outputs="
    for attribute in op.attributes:
        yield from _attribute(attribute)
    for number, variant in enumerate(op.variants):
        yield from _bounds(f"Variant {number}", variant)


def name_problem(name: str) -> str | None:
    """Reason why a text cannot be a name in Python and C++, or None."""
    if not name.isascii() or not name.isidentifier() or name != name.lower():
        return f"'{name}' is no lower-case identifier"
    if name in KEYWORDS:
        return f"'{name}' is a word of C++"
    return None


def repeated(names: Sequence[str]) -> list[str]:
    """Names that occur more than once, sorted."""
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


def _variables(op: Op) -> Found:
    """Problems of type variables: those of inputs and outputs, and of each variant."""
    values: tuple[Input | Output, ...] = (*op.inputs, *op.outputs)
    named = dict.fromkeys(value.type for value in values if isinstance(value.type, str))
    for name in named:
        if not name.isascii() or not name.isidentifier() or name.lower() in KEYWORDS:
            yield (
                "OPS012",
                f"the type {shown(name)} is no name of a template parameter",
                "rename it",
            )
    for state in op.states:
        if isinstance(state.type, str) and state.type not in named:
            given = f"type {shown(state.type)} of state '{state.name}'"
            what = f"{given} is the type of no input or output"
            yield "OPS014", what, "give it an element type, or a type variable that one of them has"
    if not op.variants:
        yield (
            "OPS015",
            "the op has no variant",
            "list its element types and their kernels in variants=",
        )
    for number, variant in enumerate(op.variants):
        where = f"variant {number}"
        for part in variant.folder.split("/") if variant.folder else ():
            if problem := name_problem(part):
                yield "OPS012", f"{where}: folder= names a namespace: {problem}", "rename it"
        for name in named.keys() - variant.types.keys():
            near = did_you_mean(name, variant.types)
            what = f"{where} does not say what type '{name}' is{near}"
            element = BY_NAME.get(name)
            add = f'add "{name}" to its types'
            plain = f"write {element}, the element type, without quotes, from opsmith.op"
            yield "OPS013", what, add if element is None else plain
        for name in variant.types.keys() - named.keys():
            what = f"{where}: type '{name}' is the type of no input or output"
            yield "OPS014", what, "remove it"
        if variant.types in [other.types for other in op.variants[:number]]:
            what = f"{where} has the element types of an earlier one"
            yield "OPS028", what, "put their kernels into one variant"
        if list(variant.types) != list(op.variants[0].types):
            what = f"{where} has the types of variant 0 in another order"
            yield "OPS014", what, "write them in one order, which C++ templates have, too"
    for name in named:
        typed = [value for value in values if value.type == name]
        if all(isinstance(v, Input) and v.optional and not v.first for v in typed):
            others = [[(n, v.types.get(n)) for n in named if n != name] for v in op.variants]
            if any(each in others[:i] for i, each in enumerate(others)):
                what = f"type '{name}' types optional inputs only, so it may stay open"
                yield "OPS014", what, "give the input an element type, or say first=True"


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
        if isinstance(value.rank, range):
            right = 0 <= value.rank.start < value.rank.stop and value.rank.step == 1
        else:
            right = value.rank is None or value.rank >= 0
        if not right:
            given = f"not {shown(value.rank)}"
            what = f"Input {shown(value.name)}: rank= must be a number of dimensions or a range of "
            yield "OPS021", f"{what}them, {given}", "write rank=4, or rank=range(2, 5) for 2 to 4"
        flags = [flag for flag in ("constant", "variadic", "state") if getattr(value, flag)]
        flags += ["optional"] if value.optional and (value.variadic or value.state) else []
        if len(flags) > 1:
            what = f"input '{value.name}' is {' and '.join(flags)}, which exclude each other"
            yield "OPS026", what, "keep one of them"


def _shapes(op: Op) -> Found:
    """Problems of inputs that give the shape of an output."""
    outputs = [output.name for output in op.outputs if not output.variadic]
    for value in (value for value in op.inputs if value.shape_of):
        if value.shape_of not in outputs:
            near = did_you_mean(value.shape_of, outputs)
            what = f"input '{value.name}' is the shape of '{value.shape_of}', which is no output"
            yield "OPS026", f"{what}{near}", "name one that is not variadic"
        elif not value.constant or value.type != i32:
            what = f"input '{value.name}' is the shape of an output, but no constant of int32"
            yield "OPS026", what, "say constant=True, and i32"


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
        what = (
            f"attribute '{attribute.name}': default {shown(default)} is not one of choices={near}"
        )
        yield "OPS029", what, "correct default= or choices="


def _bounds(owner: str, variant: Variant) -> Found:
    """Problems of bounds that no two floats can differ by."""
    if not 0 <= variant.ulps < 1 << 31:
        what = f"{owner}: ulps= must be a number of units from 0, not {shown(variant.ulps)}"
        yield "OPS021", what, "write ulps=1"
    if not 0 <= variant.ulps_at < 1 << 128:
        given = shown(variant.ulps_at)
        what = f"{owner}: ulps_at= must be a magnitude of float32 from 0, not {given}"
        yield "OPS021", what, "write ulps_at=1.0"


def _refuses(attribute: Attribute, value: object) -> bool:
    try:
        typed(attribute, value)
    except OpError:
        return True
    return False
