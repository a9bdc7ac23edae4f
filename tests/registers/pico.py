"""Registers of RP2040 and RP2350 from the headers of Raspberry Pi's pico-sdk."""

import re
from collections.abc import Mapping
from pathlib import Path

from tests.registers.table import Field, Peripheral

_GPIO = dict.fromkeys((f"GPIO{n}_CTRL" for n in range(30)), ("FUNCSEL",))
_PADS = dict.fromkeys((f"GPIO{n}" for n in range(30)), ("ISO", "OD", "IE", "PUE", "PDE"))
_RESETS = ("IO_BANK0", "PADS_BANK0", "PLL_SYS", "UART0", "UART1")
_UART = {"UARTDR": (), "UARTFR": ("RXFE", "TXFF"), "UARTIBRD": (), "UARTFBRD": ()}
_UART |= {"UARTLCR_H": ("FEN", "WLEN"), "UARTIMSC": ("RXIM",), "UARTCR": ("UARTEN", "TXE", "RXE")}
_PLL = {"CS": ("REFDIV", "LOCK"), "PWR": ("PD", "VCOPD", "POSTDIVPD"), "FBDIV_INT": ()}
_CLOCKS = {"CLK_REF_CTRL": ("SRC",), "CLK_REF_SELECTED": (), "CLK_SYS_CTRL": ("SRC", "AUXSRC")}
Registers = Mapping[str, tuple[str, ...]]
WANTED: Mapping[str, tuple[str, Registers]] = {  # header -> peripheral, registers and fields
    "resets": ("RESETS", {"RESET": _RESETS, "RESET_DONE": _RESETS}),
    "xosc": (
        "XOSC",
        {"CTRL": ("FREQ_RANGE", "ENABLE"), "STATUS": ("STABLE",), "STARTUP": ("DELAY",)},
    ),
    "pll": ("PLL_SYS", {**_PLL, "PRIM": ("POSTDIV1", "POSTDIV2")}),
    "clocks": (
        "CLOCKS",
        {**_CLOCKS, "CLK_SYS_SELECTED": (), "CLK_PERI_CTRL": ("AUXSRC", "ENABLE")},
    ),
    "uart": ("UART0", _UART),
    "io_bank0": ("IO_BANK0", _GPIO),
    "pads_bank0": ("PADS_BANK0", _PADS),
    "sio": ("SIO", dict.fromkeys(("GPIO_IN", "GPIO_OUT_SET", "GPIO_OUT_CLR", "GPIO_OE_SET"), ())),
}
_PREFIX = {"pll": "PLL", "uart": "UART"}  # of a header's names, where not the peripheral's


def peripherals(headers: Path) -> dict[str, Peripheral]:
    """Peripherals of one chip, read from the folder of its headers."""
    macros: dict[str, str] = {}
    for file in sorted(headers.glob("*.h")):
        macros |= dict(re.findall(r"^#define (\w+) +_u\((\w+)\)", file.read_text(), re.MULTILINE))
        macros |= dict(re.findall(r"^#define (\w+_IRQ) (\d+)", file.read_text(), re.MULTILINE))
    found = {}
    for header, (name, registers) in WANTED.items():
        prefix = _PREFIX.get(header, name)
        made = Peripheral(int(macros[f"{name}_BASE"], 0))
        for register, names in registers.items():
            key = f"{prefix}_{register}"
            fields = [_field(macros, f"{key}_{each}", each) for each in names]
            made.registers[register] = (
                int(macros[f"{key}_OFFSET"], 0),
                [each for each in fields if each],
            )
        found[name] = made
    for uart in ("UART0", "UART1"):
        at, interrupt = int(macros[f"{uart}_BASE"], 0), int(macros[f"{uart}_IRQ"], 0)
        own = found[uart].registers if uart in found else {}
        found[uart] = Peripheral(at, interrupt, "" if own else "UART0", own)
    return found


def _field(macros: dict[str, str], key: str, name: str) -> Field | None:
    if f"{key}_BITS" not in macros:
        return None  # such as ISO, which the RP2040 lacks
    mask, bit = int(macros[f"{key}_BITS"], 0), int(macros[f"{key}_LSB"], 0)
    return Field(name, bit, (mask >> bit).bit_length())
