"""Pins of an STM32: clocks of their ports, and their modes."""

import re

from opsmith.board.registers import Registers
from opsmith.board.setup import Accesses

_SPEED_MEDIUM, _PULL_UP, _INPUT, _OUTPUT, _ALTERNATE = 1, 1, 0, 1, 2
# Of the F1, whose four bits for a pin are mode and configuration.
_F1_INPUT_PULLED, _F1_OUTPUT, _F1_ALTERNATE = 0x8, 0x2, 0xB
_F1_MODES = {_INPUT: _F1_INPUT_PULLED, _OUTPUT: _F1_OUTPUT, _ALTERNATE: _F1_ALTERNATE}
_NAMES = {_INPUT: "input", _OUTPUT: "output"}


def on_port(pin: str) -> str:
    """GPIO peripheral of a pin: GPIOA of PA5."""
    return f"GPIO{pin[1]}"


def is_pin(registers: Registers, pin: str) -> bool:
    """True for a pin of a port that the part has."""
    found = re.fullmatch(r"P([A-K])(1[0-5]|\d)", pin)
    return found is not None and f"GPIO{found[1]}" in registers


def alternate(steps: Accesses, pin: str, function: int, *, receives: bool) -> None:
    """Add the steps that give a pin to a peripheral; a pull-up keeps an open line idle."""
    _power(steps, pin)
    bit = int(pin[2:])
    if f"{on_port(pin)}_CRL" in steps.registers:  # F1
        if receives:
            _f1_mode(steps, pin, _INPUT, f"{pin} input, pulled")
            _field(steps, "write", pin, "BSRR", bit, 1, 1, f"{pin} pulled up")
        else:
            _f1_mode(steps, pin, _ALTERNATE, f"{pin} alternate function, push-pull")
        return
    register = steps.registers.register(f"{on_port(pin)}_AFR").at(bit // 8 * 4)
    shift = bit % 8 * 4
    meaning = f"{pin} function {function}"
    steps.bits("change", register, 0xF << shift, function << shift, meaning)
    _field(steps, "change", pin, "OSPEEDR", 2 * bit, 2, _SPEED_MEDIUM, f"{pin} medium speed")
    _field(steps, "change", pin, "PUPDR", 2 * bit, 2, _PULL_UP, f"{pin} pull-up")
    _field(steps, "change", pin, "MODER", 2 * bit, 2, _ALTERNATE, f"{pin} alternate function")


def output_pin(steps: Accesses, pin: str, low: bool) -> None:
    """Add the steps that make a pin an output, which is off."""
    _power(steps, pin)
    bit = int(pin[2:])
    _field(steps, "write", pin, "BSRR", bit if low else bit + 16, 1, 1, f"{pin} off")
    _mode(steps, pin, _OUTPUT)


def input_pin(steps: Accesses, pin: str, low: bool) -> None:
    """Add the steps that make a pin a button's input, pulled to the level of a released button."""
    _power(steps, pin)
    bit = int(pin[2:])
    if f"{on_port(pin)}_CRL" in steps.registers:
        _field(steps, "write", pin, "BSRR", bit if low else bit + 16, 1, 1, f"{pin} pulled")
    else:
        pull, says = (1, "pull-up") if low else (2, "pull-down")
        _field(steps, "change", pin, "PUPDR", 2 * bit, 2, pull, f"{pin} {says}")
    _mode(steps, pin, _INPUT)


def _mode(steps: Accesses, pin: str, mode: int) -> None:
    if f"{on_port(pin)}_CRL" in steps.registers:
        _f1_mode(steps, pin, mode, f"{pin} {_NAMES[mode]}")
    else:
        _field(steps, "change", pin, "MODER", 2 * int(pin[2:]), 2, mode, f"{pin} {_NAMES[mode]}")


def _f1_mode(steps: Accesses, pin: str, mode: int, meaning: str) -> None:
    bit = int(pin[2:])
    register = "CRL" if bit < 8 else "CRH"
    _field(steps, "change", pin, register, bit % 8 * 4, 4, _F1_MODES[mode], meaning)


def _power(steps: Accesses, pin: str) -> None:
    """Add steps that turn on the clock of a pin's port; port G has its own supply on some parts."""
    registers, port = steps.registers, on_port(pin)[4:]
    names = (f"GPIO{port}EN", f"IOP{port}EN")
    field = next(each for each in names if registers.has_field("RCC", each))
    for valid in ("IOSV", "IO2SV"):
        if port == "G" and registers.has_field("PWR", valid):
            steps.change(registers.holder("RCC", "PWREN"), PWREN=1)
            steps.change(registers.holder("PWR", valid), **{valid: 1})
    steps.change(registers.holder("RCC", field), **{field: 1})


def _field(
    steps: Accesses, action: str, pin: str, name: str, bit: int, bits: int, value: int, meaning: str
) -> None:
    mask = ((1 << bits) - 1) << bit
    register = steps.registers.register(f"{on_port(pin)}_{name}")
    steps.bits(action, register, mask, value << bit, meaning)
