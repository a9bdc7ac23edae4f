"""Setup of a SAMD21 or SAMD51: its clock, and a SERCOM as UART."""

import re

from opsmith.board.setup import Accesses, Button, Mcu, Polled, Setup, Switch, baud_fits
from runtimes.mcu.sam import samd21, samd51
from runtimes.mcu.sam.clock import SamClock

SERIES = {"samd21": samd21, "samd51": samd51}
_SCALE = 1 << 16  # of BAUD
_ENABLED, _INPUT, _PULLED = 1 << 0, 1 << 1, 1 << 2  # of PINCFG


def setup(asked: Mcu) -> Setup | None:
    """Setup of the part; None after noting problems of the board."""
    clock = SERIES[asked.part].clock_of(asked)
    uart = asked.console.choice("uart", tuple(asked.registers.pins))
    pins = {key: asked.signal(uart, key) for key in ("tx", "rx")}
    used = [(f"console.{key}", pin) for key, pin in pins.items() if pin]
    switches = {key: asked.switch(key, _pin) for key in ("led", "button")}
    used += [(f"{key}.pin", found[0]) for key, found in switches.items() if found]
    asked.share_no_pin(used)
    if clock is None or uart is None or not all(pins.values()):
        return None
    steps = Accesses(asked.registers)
    baud = _start_uart(asked, steps, uart, pins, clock)
    if baud is None:
        return None
    led = _led(steps, *switches["led"]) if switches["led"] else None
    button = _button(steps, *switches["button"]) if switches["button"] else None
    return Setup(
        clock=tuple(clock.steps.made),
        undo=tuple(clock.undo.made),
        console=tuple(steps.made),
        clock_hz=clock.core_hz,
        reset_hz=clock.reset_hz,
        baud=baud,
        uart=uart,
        polled=_polled(asked, uart),
        led=led,
        button=button,
    )


def _pin(asked: Mcu, key: str, name: str) -> str | None:
    """Name of a pin; None after noting that the part has no such pin."""
    if re.fullmatch(r"P[AB]([012]\d|3[01])", name):
        return name
    asked.lacks(key, name, "write a port and two digits, such as PA23")
    return None


def _start_uart(
    asked: Mcu, steps: Accesses, uart: str, pins: dict[str, str], clock: SamClock
) -> float | None:
    """Add the steps of the pins, the SERCOM's clocks and its mode; SYNCBUSY is 0 once its reset is
    over. Returns the baud rate, or None if that is too far off.
    """
    fast, slow = (
        min(max(round(_SCALE * (1 - 16 * asked.baud / hz)), 0), _SCALE - 1)
        for hz in (clock.uart_hz, clock.slow_uart_hz)
    )
    baud = clock.uart_hz / 16 * (1 - fast / _SCALE)
    if not baud_fits(asked, baud, clock.uart_hz):
        return None
    pads = {key: asked.registers.pads[uart][pin] for key, pin in pins.items()}
    port = asked.registers.holder("MCLK" if "MCLK" in asked.registers else "PM", "PORT_")
    steps.change(port, PORT_=1)
    for key, pin in pins.items():
        _function(steps, pin, asked.registers.pins[uart][key][pin])
    SERIES[asked.part].feed(steps, uart)
    steps.write(f"{uart}_CTRLA", SWRST=1)
    steps.wait(f"{uart}_SYNCBUSY", SWRST=0)
    mode = {"MODE": 1, "TXPO": pads["tx"] // 2, "RXPO": pads["rx"], "DORD": 1}
    steps.write(f"{uart}_CTRLA", **mode)
    steps.write(f"{uart}_CTRLB", TXEN=1, RXEN=1)
    steps.wait(f"{uart}_SYNCBUSY", CTRLB=0)
    steps.divide(f"{uart}_BAUD", fast, slow, clock.uart_hz, asked.baud, clock.uart_hz / baud)
    steps.write(f"{uart}_INTENSET", RXC=1)
    steps.write(f"{uart}_CTRLA", ENABLE=1, **mode)
    steps.wait(f"{uart}_SYNCBUSY", ENABLE=0)
    return baud


def _function(steps: Accesses, pin: str, function: int) -> None:
    """Add the steps that give a pin to a peripheral: four bits of PMUX and the byte of PINCFG,
    within their words.
    """
    number = int(pin[2:])
    shift = number % 8 * 4
    _part(
        steps, pin, "PMUX", number // 8 * 4, 0xF << shift, function << shift, f"function {function}"
    )
    _config(steps, pin, _ENABLED | _INPUT, "given to the peripheral")


def _config(steps: Accesses, pin: str, value: int, says: str) -> None:
    number = int(pin[2:])
    shift = number % 4 * 8
    _part(steps, pin, "PINCFG", number // 4 * 4, 0xFF << shift, value << shift, says)


def _part(steps: Accesses, pin: str, name: str, at: int, mask: int, value: int, says: str) -> None:
    register = steps.registers.register(f"PORT{pin[1]}_{name}").at(at)
    steps.bits("change", register, mask, value, f"{pin} {says}")


def _led(steps: Accesses, pin: str, low: bool) -> Switch:
    """Add the steps of an LED's output, which is off, and return the writes that switch it."""
    bit = 1 << int(pin[2:])
    on, off = ("OUTCLR", "OUTSET") if low else ("OUTSET", "OUTCLR")
    _whole(steps, pin, off, f"{pin} off")
    _whole(steps, pin, "DIRSET", f"{pin} output")
    return Switch.of(steps.registers, f"PORT{pin[1]}_{on}", f"PORT{pin[1]}_{off}", bit)


def _button(steps: Accesses, pin: str, low: bool) -> Button:
    """Add the steps of a button's input, pulled to the level of a released button."""
    bit = 1 << int(pin[2:])
    _whole(steps, pin, "OUTSET" if low else "OUTCLR", f"{pin} pulled")
    _config(steps, pin, _INPUT | _PULLED, "input, pulled")
    address = steps.registers.register(f"PORT{pin[1]}_IN").address
    return Button(address, bit, 0 if low else bit)


def _whole(steps: Accesses, pin: str, name: str, says: str) -> None:
    steps.whole(f"PORT{pin[1]}_{name}", 1 << int(pin[2:]), says)


def _polled(asked: Mcu, uart: str) -> Polled:
    """SERCOM as data; writing its overflow bit clears an overflow."""
    names = {"status": "INTFLAG", "transmit": "DATA", "receive": "DATA", "clear": "INTFLAG"}
    fields = asked.registers.register(f"{uart}_INTFLAG").fields
    ready, arrived, overflow = (fields[each].mask for each in ("DRE", "RXC", "BUFOVF"))
    return Polled.of(asked.registers, uart, names, (ready, ready), (arrived, 0), errors=overflow)
