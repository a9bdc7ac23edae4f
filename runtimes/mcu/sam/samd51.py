"""Clock of a SAMD51: DPLL0 for the core, from the oscillator of 48 MHz that clocks the SERCOM."""

from opsmith.board.setup import Accesses, Mcu
from runtimes.mcu.sam.clock import SamClock

_CHANNELS = {"SERCOM0": 7, "SERCOM1": 8, "SERCOM2": 23, "SERCOM3": 24, "SERCOM4": 34, "SERCOM5": 35}
_DFLL_HZ, _REFERENCE_HZ = 48_000_000, 2_000_000
_LEAST_HZ, _MOST_HZ = 96_000_000, 120_000_000
_DFLL, _DPLL0 = 6, 7  # sources of GCLK


def clock_of(asked: Mcu) -> SamClock | None:
    """Clock that board.toml asks for; None after noting problems."""
    core_hz = asked.clock.number("core_hz", _LEAST_HZ, _MOST_HZ)
    if core_hz % _REFERENCE_HZ:
        what = f"'clock.core_hz' is {core_hz}, which the PLL does not make of {_REFERENCE_HZ} Hz"
        asked.refuse("BRD022", what, f"write a multiple of {_REFERENCE_HZ}")
        return None
    steps, undo = Accesses(asked.registers), Accesses(asked.registers)
    _start(steps, core_hz)
    undo.write("GCLK_GENCTRL0", SRC=_DFLL, GENEN=1, DIV=1)
    return SamClock(steps, undo, core_hz, _DFLL_HZ, _DFLL_HZ, _DFLL_HZ)


def _start(steps: Accesses, core_hz: int) -> None:
    """Add the steps to the oscillator, as a bootloader may have left the PLL on, and to the PLL."""
    steps.write("GCLK_GENCTRL0", SRC=_DFLL, GENEN=1, DIV=1)
    steps.wait("GCLK_SYNCBUSY", GENCTRL0=0)
    steps.write("OSCCTRL_DPLLCTRLA0", ENABLE=0)
    steps.wait("OSCCTRL_DPLLSYNCBUSY0", ENABLE=0)
    steps.write("GCLK_GENCTRL5", SRC=_DFLL, GENEN=1, DIV=_DFLL_HZ // _REFERENCE_HZ)
    steps.wait("GCLK_SYNCBUSY", GENCTRL5=0)
    steps.write("GCLK_PCHCTRL1", GEN=5, CHEN=1)
    steps.wait("GCLK_PCHCTRL1", CHEN=1)
    steps.write("OSCCTRL_DPLLRATIO0", LDR=core_hz // _REFERENCE_HZ - 1, LDRFRAC=0)
    steps.wait("OSCCTRL_DPLLSYNCBUSY0", DPLLRATIO=0)
    steps.write("OSCCTRL_DPLLCTRLB0", REFCLK=0, LBYPASS=1)
    steps.write("OSCCTRL_DPLLCTRLA0", ENABLE=1)
    steps.wait("OSCCTRL_DPLLSYNCBUSY0", ENABLE=0)
    steps.wait("OSCCTRL_DPLLSTATUS0", LOCK=1, CLKRDY=1)
    steps.change("CMCC_CTRL", CEN=1)
    steps.write("GCLK_GENCTRL0", SRC=_DPLL0, GENEN=1, IDC=1, DIV=1)
    steps.wait("GCLK_SYNCBUSY", GENCTRL0=0)


def feed(steps: Accesses, uart: str) -> None:
    """Add the steps that clock a SERCOM: its bus, and its core by generator 1."""
    mask = steps.registers.holder("MCLK", f"{uart}_")
    steps.change(mask, **{f"{uart}_": 1})
    steps.write("GCLK_GENCTRL1", SRC=_DFLL, GENEN=1, DIV=1)
    steps.wait("GCLK_SYNCBUSY", GENCTRL1=0)
    channel = f"GCLK_PCHCTRL{_CHANNELS[uart]}"
    steps.write(channel, GEN=1, CHEN=1)
    steps.wait(channel, CHEN=1)
