"""Write an op of one tensor on its family: op.py, reference.h for float32, and the test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from opsmith.ir import DType
from opsmith.ir.types import f32, i8, i16, u8
from opsmith.scaffold.names import class_name
from opsmith.scaffold.python import Group, layout, literal
from opsmith.scaffold.spec import Spec
from opsmith.scaffold.unfinished import MARK, TRAIT, cases_title, known_to_litert, oracle_lines

_VARIANTS = {
    i8: "table_256(rounded(function))",
    u8: "table_256(rounded(function), u8)",
    i16: "table_513(rounded(function))",
    f32: "floats(function, cost=20.0)",
}
_IMPORTS = {i8: ["table_256"], u8: ["table_256"], i16: ["table_513"], f32: []}
_QUANTISATIONS = {i8: "0.05, 3, 0.01, -4", u8: "0.05, 131, 0.01, 124", i16: "2e-4, 0, 4e-5, 0"}
# Elements of x, the scales of x and y, and the elements of y: x / (1 + |x|) of -1, 0, 1 and 3, or
# of 0, 1 and 3. A table of int16 has every 128th element's.
_KNOWN: Mapping[DType, tuple[Sequence[float], str, str, Sequence[float]]] = {
    i8: ([-1, 0, 1, 3], "1.0", "1 / 64", [-32, 0, 32, 48]),
    u8: ([0, 1, 3], "1.0", "1 / 64", [0, 32, 48]),
    i16: ([-4096, 0, 4096, 12288], "1 / 4096", "1 / 64", [-32, 0, 32, 48]),
    f32: ([-1.0, 0.0, 1.0, 3.0], "", "", [-0.5, 0.0, 0.5, 0.75]),
}


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


def unary_cases(spec: Spec) -> str:
    """The text of test_<op>.py."""
    title, types = class_name(spec.name), spec.inputs[0].types
    build = "custom_node" if spec.custom is not None else "one_node"
    source = literal(spec.custom if spec.custom is not None else spec.source.split(".")[-1])
    version = f", version={spec.versions[1]}" * (spec.custom is None and spec.versions[1] != 1)
    given = [f'{{"{name}": (shape, dtype, *{name})}}' for name in ("x", "y")]
    call = Group(f"return {build}(", [source, *given, *([version[2:]] if version else [])])
    lines = [
        cases_title(spec),
        "",
        "from __future__ import annotations",
        "",
        "from typing import Any",
        "",
        *([] if known_to_litert(spec) else ["import numpy as np", ""]),
        f"from opsmith.testing.one_node import Build, {build}",
        "from opsmith.testing.op_tests import Case, OpTests",
        "",
        "",
        f"def {spec.name}(*shape: int, dtype: str, x: Any = (), y: Any = ()) -> Build:",
        f'    """A {title}; x and y are quantisations."""',
        *layout(call, 4),
        "",
        "",
        f"class Test{title}(OpTests):",
        *oracle_lines(spec),
        *layout(Group("cases = (", list(_cases(spec, types))), 4),
        *(() if known_to_litert(spec) else _known_results(spec, types[0])),
    ]
    return "\n".join([*lines, ""])


def _cases(spec: Spec, types: tuple[DType, ...]) -> Iterator[str]:
    for dtype in types:
        yield f'Case("{dtype.short}", {spec.name}(200, {_given(dtype)}))'
    yield f'Case("scalar", {spec.name}({_given(types[0])}))'


def _given(dtype: DType) -> str:
    if dtype == f32:
        return f'dtype="{dtype.name}"'
    x, x_zero, y, y_zero = _QUANTISATIONS[dtype].split(", ")
    return f'dtype="{dtype.name}", x=({x}, {x_zero}), y=({y}, {y_zero})'


def _known_results(spec: Spec, dtype: DType) -> Iterator[str]:
    x, x_scale, y_scale, y = _KNOWN[dtype]
    scales = f", x=({x_scale},), y=({y_scale},)" if x_scale else ""
    yield ""
    yield "    def test_known_results(self) -> None:"
    yield '        """x / (1 + |x|), worked out by hand."""'
    yield f'        x = np.array({x}, "{dtype.name}")'
    use = f'{spec.name}({len(x)}, dtype="{dtype.name}"{scales})'
    yield f"        (y,) = self.in_numpy({use}).run([x])"
    yield f"        assert y.tolist() == {y}"
