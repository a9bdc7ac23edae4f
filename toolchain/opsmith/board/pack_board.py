"""Boards of MCUs in a CMSIS-Pack: core, clock and memories as the pack states them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from opsmith.board.architecture import Core
from opsmith.board.device_file import Attributes, DeviceEntry
from opsmith.board.platforms import Platforms
from opsmith.board.runtime import usual_runtime
from opsmith.board.suggestion import Entries, Suggestion
from opsmith.modules import load_function

_MOST = 1 << 32
_PERIPHERALS = range(0x4000_0000, 0x6000_0000)  # where RAM often needs a clock first
_SMALL, _LARGE = 1 << 12, 1 << 16
# The board of an MCU that no family of Opsmith knows.
BOARD = """\
// Clock and console of {title}, which no MCU family of Opsmith knows. What each function must do is
// in runtimes/mcu/board.h; runtimes/mcu/polled.h is an example.
#error "write clock and UART of {title} into the functions below, then remove this line"

#include "runtimes/mcu/board.h"

namespace opsmith::board {{

bool runs;

void init() {{
  // The clock of CORE_HZ, then a UART of OPSMITH_CONSOLE_BAUD.
  runs = true;
}}

bool started() {{ return runs; }}

void write(const char* text, uint32_t bytes) {{
  for (uint32_t i = 0; i < bytes; ++i) {{
    // Wait until the transmitter takes a byte, a bounded number of times; then write text[i].
  }}
}}

int read() {{ return -1; }}  // The byte that arrived, if one did.

void wait() {{}}

uint32_t clock_hz() {{ return CORE_HZ; }}

}}  // namespace opsmith::board
"""


@dataclass(frozen=True)
class _Memory:
    name: str
    origin: int
    size: int
    fixed: bool  # not written by programs
    boots: bool
    default: bool


def memories(device: DeviceEntry) -> dict[str, tuple[int, int]]:
    """Origin and size of each memory of an MCU, in bytes: "flash", from which it boots, "ram", the
    largest, and further ones by the pack's names. Adjacent ones are one.
    """
    parts = [*filter(None, map(_memory, device.memories))]
    fixed, written = _joined(p for p in parts if p.fixed), _joined(p for p in parts if not p.fixed)
    flash = max(fixed, key=lambda each: (each.boots, each.default, each.size), default=None)
    ram = max(written, key=lambda each: (each.name == "iram1", each.size), default=None)
    found = {"flash": flash, "ram": ram}
    for each in written:
        if each is not ram and each.size >= _SMALL and each.origin not in _PERIPHERALS:
            found.setdefault(each.name, each)
    return {name: (each.origin, each.size) for name, each in found.items() if each}


def of_pack(device: DeviceEntry, known: Platforms) -> Suggestion | None:
    """Board of an MCU that no family knows; None where the pack lacks its core or memories."""
    core, found = core_of(device.processor, known), memories(device)
    if core is None or not {"flash", "ram"} <= found.keys():
        return None
    runtime, size = usual_runtime(core.features), found["ram"][1]
    stack = "8K" if size >= _LARGE else "1K"
    clock = re.fullmatch(r"[0-9]{1,10}", device.processor.get("Dclock", ""))
    tables: dict[str, Entries] = {
        "": {"core": core.name, "runtime": runtime, "stack": stack},
        "memory": {name: {"origin": at, "size": size} for name, (at, size) in found.items()},
        "defines": {"CORE_HZ": int(clock[0]) if clock else 0},
        "console": {"baud": 115_200},
        "flash": {"runner": "pyocd", "target": device.name.partition(":")[0].lower()},
    }
    more = [f"memory.{name}" for name in found if name not in ("flash", "ram")]
    return Suggestion(tables, (*more, "defines.CORE_HZ", "console.baud", "flash.target"))


def core_of(processor: Attributes, known: Platforms) -> Core | None:
    """Core of a <processor>, by the pack.py of an architecture; None where none has it."""
    for folder in dict.fromkeys(file.parents[1] for file in known.cores().values()):
        if (module := folder / "pack.py").is_file():
            name = load_function(module, "core", "BRD018")(processor)
            if name is not None:
                return known.core(name)
    return None


def _joined(parts: Iterable[_Memory]) -> list[_Memory]:
    """Memories by address without overlaps, those that follow one another as one."""
    found: list[_Memory] = []
    for each in sorted(parts, key=lambda part: (part.origin, -part.size)):
        last = found[-1] if found else None
        if last is None or each.origin > last.origin + last.size:
            found.append(each)
        elif each.origin == last.origin + last.size:
            both = last.boots or each.boots, last.default or each.default
            size = last.size + each.size
            found[-1] = _Memory(last.name, last.origin, size, last.fixed, *both)
    return found


def _memory(given: Attributes) -> _Memory | None:
    """Memory of a <memory> that is none's alias; None for an impossible or unused one."""
    name = given.get("name") or given.get("id", "")
    access = given.get("access", "rx" if name.startswith("IROM") else "rwx")
    try:
        origin, size = (int(given.get(each, ""), 0) for each in ("start", "size"))
    except ValueError:
        return None
    boots, default = given.get("startup") == "1", given.get("default") == "1"
    usual = boots or default or name in ("IROM1", "IRAM1")
    if origin < 0 or size <= 0 or origin + size > _MOST or "alias" in given or not usual:
        return None
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    plain = plain if plain[:1].isalpha() else f"m_{plain}"
    return _Memory(plain, origin, size, "w" not in access, boots, default)
