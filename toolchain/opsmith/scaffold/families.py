"""Write ops on families: of one tensor, of two that broadcast, and of moved elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from opsmith.ir import DType
from opsmith.ir.types import boolean
from opsmith.scaffold.names import class_name
from opsmith.scaffold.python import dtype_source, literal
from opsmith.scaffold.spec import Spec
from opsmith.scaffold.unary import unary_cases, unary_kernel, unary_op, unary_problems
from opsmith.scaffold.unfinished import MARK, TRAIT, cases_title, known_to_litert, oracle_lines


@dataclass(frozen=True)
class Family:
    """What writes ops of a family."""

    problems: Callable[[Spec], Iterator[str]]  # why it cannot
    op: Callable[[Spec], str]
    kernel: Callable[[Spec], str]  # "" where the family has all kernels
    cases: Callable[[Spec], str]


def _problems(
    template: str, *names: str, y: DType | None = None
) -> Callable[[Spec], Iterator[str]]:
    """Those of a template for inputs of these names, and an output y: of the same types, or of one
    that is given.
    """

    def problems(spec: Spec) -> Iterator[str]:
        values = (*spec.inputs, *spec.outputs)
        found = [value.name for value in values if not (value.optional or value.state)]
        if found != [*names, "y"] or len(values) != len(found):
            inputs = " and ".join(f"input {name}" for name in names)
            yield f"template {template} needs {inputs}, and one output, y"
        elif len({value.types for value in (values if y is None else spec.inputs)}) > 1:
            of = "all tensors" if y is None else "all inputs"
            yield f"template {template} has one set of types for {of}"
        elif y is not None and spec.outputs[0].types != (y,):
            yield f"template {template} gives y the type {y.short}"
        if spec.parameters:
            yield f"template {template} takes no attributes"

    return problems


def _rename(spec: Spec) -> str:
    first, last = spec.versions
    versions = f", versions=range({first}, {last + 1})" * ((first, last) != (1, 1))
    return f"Rename({literal(spec.source)}{versions})"


def _binary_op(spec: Spec) -> str:
    types = [dtype_source(dtype) for dtype in spec.inputs[0].types]
    tuple_ = f"({', '.join(types)}{',' * (len(types) == 1)})"
    relation = spec.template == "relation"
    imported = sorted({*types, *(["boolean"] if relation else [])}, key=_natural)
    made = ", y=boolean" * relation
    stated, value = _STATED[spec.template]
    return f'''\
"""{class_name(spec.name)}: a function of two elements, of tensors that broadcast."""

from __future__ import annotations

import numpy as np

from opsmith.op import {", ".join(["Array", "Rename", *imported])}
from opsmith.runtimes.families.binary import binary, plain


def function(a: Array, b: Array) -> Array:
    """{stated}. Write yours here, and the same in reference.h."""
    return {value}


TYPES = {tuple_}
OP = binary(
    {literal(spec.name)},
    {_rename(spec)},
    variants=tuple(plain(dtype, function, cost=10.0{made}) for dtype in TYPES),
{"    y=boolean," + chr(10) if relation else ""}{TRAIT}
)
'''


# What the formula is, and in Python
_STATED = {
    "binary": ("The larger one", "np.where(a > b, a, b)"),
    "relation": ("Whether a is greater", "np.greater(a, b)"),
}


def _natural(name: str) -> tuple[str, int]:
    """As ruff sorts names: i8 before i16."""
    digits = "".join(filter(str.isdigit, name))
    return name.rstrip("0123456789"), int(digits or 0)


def _binary_kernel(spec: Spec) -> str:
    value = "a > b" if spec.template == "relation" else "a > b ? a : b"
    return f"""\
// {class_name(spec.name)}, the definition.
{MARK}
#pragma once

#include "{spec.name}.op.h"
#include "runtimes/core/broadcast.h"

namespace opsmith::{spec.name} {{

// Write yours here, and the same in op.py.
template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {{
  for_each_pair(p, in.a, in.b, out.y, [](T a, T b) {{ return {value}; }});
}}

}}  // namespace opsmith::{spec.name}
"""


def _binary_cases(spec: Spec) -> str:
    types = [dtype.name for dtype in spec.inputs[0].types]
    relation = spec.template == "relation"
    y, results = ('"bool"', [False, False, True]) if relation else ("dtype", [2, 2, 3])
    own = [
        f"def {spec.name}(a: Sequence[int], b: Sequence[int], dtype: str) -> Build:",
        f'    """A {class_name(spec.name)}; y has the shape to which both broadcast."""',
        '    given = {"a": (a, dtype), "b": (b, dtype)}',
        f'    made = {{"y": (np.broadcast_shapes(tuple(a), tuple(b)), {y})}}',
        f"    return {_node(spec)}",
    ]
    cases = [f'Case("{name}", {spec.name}((4, 5), (4, 5), "{name}"))' for name in types]
    cases += [
        f'Case("broadcast", {spec.name}((2, 1, 3), (4, 1), "{types[0]}"))',
        f'Case("scalars", {spec.name}((), (), "{types[0]}"))',
    ]
    known = [
        f'        given = [np.array(each, "{types[0]}") for each in ([1, 2, 3], [2, 2, 2])]',
        f'        (y,) = self.in_numpy({spec.name}((3,), (3,), "{types[0]}")).run(given)',
        f"        assert y.tolist() == {results}",
    ]
    return _cases(spec, own, cases, known)


def _movement_op(spec: Spec) -> str:
    return f'''\
"""{class_name(spec.name)}: the elements of a tensor, of any type, in another order."""

from __future__ import annotations

from opsmith.op import NodeView, Rename
from opsmith.runtimes.families.movement import example
from opsmith.runtimes.families.walk import Walk, walk_through


def walk(node: NodeView) -> Walk:
    """Along each axis from its end. Write yours here."""
    x = node["x"]
    return Walk.of_positions(x, [range(size)[::-1] for size in x.shape])


OP = walk_through(
    {literal(spec.name)},
    {_rename(spec)},
    walk,
    example(x=(4, 5), y=(4, 5)),
{TRAIT}
)
'''


def _movement_cases(spec: Spec) -> str:
    first = spec.inputs[0].types[0].name
    own = [
        f"def {spec.name}(x: Sequence[int], y: Sequence[int], dtype: str) -> Build:",
        f'    """A {class_name(spec.name)} from one shape to another."""',
        '    given, made = {"x": (x, dtype)}, {"y": (y, dtype)}',
        f"    return {_node(spec)}",
    ]
    cases = [
        f"*(Case(dtype, {spec.name}((4, 5), (4, 5), dtype)) for dtype in EVERY_TYPE_NAME)",
        f'Case("image", {spec.name}((2, 3, 4, 3), (2, 3, 4, 3), "{first}"))',
        f'Case("scalar", {spec.name}((), (), "{first}"))',
    ]
    known = [
        f'        x = np.array([[1, 0, 1], [0, 0, 1]], "{first}")',
        f'        (y,) = self.in_numpy({spec.name}((2, 3), (2, 3), "{first}")).run([x])',
        "        assert y.tolist() == [[1, 0, 0], [1, 0, 1]]",
    ]
    imported = ["from opsmith.runtimes.families.movement_cases import EVERY_TYPE_NAME"]
    return _cases(spec, own, cases, known, imported)


def _node(spec: Spec) -> str:
    """The call that builds a node of these inputs and outputs."""
    if spec.custom is not None:
        return f"custom_node({literal(spec.custom)}, given, made)"
    version = f", version={spec.versions[0]}" * (spec.versions[0] != 1)
    return f"one_node({literal(spec.source.split('.')[-1])}, given, made{version})"


def _cases(
    spec: Spec,
    own: Sequence[str],
    cases: Sequence[str],
    known: Sequence[str],
    imported: Sequence[str] = (),
) -> str:
    """The text of test_<op>.py."""
    title, build = class_name(spec.name), "one_node" if spec.custom is None else "custom_node"
    known = (
        [] if known_to_litert(spec) else ["", "    def test_known_results(self) -> None:", *known]
    )
    written = [*own, *known]
    lines = [
        cases_title(spec),
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Sequence",
        "",
        *(["import numpy as np", ""] if any("np." in line for line in written) else []),
        *imported,
        f"from opsmith.testing.one_node import Build, {build}",
        "from opsmith.testing.op_tests import Case, OpTests",
        "",
        "",
        *own,
        "",
        "",
        f"class Test{title}(OpTests):",
        *oracle_lines(spec),
        "    cases = (",
        *(f"        {case}," for case in cases),
        "    )",
        *known,
    ]
    return "\n".join([*lines, ""])


FAMILIES = {
    "unary": Family(unary_problems, unary_op, unary_kernel, unary_cases),
    "relation": Family(
        _problems("relation", "a", "b", y=boolean), _binary_op, _binary_kernel, _binary_cases
    ),
    "binary": Family(_problems("binary", "a", "b"), _binary_op, _binary_kernel, _binary_cases),
    "movement": Family(_problems("movement", "x"), _movement_op, lambda spec: "", _movement_cases),
}
