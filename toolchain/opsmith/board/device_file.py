"""MCUs in a CMSIS file: .svd files have names (peripherals), packs and their .pdsc files processors
and memories as well.

CMSIS files are untrusted: their size is bounded, and entities are refused.
"""

import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from opsmith.errors import ToolchainError, shown
from opsmith.reading import UnreadableError, check_regular, read_text

_PACK = ".pack"  # an archive with one .pdsc file
SUFFIXES = (".svd", ".pdsc", _PACK)
_MOST_BYTES = 32 << 20  # the largest files of vendors have 10 MB
_LARGEST_PACK = 4 << 30
_NAME = re.compile(r"[A-Za-z0-9_-]{4,40}(?::[A-Za-z0-9_+-]{1,40})?")
_SCOPES = ("family", "subFamily", "device", "variant")  # elements of a .pdsc, outermost first
Attributes = Mapping[str, str]


@dataclass(frozen=True)
class DeviceEntry:
    """An MCU of a CMSIS file: a processor of it, and the memories that this one has."""

    name: str  # "NAME", or "NAME:PROCESSOR" where processors differ
    memories: tuple[Attributes, ...] = ()  # attributes of <memory>
    processor: Attributes = field(default_factory=dict)  # attributes of <processor>


def read_devices(file: Path) -> dict[str, DeviceEntry]:
    """MCUs that a CMSIS file describes, by name. Raises BRD026."""
    try:
        text = _of_pack(file) if file.suffix == _PACK else read_text(file, _MOST_BYTES)
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


def _of_pack(file: Path) -> str:
    """Text of the only .pdsc file in a pack. Raises UnreadableError."""
    check_regular(file, _LARGEST_PACK)
    try:
        with zipfile.ZipFile(file) as archive:
            found = [each for each in archive.namelist() if each.endswith(".pdsc")]
            if len(found) != 1:
                raise UnreadableError(f"it has {len(found)} .pdsc files, and a pack has one")
            with archive.open(found[0]) as member:
                data = member.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise UnreadableError(f"its .pdsc file has more than {_MOST_BYTES:,} bytes")
        return data.decode("utf-8-sig")
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        raise UnreadableError("it is no archive that can be read") from error


def _of_svd(root: ElementTree.Element) -> Iterator[DeviceEntry]:
    yield DeviceEntry((root.findtext("name") or "").strip())


def _of_pdsc(root: ElementTree.Element) -> Iterator[DeviceEntry]:
    for family in root.iterfind("devices/family"):
        yield from _within(family, {}, {})


def _within(
    scope: ElementTree.Element, outer: Mapping[str, Attributes], cores: Mapping[str, Attributes]
) -> Iterator[DeviceEntry]:
    """Devices in a scope of a .pdsc file, which inherit memories and processors of enclosing
    scopes, both by name.
    """
    memories, processors = dict(outer), dict(cores)
    for each in scope.iterfind("memory"):
        memories[each.get("name", each.get("id", ""))] = each.attrib
    for each in scope.iterfind("processor"):
        name = each.get("Pname", "")
        processors[name] = {**processors.get(name, processors.get("", {})), **each.attrib}
    below = _SCOPES[_SCOPES.index(scope.tag) + 1 :]
    inner = [each for each in scope if each.tag in below]
    for each in inner:
        yield from _within(each, memories, processors)
    if not inner:
        name = (scope.get("Dvariant") or scope.get("Dname") or "").strip()
        yield from _entries(name, tuple(memories.values()), processors)


def _entries(
    name: str, memories: tuple[Attributes, ...], processors: Mapping[str, Attributes]
) -> Iterator[DeviceEntry]:
    """An entry for each kind of processor of an MCU."""
    named = {each: core for each, core in processors.items() if each} or {"": {}, **processors}
    kinds = {tuple(sorted({**core, "Pname": ""}.items())) for core in named.values()}
    for each, core in named.items() if len(kinds) > 1 else [next(iter(named.items()))]:
        own = tuple(one for one in memories if one.get("Pname", each) == each)
        yield DeviceEntry(f"{name}:{each}" if len(kinds) > 1 else name, own, core)


def _error(file: Path, what: str) -> ToolchainError:
    fix = "take the file from the vendor's pack, or give the MCU's number: --mcu=STM32F405RGT6"
    return ToolchainError.of("BRD026", what, where=str(file), fix=fix)
