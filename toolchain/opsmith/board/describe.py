"""What a board is: frozen values that the whole toolchain reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from opsmith.board.architecture import Core, Emulator, Family, Flasher


@dataclass(frozen=True)
class Memory:
    """One address range."""

    origin: int
    size: int

    @property
    def end(self) -> int:
        """The first address after it."""
        return self.origin + self.size


@dataclass(frozen=True)
class Console:
    """The serial line that the firmware talks on; usb is the VID:PID that finds its port."""

    baud: int
    usb: str | None


@dataclass(frozen=True)
class Flash:
    """How the firmware gets into the real board."""

    flasher: Flasher
    target: str  # what the flasher calls the board or its MCU


@dataclass(frozen=True)
class Run:
    """Where the firmware can run without the board: QEMU's machine name, if there is one."""

    qemu: str | None


@dataclass(frozen=True)
class System:
    """The operating system of a board whose firmware is one of its processes."""

    title: str  # "Debian 12"
    glibc: tuple[int, int]  # the version of its C library


TENSOR_KINDS = ("input", "output", "inner", "scratch", "state")


@dataclass(frozen=True)
class ArenaRule:
    """Which tensors go to a memory other than ram: those of all that a rule asks for."""

    memory: str
    kinds: tuple[str, ...] = TENSOR_KINDS
    at_least: int = 0  # bytes of a tensor, or of those that lie inside one another together
    at_most: int = 1 << 32
    limit: int | None = None  # bytes of the arena there


@dataclass(frozen=True)
class Board:
    """One board.toml, checked. console, flash are None where it runs an OS."""

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
    run: Run
    flash: Flash | None
    arena: tuple[ArenaRule, ...] = ()  # the first that holds counts; ram is the default
    family: Family | None = None
    device_times: Mapping[str, Mapping[str, float]] = field(
        default_factory=dict
    )  # runtime -> times
    system: System | None = None
    devices: tuple[str, ...] = ()  # what computes besides the core, by names that runtimes know

    @property
    def emulator(self) -> Emulator | None:
        """What runs its firmware on this machine, where it is not connected."""
        architecture = self.core.architecture
        if self.core.hosted:
            return architecture.process_emulator
        return architecture.emulator if self.run.qemu else None

    @property
    def files(self) -> tuple[Path, ...]:
        """What says what core, architecture and family are: these decide as board.toml does."""
        return (*self.core.files, *([self.family.file] if self.family else []))
