"""Facts in the part number of an nRF: memories, core and clock."""

from pathlib import Path

from opsmith.board.suggestion import Entries, Suggestion

_RAM = 0x2000_0000
# Part numbers that share another part's registers.
_LIKE = dict.fromkeys(("nrf52805", "nrf52811", "nrf52820"), "nrf52810")
# Number -> flash, RAM, core, Hz.
PARTS = {
    "nrf51": ("256K", "16K", "cortex-m0", 16_000_000),
    "nrf52805": ("192K", "24K", "cortex-m4", 64_000_000),
    "nrf52810": ("192K", "24K", "cortex-m4", 64_000_000),
    "nrf52811": ("192K", "24K", "cortex-m4", 64_000_000),
    "nrf52820": ("256K", "32K", "cortex-m4", 64_000_000),
    "nrf52832": ("512K", "64K", "cortex-m4f", 64_000_000),
    "nrf52833": ("512K", "128K", "cortex-m4f", 64_000_000),
    "nrf52840": ("1M", "256K", "cortex-m4f", 64_000_000),
    "nrf5340": ("1M", "512K", "cortex-m33f", 128_000_000),
}


def suggest(number: str, folder: Path) -> Suggestion | None:
    """Suggested board of an MCU such as nRF52840: its UART at the pins of Nordic's kits."""
    number = "nrf52832" if number == "nrf52" else number  # pyOCD's name of the nRF52832
    part = next((each for each in PARTS if number.startswith(each)), None)
    if part is None:
        return None
    flash, ram, core, hz = PARTS[part]
    tx, rx = ("P0.24", "P0.25") if part == "nrf51" else ("P0.06", "P0.08")
    target = {"nrf51": "nrf51822", "nrf52832": "nrf52"}.get(part, part)
    tables: dict[str, Entries] = {
        "": {"core": core, "part": _LIKE.get(part, part), "runtime": "cmsis", "stack": "2K"},
        "memory": {
            "flash": {"origin": 0, "size": flash},
            "ram": {"origin": _RAM, "size": ram},
        },
        "clock": {"source": "crystal", "core_hz": hz},
        "console": {"baud": 115_200, "tx": tx, "rx": rx},
        "flash": {"runner": "pyocd", "target": target},
    }
    if part == "nrf51":
        tables["run"] = {"qemu": {"machine": "microbit"}}
    checks = ("memory.flash", "memory.ram", "clock.source", "console.tx", "console.rx")
    return Suggestion(tables, checks)
