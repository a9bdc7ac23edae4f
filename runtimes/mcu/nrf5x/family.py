"""Setup of an nRF: crystal, instruction cache, and pins and baud rate of its UART."""

import re
from dataclasses import dataclass

from opsmith.board.registers import Register
from opsmith.board.setup import Accesses, Button, Mcu, Setup, Switch, baud_fits

SOURCES = ("crystal", "rc")
_MOST_BAUD, _BAUD_CLOCK = 1_000_000, 16_000_000
_OUTPUT, _INPUT_BUFFER_OFF, _PULL_UP, _PULL_DOWN = 1 << 0, 1 << 1, 3 << 2, 1 << 2  # of PIN_CNF


@dataclass(frozen=True)
class Part:
    """Names and limits of an nRF part."""

    uart: str
    clock: str
    ports: tuple[tuple[str, int], ...]  # GPIO peripherals, with their number of pins
    core_hz: tuple[int, ...]
    cache: tuple[str, str] = ("", "")  # register and field that turn it on


_NRF52_CACHE = ("NVMC_ICACHECNF", "CACHEEN")
PARTS = {
    "nrf51": Part("UART0", "CLOCK", (("GPIO", 32),), (16_000_000,)),
    "nrf52810": Part("UART0", "CLOCK", (("P0", 32),), (64_000_000,)),
    "nrf52832": Part("UART0", "CLOCK", (("P0", 32),), (64_000_000,), _NRF52_CACHE),
    "nrf52833": Part("UART0", "CLOCK", (("P0", 32), ("P1", 10)), (64_000_000,), _NRF52_CACHE),
    "nrf52840": Part("UART0", "CLOCK", (("P0", 32), ("P1", 16)), (64_000_000,), _NRF52_CACHE),
    "nrf5340": Part(
        "UARTE0_S",
        "CLOCK_S",
        (("P0_S", 32), ("P1_S", 16)),
        (64_000_000, 128_000_000),
        ("CACHE_S_ENABLE", "ENABLE"),
    ),
}


@dataclass(frozen=True)
class Pin:
    """Pin of an nRF: the peripheral of its port, and its number within the port."""

    name: str
    port: str
    bit: int
    number: int  # in PSEL

    def configure(self, steps: Accesses, value: int, meaning: str) -> None:
        """Add the write of the pin's PIN_CNF register."""
        register = steps.registers.register(f"{self.port}_PIN_CNF0").at(4 * self.bit)
        named = Register(f"{self.port}_PIN_CNF{self.bit}", register.address, {})
        steps.bits("write", named, 0xFFFF_FFFF, value, f"{self.name} {meaning}")

    def drive(self, steps: Accesses, high: bool) -> None:
        """Add the write that drives an output pin high or low."""
        name = f"{self.port}_{'OUTSET' if high else 'OUTCLR'}"
        steps.whole(name, 1 << self.bit, f"{self.name} {'high' if high else 'low'}")


def setup(asked: Mcu) -> Setup | None:
    """Setup of the part; None after noting problems of the board."""
    part = PARTS[asked.part]
    source = asked.clock.choice("source", SOURCES)
    core_hz = asked.clock.number("core_hz", 1, 1_000_000_000)
    if core_hz not in part.core_hz:
        what = f"'clock.core_hz' is {core_hz}, which {asked.part} has no divider for"
        asked.refuse("BRD022", what, f"choose one of: {', '.join(map(str, part.core_hz))}")
        return None
    pins = {
        key: _pin(asked, key, asked.console.text(key[-2:])) for key in ("console.tx", "console.rx")
    }
    led, button = asked.switch("led", _pin), asked.switch("button", _pin)
    pins |= {f"{key}.pin": io[0] for key, io in (("led", led), ("button", button)) if io}
    used = {key: pin for key, pin in pins.items() if pin}
    asked.share_no_pin([(key, pin.name) for key, pin in used.items()])
    tx, rx = pins["console.tx"], pins["console.rx"]
    if source is None or tx is None or rx is None:
        return None
    register, baud = _baud(asked.baud)
    if asked.baud > _MOST_BAUD or not baud_fits(asked, baud, _BAUD_CLOCK):
        if asked.baud > _MOST_BAUD:
            what, fix = f"'console.baud' is {asked.baud}", f"write {_MOST_BAUD} or less"
            asked.refuse("BRD023", f"{what}, more than the UART has", fix)
        return None
    clock, console = Accesses(asked.registers), Accesses(asked.registers)
    _clock(clock, part, source, core_hz)
    _uart(console, part, tx, rx, (register, baud, asked.baud))
    _switches(console, led, button)
    uart = asked.registers.address(part.uart)
    interrupt = asked.registers.interrupt(part.uart)
    numbers = (("kUart", uart), ("kUartInterrupt", interrupt), *_timer(asked, console))
    return Setup(
        clock=tuple(clock.made),
        undo=(),
        console=tuple(console.made),
        clock_hz=core_hz,
        reset_hz=core_hz if asked.part != "nrf5340" else 64_000_000,
        baud=baud,
        uart=part.uart,
        numbers=(*numbers, ("kByDma", int(part.uart.startswith("UARTE")))),
        led=_led(asked, *led) if led else None,
        button=_button(asked, *button) if button else None,
    )


def _pin(asked: Mcu, key: str, name: str) -> Pin | None:
    """Pin of a name; None after noting that the part has no such pin."""
    found = re.fullmatch(r"P([01])\.(\d\d)", name)
    ports = PARTS[asked.part].ports
    if found and int(found[1]) < len(ports) and int(found[2]) < ports[int(found[1])][1]:
        port, bit = int(found[1]), int(found[2])
        return Pin(name, ports[port][0], bit, 32 * port + bit)
    asked.lacks(key, name, "write a port and two digits, such as P0.06")
    return None


def _baud(baud: int) -> tuple[int, float]:
    """Value of BAUDRATE, of which the upper 20 bits count, and the rate that it gives."""
    register = ((baud << 32) // _BAUD_CLOCK + 0x800) & 0xFFFF_F000
    return register, register * _BAUD_CLOCK / (1 << 32)


def _clock(steps: Accesses, part: Part, source: str, core_hz: int) -> None:
    """Add the steps of cache, core divider, and crystal, whose precision baud rates need."""
    if part.cache[0]:
        steps.change(part.cache[0], **{part.cache[1]: 1})
    if len(part.core_hz) > 1:
        steps.write(f"{part.clock}_HFCLKCTRL", HCLK=int(core_hz == min(part.core_hz)))
    if source == "crystal":
        register = steps.registers.register(f"{part.clock}_EVENTS_HFCLKSTARTED")
        steps.bits("write", register, 0xFFFF_FFFF, 0, "no event yet")
        start = steps.registers.register(f"{part.clock}_TASKS_HFCLKSTART")
        steps.bits("write", start, 0xFFFF_FFFF, 1, "start the crystal")
        steps.bits("wait", register, 1, 1, "the crystal has started")


def _uart(steps: Accesses, part: Part, tx: Pin, rx: Pin, baud: tuple[int, float, int]) -> None:
    """Add the steps of the UART: pins first, so that the line is idle when the UART takes over."""
    tx.drive(steps, high=True)
    tx.configure(steps, _OUTPUT | _INPUT_BUFFER_OFF, "output")
    rx.configure(steps, _PULL_UP, "input, pull-up")
    joined = part.uart == "UART0" and "UART0_PSELTXD" in steps.registers
    names = ("PSELTXD", "PSELRXD") if joined else ("PSEL_TXD", "PSEL_RXD")
    for name, pin in zip(names, (tx, rx), strict=True):
        steps.whole(f"{part.uart}_{name}", pin.number, pin.name)
    value, rate, asked = baud
    meaning = f"{rate:,.0f} baud, {rate / asked - 1:+.2%}"
    steps.whole(f"{part.uart}_BAUDRATE", value, meaning)
    if part.uart.startswith("UARTE"):
        steps.write(f"{part.uart}_ENABLE", ENABLE=8)
        return
    steps.write(f"{part.uart}_ENABLE", ENABLE=4)
    steps.write(f"{part.uart}_INTENSET", RXDRDY=1)  # QEMU ignores it before the UART is on
    for name, value, meaning in (
        ("EVENTS_RXDRDY", 0, "no event yet"),
        ("TASKS_STARTRX", 1, "receive"),
        ("TASKS_STARTTX", 1, "transmit"),
    ):
        steps.whole(f"{part.uart}_{name}", value, meaning)


def _timer(asked: Mcu, steps: Accesses) -> list[tuple[str, int]]:
    """Start the cycle counter of an nRF51, which has no SysTick, and return its address; 0 for
    cores that count.

    It starts last: QEMU looks for received bytes only when something like a timer wakes it.
    """
    if "TIMER0" not in asked.registers:
        return [("kTimer", 0)]
    steps.write("TIMER0_PRESCALER", PRESCALER=0)
    steps.write("TIMER0_BITMODE", BITMODE=3)
    steps.whole("TIMER0_TASKS_START", 1, "count cycles in 32 bits")
    return [("kTimer", asked.registers.address("TIMER0"))]


def _switches(
    steps: Accesses, led: tuple[Pin, bool] | None, button: tuple[Pin, bool] | None
) -> None:
    if led:
        led[0].drive(steps, high=led[1])
        led[0].configure(steps, _OUTPUT | _INPUT_BUFFER_OFF, "output")
    if button:
        pull, says = (_PULL_UP, "pull-up") if button[1] else (_PULL_DOWN, "pull-down")
        button[0].configure(steps, pull, f"input, {says}")


def _led(asked: Mcu, pin: Pin, low: bool) -> Switch:
    on, off = ("OUTCLR", "OUTSET") if low else ("OUTSET", "OUTCLR")
    return Switch.of(asked.registers, f"{pin.port}_{on}", f"{pin.port}_{off}", 1 << pin.bit)


def _button(asked: Mcu, pin: Pin, low: bool) -> Button:
    mask = 1 << pin.bit
    address = asked.registers.register(f"{pin.port}_IN").address
    return Button(address, mask, 0 if low else mask)
