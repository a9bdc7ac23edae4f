"""What a board is: frozen values that the whole toolchain reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from toolchain.board.cores import Core


@dataclass(frozen=True)
class Memory:
    """One address range."""

    origin: int
    size: int

    @property
    def end(self) -> int:
        """The first address behind it."""
        return self.origin + self.size


@dataclass(frozen=True)
class Console:
    """The serial line that the firmware talks on; usb is the VID:PID that finds its port."""

    baud: int
    usb: str | None


@dataclass(frozen=True)
class Flash:
    """How the firmware gets into the real board."""

    runner: str  # "pyocd" or "openocd"
    target: str  # pyocd: its target name; openocd: the script given to -f


@dataclass(frozen=True)
class Run:
    """Where the firmware can run without the board: QEMU's machine name, if there is one."""

    qemu: str | None


@dataclass(frozen=True)
class Board:
    """One board.toml, checked. console, flash are None on the host."""

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
