"""Write an op of one tensor on its family: op.py, and reference.h for float32."""

from __future__ import annotations

from collections.abc import Iterator

from opsmith.ir.types import f32, i8, i16, u8
from opsmith.scaffold.names import class_name
from opsmith.scaffold.python import Group, layout, literal
from opsmith.scaffold.spec import Spec
from opsmith.scaffold.unfinished import MARK, TRAIT

_VARIANTS = {
    i8: "table_256(rounded(function))",
    u8: "table_256(rounded(function), u8)",
    i16: "table_513(rounded(function))",
    f32: "floats(function, cost=20.0)",
}
_IMPORTS = {i8: ["table_256"], u8: ["table_256"], i16: ["table_513"], f32: []}


def unary_problems(spec: Spec) -> Iterator[str]:
    """What the template cannot write."""
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
    """The text of op.py."""
    types = spec.inputs[0].types
    tables = dict.fromkeys(name for dtype in types for name in _IMPORTS[dtype])
    lookup = f"from opsmith.runtimes.families.lookup import {', '.join(['rounded', *tables])}"
    first, last = spec.versions
    versions = f", versions=range({first}, {last + 1})" * ((first, last) != (1, 1))
    same = ", and the same in reference.h" * (f32 in types)
    lines = [
        f'"""{class_name(spec.name)}: a function of each element."""',
        "",
        "from __future__ import annotations",
        "",
        "import numpy as np",
        "",
        f"from opsmith.op import Array, Rename{', u8' * (u8 in types)}",
        *([lookup] if tables else []),
        f"from opsmith.runtimes.families.unary import {'floats, ' * (f32 in types)}unary",
        "",
        "",
        "def function(x: Array) -> Array:",
        f'    """x / (1 + |x|). Write yours here{same}."""',
        "    return np.asarray(x / (1 + np.abs(x)))",
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


def unary_kernel(spec: Spec) -> str:
    """The text of reference.h, or "" where families have all kernels."""
    if f32 not in spec.inputs[0].types:
        return ""
    return f"""\
// {class_name(spec.name)} of float32, the definition.
{MARK}
#pragma once

#include "{spec.name}.op.h"
#include "runtimes/core/float_bits.h"
#include "runtimes/families/unary.h"

namespace opsmith::{spec.name} {{

// Write yours here, and the same in op.py.
template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out) {{
  unary::of_each(p, in.x, out.y, [](float x) {{ return x / (1.0f + with_sign(x, 1.0f)); }});
}}

}}  // namespace opsmith::{spec.name}
"""
