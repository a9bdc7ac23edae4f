"""Setup of a SAMD51: DPLL0 for the core, of the oscillator of 48 MHz that clocks the SERCOM."""

from __future__ import annotations

import re
from pathlib import Path

from opsmith.board.setup import Asked, Button, Polled, Setup, Steps, Switch, baud_fits, clashes
from opsmith.errors import shown

ACTIVE = ("high", "low")
CHANNELS = {"SERCOM0": 7, "SERCOM1": 8, "SERCOM2": 23, "SERCOM3": 24, "SERCOM4": 34, "SERCOM5": 35}
_DFLL_HZ, _REFERENCE_HZ = 48_000_000, 2_000_000
_LEAST_HZ, _MOST_HZ = 96_000_000, 120_000_000
_DFLL, _DPLL0 = 6, 7  # sources of GCLK
_SCALE = 1 << 16  # of BAUD
_ENABLED, _INPUT, _PULLED = 1 << 0, 1 << 1, 1 << 2  # of PINCFG


def setup(asked: Asked) -> Setup | None:
    """Setup of the part, None after noting what is wrong with the board."""
    core_hz = asked.clock.number("core_hz", _LEAST_HZ, _MOST_HZ)
    uart = asked.console.choice("uart", tuple(CHANNELS))
    pins = {key: _uart_pin(asked, uart, key) for key in ("tx", "rx")}
    used = [(f"console.{key}", pin) for key, pin in pins.items() if pin]
    switches = {key: _switch(asked, key, used) for key in ("led", "button")}
    for what, fix in clashes(used):
        asked.refuse("BRD021", what, fix)
    if core_hz % _REFERENCE_HZ:
        what = f"'clock.core_hz' is {core_hz}, which the PLL does not make of {_REFERENCE_HZ} Hz"
        asked.refuse("BRD022", what, f"write a multiple of {_REFERENCE_HZ}")
        return None
    if uart is None or not all(pins.values()):
        return None
    value = round(_SCALE * (1 - 16 * asked.baud / _DFLL_HZ))
    baud = _DFLL_HZ / 16 * (1 - max(value, 0) / _SCALE)
    if not baud_fits(asked, baud, _DFLL_HZ):
        return None
    clock, undo, steps = (Steps(asked.registers) for _ in range(3))
    _start_clock(clock, core_hz)
    undo.write("GCLK_GENCTRL0", SRC=_DFLL, GENEN=1, DIV=1)
    _start_uart(asked, steps, uart, pins, (value, baud))
    led = _led(steps, *switches["led"]) if switches["led"] else None
    button = _button(steps, *switches["button"]) if switches["button"] else None
    return Setup(
        clock=tuple(clock.made),
        undo=tuple(undo.made),
        console=tuple(steps.made),
        clock_hz=core_hz,
        reset_hz=_DFLL_HZ,
        baud=baud,
        uart=uart,
        polled=_polled(asked, uart),
        led=led,
        button=button,
        sources=(Path(__file__),),
    )


def _uart_pin(asked: Asked, uart: str | None, key: str) -> str:
    """The pin of a signal, "" after noting that it is none."""
    pin = asked.console.text(key)
    if not pin or uart is None:
        return ""
    known = asked.registers.pins[uart].get(key, {})
    if pin not in known:
        what = f"'console.{key}' is {shown(pin)}, where {uart} has no {key.upper()}"
        asked.refuse("BRD021", what, f"choose one of: {', '.join(known)}")
        return ""
    return pin


def _switch(asked: Asked, key: str, used: list[tuple[str, str]]) -> tuple[str, bool] | None:
    """Pin, and whether it is active low, of the LED or the button."""
    if not asked.board.has(key):
        return None
    table = asked.board.table(key)
    pin, low = table.text("pin"), table.choice("active", ACTIVE) == "low"
    table.close()
    if not re.fullmatch(r"P[AB]([012]\d|3[01])", pin):
        if pin:
            what = f"'{key}.pin' is {shown(pin)}, which {asked.part} does not have"
            asked.refuse("BRD021", what, "write a port and two digits, such as PA23")
        return None
    used.append((f"{key}.pin", pin))
    return pin, low


def _start_clock(steps: Steps, core_hz: int) -> None:
    """Back to the oscillator, since a bootloader may have left the PLL on, and then to the PLL."""
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


def _start_uart(
    asked: Asked, steps: Steps, uart: str, pins: dict[str, str], rate: tuple[int, float]
) -> None:
    """The pins, the clocks of the SERCOM, and its mode; SYNCBUSY is 0 where the reset is over."""
    pads = {key: asked.registers.pads[uart][pin] for key, pin in pins.items()}
    steps.change("MCLK_APBBMASK", PORT_=1)
    for key, pin in pins.items():
        _function(steps, pin, asked.registers.pins[uart][key][pin])
    mask = asked.registers.holder("MCLK", f"{uart}_")
    steps.change(mask, **{f"{uart}_": 1})
    steps.write("GCLK_GENCTRL1", SRC=_DFLL, GENEN=1, DIV=1)
    steps.wait("GCLK_SYNCBUSY", GENCTRL1=0)
    channel = f"GCLK_PCHCTRL{CHANNELS[uart]}"
    steps.write(channel, GEN=1, CHEN=1)
    steps.wait(channel, CHEN=1)
    steps.write(f"{uart}_CTRLA", SWRST=1)
    steps.wait(f"{uart}_SYNCBUSY", SWRST=0)
    mode = {"MODE": 1, "TXPO": 0, "RXPO": pads["rx"], "DORD": 1}
    steps.write(f"{uart}_CTRLA", **mode)
    steps.write(f"{uart}_CTRLB", TXEN=1, RXEN=1)
    steps.wait(f"{uart}_SYNCBUSY", CTRLB=0)
    value, baud = rate
    meaning = f"{_DFLL_HZ:,} Hz / 16 * (1 - {value} / 65536) = {baud:,.0f} baud"
    meaning += f", {baud / asked.baud - 1:+.2%}"
    register = steps.registers.register(f"{uart}_BAUD")
    steps.bits("write", register, 0xFFFF_FFFF, value, meaning)
    steps.write(f"{uart}_INTENSET", RXC=1)
    steps.write(f"{uart}_CTRLA", ENABLE=1, **mode)
    steps.wait(f"{uart}_SYNCBUSY", ENABLE=0)


def _function(steps: Steps, pin: str, function: int) -> None:
    """Give a pin to a peripheral: four bits of PMUX and the byte of PINCFG, in their words."""
    number = int(pin[2:])
    shift = number % 8 * 4
    _part(
        steps, pin, "PMUX", number // 8 * 4, 0xF << shift, function << shift, f"function {function}"
    )
    _config(steps, pin, _ENABLED | _INPUT, "given to the peripheral")


def _config(steps: Steps, pin: str, value: int, says: str) -> None:
    number = int(pin[2:])
    shift = number % 4 * 8
    _part(steps, pin, "PINCFG", number // 4 * 4, 0xFF << shift, value << shift, says)


def _part(steps: Steps, pin: str, name: str, at: int, mask: int, value: int, says: str) -> None:
    register = steps.registers.register(f"PORT{pin[1]}_{name}").at(at)
    steps.bits("change", register, mask, value, f"{pin} {says}")


def _led(steps: Steps, pin: str, low: bool) -> Switch:
    """Add the steps of an output that is off, and say how it is switched."""
    bit = 1 << int(pin[2:])
    on, off = ("OUTCLR", "OUTSET") if low else ("OUTSET", "OUTCLR")
    _whole(steps, pin, off, f"{pin} off")
    _whole(steps, pin, "DIRSET", f"{pin} output")
    at = (steps.registers.register(f"PORT{pin[1]}_{each}").address for each in (on, off))
    return Switch((next(at), bit), (next(at), bit))


def _button(steps: Steps, pin: str, low: bool) -> Button:
    """Add the steps of an input, pulled to what it reads while nobody presses."""
    bit = 1 << int(pin[2:])
    _whole(steps, pin, "OUTSET" if low else "OUTCLR", f"{pin} pulled")
    _config(steps, pin, _INPUT | _PULLED, "input, pulled")
    address = steps.registers.register(f"PORT{pin[1]}_IN").address
    return Button(address, bit, 0 if low else bit)


def _whole(steps: Steps, pin: str, name: str, says: str) -> None:
    register = steps.registers.register(f"PORT{pin[1]}_{name}")
    steps.bits("write", register, 0xFFFF_FFFF, 1 << int(pin[2:]), says)


def _polled(asked: Asked, uart: str) -> Polled:
    """The SERCOM as data; an overflow is cleared by writing its bit."""
    flags = asked.registers.register(f"{uart}_INTFLAG")
    data = asked.registers.register(f"{uart}_DATA").address
    return Polled(
        status=flags.address,
        transmit=data,
        receive=data,
        transmit_mask=flags.fields["DRE"].mask,
        transmit_value=flags.fields["DRE"].mask,
        receive_mask=flags.fields["RXC"].mask,
        receive_value=0,
        interrupt=asked.registers.interrupt(uart),
        errors=flags.fields["BUFOVF"].mask,
        clear=flags.address,
    )
