"""Writes the op.py of a new op."""

import math
from collections.abc import Iterator, Mapping

from opsmith.ir import DType
from opsmith.ir.types import BY_NAME
from opsmith.scaffold import functions
from opsmith.scaffold.kernel_fields import ParamsMember, attribute_members, table_dtype, tables
from opsmith.scaffold.names import class_name
from opsmith.scaffold.python import (
    Group,
    dtype_source,
    kind_source,
    layout,
    literal,
    sentence,
    tree,
)
from opsmith.scaffold.spec import ExampleUse, Given, Parameter, Spec, SpecValue

MOST = 4

TITLES = {
    "elementwise": "a function of float values, element by element",
    "reduction": "the mean along one axis",
    "empty": "not written yet",
}


_KNOWN = {
    "elementwise": "Elements, scales and zero points",
    "reduction": "Elements, scales and zero points",
    "empty": "Elements of each tensor",
}


def op_source(spec: Spec) -> str:
    """Text of op.py."""
    body = [*_params(spec), *_tables(spec), *_decoder(spec)]
    for lines in functions.functions(spec):
        body += ["", "", *lines]
    body += ["", "", *_kernels(spec), *_op(spec)]
    text = "\n".join(body)
    head = f'"""{class_name(spec.name)}: {TITLES[spec.template]}."""'
    return "\n".join([head, "", *_imports(text), text, ""])


def params_members(spec: Spec) -> list[ParamsMember]:
    """Members of Params: those of the template, then those of attributes."""
    return [*functions.members(spec), *attribute_members(spec)]


def _imports(text: str) -> Iterator[str]:
    yield "from opsmith.op import *"
    used = [name for name in functions.REAL if f"{name}(" in text]
    if used:
        yield f"from runtimes.core.real import {', '.join(sorted(used))}"
    yield from ("", "")


def _params(spec: Spec) -> Iterator[str]:
    yield "@dataclass(frozen=True)"
    yield "class Params:"
    yield f'    """{_KNOWN[spec.template]}; attributes."""'
    yield ""
    for member in params_members(spec):
        remark = f"  # {member.remark}" if member.remark else ""
        yield f"    {member.name}: {member.type}{remark}"


def _tables(spec: Spec) -> Iterator[str]:
    if not tables(spec):
        return
    yield from ["", "", "@dataclass(frozen=True)", "class Tables:"]
    yield '    """Constants that kernels get by pointer; one zero where there are none."""'
    yield ""
    for parameter in tables(spec):
        dtype = table_dtype(parameter)
        assert dtype is not None
        yield f"    {parameter.name}: NDArray[np.{functions.numpy_name(dtype)}]"


def _decoder(spec: Spec) -> Iterator[str]:
    if spec.raw_options:
        yield from ["", "", "def decode(data: bytes) -> Mapping[str, Any]:"]
        yield '    """The options by name. Their format is not known: decode it here."""'
        yield '    return {"options": data}'


def _kernels(spec: Spec) -> Iterator[str]:
    """Lines that declare the only kernel, a template for all types."""
    yield f"KERNEL = reference(params{', tables' if tables(spec) else ''})"


def _op(spec: Spec) -> Iterator[str]:
    renames = [_rename(spec, each) for each in (*spec.others, spec.source)]
    fields: list[Group | str] = [f'name="{spec.name}"', Group("legalize=(", list(renames))]
    fields.append(Group("inputs=(", [_value("Input", v, spec) for v in spec.inputs]))
    fields.append(Group("outputs=(", [_value("Output", v, spec) for v in spec.outputs]))
    if spec.parameters:
        fields.append(Group("attributes=(", [_attribute(p) for p in spec.parameters]))
    more = '"elementwise", ' * (spec.template == "elementwise")
    fields.append(f'traits={{{more}"placeholder"}}')
    fields += [f"{name}={name}" for name in ("infer", "check", "evaluate")]
    fields.append(Group("examples=(", examples(spec)))
    lines = ["OP = Op("]
    for each in fields:
        lines += [f"    {each},"] if isinstance(each, str) else layout(each, 4, ",")
    yield from (*lines, *_variants(spec), ")")


def _variants(spec: Spec) -> Iterator[str]:
    """Lines that declare variants: listed, unless there is one for every combination of types."""
    whole = math.prod(map(len, spec.types.values()))
    if whole == 1 or whole != len(spec.variants):
        yield from layout(Group("variants=(", list(map(_variant, spec.variants))), 4, ",")
        return
    given = (f"{literal(n)}: {_tuple(list(map(dtype_source, t)))}" for n, t in spec.types.items())
    yield from layout(Group("variants=of_types(", [Group("{", list(given), "}"), "KERNEL"]), 4, ",")


def _variant(types: Mapping[str, DType]) -> str:
    given = ", ".join(f"{literal(name)}: {dtype_source(each)}" for name, each in types.items())
    return f"Variant({{{given}}}, (KERNEL,))"


def _rename(spec: Spec, source: str) -> Group:
    fields: list[Group | str] = [literal(source)]
    first, last = spec.versions
    if (first, last) != (1, 1):
        fields.append(f"versions=range({first}, {last + 1})")
    renamed = {p.option: p.name for p in spec.parameters if p.option and p.option != p.name}
    if renamed:
        items: list[Group | str] = [f"{literal(k)}: {literal(v)}" for k, v in renamed.items()]
        fields.append(Group("attributes={", items, "}"))
    if spec.ignored:
        fields.append(Group("ignore=(", [literal(option) for option, _ in spec.ignored]))
    if spec.order:
        fields.append(Group("inputs=(", list(map(str, spec.order))))
    if spec.custom is not None and source == spec.source:
        fields.append(f"options={'decode' if spec.raw_options else 'flexbuffer'}")
    return Group("Rename(", fields)


def _value(kind: str, value: SpecValue, spec: Spec) -> str:
    named = spec.type_of(value)
    kept = f'"{named}"' if isinstance(named, str) else dtype_source(named)
    flags = "".join(f", {name}=True" for name in ("optional", "state") if getattr(value, name))
    return f'{kind}("{value.name}", {kept}{flags if kind == "Input" else ""})'


def _attribute(parameter: Parameter) -> str:
    default = ""
    if parameter.default is not None:
        shown = literal(parameter.default)
        if isinstance(parameter.type, DType):
            shown = f'np.array({shown}, "{parameter.type.name}")'
        default = f", default={shown}"
    return f'Attribute("{parameter.name}", {kind_source(parameter.type)}{default})'


def _tuple(names: list[str]) -> str:
    return f"({', '.join(names)}{',' if len(names) == 1 else ''})"


def header_remarks(spec: Spec) -> Iterator[str]:
    """Yield a sentence for every fact that the model does not determine."""
    for parameter in spec.parameters:
        if parameter.remark:
            yield f"attribute '{parameter.name}': {parameter.remark}"
    for option, why in spec.ignored:
        yield f"option '{sentence(option)}' is ignored: {why}"
    if spec.raw_options:
        yield "the custom options are no flexbuffer map: decode() hands out their bytes"


def examples(spec: Spec) -> list[Group | str]:
    """Calls `Example(…)` for the first uses."""
    return [_example(spec, use) for use in spec.uses[:MOST]]


def _example(spec: Spec, use: ExampleUse) -> Group:
    tensors = [_tensor(value.name, given) for value, given in spec.given(use)]
    fields: list[Group | str] = [Group("{", tensors, "}")]
    attributes = example_attributes(spec, use)
    if attributes:
        fields.append(tree(attributes))
    return Group("Example(", fields)


def example_attributes(spec: Spec, use: ExampleUse) -> dict[str, object]:
    """Attributes of a use, by their own names rather than the source's."""
    if isinstance(use.options, bytes):
        return {"options": use.options}
    found = {}
    for parameter in spec.parameters:
        option = parameter.option or parameter.name
        if option in use.options:
            found[parameter.name] = use.options[option]
    return found


def _tensor(name: str, given: Given) -> Group:
    words: list[Group | str] = [dtype_source(BY_NAME[given.dtype]), literal(given.shape)]
    words += [tree(given.scale)] if given.scale is not None else []
    words += [str(given.zero_point)] if given.scale is not None and given.zero_point else []
    words += [f"axis={given.axis}"] if given.axis and isinstance(given.scale, tuple) else []
    return Group(f"{literal(name)}: ExampleTensor(", words)
