"""Text of a table of registers, as `opsmith.board.registers` reads it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

WIDEST = 100  # columns


@dataclass(frozen=True)
class Field:
    """Field of a register: its name, first bit and number of bits."""

    name: str
    bit: int
    bits: int = 1

    def __str__(self) -> str:
        """The field as a table has it: NAME BIT, or NAME BIT:BITS."""
        return f"{self.name} {self.bit}" + (f":{self.bits}" if self.bits > 1 else "")


@dataclass
class Peripheral:
    """Peripheral with address, interrupt and registers, which may be another peripheral's."""

    at: int
    interrupt: int | None = None
    like: str = ""
    registers: dict[str, tuple[int, list[Field]]] = field(default_factory=dict)


def written(
    source: str,
    peripherals: Mapping[str, Peripheral],
    pins: Mapping[str, Mapping[str, Iterable[str]]],
) -> str:
    """Table of registers as TOML; `source` says where its data come from."""
    lines = [f"# {source}", "# Written by `python -m tests.registers`."]
    for name, each in sorted(peripherals.items()):
        lines += ["", f"[{name}]", f"at = {each.at:#010x}"]
        lines += [f"interrupt = {each.interrupt}"] if each.interrupt is not None else []
        lines += [f'like = "{each.like}"'] if each.like else []
        for register, (offset, fields) in each.registers.items():
            items = [f"{offset:#x}", *(f'"{each}"' for each in sorted(fields, key=_bit))]
            lines += _wrapped(register, items)
    for uart, signals in sorted(pins.items()):
        lines += ["", f"[pins.{uart}]"]
        for signal, found in sorted(signals.items()):
            lines += _wrapped(signal, [f'"{each}"' for each in sorted({*found})])
    return "\n".join([*lines, ""])


def _bit(each: Field) -> int:
    return each.bit


def _wrapped(name: str, items: list[str]) -> list[str]:
    """TOML text NAME = [ITEM, …], wrapped where one line would be too long."""
    line = f"{name} = [{', '.join(items)}]"
    if len(line) <= WIDEST:
        return [line]
    lines, current = [f"{name} = ["], "   "
    for item in items:
        if len(current) + len(item) + 2 > WIDEST:
            lines, current = [*lines, current], "   "
        current += f" {item},"
    return [*lines, current, "]"]
