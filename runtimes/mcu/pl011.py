"""Arm's PL011, a UART of several families, each with its own names for the registers."""

from collections.abc import Mapping

from opsmith.board.setup import Accesses, Mcu, Polled, baud_fits, divider

_LEAST, _MOST = 1 << 6, 0xFFFF << 6  # of the divider, in 1/64
PLAIN = {
    "DR": "DR",
    "FR": "FR",
    "IBRD": "IBRD",
    "FBRD": "FBRD",
    "LCR": "LCRH",
    "CR": "CTL",
    "IMSC": "IM",
}


def start_pl011(
    asked: Mcu, steps: Accesses, uart: str, hz: int, slow_hz: int, names: Mapping[str, str] = PLAIN
) -> float | None:
    """Add the steps that start the UART without FIFOs; returns its baud rate, or None after noting
    that it is too far off.
    """
    fast, slow = (divider(4 * each, asked.baud, _LEAST, _MOST) for each in (hz, slow_hz))
    baud = 4 * hz / fast
    if not baud_fits(asked, baud, hz):
        return None
    name = {key: f"{uart}_{each}" for key, each in names.items()}
    steps.write(name["CR"], UARTEN=0)
    steps.divide(name["IBRD"], fast >> 6, slow >> 6, hz, asked.baud, fast / 4)
    steps.divide(name["FBRD"], fast & 63, slow & 63, hz, asked.baud, fast / 4)
    steps.write(name["LCR"], WLEN=3)
    steps.write(name["IMSC"], RXIM=1)
    steps.write(name["CR"], UARTEN=1, TXE=1, RXE=1)
    return baud


def polled_pl011(steps: Accesses, uart: str, names: Mapping[str, str] = PLAIN) -> Polled:
    """UART as data: flags of FR say that it is not full, and not empty."""
    of = {"status": names["FR"], "transmit": names["DR"], "receive": names["DR"]}
    return Polled.of(steps.registers, uart, of, (1 << 5, 0), (1 << 4, 1 << 4))
