"""Schema of a custom layer's elements and attributes; all else in a file is refused by name."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from opsmith.errors import Problem, did_you_mean
from runtimes.gpu.openvino.xml import Element

MANY = 1 << 30
Count = tuple[int, int]  # at least, at most


@dataclass(frozen=True)
class ElementKind:
    """Attributes and children that an element may have."""

    required: tuple[str, ...] = ()  # attributes
    optional: tuple[str, ...] = ()
    children: Mapping[str, Count] = field(default_factory=dict)


KINDS = {
    "CustomLayer": ElementKind(
        ("name", "type", "version"),
        children={
            "Kernel": (1, 1),
            "Buffers": (1, 1),
            "CompilerOptions": (0, 1),
            "WorkSizes": (0, 1),
        },
    ),
    "Kernel": ElementKind(("entry",), children={"Source": (1, MANY), "Define": (0, MANY)}),
    "Source": ElementKind(("filename",)),
    "Define": ElementKind(("name",), ("param", "type", "default")),
    "Buffers": ElementKind(children={"Tensor": (1, MANY), "Data": (0, MANY)}),
    "Tensor": ElementKind(("arg-index", "type", "port-index"), ("format",)),
    "Data": ElementKind(("name", "arg-index")),
    "CompilerOptions": ElementKind(("options",)),
    "WorkSizes": ElementKind((), ("global", "local", "dim")),
}


def schema_problems(element: Element, where: str) -> Iterator[Problem]:
    """Problems OPS081 and OPS082: elements and attributes that are unknown, or missing."""
    kind, name, at = KINDS[element.name], element.name, f"{where}:{element.line}"
    known = (*kind.required, *kind.optional)
    for each in element.attributes:
        if each not in known:
            what = f"{name} has an attribute '{each}', which is not known"
            fix = f"use only: {', '.join(known) or 'none'}"
            yield Problem("OPS082", what + did_you_mean(each, known), at, fix)
    for each in kind.required:
        if not element.attributes.get(each, "").strip():
            yield Problem("OPS082", f"{name} has no {each}=", at, f'add {each}="…"')
    for child in element.children:
        if child.name not in kind.children:
            what = f"{name} has an element '{child.name}', which is not known"
            fix = f"use only: {', '.join(kind.children) or 'none'}"
            near = did_you_mean(child.name, kind.children)
            yield Problem("OPS081", what + near, f"{where}:{child.line}", fix)
        else:
            yield from schema_problems(child, where)
    names = [child.name for child in element.children]
    for each, (least, most) in kind.children.items():
        if names.count(each) < least:
            yield Problem("OPS081", f"{name} has no {each}", at, f"add <{each} …>")
        if names.count(each) > most:
            fix = "join them in one: OpenVINO reads the first alone"
            yield Problem("OPS081", f"{name} has {names.count(each)} of {each}", at, fix)
