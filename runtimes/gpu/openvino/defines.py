"""Define elements of a layer: its kernel's macros with a text or an operator's option."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from opsmith.errors import shown
from opsmith.keywords import KEYWORDS
from runtimes.gpu.definitions import read_beyond
from runtimes.gpu.openvino.layer import RESERVED
from runtimes.gpu.openvino.macros import KERNEL, SIZES
from runtimes.gpu.openvino.xml import Element
from runtimes.gpu.preprocessor import as_compilers_read

KINDS = {"int": (int, False), "float": (float, False)}
KINDS |= {"int[]": (int, True), "float[]": (float, True)}
MOST_CHARACTERS = 2000
# Names in the text around the author's file, in which its macros would be replaced, too.
TAKEN = frozenset(
    "gpu p in out Params In Out nothing NUM_INPUTS INLINE defined __global".split()
) | {*KERNEL, *SIZES}
_BUILT_IN = re.compile(r"(?:INPUT\d+|OUTPUT\d+)_.*|x\d*|y")
_NAMED = re.compile(r"([A-Za-z_]\w{0,79})(?:[ \t]+(.*))?", re.ASCII)
_PARAM = re.compile(r"[A-Za-z_][\w.-]{0,79}", re.ASCII)
_NUMBERS = {
    int: re.compile(r"[-+]?\d{1,10}", re.ASCII),
    float: re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?[fF]?", re.ASCII),
}
_LARGEST = {int: 2**31 - 1, float: float(np.finfo(np.float32).max)}
Complaint = tuple[Element, str, str]


@dataclass(frozen=True)
class Macro:
    """Macro of a layer: a text, or the value of an option."""

    name: str
    text: str = ""
    option: str = ""  # without one the text holds
    type: type = int
    array: bool = False
    default: object = None  # None: the operator must have the option


def macro(given: Mapping[str, str]) -> Macro:
    """Macro of a Define element that has no problems."""
    name, text = _name(given)
    kind, default = _kind(given), given.get("default")
    if not given.get("param"):
        text = text or default or ""
        return Macro(name, f"({given['type']}) {{{text}}}" if kind and kind[1] else text)
    cpp, array = kind or (int, False)
    return Macro(name, "", given["param"], cpp, array, _default(default, cpp, array=array))


def _name(given: Mapping[str, str]) -> tuple[str, str]:
    """Name of a Define, and the text that may follow it."""
    found = _NAMED.fullmatch(given["name"].strip())
    return (found[1], (found[2] or "").strip()) if found else ("", "")


def _kind(given: Mapping[str, str]) -> tuple[type, bool] | None:
    """Type that a Define states or its default has; None where neither tells."""
    if given.get("type"):
        return KINDS.get(given["type"])
    text = given.get("default", "").strip()
    return next(
        (KINDS[cpp.__name__] for cpp, form in _NUMBERS.items() if form.fullmatch(text)), None
    )


def _default(text: str | None, cpp: type, *, array: bool) -> object:
    """Value of a default; None where it is missing or not of the type."""
    if text is None or not text.strip():
        return None
    words = [each.strip() for each in text.split(",")] if array else [text.strip()]
    if not all(_NUMBERS[cpp].fullmatch(each) for each in words):
        return None
    values = tuple(cpp(each.rstrip("fF")) for each in words)
    if not all(abs(each) <= _LARGEST[cpp] for each in values):
        return None
    return values if array else values[0]


def define_problems(defines: Sequence[Element]) -> Iterator[Complaint]:
    """Problems of the values of Define elements: (element, what, fix)."""
    names: list[str] = []
    options: dict[str, Macro] = {}
    for each in defines:
        given = each.attributes
        name, text = _name(given)
        if not name or not _one_line(given):
            what = f"name= of Define is {shown(given['name'])}"
            yield each, what, "write an identifier, which a value may follow on the same line"
            continue
        if is_taken(name):
            fix = "rename it, in the kernel, too"
            yield each, f"name= of Define is '{name}', which means something else", fix
        if name in names:
            yield each, f"two Define are called '{name}'", "leave one of them out"
        names.append(name)
        if may_read(text or given.get("default", "")):
            what = f"Define '{name}' may make a compiler read or name other files"
            yield each, what, "write a value of OpenCL C, without assembler, _Pragma and ##"
        yield from _value_problems(each, text, options)


def _value_problems(element: Element, text: str, options: dict[str, Macro]) -> Iterator[Complaint]:
    given = element.attributes
    if given.get("type") and given["type"] not in KINDS:
        what = f"type= of Define is {shown(given['type'])}"
        yield element, what, f"use one of: {', '.join(KINDS)}"
        return
    param = given.get("param", "")
    if text and (param or given.get("default")):
        yield element, "name= of Define has a value, and so has the rest", "say it once"
    if not param:
        return
    if not _PARAM.fullmatch(param) or param in RESERVED:
        what = f"param= of Define is {shown(param)}"
        yield element, what, "name an option with letters, digits and _"
        return
    if _kind(given) is None:
        what = f"nothing says of which type param='{param}' is"
        yield element, what, f"add type=, one of: {', '.join(KINDS)}"
        return
    made = macro(given)
    if given.get("default", "").strip() and made.default is None:
        what = f"default= of Define is {shown(given['default'])}"
        yield element, what, f"write a value of type {given.get('type', '')}"
    other = options.setdefault(param, made)
    if (other.type, other.array, other.default) != (made.type, made.array, made.default):
        what = f"param='{param}' has two types, or two defaults"
        yield element, what, "give both the same type= and default="


def may_read(text: str) -> bool:
    """True if a macro of this text, or a word that it pastes together, may read another file."""
    text = as_compilers_read(text)
    return "##" in text or "%:%:" in text or "_Pragma" in text or bool(read_beyond(text))


def is_taken(name: str) -> bool:
    """True if a macro of this name would change text around the author's file."""
    return name in TAKEN or name in KEYWORDS or bool(_BUILT_IN.fullmatch(name))


def _one_line(given: Mapping[str, str]) -> bool:
    text = "".join(given.values())
    kept = "\\" not in text and "/*" not in text  # neither goes on into the next line
    return len(text) < MOST_CHARACTERS and text.isprintable() and kept
