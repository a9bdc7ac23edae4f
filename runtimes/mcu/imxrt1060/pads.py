"""Pads of an i.MX RT1060: places in IOMUXC, and the GPIO pins that pads can be."""

import re
from dataclasses import dataclass
from typing import ClassVar

from opsmith.board.setup import Accesses

_GROUPS = {  # of pads: index of the first, number of the first, how many, GPIO, bit of the first
    "EMC": ((0, 0, 32, "GPIO4", 0), (32, 32, 10, "GPIO3", 18)),
    "AD_B0": ((42, 0, 16, "GPIO1", 0),),
    "AD_B1": ((58, 0, 16, "GPIO1", 16),),
    "B0": ((74, 0, 16, "GPIO2", 0),),
    "B1": ((90, 0, 16, "GPIO2", 16),),
    "SD_B0": ((106, 0, 6, "GPIO3", 12),),
    "SD_B1": ((112, 0, 12, "GPIO3", 0),),
}
_STRENGTH, _100_MHZ = 6, 2  # DSE, SPEED
_UP, _DOWN = 2, 0  # PUS, of 100 kOhm


@dataclass(frozen=True)
class Pad:
    """Pad, by its name in the manual such as "GPIO_B0_03"."""

    AS_GPIO: ClassVar[int] = 5  # MUX_MODE

    name: str
    index: int  # among registers of IOMUXC
    port: str
    bit: int


def pad_of(name: str) -> Pad | None:
    """Pad of a name; None where the part has no such pad."""
    found = re.fullmatch(r"GPIO_(\w+)_(\d\d)", name, re.ASCII)
    number = int(found[2]) if found else 0
    for index, first, count, port, bit in _GROUPS.get(found[1], ()) if found else ():
        if first <= number < first + count:
            return Pad(name, index + number - first, port, bit + number - first)
    return None


def configure(
    steps: Accesses, pad: Pad, mode: int, *, up: bool = False, down: bool = False
) -> None:
    """Add the steps that give a pad to a peripheral, pulled or not."""
    pulls = {"PKE": 1, "PUE": 1, "PUS": _UP if up else _DOWN, "HYS": 1} if up or down else {}
    _write(steps, pad, "SW_MUX_CTL_PAD", MUX_MODE=mode)
    _write(steps, pad, "SW_PAD_CTL_PAD", DSE=_STRENGTH, SPEED=_100_MHZ, **pulls)


def _write(steps: Accesses, pad: Pad, name: str, **fields: int) -> None:
    """Add a write to a pad's register, which is one of an array."""
    steps.write(f"IOMUXC_{name}", **fields)
    made = steps.made.pop()
    register = made.register.at(4 * pad.index)
    steps.bits("write", register, made.mask, made.value, f"{pad.name}: {made.meaning}")
