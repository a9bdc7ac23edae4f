"""Clock of a SAMD21: the DFLL, locked to a crystal or the 8 MHz oscillator, for core and SERCOM."""

from opsmith.board.setup import Accesses, Mcu
from runtimes.mcu.sam.clock import SamClock

_OSC8M_HZ, _MOST_HZ = 8_000_000, 48_000_000
_OSC8M, _XOSC32K, _DFLL48M = 6, 5, 7  # sources of GCLK
_REFERENCES = {"crystal": (_XOSC32K, 32_768, 1), "rc": (_OSC8M, _OSC8M_HZ, 250)}  # Hz, divider
_DIVIDERS = (1, 2, 4, 8)  # of the core
_EIGHTH = 3  # PRESC of OSC8M, also after reset
_SECOND = 5  # STARTUP of XOSC32K
_ONE_WAIT_STATE = 1
_FIRST_SERCOM = 20  # number of its clock


def clock_of(asked: Mcu) -> SamClock | None:
    """Clock that board.toml asks for; None after noting problems."""
    source = asked.clock.choice("source", tuple(_REFERENCES))
    core_hz = asked.clock.number("core_hz", 1, _MOST_HZ)
    if source is None:
        return None
    kind, hz, by = _REFERENCES[source]
    times = _MOST_HZ // (hz // by)
    offered = [hz // by * times // each for each in _DIVIDERS]
    if core_hz not in offered:
        what = f"'clock.core_hz' is {core_hz}, which the DFLL does not make of {source!r}"
        asked.refuse("BRD022", what, f"choose one of: {', '.join(map(str, offered))}")
        return None
    steps, undo = Accesses(asked.registers), Accesses(asked.registers)
    _to_oscillator(steps, _EIGHTH)
    if source == "crystal":
        steps.write("SYSCTRL_XOSC32K", XTALEN=1, EN32K=1, STARTUP=_SECOND)
        steps.write("SYSCTRL_XOSC32K", ENABLE=1, XTALEN=1, EN32K=1, STARTUP=_SECOND)
        steps.wait("SYSCTRL_PCLKSR", XOSC32KRDY=1)
    steps.change("SYSCTRL_OSC8M", PRESC=0)
    _generator(steps, 1, kind, by)
    _lock(steps, times)
    steps.change("NVMCTRL_CTRLB", RWS=_ONE_WAIT_STATE)
    _generator(steps, 0, _DFLL48M, _DIVIDERS[offered.index(core_hz)])
    _to_oscillator(undo, 0)
    return SamClock(steps, undo, core_hz, _OSC8M_HZ, core_hz, _OSC8M_HZ)


def _to_oscillator(steps: Accesses, prescaler: int) -> None:
    """Add the steps back to OSC8M, since a bootloader may have left the DFLL on."""
    _generator(steps, 0, _OSC8M, 1)
    steps.change("SYSCTRL_OSC8M", ENABLE=1, PRESC=prescaler)


def _generator(steps: Accesses, number: int, source: int, divider: int) -> None:
    steps.write("GCLK_GENDIV", ID=number, DIV=divider)
    _synchronise(steps)
    steps.write("GCLK_GENCTRL", ID=number, SRC=source, GENEN=1, IDC=int(number == 0))
    _synchronise(steps)


def _lock(steps: Accesses, times: int) -> None:
    """Add the steps that lock the DFLL to generator 1. It takes writes only while it runs and is
    not on demand; after reset it is on demand.
    """
    steps.write("GCLK_CLKCTRL", ID=0, GEN=1, CLKEN=1)
    _synchronise(steps)
    steps.write("SYSCTRL_DFLLCTRL", ENABLE=1)
    steps.wait("SYSCTRL_PCLKSR", DFLLRDY=1)
    steps.write("SYSCTRL_DFLLMUL", MUL=times, FSTEP=511, CSTEP=31)
    steps.wait("SYSCTRL_PCLKSR", DFLLRDY=1)
    steps.write("SYSCTRL_DFLLCTRL", ENABLE=1, MODE=1, QLDIS=1, WAITLOCK=1)
    steps.wait("SYSCTRL_PCLKSR", DFLLRDY=1, DFLLLCKC=1, DFLLLCKF=1)


def _synchronise(steps: Accesses) -> None:
    steps.wait("GCLK_STATUS", SYNCBUSY=0)


def feed(steps: Accesses, uart: str) -> None:
    """Add the steps that clock a SERCOM: its bus, and its core from generator 0."""
    steps.change("PM_APBCMASK", **{f"{uart}_": 1})
    steps.write("GCLK_CLKCTRL", ID=_FIRST_SERCOM + int(uart[-1]), GEN=0, CLKEN=1)
    _synchronise(steps)
