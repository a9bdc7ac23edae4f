"""MPU regions of an Armv7-M (Arm DDI0403 B3.5) that forbid a Cortex-M7 its external memories.

The core reads ahead of the program, also in external memory, and would wait for a controller that
is off. STM32CubeMX generates such a region for STM32F7 and H7 (MPU_Config, SubRegionDisable 0x87).
"""

from opsmith.board.registers import Field, Register
from opsmith.board.setup import Accesses, Mcu

EXTERNAL = range(0x6000_0000, 0xE000_0000)
_ALL, _BUT_EXTERNAL = 31, 0x87  # SIZE; SRD: eighths without external memory
_CTRL = Register("MPU_CTRL", 0xE000_ED94, {"ENABLE": Field(0, 1), "PRIVDEFENA": Field(2, 1)})
_RBAR = Register(
    "MPU_RBAR",
    0xE000_ED9C,
    {"REGION": Field(0, 4), "VALID": Field(4, 1), "ADDR": Field(5, 27)},
)
_RASR = Register(
    "MPU_RASR",
    0xE000_EDA0,
    {
        "ENABLE": Field(0, 1),
        "SIZE": Field(1, 5),
        "SRD": Field(8, 8),
        "B": Field(16, 1),
        "C": Field(17, 1),
        "TEX": Field(19, 3),
        "AP": Field(24, 3),
        "XN": Field(28, 1),
    },
)


def forbid_external(steps: Accesses) -> None:
    """Add the steps that forbid external memories, except in regions of numbers above 1. Region 0
    guards the stack.
    """
    region(steps, 1, 0, SIZE=_ALL, SRD=_BUT_EXTERNAL, AP=0, XN=1)
    steps.fields("write", _CTRL, ENABLE=1, PRIVDEFENA=1)


def region(steps: Accesses, number: int, address: int, **attributes: int) -> None:
    """Add the steps that set up and enable a region."""
    steps.fields("write", _RBAR, VALID=1, REGION=number, ADDR=address >> 5)
    steps.fields("write", _RASR, ENABLE=1, **attributes)


def has_external(asked: Mcu) -> bool:
    """True if a memory of the board is external."""
    memory = asked.board.table("memory")
    tables = [memory.table(name) for name in memory.entries()]
    return any(each.number("origin", 0, 0xFFFF_FFFF) in EXTERNAL for each in tables)
