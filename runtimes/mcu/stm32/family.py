"""Setup of an STM32: clock tree, then pins and divider of the console's UART."""

import re
import tomllib
from pathlib import Path
from typing import Any

from opsmith.board.registers import Registers
from opsmith.board.setup import Accesses, Button, Mcu, Polled, Setup, Switch, baud_fits, divider
from runtimes.mcu import mpu
from runtimes.mcu.stm32.clock import ClockTree, clock_of
from runtimes.mcu.stm32.pins import alternate, input_pin, is_pin, on_port, output_pin

LIMITS = Path(__file__).with_name("limits.toml")


def setup(asked: Mcu) -> Setup | None:
    """Setup of the part; None after noting problems of the board."""
    limits = tomllib.loads(LIMITS.read_text("utf-8"))[asked.part]
    clock = clock_of(asked, limits)
    uart = asked.console.choice("uart", sorted(asked.registers.pins))
    if uart is None or clock is None:
        return None
    pins = {key: asked.signal(uart, key) for key in ("tx", "rx")}
    used = [(f"console.{key}", pin) for key, pin in pins.items() if pin]
    led, button = asked.switch("led", _pin), asked.switch("button", _pin)
    used += [(f"{key}.pin", io[0]) for key, io in (("led", led), ("button", button)) if io]
    asked.share_no_pin(used)
    if not all(pins.values()):
        return None
    steps = Accesses(asked.registers)
    baud = _console(asked, steps, uart, pins, clock)
    if baud is None:
        return None
    caches, protection = limits["core"] == "cortex-m7d", Accesses(asked.registers)
    if caches and not mpu.has_external(asked):
        mpu.forbid_external(protection)
    return Setup(
        clock=tuple(clock.steps.made),
        undo=tuple(clock.undo.made),
        console=(*steps.made, *_io_steps(asked, led, button), *protection.made),
        clock_hz=clock.core_hz,
        reset_hz=clock.reset_hz,
        baud=baud,
        uart=uart,
        polled=polled(asked.registers, uart),
        led=_led(asked.registers, led) if led else None,
        button=_button(asked.registers, button) if button else None,
        caches=caches,
    )


def polled(registers: Registers, uart: str) -> Polled:
    """UART as data: TXE and RXNE of SR or ISR, and its error flags."""
    old = f"{uart}_SR" in registers
    names = {"status": "ISR", "transmit": "TDR", "receive": "RDR", "clear": "ICR"}
    if old:
        names = {"status": "SR", "transmit": "DR", "receive": "DR"}
    errors = 0xF  # overrun, noise, framing, parity
    return Polled.of(registers, uart, names, (1 << 7, 1 << 7), (1 << 5, 0), errors=errors)


def _pin(asked: Mcu, key: str, name: str) -> str | None:
    """Name of a pin; None after noting that the part has no such pin."""
    if is_pin(asked.registers, name):
        return name
    asked.lacks(key, name, "write a port and a number, such as PA5")
    return None


def _io_steps(
    asked: Mcu, led: tuple[str, bool] | None, button: tuple[str, bool] | None
) -> list[Any]:
    steps = Accesses(asked.registers)
    if led:
        output_pin(steps, *led)
    if button:
        input_pin(steps, *button)
    return steps.gathered()


def _led(registers: Registers, led: tuple[str, bool]) -> Switch:
    pin, low = led
    address, bit = registers.register(f"{on_port(pin)}_BSRR").address, int(pin[2:])
    high = (address, 1 << bit), (address, 1 << bit + 16)
    return Switch(*(reversed(high) if low else high))


def _button(registers: Registers, button: tuple[str, bool]) -> Button:
    pin, low = button
    mask = 1 << int(pin[2:])
    address = registers.register(f"{on_port(pin)}_IDR").address
    return Button(address, mask, 0 if low else mask)


def _console(
    asked: Mcu, steps: Accesses, uart: str, pins: dict[str, str], clock: ClockTree
) -> float | None:
    """Add the steps of the console; returns its baud rate, or None if that is too far off."""
    registers, enable = asked.registers, f"{uart}EN"
    bus = registers.holder("RCC", enable)
    io = Accesses(registers)
    for key, pin in pins.items():
        function = registers.pins[uart][key][pin]
        alternate(io, pin, function, receives=key == "rx")
    steps.made += io.gathered()
    steps.change(bus, **{enable: 1})
    if registers.has_field("RCC", f"{uart}SEL"):
        steps.change(registers.holder("RCC", f"{uart}SEL"), **{f"{uart}SEL": 0})
    wide = uart.startswith("LPUART")  # whose divider counts 1/256 of a clock
    of, least, most = (256, 0x300, 0xFFFFF) if wide else (1, 16, 0xFFFF)
    hz = clock.bus_hz(bus)
    fast, slow = (divider(of * each, asked.baud, least, most) for each in (hz, clock.reset_hz))
    baud = of * hz / fast
    if not baud_fits(asked, baud, hz):
        return None
    steps.divide(f"{uart}_BRR", fast, slow, hz, asked.baud, fast / of)
    control = f"{uart}_CR1"
    named = registers.register(control).fields
    fifo = {"FIFOEN": 1} if "FIFOEN" in named else {}
    interrupt = next(each for each in named if re.fullmatch("RXNEIE(_RXFNEIE)?", each))
    if fifo:
        steps.write(control, **fifo)  # only while the UART is off
    steps.write(control, **fifo, **{interrupt: 1}, TE=1, RE=1, UE=1)
    return baud
