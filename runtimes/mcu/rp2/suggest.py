"""Facts in the part number of an RP2: all but the flash chip and the pins."""

from pathlib import Path

from opsmith.board.suggestion import Entries, Suggestion

_FLASH, _RAM = 0x1000_0000, 0x2000_0000
PARTS = {  # part -> RAM, core, Hz, label of the bootloader's volume, UF2 family
    "rp2040": ("264K", "cortex-m0plus", 125_000_000, "RPI-RP2", 0xE48B_FF56),
    "rp2350": ("520K", "cortex-m33f", 150_000_000, "RP2350", 0xE48B_FF59),
}


def suggest(number: str, folder: Path) -> Suggestion | None:
    """Suggested board of an RP2040 or RP2350 with a crystal of 12 MHz: UART0 at GP0 and GP1."""
    within = number.startswith("rp2354")  # an RP2350 with its flash chip
    part = "rp2350" if within else next((each for each in PARTS if number.startswith(each)), None)
    if part is None:
        return None
    ram, core, hz, label, uf2 = PARTS[part]
    tables: dict[str, Entries] = {
        "": {"core": core, "part": part, "runtime": "cmsis", "stack": "4K"},
        "memory": {
            "flash": {"origin": _FLASH, "size": "2M"},
            "ram": {"origin": _RAM, "size": ram},
        },
        "clock": {"crystal_hz": 12_000_000, "core_hz": hz},
        "console": {"baud": 115_200, "uart": "UART0", "tx": "GP0", "rx": "GP1"},
        "flash": {"runner": "uf2", "target": label, "uf2": uf2},
    }
    if part == "rp2040":
        tables["run"] = {"place": "rp2040js"}
    checks = ("memory.flash", "clock.crystal_hz", "console.tx", "console.rx")
    return Suggestion(tables, checks[1:] if within else checks)
