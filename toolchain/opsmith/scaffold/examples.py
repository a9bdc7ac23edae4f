"""The examples of a new op, taken from its uses: nodes that its kernels are compiled for."""

from collections.abc import Iterator

from opsmith.ir.types import BY_NAME
from opsmith.scaffold.python import Group, dtype_source, literal, tree
from opsmith.scaffold.spec import ExampleUse, Given, Spec

MOST = 4


def examples(spec: Spec) -> list[Group | str]:
    """`Example(…)` for the first uses."""
    return [_example(spec, use) for use in spec.uses[:MOST]]


def _example(spec: Spec, use: ExampleUse) -> Group:
    tensors = [_tensor(name, given) for name, given in _named(spec, use)]
    fields: list[Group | str] = [Group("{", tensors, "}")]
    attributes = example_attributes(spec, use)
    if attributes:
        fields.append(tree(attributes))
    return Group("Example(", fields)


def example_attributes(spec: Spec, use: ExampleUse) -> dict[str, object]:
    """The attributes of a use, by their names rather than the source's."""
    if isinstance(use.options, bytes):
        return {"options": use.options}
    found = {}
    for parameter in spec.parameters:
        option = parameter.option or parameter.name
        if option in use.options:
            found[parameter.name] = use.options[option]
    return found


def _named(spec: Spec, use: ExampleUse) -> Iterator[tuple[str, Given]]:
    for value, given in zip(spec.inputs, use.inputs, strict=False):
        if given is not None:
            yield value.name, given
    for value, made in zip(spec.outputs, use.outputs, strict=True):
        yield value.name, made


def _tensor(name: str, given: Given) -> Group:
    words: list[Group | str] = [dtype_source(BY_NAME[given.dtype]), literal(given.shape)]
    words += [tree(given.scale)] if given.scale is not None else []
    words += [str(given.zero_point)] if given.scale is not None and given.zero_point else []
    words += [f"axis={given.axis}"] if given.axis and isinstance(given.scale, tuple) else []
    return Group(f"{literal(name)}: ExampleTensor(", words)
