"""MCUs in a CMSIS file: .svd files have names (peripherals), .pdsc files (packs) memories as well.

CMSIS files are untrusted: their size is bounded, and entities are refused.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from opsmith.errors import ToolchainError, shown
from opsmith.reading import UnreadableError, read_text

SUFFIXES = (".svd", ".pdsc")
_MOST_BYTES = 32 << 20  # the largest files of vendors have 10 MB
_NAME = re.compile(r"[A-Za-z0-9_-]{4,40}")
_SCOPES = ("family", "subFamily", "device", "variant")  # elements of a .pdsc, outermost first
_MOST = 1 << 32
Memories = Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class DeviceEntry:
    """An MCU of a CMSIS file, with origin and size of each memory."""

    name: str
    memories: Memories = field(default_factory=dict)  # origin and size of "flash" and "ram"


def read_devices(file: Path) -> dict[str, DeviceEntry]:
    """MCUs that a CMSIS file describes, by name. Raises BRD026."""
    try:
        text = read_text(file, _MOST_BYTES)
    except UnreadableError as error:
        raise _error(file, f"it cannot be read: {error}") from error
    if "<!DOCTYPE" in text:
        raise _error(file, "it has a document type, which may define entities")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise _error(file, f"it is no XML: {error}") from error
    read = {"device": _of_svd, "package": _of_pdsc}.get(root.tag)
    named = {each.name: each for each in read(root)} if read else {}
    found = {name: each for name, each in named.items() if _NAME.fullmatch(name)}
    if not found:
        what = f"{shown(next(iter(named)))} is no MCU's name" if named else "it names no MCU"
        raise _error(file, what)
    return found


def _of_svd(root: ElementTree.Element) -> Iterator[DeviceEntry]:
    yield DeviceEntry((root.findtext("name") or "").strip())


def _of_pdsc(root: ElementTree.Element) -> Iterator[DeviceEntry]:
    for family in root.iterfind("devices/family"):
        yield from _within(family, {})


def _within(scope: ElementTree.Element, memories: Memories) -> Iterator[DeviceEntry]:
    """Devices in a scope of a .pdsc file, which inherit the memories of enclosing scopes."""
    own = {**memories, **dict(filter(None, map(_memory, scope.iterfind("memory"))))}
    below = _SCOPES[_SCOPES.index(scope.tag) + 1 :]
    inner = [each for each in scope if each.tag in below]
    for each in inner:
        yield from _within(each, own)
    if not inner:
        name = scope.get("Dvariant") or scope.get("Dname") or ""
        yield DeviceEntry(name.strip(), own)


def _memory(element: ElementTree.Element) -> tuple[str, tuple[int, int]] | None:
    """Name, origin and size of the boot memory, or the first RAM; None for any other memory."""
    name, access = element.get("id", ""), element.get("access", "")
    try:
        origin, size = (int(element.get(each, ""), 0) for each in ("start", "size"))
    except ValueError:
        return None
    if origin < 0 or size <= 0 or origin + size > _MOST:
        return None
    if name == "IROM1" or (element.get("startup") == "1" and "w" not in access):
        return "flash", (origin, size)
    if name == "IRAM1" or (element.get("default") == "1" and "w" in access):
        return "ram", (origin, size)
    return None


def _error(file: Path, what: str) -> ToolchainError:
    fix = "take the file from the vendor's pack, or give the MCU's number: --mcu=STM32F405RGT6"
    return ToolchainError.of("BRD026", what, where=str(file), fix=fix)
