"""Registers of an MCU by their names in its vendor's headers: `mcu/<family>/registers/<part>.toml`.

A table has `at`, the address of a peripheral, `interrupt`, `like`, the peripheral whose registers
it has, and for each register its offset and fields, "NAME BIT" or "NAME BIT:BITS". `pins` lists the
pins of each UART with their alternate functions, "PA2 7", and pads, if it has any: "PB17 2:1".
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.board.read import parse_toml
from opsmith.errors import ToolchainError

CODE = "BRD024"
_WORDS = ("at", "interrupt", "like")


@dataclass(frozen=True)
class Field:
    """A field: adjacent bits of a register."""

    bit: int
    bits: int

    @property
    def mask(self) -> int:
        """Mask with ones at the field's bits."""
        return ((1 << self.bits) - 1) << self.bit


@dataclass(frozen=True)
class Register:
    """A register of a peripheral, with its address and fields."""

    name: str  # "RCC_CR"
    address: int
    fields: Mapping[str, Field]

    def at(self, bytes_after: int) -> Register:
        """Register of an array, `bytes_after` bytes after the first one."""
        return Register(self.name, self.address + bytes_after, self.fields)


class Registers:
    """Registers and pins of one part. Raises BRD024 for names that its table lacks."""

    def __init__(self, file: Path):
        self._file = file
        self._tables: dict[str, Any] = parse_toml(file, CODE)
        pins = self._tables.pop("pins", {})
        self.pins: Mapping[str, Mapping[str, Mapping[str, int]]] = {
            uart: {signal: dict(map(_pin, of)) for signal, of in signals.items()}
            for uart, signals in pins.items()
        }
        self.pads: Mapping[str, Mapping[str, int]] = {
            uart: dict(_pad(each) for of in signals.values() for each in of)
            for uart, signals in pins.items()
        }

    def based(self, address: int) -> Registers:
        """Registers with all peripherals moved by an offset that a board specifies."""
        moved = copy(self)
        moved._tables = {
            name: table | {"at": table["at"] + address} for name, table in self._tables.items()
        }
        return moved

    def __contains__(self, name: str) -> bool:
        """True for the name of a peripheral, or of a register such as "RCC_CR"."""
        if name in self._tables:
            return True
        peripheral, register = self._split(name)
        return peripheral in self._tables and register in self._owner(peripheral)

    def peripherals(self) -> tuple[str, ...]:
        """Names of all peripherals."""
        return tuple(self._tables)

    def names(self, peripheral: str) -> tuple[str, ...]:
        """Names of a peripheral's registers, such as "RCC_CR"."""
        return tuple(f"{peripheral}_{register}" for register in self._owner(peripheral))

    def address(self, peripheral: str) -> int:
        """Address of a peripheral."""
        return int(self._of(peripheral)["at"])

    def interrupt(self, peripheral: str) -> int:
        """Number of a peripheral's interrupt."""
        return int(self._of(peripheral).get("interrupt", 0))

    def register(self, name: str) -> Register:
        """Register of a name such as "RCC_CR"."""
        peripheral, register = self._split(name)
        entry = self._owner(peripheral).get(register) if peripheral else None
        if not isinstance(entry, list):
            raise self._missing(f"register {name}")
        fields = dict(map(_field, entry[1:]))
        return Register(name, self.address(peripheral) + int(entry[0]), fields)

    def holder(self, peripheral: str, field: str) -> str:
        """Name of the peripheral's register that has a field of this name."""
        for register, entry in self._owner(peripheral).items():
            if field in dict(map(_field, entry[1:])):
                return f"{peripheral}_{register}"
        raise self._missing(f"field {field} of {peripheral}")

    def has_field(self, peripheral: str, field: str) -> bool:
        """True if a register of the peripheral has a field of this name."""
        entries = self._owner(peripheral).values()
        return any(field in dict(map(_field, entry[1:])) for entry in entries)

    def _split(self, name: str) -> tuple[str, str]:
        """Peripheral and register in a name: the longest peripheral with which it begins."""
        known = [each for each in self._tables if name.startswith(f"{each}_")]
        peripheral = max(known, key=len, default="")
        return peripheral, name[len(peripheral) + 1 :]

    def _of(self, peripheral: str) -> dict[str, Any]:
        if peripheral not in self._tables:
            raise self._missing(f"peripheral {peripheral}")
        found: dict[str, Any] = self._tables[peripheral]
        return found

    def _owner(self, peripheral: str) -> dict[str, Any]:
        found = self._of(peripheral)
        owner = self._of(found["like"]) if "like" in found else found
        return {name: entry for name, entry in owner.items() if name not in _WORDS}

    def _missing(self, what: str) -> ToolchainError:
        fix = "add it, or correct what the family asks for"
        return ToolchainError.of(CODE, f"there is no {what}", where=str(self._file), fix=fix)


def _field(text: str) -> tuple[str, Field]:
    """Name and bits of a field, from text such as "PLLM 0:6"."""
    name, _, place = text.partition(" ")
    bit, _, bits = place.partition(":")
    return name, Field(int(bit), int(bits or 1))


def _pin(text: str) -> tuple[str, int]:
    name, _, function = text.partition(" ")
    return name, int(function.partition(":")[0])


def _pad(text: str) -> tuple[str, int]:
    name, _, function = text.partition(" ")
    return name, int(function.partition(":")[2] or 0)
