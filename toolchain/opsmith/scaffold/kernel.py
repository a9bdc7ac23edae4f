"""Writes the reference.h of a new op."""

from collections.abc import Iterator

from opsmith.contract.check import PLACEHOLDER_MARK
from opsmith.scaffold.functions import placeholder_source
from opsmith.scaffold.kernel_fields import tables
from opsmith.scaffold.names import class_name
from opsmith.scaffold.spec import Spec, SpecValue
from opsmith.scaffold.unfinished import MARK

COLUMNS = 100


def kernel_source(spec: Spec) -> str:
    """Text of reference.h: one template for all types."""
    lines = list(_HEADS[spec.template](spec))
    lines += [MARK] if spec.template != "empty" else []
    lines += ["#pragma once", "", f'#include "{spec.name}.op.h"']
    lines += ['#include "runtimes/core/real.h"'] if spec.template != "empty" else []
    lines += ["", f"namespace opsmith::{spec.name} {{", ""]
    lines += _BODIES[spec.template](spec)
    return "\n".join([*lines, "", f"}}  // namespace opsmith::{spec.name}", ""])


def _signature(spec: Spec, *, reads: bool = True) -> Iterator[str]:
    """First lines of the kernel, broken as clang-format would."""
    types = f"<{', '.join(spec.types)}>"
    yield f"template <class P, {', '.join(f'class {name}' for name in spec.types)}>"
    items = ["const P& p", f"const In{types}&{' in' if reads else ''}", f"const Out{types}& out"]
    items += ["const Tables&"] if tables(spec) else []
    head, line = "void reference(", ""
    for number, item in enumerate(items):
        text = item + (") {" if number + 1 == len(items) else ",")
        joined = f"{line} {text}" if line else f"{head}{text}"
        if len(joined) > COLUMNS:
            yield line
            joined = " " * len(head) + text
        line = joined
    yield line


def _parameter(spec: Spec, value: SpecValue) -> str:
    named = spec.type_of(value)
    return named if isinstance(named, str) else named.c


def _elementwise_head(spec: Spec) -> Iterator[str]:
    yield f"// {class_name(spec.name)}, the definition: function() of the dequantised values that"
    yield "// elements stand for, as the nearest element of the output."


def _elementwise(spec: Spec) -> Iterator[str]:
    names, y = [value.name for value in spec.inputs], spec.outputs[0]
    yield "// The function. Write yours here, and the same in op.py."
    if len(names) == 1:
        x = names[0]
        value = f"{x} / (1.0 + ({x} < 0 ? -{x} : {x}))"
        yield f"inline double function(double {x}) {{ return {value}; }}"
    else:
        yield f"inline double function({', '.join(f'double {name}' for name in names)}) {{"
        yield f"  double found = {names[0]};"
        yield from (f"  found = {name} > found ? {name} : found;" for name in names[1:])
        yield from ("  return found;", "}")
    yield ""
    yield from _signature(spec)
    yield "  for (int32_t i = 0; i < p.elements; ++i) {"
    for name in names:
        value = f"to_real(in.{name}[i], p.{name}_scale, p.{name}_zero_point)"
        yield f"    const double {name} = {value};"
    yield f"    const double real = function({', '.join(names)});"
    yield from _store("    ", f"out.{y.name}[i]", spec, y, "real")
    yield from ("  }", "}")


def _store(pad: str, target: str, spec: Spec, y: SpecValue, real: str) -> Iterator[str]:
    call = f"from_real<{_parameter(spec, y)}>({real}, p.{y.name}_scale, p.{y.name}_zero_point)"
    line = f"{pad}{target} = {call};"
    yield from [line] if len(line) <= COLUMNS else [f"{pad}{target} =", f"{pad}    {call};"]


def _reduction_head(spec: Spec) -> Iterator[str]:
    yield f"// {class_name(spec.name)}, the definition: the mean along one axis, in floating point."


def _reduction(spec: Spec) -> Iterator[str]:
    x, y = spec.inputs[0], spec.outputs[0]
    yield from _signature(spec)
    yield "  for (int32_t o = 0; o < p.outer; ++o) {"
    yield "    for (int32_t i = 0; i < p.inner; ++i) {"
    yield f"      const {_parameter(spec, x)}* x = in.{x.name} + o * p.length * p.inner + i;"
    yield "      double total = 0;"
    yield "      for (int32_t k = 0; k < p.length; ++k) {"
    yield f"        total += units(x[k * p.inner], p.{x.name}_zero_point);"
    yield "      }"
    yield f"      const double mean = total * p.{x.name}_scale / p.length;"
    yield from _store("      ", f"out.{y.name}[o * p.inner + i]", spec, y, "mean")
    yield from ("    }", "  }", "}")


def _empty_head(spec: Spec) -> Iterator[str]:
    yield f"// {class_name(spec.name)}, not written yet."
    yield f"// {PLACEHOLDER_MARK}: write the op here and in evaluate of op.py; then remove"
    yield "// this mark and the trait 'placeholder' of op.py."


def _empty(spec: Spec) -> Iterator[str]:
    sources = [placeholder_source(spec, value) for value in spec.outputs]
    yield "// A placeholder that can be run: the first elements of the first input, or zeros."
    yield from _signature(spec, reads=any(sources))
    for value, source in zip(spec.outputs, sources, strict=True):
        yield f"  for (int32_t i = 0; i < p.{value.name}_elements; ++i) {{"
        zero = f"{_parameter(spec, value)}{{}}"
        given = f"i < p.{source.name}_elements ? in.{source.name}[i] : {zero}" if source else zero
        yield f"    out.{value.name}[i] = {given};"
        yield "  }"
    yield "}"


_HEADS = {"elementwise": _elementwise_head, "reduction": _reduction_head, "empty": _empty_head}
_BODIES = {"elementwise": _elementwise, "reduction": _reduction, "empty": _empty}
