"""Arguments of a custom layer's kernel: tensors, or data of the layer."""

from collections.abc import Iterator
from dataclasses import dataclass

from opsmith.errors import shown
from runtimes.gpu.openvino.formats import ANY, FORMATS
from runtimes.gpu.openvino.xml import Element

MOST_ARGUMENTS = 64
OUTPUT = -1
DATA = -2
Complaint = tuple[Element, str, str]  # where, what, fix


@dataclass(frozen=True)
class BoundArgument:
    """Kernel argument, with the tensor or data bound to it."""

    port: int  # the number of the input, or OUTPUT, or DATA
    format: str = ANY
    data: str = ""  # its name

    @property
    def is_tensor(self) -> bool:
        """True if the argument is an input, which the operator has by number."""
        return self.port >= 0


def arguments(buffers: Element) -> tuple[BoundArgument, ...]:
    """Arguments in order; a bad one has a placeholder for its number."""
    numbered = [(_number(each, "arg-index"), _argument(each)) for each in buffers.children]
    return tuple(argument for _, argument in sorted(numbered, key=lambda pair: pair[0]))


def _argument(element: Element) -> BoundArgument:
    if element.name == "Data":
        return BoundArgument(DATA, data=element.attributes["name"])
    given = element.attributes.get("format", "BFYX").upper()
    is_output = element.attributes["type"] == "output"
    return BoundArgument(OUTPUT if is_output else _number(element, "port-index"), given)


def _number(element: Element, attribute: str) -> int:
    """Small integer in an attribute; -1 if it is none."""
    text = element.attributes[attribute].strip()
    good = text.isascii() and text.isdigit() and len(text) < 4
    return int(text) if good and int(text) < MOST_ARGUMENTS else -1


def buffer_problems(buffers: Element) -> Iterator[Complaint]:
    """Problems of the values of Tensor and Data elements: (element, what, fix)."""
    for each in buffers.children:
        for name in ("arg-index", "port-index"):
            if name in each.attributes and _number(each, name) < 0:
                what = f"{name}= of {each.name} is {shown(each.attributes[name])}"
                yield each, what, f"write a number from 0 to {MOST_ARGUMENTS - 1}"
        if each.name == "Tensor":
            yield from _tensor_problems(each)
    indices = sorted(_number(each, "arg-index") for each in buffers.children)
    if indices != list(range(len(indices))):
        what = f"arg-index= has {', '.join(map(str, indices))}"
        yield buffers, what, "number the arguments from 0, each once"
    formats: dict[int, str] = {}
    names: set[str] = set()
    for argument in arguments(buffers):
        if argument.data and argument.data in names:
            yield buffers, f"two Data are called {shown(argument.data)}", "bind each once"
        names.add(argument.data)
        if not argument.data and formats.setdefault(argument.port, argument.format) != (
            argument.format
        ):
            which = "the output" if argument.port == OUTPUT else f"input {argument.port}"
            fix = "give it one: OpenVINO takes the first"
            yield buffers, f"{which} has two formats", fix
    if OUTPUT not in formats:
        yield buffers, "no Tensor is the output", 'add one with type="output"'
    if formats.keys() == {OUTPUT}:
        yield buffers, "no Tensor and no Data is an input", 'add one with type="input"'


def _tensor_problems(element: Element) -> Iterator[Complaint]:
    kind = element.attributes["type"]
    if kind not in ("input", "output"):
        yield element, f"type= of Tensor is {shown(kind)}", 'write type="input" or type="output"'
    if kind == "output" and _number(element, "port-index") > 0:
        what = f"the output has port-index={shown(element.attributes['port-index'])}"
        yield element, what, 'write port-index="0": OpenVINO gives a custom layer one output'
    given, known = element.attributes.get("format", "BFYX"), (*FORMATS, ANY)
    if given not in (*known, *(each.lower() for each in known)):
        yield element, f"format= is {shown(given)}", f"use one of: {', '.join(known)}"
