"""Frozen description of a board, which the whole toolchain reads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from opsmith.board.architecture import Core, Emulator, Family, Flasher
from opsmith.board.setup import Setup


@dataclass(frozen=True)
class Memory:
    """Address range of a board, with its size in bytes."""

    origin: int
    size: int
    wait_states: float = 0.0  # average cycles, beyond one, of reading a word
    data: int | None = None  # address at which loads see flash, if not at `origin`

    @property
    def end(self) -> int:
        """First address after the memory."""
        return self.origin + self.size


@dataclass(frozen=True)
class Console:
    """Serial line of the firmware; `usb` is the VID:PID that identifies its port."""

    baud: int
    usb: str | None


@dataclass(frozen=True)
class Flash:
    """Transfer of the firmware to the real board."""

    flasher: Flasher
    target: str  # what the flasher calls the board or its MCU
    uf2: int | None = None  # family of its UF2 files, for boards with such a bootloader


@dataclass(frozen=True)
class BoardRun:
    """Emulation of the board: QEMU's machine name, a kind of place that emulates it, or neither."""

    qemu: str | None
    place: str | None = None


@dataclass(frozen=True)
class System:
    """The operating system of a board whose firmware is one of its processes."""

    title: str  # "Debian 12"
    glibc: tuple[int, int]  # version of its C library


TENSOR_KINDS = ("input", "output", "inner", "scratch", "state")


@dataclass(frozen=True)
class ArenaRule:
    """Rule for tensors that go to a memory other than ram: those that meet all its conditions."""

    memory: str
    kinds: tuple[str, ...] = TENSOR_KINDS
    at_least: int = 0  # bytes of a tensor, or in total of tensors that overlap
    at_most: int = 1 << 32
    limit: int | None = None  # bytes of the arena in that memory


@dataclass(frozen=True)
class ConstantsRule:
    """Rule for arrays of constants that may lie in a memory other than flash."""

    memory: str
    copied: bool = False  # copied out of flash at start; else flashed to where they are read
    at_least: int = 0  # bytes of an array
    at_most: int = 1 << 32
    limit: int | None = None  # total bytes that this rule places

    @property
    def for_all_sizes(self) -> bool:
        """True if the rule has no condition on the bytes of an array."""
        return self.at_least == 0 and self.at_most == ConstantsRule.at_most

    @property
    def section(self) -> str:
        """Output section of the linker script that all rules for the memory share."""
        return f".constants.{self.memory}"


@dataclass(frozen=True)
class Board:
    """Checked contents of a board.toml; console and flash are None for a board with an OS."""

    name: str
    title: str
    aliases: tuple[str, ...]
    folder: Path
    core: Core
    runtime: str
    memory: Mapping[str, Memory]
    stack_bytes: int
    sources: tuple[Path, ...]
    includes: tuple[Path, ...]
    defines: tuple[str, ...]  # NAME=VALUE
    console: Console | None
    run: BoardRun
    flash: Flash | None
    arena: tuple[ArenaRule, ...] = ()  # the first rule that matches applies; ram is the default
    constants: tuple[ConstantsRule, ...] = ()  # rules for constants in memories other than flash
    family: Family | None = None
    device_times: Mapping[str, Mapping[str, float]] = field(
        default_factory=dict
    )  # runtime -> times of its device
    system: System | None = None
    devices: tuple[str, ...] = ()  # accelerators besides the core, by the names that runtimes use
    setup: Setup | None = None  # result of the family's family.py; None without one
    probe: str = ""  # serial number of the attached probe, if a user gives one

    @property
    def emulator(self) -> Emulator | None:
        """Emulator of the board's firmware on this machine; None if there is none or no need."""
        architecture = self.core.architecture
        if self.core.hosted:
            return architecture.process_emulator
        return architecture.emulator if self.run.qemu else None

    @property
    def constant_memories(self) -> tuple[ConstantsRule, ...]:
        """First rule for each memory; further rules for it differ only in sizes."""
        found: dict[str, ConstantsRule] = {}
        for rule in self.constants:
            found.setdefault(rule.memory, rule)
        return tuple(found.values())

    @property
    def bytes_elsewhere(self) -> int:
        """Upper bound in bytes on the flashed constants that memories other than flash take."""
        flashed = [rule for rule in self.constants if not rule.copied]
        found = 0
        for memory in {rule.memory for rule in flashed}:
            size = self.memory[memory].size
            limits = (rule.limit or size for rule in flashed if rule.memory == memory)
            found += min(size, sum(limits))
        return found

    @property
    def images(self) -> Mapping[str, str]:
        """Section that each image file holds, by file name; "" for all of flash."""
        if self.core.hosted:
            return {}
        apart = (rule for rule in self.constant_memories if not rule.copied)
        return {
            "firmware.bin": "",
            "firmware.hex": "",
            **({"firmware.uf2": ""} if self.flash and self.flash.uf2 is not None else {}),
            **{f"firmware.{rule.memory}.bin": rule.section for rule in apart},
        }

    @property
    def files(self) -> tuple[Path, ...]:
        """Files of the board's core, architecture and MCU family, which matter like board.toml."""
        family = self.family.files if self.family else ()
        return (*self.core.files, *family)
