"""Setup of an LM3S: the crystal as the core's clock, and UART0."""

from __future__ import annotations

from opsmith.board.setup import Asked, Polled, Setup, Steps, baud_fits, divider

CRYSTALS = {6_000_000: 0xB, 6_144_000: 0xC, 7_372_800: 0xD, 8_000_000: 0xE, 8_192_000: 0xF}  # XTAL
_LEAST, _MOST = 1 << 6, 0xFFFF << 6  # of the divider, in 1/64


def setup(asked: Asked) -> Setup | None:
    """Setup of UART0, None after noting what is wrong."""
    hz = asked.clock.number("core_hz", 1, 50_000_000)
    if hz not in CRYSTALS:
        what = f"'clock.core_hz' is {hz}, which is no crystal of an LM3S"
        asked.refuse("BRD022", what, f"choose one of: {', '.join(map(str, CRYSTALS))}")
        return None
    clock, steps = Steps(asked.registers), Steps(asked.registers)
    # The crystal needs some milliseconds, for which no bit tells the end: 4,096 of its cycles.
    clock.change("SYSCTL_RCC", MOSCDIS=0, XTAL=CRYSTALS[hz], BYPASS=1, USESYSDIV=0)
    clock.pause(40_000)
    clock.change("SYSCTL_RCC", OSCSRC=0)
    steps.change("SYSCTL_RCGC1", UART0=1)
    steps.change("SYSCTL_RCGC2", GPIOA=1)
    steps.change("GPIOA_AFSEL", PA0=1, PA1=1)
    steps.change("GPIOA_DEN", PA0=1, PA1=1)
    baud = pl011(asked, steps, "UART0", hz)
    if baud is None:
        return None
    polled = pl011_polled(steps, "UART0")
    return Setup(tuple(clock.made), (), tuple(steps.made), hz, hz, baud, "UART0", polled)


def pl011(asked: Asked, steps: Steps, uart: str, hz: int) -> float | None:
    """Add the steps of a PL011 without FIFOs; returns its baud rate, None where that is off."""
    both = divider(4 * hz, asked.baud, _LEAST, _MOST)
    baud = 4 * hz / both
    if not baud_fits(asked, baud, hz):
        return None
    steps.write(f"{uart}_CTL", UARTEN=0)
    steps.write(f"{uart}_IBRD", DIVINT=both >> 6)
    fraction = both & 63
    steps.divide(f"{uart}_FBRD", fraction, fraction, hz, asked.baud, both / 4)
    steps.write(f"{uart}_LCRH", WLEN=3)
    steps.write(f"{uart}_IM", RXIM=1)
    steps.write(f"{uart}_CTL", UARTEN=1, TXE=1, RXE=1)
    return baud


def pl011_polled(steps: Steps, uart: str) -> Polled:
    """A PL011 as data: flags of FR, by which it is not full and not empty."""
    registers = steps.registers

    def at(name: str) -> int:
        return registers.register(f"{uart}_{name}").address

    return Polled(
        status=at("FR"),
        transmit=at("DR"),
        receive=at("DR"),
        transmit_mask=1 << 5,
        transmit_value=0,
        receive_mask=1 << 4,
        receive_value=1 << 4,
        interrupt=registers.interrupt(uart),
    )
