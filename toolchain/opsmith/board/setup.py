"""Setup of an MCU by its firmware: register accesses that a family derives from board.toml.

A family's `family.py` has `setup(asked)`, which returns a `Setup`. `setup_header.py` writes it as
C++, and `report/board_pages.py` as a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from opsmith.board.registers import Register, Registers
from opsmith.board.schema import Table
from opsmith.errors import ToolchainError, shown

MOST_BAUD_ERROR = 0.02  # allowed difference between the two ends of a line


@dataclass(frozen=True)
class RomCall:
    """A function in the MCU's ROM, and the six bytes of its arguments."""

    address: int
    first: tuple[int, int, int]
    second: tuple[int, int, int]


@dataclass(frozen=True)
class BusAccess:
    """Access to a register: a write, a change of some of its bits, or a wait for bits."""

    action: str  # "write", "change", "wait", or "pause"
    register: Register
    mask: int
    value: int
    meaning: str  # "PLLM 8, PLLN 168"
    slow: int | None = None  # value to write instead if the core stayed at its reset clock
    call: RomCall | None = (
        None  # by which the step is made; no address on the core's bus is written
    )

    @property
    def whole(self) -> bool:
        """True if the access writes all bits of the register."""
        return self.action == "write"


@dataclass(frozen=True)
class Polled:
    """A UART that is polled, with a status register and a data register for each direction."""

    status: int  # addresses
    transmit: int
    receive: int
    transmit_mask: int  # status & mask == value: the transmitter can take a byte
    transmit_value: int
    receive_mask: int  # status & mask != value: a byte has arrived
    receive_value: int
    interrupt: int
    errors: int = 0  # bits of the status register that report errors
    clear: int = 0  # address to which error bits are written; 0: reading a byte clears them
    acknowledge: int = 0  # address to which `acknowledged` is written before the core sleeps
    acknowledged: int = 0

    @classmethod
    def of(
        cls,
        registers: Registers,
        uart: str,
        names: Mapping[str, str],
        ready: tuple[int, int],
        arrived: tuple[int, int],
        **more: int,
    ) -> Polled:
        """UART whose addresses are those of registers: `names` has the register of each field.
        `ready` and `arrived` are mask and value of the status; `more` has further fields.
        """
        at = {key: registers.register(f"{uart}_{name}").address for key, name in names.items()}
        masks = ("transmit_mask", "transmit_value", "receive_mask", "receive_value")
        bits = dict(zip(masks, (*ready, *arrived), strict=True))
        return cls(**{**at, **bits, "interrupt": registers.interrupt(uart), **more})


@dataclass(frozen=True)
class Switch:
    """Pin of an LED: addresses and values that switch it on and off."""

    on: tuple[int, int]
    off: tuple[int, int]

    @classmethod
    def of(cls, registers: Registers, on: str, off: str, bit: int) -> Switch:
        """LED of a bit that is written to one of two registers, whose other bits are then kept."""
        return cls(*((registers.register(name).address, bit) for name in (on, off)))


@dataclass(frozen=True)
class Button:
    """Pin of a button: the address to read, and the masked bits of a pressed button."""

    address: int
    mask: int
    pressed: int


@dataclass(frozen=True)
class Setup:
    """Register accesses of a family before main(), and the resulting clock and baud rate."""

    clock: tuple[BusAccess, ...]  # accesses that set the clock; a wait that fails ends them
    undo: tuple[BusAccess, ...]  # accesses after such a failure: back to about the reset clock
    console: tuple[BusAccess, ...]
    clock_hz: int  # rate of the cycle counter after `clock`
    reset_hz: int  # rate of the cycle counter after `undo`
    baud: float  # actual baud rate, as the divider gives it
    uart: str  # "USART2"
    polled: Polled | None = None
    numbers: tuple[tuple[str, int], ...] = ()  # further constants for the family's code
    led: Switch | None = None
    button: Button | None = None
    caches: bool = False  # caches of an Armv7-M core, which are enabled last
    part: str = ""  # the MCU's part, as the family names it
    load: tuple[BusAccess, ...] = ()  # accesses by code in `boot`, before the firmware can be read
    boot: bytes = b""  # what the boot ROM reads at the start of flash; a multiple of 4 bytes


@dataclass
class Accesses:
    """List of accesses that a family builds, in order."""

    registers: Registers
    made: list[BusAccess] = field(default_factory=list)

    def write(self, name: str, **fields: int) -> None:
        """Add a write of fields to a register, with zeros elsewhere."""
        self._add("write", name, fields)

    def change(self, name: str, **fields: int) -> None:
        """Add a change of fields of a register, which keeps its other bits."""
        self._add("change", name, fields)

    def wait(self, name: str, **fields: int) -> None:
        """Add a wait until fields of a register have given values."""
        self._add("wait", name, fields)

    def bits(self, action: str, register: Register, mask: int, value: int, meaning: str) -> None:
        """Add an access to bits for which the table has no name."""
        self.made.append(BusAccess(action, register, mask, value, meaning))

    def whole(self, name: str, value: int, meaning: str) -> None:
        """Add a write of a register whose fields have no names in the table."""
        self.bits("write", self.registers.register(name), 0xFFFF_FFFF, value, meaning)

    def call(
        self, action: str, register: Register, mask: int, value: int, meaning: str, by: RomCall
    ) -> None:
        """Add an access to a register on a separate bus, which a ROM function writes."""
        self.made.append(BusAccess(action, register, mask, value, meaning, call=by))

    def divide(self, name: str, fast: int, slow: int, hz: int, asked: int, by: float) -> None:
        """Add a write of a UART's baud rate divider: `fast` and `slow` are dividers for the set and
        the reset clock, `hz` / `by` is the resulting rate, and `asked` the board's.
        """
        baud = hz / by
        meaning = f"{hz:,} Hz / {by:g} = {baud:,.0f} baud, {baud / asked - 1:+.2%}"
        register = self.registers.register(name)
        self.made.append(BusAccess("write", register, 0xFFFF_FFFF, fast, meaning, slow))

    def pause(self, cycles: int) -> None:
        """Add a pause of at least `cycles` cycles."""
        self.made.append(BusAccess("pause", Register("", 0, {}), 0, cycles, f"{cycles} cycles"))

    def gathered(self) -> list[BusAccess]:
        """Accesses in which all changes of one register are merged into the first: for registers
        that may be written in any order, such as those of pins.
        """
        found: list[BusAccess] = []
        for step in self.made:
            for i, other in enumerate(found):
                if step.action == other.action == "change" and step.register == other.register:
                    found[i] = _both(other, step)
                    break
            else:
                found.append(step)
        return found

    def fields(self, action: str, register: Register, **fields: int) -> None:
        """Add an access to fields of a register that need not be in the table."""
        mask, value = 0, 0
        for each, number in fields.items():
            at = register.fields.get(each)
            if at is None or number != number & (at.mask >> at.bit):
                what = f"{register.name} has no field {each} that can be {number}"
                fix = "correct the family"
                raise ToolchainError.of("BRD024", what, where=register.name, fix=fix)
            mask, value = mask | at.mask, value | number << at.bit
        meaning = ", ".join(f"{each} {number}" for each, number in fields.items())
        self.made.append(BusAccess(action, register, mask, value, meaning))

    def _add(self, action: str, name: str, fields: dict[str, int]) -> None:
        self.fields(action, self.registers.register(name), **fields)


def _both(first: BusAccess, second: BusAccess) -> BusAccess:
    """A change of a register that replaces two changes of it."""
    mask, value = first.mask | second.mask, first.value & ~second.mask | second.value
    meanings = dict.fromkeys((first.meaning, second.meaning))
    return BusAccess("change", first.register, mask, value, ", ".join(meanings))


P = TypeVar("P")
PinOf = Callable[["Mcu", str, str], P | None]  # by key and name; None if a problem was noted


@dataclass
class Mcu:
    """Facts of a board.toml about the MCU, for a family's `setup`."""

    part: str
    registers: Registers
    board: Table  # the whole content of the board.toml
    console: Table
    clock: Table
    baud: int

    def refuse(self, code: str, what: str, fix: str) -> None:
        """Record a problem of the board; the family continues with another value."""
        self.board.note(code, what, fix)

    def signal(self, uart: str | None, key: str) -> str:
        """Pin name of a console signal; "" after recording a problem if the family's tables give
        the UART no such pin.
        """
        name = self.console.text(key)
        if not name or uart is None:
            return ""
        known = self.registers.pins[uart].get(key, {})
        if name in known:
            return name
        what = f"'console.{key}' is {shown(name)}, where {uart} has no {key.upper()}"
        self.refuse("BRD021", what, f"choose one of: {', '.join(known)}")
        return ""

    def switch(self, key: str, pin_of: PinOf[P]) -> tuple[P, bool] | None:
        """Pin of an LED or a button, and whether it is active low; None where the board has no such
        table, or after recording a problem.
        """
        if not self.board.has(key):
            return None
        table = self.board.table(key)
        pin = pin_of(self, f"{key}.pin", table.text("pin"))
        low = table.choice("active", ("high", "low")) == "low"
        table.close()
        return None if pin is None else (pin, low)

    def lacks(self, key: str, name: str, fix: str) -> None:
        """Record that the part has no pin of this name; "" if a problem was recorded before."""
        if name:
            what = f"'{key}' is {shown(name)}, which {self.part} does not have"
            self.refuse("BRD021", what, fix)

    def share_no_pin(self, pins: Sequence[tuple[str, str]]) -> None:
        """Record each pin that two keys use; `pins` has pairs of key and pin."""
        owners = dict[str, str]()
        for key, pin in pins:
            other = owners.setdefault(pin, key)
            if other != key:
                what = f"'{other}' and '{key}' are both {pin}"
                self.refuse("BRD021", what, "give each a pin of its own")


def baud_fits(asked: Mcu, made: float, clock: int) -> bool:
    """True if a baud rate is close enough to the board's; otherwise BRD023 is recorded."""
    error = made / asked.baud - 1
    if abs(error) <= MOST_BAUD_ERROR:
        return True
    what = f"'console.baud' is {asked.baud}, and {clock} Hz divide to {made:.0f}: {error:+.1%}"
    asked.refuse("BRD023", what, "write a baud rate within 2 % of one that it divides to")
    return False


def divider(clocks: int, baud: int, least: int, most: int) -> int:
    """Divider of a clock that gives the rate nearest to the baud rate, within bounds."""
    return min(max((clocks + baud // 2) // baud, least), most)
