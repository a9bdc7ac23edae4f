"""RAM of MCUs by their numbers, from PyPI's modm-devices: for `opsmith new-board`."""

import importlib
import importlib.metadata
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

_RAM = 0x2000_0000
_HEAD = """\
# KB of RAM in one piece from 0x2000_0000, by number and by the letter for the size of flash.
# From PyPI's modm-devices {}, and of the STM32L485 by heart.
# Written by `python -m tests.registers`.

"""


def numbers(files: str, pattern: str) -> str:
    """The table of the STM32s whose files of modm-devices and numbers fit patterns."""
    package, parser = map(importlib.import_module, ("modm_devices", "modm_devices.parser"))
    folder = Path(str(package.__file__)).parent / "resources" / "devices" / "stm32"
    reader, found = parser.DeviceParser(), defaultdict[str, dict[str, int]](dict)
    found["stm32l485"] = {"c": 96, "e": 96}
    for file in sorted(folder.glob(files)):
        for device in reader.parse(str(file)).get_devices():
            if not re.match(pattern, device.partname):
                continue
            memories = device.get_driver("core")["memory"]
            found[device.partname[:9]][device.partname[10]] = _kilobytes(memories)
    lines = (f"{part} = {_table(of)}\n" for part, of in sorted(found.items()))
    return _HEAD.format(importlib.metadata.version("modm-devices")) + "".join(lines)


def _table(of: Mapping[str, int]) -> str:
    return f"{{ {', '.join(f'{letter} = {ram}' for letter, ram in sorted(of.items()))} }}"


def _kilobytes(memories: Iterable[Mapping[str, Any]]) -> int:
    """Size of the memories that follow one another from the first address of RAM."""
    sizes = {int(each["start"], 0): int(each["size"]) for each in memories}
    end = _RAM
    while end in sizes:
        end += sizes[end]
    return (end - _RAM) >> 10
