"""Facts in the part number of an STM32: series and flash, and from tables core and RAM."""

import re
import tomllib
from pathlib import Path
from typing import Any

from opsmith.board.registers import Registers
from opsmith.board.suggestion import Entries, Entry, Suggestion

_FLASH = {"4": "16K", "6": "32K", "8": "64K", "b": "128K", "c": "256K", "d": "384K"}
_FLASH |= {"e": "512K", "f": "768K", "g": "1M", "h": "1536K", "i": "2M"}
_MACHINES = {"stm32f100": "stm32vldiscovery", "stm32f205": "netduino2"}  # of QEMU, by part
_MACHINES |= {"stm32f405": "netduinoplus2", "stm32f446": "netduinoplus2"}
_STACKS = {"cortex-m0": "1K", "cortex-m0plus": "1K", "cortex-m3": "1K"}
_ORIGIN, _RAM = 0x0800_0000, 0x2000_0000
# A part with the clock tree, USART1 and pins of each number that has no table of its own.
_LIKE = (("stm32f4", "stm32f405"), ("stm32l4", "stm32l475"))
_SLOW = re.compile("stm32f4(0[1]|1[0-3]|23)")  # F4s of 84 MHz and more, by heart
_SLOW_HZ = 84_000_000
# What pyOCD 0.46 knows without a pack, where x is any letter.
_PYOCD = (
    "stm32f103rc", "stm32f412xe", "stm32f412xg", "stm32f429xg", "stm32f429xi", "stm32f439xg",
    "stm32f439xi", "stm32f767zi", "stm32l475xc", "stm32l475xe", "stm32l475xg", "stm32l432kc",
    "stm32h743xx",
)  # fmt: skip


def suggest(number: str, folder: Path) -> Suggestion | None:
    """Suggested board of an MCU such as STM32F405RGT6: USART1 at first pins, the fastest clock."""
    found = re.fullmatch(r"(stm32[a-z0-9]{4})(?:[a-z](?:([468b-i])\w*|x))?", number)
    limits, numbers = (_read(folder / f"{name}.toml") for name in ("limits", "numbers"))
    if not found or found[1] not in limits | numbers:
        return None
    known = numbers.get(found[1], {})
    letter = found[2] or min(known or _FLASH, key=[*_FLASH].index)
    like = next((part for start, part in _LIKE if number.startswith(start)), found[1])
    part = found[1] if found[1] in limits else like
    of = limits[part]
    ram: Entry = {"origin": _RAM, "size": f"{known[letter]}K"} if letter in known else of["ram"]
    pins = Registers(folder / "registers" / f"{part}.toml").pins["USART1"]
    tx, rx = ("PA9" if "PA9" in pins["tx"] else min(pins["tx"])), min(pins["rx"])
    core_hz = _SLOW_HZ if _SLOW.match(number) else of.get("hsi_core_hz", of["core_hz"])
    fits = (each for each in _PYOCD if re.match(each.replace("x", "."), number))
    target = next(fits, None)
    first = {"core": of["core"], "part": part, "runtime": "cmsis"}
    tables: dict[str, Entries] = {
        "": {**first, "stack": _STACKS.get(of["core"], "8K")},
        "memory": {"flash": {"origin": _ORIGIN, "size": _FLASH[letter]}, "ram": ram},
        "clock": {"source": "hsi", "core_hz": core_hz},
        "console": {"baud": 115_200, "uart": "USART1", "tx": tx, "rx": rx},
        "flash": {"runner": "pyocd", "target": target or number[:11]},
    }
    if part in _MACHINES:
        tables["run"] = {"qemu": {"machine": _MACHINES[part]}}
    checks = ["console.uart", "console.tx", "console.rx", *([] if target else ["flash.target"])]
    checks += [] if letter in known else ["memory.ram"]
    checks += [] if found[2] and letter in (known or _FLASH) else ["memory.flash"]
    checks += [] if part == found[1] else ["part", "clock.core_hz"]
    return Suggestion(tables, tuple(checks))


def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text("utf-8"))
