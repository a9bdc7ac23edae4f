"""`verify`: prints the record to which a firmware.elf belongs, and checks the record and its
products.

The digest of the record comes from the ELF file alone; the record is looked up beside it.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.reading import UnreadableError, read_bytes
from opsmith.report.build_info import BUILD_INFO, read_note, record_of
from opsmith.text import escaped

MOST = 1 << 24  # bytes of a record
MOST_ELF = 1 << 30
ELF = "firmware.elf"


def main(arguments: list[str]) -> int:
    """Print the findings; returns 1 where a file is not the one in the record. Raises BLD118."""
    parser = Parser(prog="opsmith verify", description=__doc__)
    parser.add_argument("elf", type=Path, metavar="firmware.elf")
    parser.add_argument("--record", type=Path, metavar="FILE", help=f"{BUILD_INFO}, if elsewhere")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    options = parser.parse_args(arguments)
    elf: Path = options.elf
    place: Path = options.record or elf.with_name(BUILD_INFO)
    record = record_of_elf(elf)
    if not options.json:
        print(f"record {record}", flush=True)  # also where its file is missing
    info = _read(place, record)
    files = _files(info, elf)
    inputs = sum(len(each) for each in info["inputs"].values() if isinstance(each, dict))
    whole = all(state == "equal" for state in files.values() if state != "absent")
    if options.json:
        print(json.dumps({"record": record, "whole": whole, "files": files}))
        return 0 if whole else 1
    print(f"{escaped(str(place))}: this record, of {inputs} inputs")
    for name, state in files.items():
        print(f"{escaped(name)}: {'DIFFERS' if state == 'other' else state}")
    return 0 if whole else 1


def record_beside(elf: Path, place: Path) -> dict[str, Any]:
    """Record in a file, if it is the one that the ELF file names. Raises BLD118."""
    return _read(place, record_of_elf(elf))


def record_of_elf(elf: Path) -> str:
    """Digest of the record to which the ELF file belongs, from its note. Raises BLD118."""
    _content(elf, MOST_ELF)
    try:
        record = read_note(elf)
        what, fix = "it has no note of a record", "name a firmware.elf that was not stripped"
    except ToolchainError:
        record, what, fix = None, "it is no ELF file", "name a firmware.elf that scons made"
    if record is None:
        raise ToolchainError.of("BLD118", what, where=str(elf), fix=fix)
    return record


def _read(place: Path, record: str) -> dict[str, Any]:
    """Record with a given digest. Raises BLD118."""
    where = str(place)
    fix = f"the firmware belongs to record {record}: name that file by --record="
    if not place.exists():
        raise ToolchainError.of("BLD118", f"there is no {BUILD_INFO}", where=where, fix=fix)
    try:
        info = json.loads(_content(place, MOST))
        found, inputs, products = info["record"], info["inputs"], info["products"]
        if not isinstance(inputs, dict) or not isinstance(products, dict):
            raise TypeError("inputs and products are objects")
        if not all(re.fullmatch(r"firmware[\w.]+", name) for name in products):
            raise ValueError("products have names that begin with firmware")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        what = f"it is no record: {escaped(str(error))}"
        raise ToolchainError.of("BLD118", what, where=where, fix=fix) from None
    if record_of(inputs) != found:
        what = "its inputs were edited: their digest is another than it says"
        raise ToolchainError.of("BLD118", what, where=where, fix=fix)
    if found != record:
        what = f"it is the record {escaped(str(found))} of another firmware"
        raise ToolchainError.of("BLD118", what, where=where, fix=fix)
    return dict(info)


def _files(info: Mapping[str, Any], elf: Path) -> dict[str, str]:
    """Verdict by product: whether the file of its name beside the ELF file is as recorded."""
    places = {name: elf if name == ELF else elf.with_name(name) for name in info["products"]}
    return {
        name: _state(place, str(info["products"][name])) for name, place in sorted(places.items())
    }


def _state(file: Path, digest: str) -> str:
    if not file.exists():
        return "absent"
    return "equal" if hashlib.sha256(_content(file, MOST_ELF)).hexdigest() == digest else "other"


def _content(file: Path, most: int) -> bytes:
    try:
        return read_bytes(file, most)
    except UnreadableError as error:
        what, fix = f"it cannot be read: {error}", "name a file that scons made"
        raise ToolchainError.of("BLD118", what, where=str(file), fix=fix) from None
