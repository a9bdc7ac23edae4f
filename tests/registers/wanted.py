"""Registers that families touch, by part: the file that has them, and patterns of names."""

from __future__ import annotations

from tests.registers.svd import Wanted

_NRF_UART = {
    r"TASKS_START[RT]X|EVENTS_(RX|TX)DRDY|TXD|RXD": "",
    r"INTENSET|INTEN": "RXDRDY|ENDRX",
    "ENABLE": "ENABLE",
    r"PSEL_?[RT]XD|PSEL_[RT]XD": "",
    "BAUDRATE": "",
    "CONFIG": "HWFC|PARITY",
}
_NRF_UARTE = {
    r"TASKS_START[RT]X|EVENTS_ENDTX|EVENTS_ENDRX|[RT]XD_(PTR|MAXCNT)": "",
    "SHORTS": "ENDRX_STARTRX",
    "INTENSET": "ENDRX",
    "ENABLE": "ENABLE",
    r"PSEL_[RT]XD": "",
    "BAUDRATE": "",
}
_NRF_GPIO = {r"OUTSET|OUTCLR|IN|PIN_CNF0": ""}
_NRF_CLOCK = {r"TASKS_HFCLKSTART|EVENTS_HFCLKSTARTED": "", "HFCLKCTRL": "HCLK"}
NRF51: Wanted = {
    "CLOCK": _NRF_CLOCK,
    "GPIO": _NRF_GPIO,
    "UART0": _NRF_UART,
    "TIMER0": {r"TASKS_START|TASKS_CAPTURE0|CC0": "", "BITMODE": "BITMODE", "PRESCALER": ".*"},
}
NRF52: Wanted = {
    "CLOCK": _NRF_CLOCK,
    r"P[01]": _NRF_GPIO,
    "UART0": _NRF_UART,
    "NVMC": {"ICACHECNF": "CACHEEN"},
}
NRF53: Wanted = {
    "CLOCK_S": _NRF_CLOCK,
    r"P[01]_S": _NRF_GPIO,
    "UARTE0_S": _NRF_UARTE,
    "CACHE_S": {"ENABLE": "ENABLE"},
}
NRF52_SMALL = {name: registers for name, registers in NRF52.items() if name != "NVMC"}
PARTS = {  # family and part -> file, what
    ("nrf5x", "nrf51"): ("Nordic/nrf51.svd", NRF51),
    ("nrf5x", "nrf52810"): ("Nordic/nrf52810.svd", NRF52_SMALL),
    ("nrf5x", "nrf52832"): ("Nordic/nrf52.svd", NRF52),
    ("nrf5x", "nrf52833"): ("Nordic/nrf52833.svd", NRF52),
    ("nrf5x", "nrf52840"): ("Nordic/nrf52840.svd", NRF52),
    ("nrf5x", "nrf5340"): ("Nordic/nrf5340_application.svd", NRF53),
}
