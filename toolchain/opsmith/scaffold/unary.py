"""Writes an op of one tensor on its family."""

from collections.abc import Iterator

from opsmith.ir.types import f32, i8, i16, u8
from opsmith.scaffold.names import class_name
from opsmith.scaffold.python import Group, layout, literal
from opsmith.scaffold.spec import Spec
from opsmith.scaffold.unfinished import TRAIT

_VARIANTS = {
    i8: "table_256(rounded(function))",
    u8: "table_256(rounded(function), u8)",
    i16: "table_513(rounded(function))",
    f32: "by_formula(function, cost=20.0)",
}
_IMPORTS = {i8: ["table_256"], u8: ["table_256"], i16: ["table_513"], f32: []}


def unary_problems(spec: Spec) -> Iterator[str]:
    """Problems of a spec for which the template cannot write an op."""
    values = (*spec.inputs, *spec.outputs)
    if [(value.name, value.optional, value.state) for value in values] != [
        ("x", False, False),
        ("y", False, False),
    ]:
        yield "template unary needs one input, x, and one output, y"
        return
    x, y = values
    if strange := [dtype.short for dtype in x.types if dtype not in _VARIANTS]:
        known = ", ".join(dtype.short for dtype in _VARIANTS)
        yield f"template unary computes {known}; not {', '.join(strange)}"
    if x.types != y.types:
        yield "template unary gives y the types of x"
    if spec.parameters:
        yield "template unary takes no attributes"


def unary_op(spec: Spec) -> str:
    """Text of op.py."""
    types = spec.inputs[0].types
    tables = dict.fromkeys(name for dtype in types for name in _IMPORTS[dtype])
    lookup = f"from runtimes.families.lookup import {', '.join(['rounded', *tables])}"
    first, last = spec.versions
    versions = f", versions=range({first}, {last + 1})" * ((first, last) != (1, 1))
    lines = [
        f'"""{class_name(spec.name)}: a function of each element."""',
        "",
        "from opsmith.op import *",
        *([lookup] if tables else []),
        f"from runtimes.families.unary import {'by_formula, ' * (f32 in types)}unary",
        "",
        "",
        "def function(x: Array) -> Array:",
        '    """x / (1 + |x|). Write yours here."""',
        "    y: Array = x / (1 + np.abs(x))",
        "    return y",
        "",
        "",
        "OP = unary(",
        f"    {literal(spec.name)},",
        f"    Rename({literal(spec.source)}{versions}),",
        *layout(Group("variants=(", [_VARIANTS[dtype] for dtype in types]), 4, ","),
        TRAIT,
        ")",
    ]
    return "\n".join([*lines, ""])
