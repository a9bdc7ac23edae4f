"""Writes ops on families: functions of one tensor, of two that broadcast, and movements."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from opsmith.ir import DType
from opsmith.ir.types import boolean
from opsmith.scaffold.family_cases import binary_cases, movement_cases, unary_cases
from opsmith.scaffold.names import class_name
from opsmith.scaffold.python import dtype_source, literal
from opsmith.scaffold.spec import Spec
from opsmith.scaffold.unary import unary_op, unary_problems
from opsmith.scaffold.unfinished import MARK, TRAIT


@dataclass(frozen=True)
class FamilyWriter:
    """Functions of a spec that write a family's op: problems, op.py, a kernel and test cases."""

    problems: Callable[[Spec], Iterator[str]]  # reasons why it cannot write the op
    op: Callable[[Spec], str]
    kernel: Callable[[Spec], str]  # source of a kernel; "" if the family has all kernels
    cases: Callable[[Spec], str]


def _problems(
    template: str, *names: str, y: DType | None = None
) -> Callable[[Spec], Iterator[str]]:
    """Function that yields problems of a spec with a template, which requires inputs `names` and an
    output y of equal types, or y of a given type.
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
    made = ", y=boolean" * relation
    stated, value = _STATED[spec.template]
    return f'''\
"""{class_name(spec.name)}: a function of two elements, of tensors that broadcast."""

from opsmith.op import *
from runtimes.families.binary import binary, plain


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


# Formula in words, and in Python
_STATED = {
    "binary": ("The larger one", "np.where(a > b, a, b)"),
    "relation": ("Whether a is greater", "np.greater(a, b)"),
}


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


def _movement_op(spec: Spec) -> str:
    return f'''\
"""{class_name(spec.name)}: the elements of a tensor, of any type, in another order."""

from opsmith.op import *
from runtimes.families.walk import Walk, walk_through


def walk(node: NodeView) -> Walk:
    """Along each axis from its end. Write yours here."""
    x = node["x"]
    return Walk.of_positions(x, [range(size)[::-1] for size in x.shape])


OP = walk_through(
    {literal(spec.name)},
    {_rename(spec)},
    walk,
    Example.of(x=(4, 5), y=(4, 5)),
{TRAIT}
)
'''


FAMILIES = {
    "unary": FamilyWriter(unary_problems, unary_op, lambda spec: "", unary_cases),
    "relation": FamilyWriter(
        _problems("relation", "a", "b", y=boolean), _binary_op, _binary_kernel, binary_cases
    ),
    "binary": FamilyWriter(_problems("binary", "a", "b"), _binary_op, _binary_kernel, binary_cases),
    "movement": FamilyWriter(
        _problems("movement", "x"), _movement_op, lambda spec: "", movement_cases
    ),
}
