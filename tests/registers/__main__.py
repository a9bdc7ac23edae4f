"""Writes runtimes/mcu/*/registers/*.toml anew.

python -m tests.registers ST SVD PICO ESP, the checkouts of modm-io/cmsis-header-stm32,
cmsis-svd/cmsis-svd-data, raspberrypi/pico-sdk and espressif/svd; PyPI's modm-devices must be
installed.
"""

import sys
from pathlib import Path

from opsmith.testing.checkout import ROOT
from tests.commands import said
from tests.registers.numbers import numbers
from tests.registers.pico import peripherals as pico_peripherals
from tests.registers.pins import uart_pins
from tests.registers.st import peripherals as st_peripherals
from tests.registers.svd import peripherals as svd_peripherals
from tests.registers.table import written
from tests.registers.wanted import ESPRESSIF, PARTS

STM32 = {
    "stm32f072": ("stm32f0xx/Include/stm32f072xb.h", "cm0"),
    "stm32f100": ("stm32f1xx/Include/stm32f100xb.h", "cm3"),
    "stm32f103": ("stm32f1xx/Include/stm32f103xb.h", "cm3"),
    "stm32f205": ("stm32f2xx/Include/stm32f205xx.h", "cm3"),
    "stm32f405": ("stm32f4xx/Include/stm32f405xx.h", "cm4"),
    "stm32f446": ("stm32f4xx/Include/stm32f446xx.h", "cm4"),
    "stm32f767": ("stm32f7xx/Include/stm32f767xx.h", "cm7"),
    "stm32g071": ("stm32g0xx/Include/stm32g071xx.h", "cm0plus"),
    "stm32g474": ("stm32g4xx/Include/stm32g474xx.h", "cm4"),
    "stm32h743": ("stm32h7xx/Include/stm32h743xx.h", "cm7"),
    "stm32l475": ("stm32l4xx/Include/stm32l475xx.h", "cm4"),
    "stm32l4r5": ("stm32l4xx/Include/stm32l4r5xx.h", "cm4"),
    "stm32u575": ("stm32u5xx/Include/stm32u575xx.h", "cm33"),
}


def main(st: Path, svd: Path, pico: Path, esp: Path) -> None:
    """Write the tables of registers of all families."""
    for part, (header, core) in STM32.items():
        source = f"{header} of modm-io/cmsis-header-stm32 {_commit(st)}; pins: modm-devices"
        text = written(source, st_peripherals(st, header, core), uart_pins("stm32", part))
        _write("stm32", part, text)
    table = ROOT / "runtimes" / "mcu" / "stm32" / "numbers.toml"
    table.write_text(numbers("stm32[fl]4*.xml", "stm32(f4|l4[1-9a])"), encoding="utf-8")
    for (family, part), (file, wanted) in PARTS.items():
        source = f"{file} of cmsis-svd/cmsis-svd-data {_commit(svd)}"
        _write(family, part, written(source, svd_peripherals(svd / "data" / file, wanted), {}))
    for (family, part), (file, wanted) in ESPRESSIF.items():
        source = f"{file} of espressif/svd {_commit(esp)}"
        _write(family, part, written(source, svd_peripherals(esp / file, wanted), {}))
    for part in ("rp2040", "rp2350"):
        headers = Path("src", part, "hardware_regs/include/hardware/regs")
        source = f"{headers} of raspberrypi/pico-sdk {_commit(pico)}"
        _write("rp2", part, written(source, pico_peripherals(pico / headers), {}))


def _commit(checkout: Path) -> str:
    return said(["git", "-C", str(checkout), "log", "-1", "--format=%h"]).strip()


def _write(family: str, part: str, text: str) -> None:
    file = ROOT / "runtimes" / "mcu" / family / "registers" / f"{part}.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
