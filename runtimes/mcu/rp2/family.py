"""Setup of an RP2040 or RP2350: crystal, PLL, and pins and divider of a UART."""

import re

from opsmith.board.setup import Accesses, Button, Mcu, Setup, Switch
from runtimes.mcu.pl011 import polled_pl011, start_pl011

UARTS, PINS = ("UART0", "UART1"), 30
MOST_HZ = {"rp2040": 133_000_000, "rp2350": 150_000_000}
NAMES = {
    "DR": "UARTDR",
    "FR": "UARTFR",
    "IBRD": "UARTIBRD",
    "FBRD": "UARTFBRD",
    "LCR": "UARTLCR_H",
    "CR": "UARTCR",
    "IMSC": "UARTIMSC",
}
_OSCILLATOR_HZ = 6_500_000  # of the ring that runs after reset, more or less
_UART, _SIO = 2, 5  # functions of pins
_VCO_HZ = (750_000_000, 1_600_000_000)


def setup(asked: Mcu) -> Setup | None:
    """Setup of the part; None after noting problems of the board."""
    crystal = asked.clock.number("crystal_hz", 5_000_000, 15_000_000)
    core_hz = asked.clock.number("core_hz", 1, 1_000_000_000)
    uart = asked.console.choice("uart", UARTS)
    used = [(f"console.{key}", _uart_pin(asked, uart, key)) for key in ("tx", "rx")]
    switches = {key: asked.switch(key, _pin) for key in ("led", "button")}
    used += [(f"{key}.pin", found[0]) for key, found in switches.items() if found]
    named = [(key, f"GP{pin}") for key, pin in used if pin is not None]
    asked.share_no_pin(named)
    clock, undo = Accesses(asked.registers), Accesses(asked.registers)
    if not _start_clock(asked, clock, undo, crystal, core_hz):
        return None
    if uart is None or len(named) < len(used):
        return None
    steps = Accesses(asked.registers)
    _release(steps, "IO_BANK0", "PADS_BANK0", uart)
    for (_, pin), pulled in zip(used[:2], (False, True), strict=True):
        assert pin is not None, "checked"
        _give(steps, pin, _UART, up=pulled)
    baud = start_pl011(asked, steps, uart, core_hz, _OSCILLATOR_HZ, NAMES)
    if baud is None:
        return None
    led = _led(steps, *switches["led"]) if switches["led"] else None
    button = _button(steps, *switches["button"]) if switches["button"] else None
    return Setup(
        clock=tuple(clock.made),
        undo=tuple(undo.made),
        console=tuple(steps.made),
        clock_hz=core_hz,
        reset_hz=_OSCILLATOR_HZ,
        baud=baud,
        uart=uart,
        polled=polled_pl011(steps, uart, NAMES),
        led=led,
        button=button,
    )


def _uart_pin(asked: Mcu, uart: str | None, key: str) -> int | None:
    """Number of a UART signal's pin; None after noting a wrong one.

    Pins come in fours, of which the first transmits and the second receives; UART0 has 0, 12, 16
    and 28.
    """
    pin = _pin(asked, f"console.{key}", asked.console.text(key))
    if pin is None or uart is None:
        return None
    if pin % 4 == ("tx", "rx").index(key) and (pin + 4) // 8 % 2 == UARTS.index(uart):
        return pin
    what = f"'console.{key}' is GP{pin}, where {uart} has no {key.upper()}"
    first = ("tx", "rx").index(key)
    fits = [n for n in range(first, PINS, 4) if (n + 4) // 8 % 2 == UARTS.index(uart)]
    asked.refuse("BRD021", what, f"choose one of: {', '.join(f'GP{n}' for n in fits)}")
    return None


def _pin(asked: Mcu, key: str, name: str) -> int | None:
    found = re.fullmatch(r"GP(\d|[12]\d)", name)
    if not found:
        asked.lacks(key, name, f"write a name from GP0 to GP{PINS - 1}")
    return int(found[1]) if found else None


def _start_clock(asked: Mcu, steps: Accesses, undo: Accesses, crystal: int, core_hz: int) -> bool:
    """Add the steps of the clock; returns False after noting that the frequency cannot be made."""
    if core_hz > MOST_HZ[asked.part]:
        fix = f"write {MOST_HZ[asked.part]} or less"
        asked.refuse("BRD022", f"'clock.core_hz' is {core_hz}, and {asked.part} has less", fix)
        return False
    found = _dividers(crystal, core_hz)
    if found is None:
        what = f"'clock.core_hz' is {core_hz}, which no divider makes of {crystal} Hz"
        asked.refuse("BRD022", what, "write a frequency that the PLL can make")
        return False
    times, first, second = found
    # About a millisecond for the crystal, in 256 of its cycles.
    steps.write("XOSC_STARTUP", DELAY=(crystal // 1000 + 128) // 256)
    steps.write("XOSC_CTRL", FREQ_RANGE=0xAA0, ENABLE=0xFAB)
    steps.wait("XOSC_STATUS", STABLE=1)
    steps.change("CLOCKS_CLK_REF_CTRL", SRC=2)
    _selected(steps, "CLK_REF", 2)
    _release(steps, "PLL_SYS")
    steps.write("PLL_SYS_CS", REFDIV=1)
    steps.whole("PLL_SYS_FBDIV_INT", times, f"FBDIV_INT {times}")
    steps.change("PLL_SYS_PWR", PD=0, VCOPD=0)
    steps.wait("PLL_SYS_CS", LOCK=1)
    steps.write("PLL_SYS_PRIM", POSTDIV1=first, POSTDIV2=second)
    steps.change("PLL_SYS_PWR", POSTDIVPD=0)
    steps.change("CLOCKS_CLK_SYS_CTRL", AUXSRC=0)
    steps.change("CLOCKS_CLK_SYS_CTRL", SRC=1)
    _selected(steps, "CLK_SYS", 1)
    steps.write("CLOCKS_CLK_PERI_CTRL", AUXSRC=0, ENABLE=1)
    undo.change("CLOCKS_CLK_SYS_CTRL", SRC=0)
    undo.change("CLOCKS_CLK_REF_CTRL", SRC=0)
    undo.write("CLOCKS_CLK_PERI_CTRL", AUXSRC=0, ENABLE=1)
    return True


def _dividers(crystal: int, core_hz: int) -> tuple[int, int, int] | None:
    """Multiplier and both dividers of the PLL, with the fastest VCO; None where none fit."""
    every = (
        (times, first, second)
        for times in range(320, 15, -1)
        if _VCO_HZ[0] <= crystal * times <= _VCO_HZ[1]
        for first in range(7, 0, -1)
        for second in range(first, 0, -1)
        if crystal * times == core_hz * first * second
    )
    return next(every, None)


def _selected(steps: Accesses, clock: str, source: int) -> None:
    register = steps.registers.register(f"CLOCKS_{clock}_SELECTED")
    steps.bits("wait", register, 1 << source, 1 << source, f"source {source}")


def _release(steps: Accesses, *names: str) -> None:
    """Add the steps that take peripherals out of reset."""
    steps.change("RESETS_RESET", **dict.fromkeys(names, 0))
    steps.wait("RESETS_RESET_DONE", **dict.fromkeys(names, 1))


def _give(
    steps: Accesses, pin: int, function: int, *, up: bool = False, down: bool = False
) -> None:
    """Add the steps that give a pin to a peripheral: pad, function, and isolation if any."""
    pad = f"PADS_BANK0_GPIO{pin}"
    steps.change(pad, OD=0, IE=1, PUE=int(up), PDE=int(down))
    steps.write(f"IO_BANK0_GPIO{pin}_CTRL", FUNCSEL=function)
    if "ISO" in steps.registers.register(pad).fields:
        steps.change(pad, ISO=0)


def _led(steps: Accesses, pin: int, low: bool) -> Switch:
    """Add the steps of an LED's output, which is off, and return the writes that switch it."""
    bit = 1 << pin
    on, off = ("GPIO_OUT_CLR", "GPIO_OUT_SET") if low else ("GPIO_OUT_SET", "GPIO_OUT_CLR")
    steps.whole(f"SIO_{off}", bit, f"GP{pin} off")
    steps.whole("SIO_GPIO_OE_SET", bit, f"GP{pin} output")
    _give(steps, pin, _SIO)
    return Switch.of(steps.registers, f"SIO_{on}", f"SIO_{off}", bit)


def _button(steps: Accesses, pin: int, low: bool) -> Button:
    """Add the steps of a button's input, pulled to the level of a released button."""
    _give(steps, pin, _SIO, up=low, down=not low)
    address = steps.registers.register("SIO_GPIO_IN").address
    return Button(address, 1 << pin, 0 if low else 1 << pin)
