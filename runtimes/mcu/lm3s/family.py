"""Setup of an LM3S: the crystal as the core's clock, and UART0."""

from opsmith.board.setup import Accesses, Mcu, Setup
from runtimes.mcu.pl011 import polled_pl011, start_pl011

CRYSTALS = {6_000_000: 0xB, 6_144_000: 0xC, 7_372_800: 0xD, 8_000_000: 0xE, 8_192_000: 0xF}  # XTAL


def setup(asked: Mcu) -> Setup | None:
    """Setup of UART0; None after noting problems."""
    hz = asked.clock.number("core_hz", 1, 50_000_000)
    if hz not in CRYSTALS:
        what = f"'clock.core_hz' is {hz}, which is no crystal of an LM3S"
        asked.refuse("BRD022", what, f"choose one of: {', '.join(map(str, CRYSTALS))}")
        return None
    clock, steps = Accesses(asked.registers), Accesses(asked.registers)
    # The crystal needs some milliseconds, for which no bit tells the end: 4,096 of its cycles.
    clock.change("SYSCTL_RCC", MOSCDIS=0, XTAL=CRYSTALS[hz], BYPASS=1, USESYSDIV=0)
    clock.pause(40_000)
    clock.change("SYSCTL_RCC", OSCSRC=0)
    steps.change("SYSCTL_RCGC1", UART0=1)
    steps.change("SYSCTL_RCGC2", GPIOA=1)
    steps.change("GPIOA_AFSEL", PA0=1, PA1=1)
    steps.change("GPIOA_DEN", PA0=1, PA1=1)
    baud = start_pl011(asked, steps, "UART0", hz, hz)
    if baud is None:
        return None
    polled = polled_pl011(steps, "UART0")
    return Setup(tuple(clock.made), (), tuple(steps.made), hz, hz, baud, "UART0", polled)
