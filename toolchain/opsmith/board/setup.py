"""Setup of an MCU by its firmware: writes of registers that a family derives from board.toml.

A family's `family.py` has `setup(asked)`, which returns a `Setup`. `setup_header.py` writes it as
C++, and `report/board_pages.py` as a table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from opsmith.board.registers import Register, Registers
from opsmith.board.schema import Table
from opsmith.errors import ToolchainError, shown

MOST_BAUD_ERROR = 0.02  # what two ends of a line may differ by


@dataclass(frozen=True)
class RomCall:
    """A function in the MCU's ROM, and six bytes that it takes."""

    address: int
    first: tuple[int, int, int]
    second: tuple[int, int, int]


@dataclass(frozen=True)
class BusAccess:
    """Access to a register: a write, a change of some of its bits, or a wait for them."""

    action: str  # "write", "change", "wait", or "pause"
    register: Register
    mask: int
    value: int
    meaning: str  # "PLLM 8, PLLN 168"
    slow: int | None = None  # value where the core stayed at its reset clock
    call: RomCall | None = (
        None  # by which the step is made; no address on the core's bus is written
    )

    @property
    def whole(self) -> bool:
        """True where the step gives the register all of its bits."""
        return self.action == "write"


@dataclass(frozen=True)
class Polled:
    """A UART with a status register and a data register for each direction."""

    status: int  # addresses
    transmit: int
    receive: int
    transmit_mask: int  # status & mask == value: the transmitter takes a byte
    transmit_value: int
    receive_mask: int  # status & mask != value: a byte has arrived
    receive_value: int
    interrupt: int
    errors: int = 0  # bits of status
    clear: int = 0  # address that these bits are written to; 0: reading a byte clears them
    acknowledge: int = 0  # address that takes `acknowledged` before the core sleeps
    acknowledged: int = 0


@dataclass(frozen=True)
class Switch:
    """An LED's pin: addresses, and what to write there."""

    on: tuple[int, int]
    off: tuple[int, int]


@dataclass(frozen=True)
class Button:
    """A button's pin: the address to read, and the bits under the mask of a pressed one."""

    address: int
    mask: int
    pressed: int


@dataclass(frozen=True)
class Setup:
    """Accesses that a family makes before main() goes on, and what the result is."""

    clock: tuple[BusAccess, ...]  # a wait that fails ends them
    undo: tuple[BusAccess, ...]  # then: the core has the clock of after reset, or nearly
    console: tuple[BusAccess, ...]
    clock_hz: int  # of the cycle counter, after `clock`
    reset_hz: int  # after `undo`
    baud: float  # that the divider makes
    uart: str  # "USART2"
    polled: Polled | None = None
    numbers: tuple[tuple[str, int], ...] = ()  # further constants for the family's code
    led: Switch | None = None
    button: Button | None = None
    caches: bool = False  # the core's, of Armv7-M, are turned on last
    sources: tuple[Path, ...] = ()  # files of the family that it was derived from
    part: str = ""  # of the family's
    load: tuple[BusAccess, ...] = ()  # by code in `boot`, before the firmware can be read
    boot: bytes = b""  # what the boot ROM reads at the begin of flash; a multiple of 4 bytes


@dataclass
class Accesses:
    """Steps in the making, in order."""

    registers: Registers
    made: list[BusAccess] = field(default_factory=list)

    def write(self, name: str, **fields: int) -> None:
        """Give a register these fields, and zeros elsewhere."""
        self._add("write", name, fields)

    def change(self, name: str, **fields: int) -> None:
        """Give a register these fields and keep its other bits."""
        self._add("change", name, fields)

    def wait(self, name: str, **fields: int) -> None:
        """Wait until a register has these fields."""
        self._add("wait", name, fields)

    def bits(self, action: str, register: Register, mask: int, value: int, meaning: str) -> None:
        """Add a step for bits that the table gives no name."""
        self.made.append(BusAccess(action, register, mask, value, meaning))

    def call(
        self, action: str, register: Register, mask: int, value: int, meaning: str, by: RomCall
    ) -> None:
        """Add a step for a register on a bus of its own, which a function in ROM writes."""
        self.made.append(BusAccess(action, register, mask, value, meaning, call=by))

    def divide(self, name: str, fast: int, slow: int, hz: int, asked: int, by: float) -> None:
        """Write the divider of a UART, whose clock may be the one after reset: of hz by so much,
        for the baud rate that the board asks for.
        """
        baud = hz / by
        meaning = f"{hz:,} Hz / {by:g} = {baud:,.0f} baud, {baud / asked - 1:+.2%}"
        register = self.registers.register(name)
        self.made.append(BusAccess("write", register, 0xFFFF_FFFF, fast, meaning, slow))

    def pause(self, cycles: int) -> None:
        """Let at least this number of cycles pass."""
        self.made.append(BusAccess("pause", Register("", 0, {}), 0, cycles, f"{cycles} cycles"))

    def gathered(self) -> list[BusAccess]:
        """The steps, with all changes of one register in place of the first: for registers whose
        order is free, such as those of pins.
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
        """Add a step for fields of a register, which need not be in the table."""
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
    """Change in place of two of the same register."""
    mask, value = first.mask | second.mask, first.value & ~second.mask | second.value
    meanings = dict.fromkeys((first.meaning, second.meaning))
    return BusAccess("change", first.register, mask, value, ", ".join(meanings))


P = TypeVar("P")
PinOf = Callable[["Mcu", str, str], P | None]  # of key and name; None after noting why not


@dataclass
class Mcu:
    """Facts of board.toml about the MCU, for a family's `setup`."""

    part: str
    registers: Registers
    board: Table  # the whole file
    console: Table
    clock: Table
    baud: int

    def refuse(self, code: str, what: str, fix: str) -> None:
        """Note a problem of the board; the family goes on with another value."""
        self.board.note(code, what, fix)

    def signal(self, uart: str | None, key: str) -> str:
        """Name of the pin of a signal of the console, "" after noting that the UART has none such
        in the family's tables.
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
        table, or after noting what is wrong with it.
        """
        if not self.board.has(key):
            return None
        table = self.board.table(key)
        pin = pin_of(self, f"{key}.pin", table.text("pin"))
        low = table.choice("active", ("high", "low")) == "low"
        table.close()
        return None if pin is None else (pin, low)

    def lacks(self, key: str, name: str, fix: str) -> None:
        """Note that the part has no pin of this name; a missing name is noted already."""
        if name:
            what = f"'{key}' is {shown(name)}, which {self.part} does not have"
            self.refuse("BRD021", what, fix)

    def share_no_pin(self, pins: Sequence[tuple[str, str]]) -> None:
        """Note each pin that two keys use, of pairs of key and pin."""
        owners = dict[str, str]()
        for key, pin in pins:
            other = owners.setdefault(pin, key)
            if other != key:
                what = f"'{other}' and '{key}' are both {pin}"
                self.refuse("BRD021", what, "give each a pin of its own")


def baud_fits(asked: Mcu, made: float, clock: int) -> bool:
    """True if a baud rate is near enough to the board's; BRD023 is noted where it is not."""
    error = made / asked.baud - 1
    if abs(error) <= MOST_BAUD_ERROR:
        return True
    what = f"'console.baud' is {asked.baud}, and {clock} Hz divide to {made:.0f}: {error:+.1%}"
    asked.refuse("BRD023", what, "write a baud rate within 2 % of one that it divides to")
    return False


def divider(clocks: int, baud: int, least: int, most: int) -> int:
    """The divider that makes of a clock what is nearest to the baud rate."""
    return min(max((clocks + baud // 2) // baud, least), most)
