"""Registers of an MCU from a CMSIS SVD file."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from tests.registers.table import Field, Peripheral

Wanted = Mapping[str, Mapping[str, str]]  # peripherals and registers -> fields, as patterns


def peripherals(file: Path, wanted: Wanted) -> dict[str, Peripheral]:
    """Peripherals with names of a pattern, their registers of another, and their fields."""
    root = ElementTree.fromstring(file.read_text(encoding="utf-8"))
    every = {_text(each, "name"): each for each in root.iter("peripheral")}
    found: dict[str, Peripheral] = {}
    for name, element in every.items():
        registers = next((of for each, of in wanted.items() if re.fullmatch(each, name)), None)
        if registers is None:
            continue
        owner = every[element.get("derivedFrom", name)]
        interrupts = [int(_text(each, "value"), 0) for each in element.findall("interrupt")]
        made = Peripheral(int(_text(element, "baseAddress"), 0), next(iter(interrupts), None))
        if owner is not element and _text(owner, "name") in found:
            made.like = _text(owner, "name")
        else:
            made.registers |= _registers(owner.find("registers"), registers, 0, "")
        found[name] = made
    return found


def _registers(
    owner: ElementTree.Element | None, wanted: Mapping[str, str], base: int, prefix: str
) -> dict[str, tuple[int, list[Field]]]:
    found: dict[str, tuple[int, list[Field]]] = {}
    for element in owner if owner is not None else ():
        if element.tag not in ("cluster", "register"):
            continue
        offset = base + int(element.findtext("addressOffset", "0"), 0)
        for index, at in _repeated(element):
            name = prefix + re.sub(r"\[?%s\]?", index, _text(element, "name"))
            if element.tag == "cluster":
                found |= _registers(element, wanted, offset + at, f"{name}_")
            else:
                fields = next((of for each, of in wanted.items() if re.fullmatch(each, name)), None)
                if fields is not None:
                    found[name] = (offset + at, _fields(element, fields))
    return found


def _repeated(element: ElementTree.Element) -> Sequence[tuple[str, int]]:
    """Index and offset of each element of an SVD array; of a long one the first alone."""
    count = int(element.findtext("dim", "0"), 0)
    if not count:
        return [("", 0)]
    step = int(element.findtext("dimIncrement", "0"), 0)
    return [(str(i), i * step) for i in range(count if count <= 8 else 1)]


def _fields(register: ElementTree.Element, wanted: str) -> list[Field]:
    found = []
    for each in register.iter("field"):
        name = _text(each, "name")
        if re.fullmatch(wanted, name):
            bit, bits = _place(each)
            found.append(Field(name, bit, bits))
    return found


def _place(field: ElementTree.Element) -> tuple[int, int]:
    """First bit and number of bits of a field, in any of SVD's forms."""
    range_ = re.fullmatch(r"\[(\d+):(\d+)\]", field.findtext("bitRange", ""))
    if range_:
        return int(range_[2]), int(range_[1]) - int(range_[2]) + 1
    if field.find("lsb") is not None:
        low, high = int(_text(field, "lsb"), 0), int(_text(field, "msb"), 0)
        return low, high - low + 1
    return int(_text(field, "bitOffset"), 0), int(field.findtext("bitWidth", "1"), 0)


def _text(element: ElementTree.Element, key: str) -> str:
    found = element.findtext(key)
    assert found is not None, key
    return found
