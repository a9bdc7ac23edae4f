"""Parts of a board: architectures, cores, MCU families and flashers, as frozen values."""

import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

from opsmith.home import PACKAGE, RUNTIMES

SHIPPED = RUNTIMES
PACKAGES = PACKAGE / "system-packages.txt"
BARE_METAL = SHIPPED / "arch" / "bare_metal"  # sources for every architecture without an OS
REQUIRED, OPTIONAL = "system-packages.txt", "optional-packages.txt"  # in an architecture's folder


@dataclass(frozen=True)
class Emulator:
    """QEMU's program for an architecture, and the options that it always needs."""

    program: str
    options: tuple[str, ...]
    also: tuple[str, ...] = ()  # other names under which the program may be installed

    def find(self) -> str | None:
        """Path of the first of the emulator's programs that is installed."""
        found = map(shutil.which, (self.program, *self.also))
        return next(filter(None, found), None)


@dataclass(frozen=True)
class Architecture:
    """Folder `arch/<name>/`: the checked content of its arch.toml, and the files beside it."""

    name: str
    title: str
    folder: Path
    hosted: bool  # its programs are processes of an operating system
    tools: str = ""  # prefix of the compiler's programs; "": this machine's own
    flags: tuple[str, ...] = ()  # for compiling and linking; they follow those of the core
    link: tuple[str, ...] = ()  # flags for linking alone
    printf_floats: tuple[str, ...] = ()  # more of these where printf() has formats of floats
    libraries: tuple[str, ...] = ()  # files that are linked, as part of the toolchain's identity
    vectors: int = 4  # alignment in bytes of the start of flash
    handlers: str = ""  # suffix of the names of interrupt handlers
    code: tuple[str, ...] = ()  # registers of a fault dump that hold addresses of code
    emulator: Emulator | None = None
    macros: tuple[tuple[str, str], ...] = ()  # feature, a macro that the compiler defines
    machine: str = ""  # what `uname -m` says where hosted programs run without the emulator
    conan: str = ""  # value of Conan's setting `arch`; "": this machine's, or unknown
    unicorn: tuple[str, ...] = ()  # its constants in PyPI's unicorn: architecture first, then modes

    @property
    def process_emulator(self) -> Emulator | None:
        """Emulator for hosted programs of this architecture; None where they run natively."""
        return self.emulator if self.hosted and platform.machine() != self.machine else None

    @property
    def script(self) -> Path:
        """Path of the template of the linker script."""
        return self.folder / "firmware.ld.in"

    @property
    def decoder(self) -> Path:
        """Path of the module that explains fault dumps; the file may be absent."""
        return self.folder / "fault.py"

    @property
    def timing(self) -> tuple[Path, ...]:
        """C model of instruction timings: timing.c, which may be absent, and timing_*.c."""
        main = self.folder / "timing.c"
        return (main, *sorted(self.folder.glob("timing_*.c"))) if main.is_file() else ()

    @property
    def sources(self) -> tuple[Path, ...]:
        """Sources in order of linking: startup, faults and cycle counter; for processes, checks."""
        folders = (self.folder,) if self.hosted else (BARE_METAL, self.folder)
        found = (path for folder in folders for path in folder.glob("*.cc"))
        return tuple(sorted(found, key=lambda path: path.name))

    @property
    def packages(self) -> tuple[Path, ...]:
        """Lists of Debian packages that building and emulating needs."""
        return package_lists(self.folder)


def package_lists(folder: Path) -> tuple[Path, ...]:
    """Lists of Debian packages of a folder, after Opsmith's own list."""
    own = (folder / REQUIRED, folder / OPTIONAL)
    return (PACKAGES, *(path for path in own if path.is_file()))


@dataclass(frozen=True)
class Timings:
    """Instruction timings of a core: name of the model in timing.c, and a title."""

    model: str
    title: str


@dataclass(frozen=True)
class Core:
    """CPU as the compiler and the kernel selection see it."""

    name: str
    architecture: Architecture
    flags: tuple[str, ...]  # for compiling and linking
    compile: tuple[str, ...]  # flags for compiling only, which libraries may do without
    features: frozenset[str]  # what kernels may require
    timings: Timings | None = None
    files: tuple[Path, ...] = ()  # files from which the core was read
    conan: str = ""  # value of Conan's setting `arch`: the architecture's, or its own

    @property
    def compiler_flags(self) -> tuple[str, ...]:
        """Flags for compiling Opsmith's sources and models."""
        return (*self.flags, *self.compile)

    @property
    def hosted(self) -> bool:
        """True if firmware is a process of an operating system."""
        return self.architecture.hosted


@dataclass(frozen=True)
class Family:
    """Folder `mcu/<name>/`: clock and console of an MCU family, or of an operating system."""

    name: str
    architectures: tuple[str, ...]  # architectures of its cores; (): all hosted ones
    file: Path

    def fits(self, architecture: Architecture) -> bool:
        """True if the family's code runs on cores of an architecture."""
        wanted = self.architectures
        return architecture.name in wanted if wanted else architecture.hosted

    @property
    def parts(self) -> dict[str, Path]:
        """Tables of registers of the family's parts, by name."""
        found = sorted((self.file.parent / "registers").glob("*.toml"))
        return {file.stem: file for file in found}

    @property
    def module(self) -> Path:
        """Path of the module whose `setup` derives writes of registers; the file may be absent."""
        return self.file.with_name("family.py")

    @property
    def sources(self) -> tuple[Path, ...]:
        """C++ sources of the family's folder, sorted."""
        return tuple(sorted(self.file.parent.glob("*.cc")))

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that decide the setup of a part: tables and modules of the family, and modules
        beside its folder.
        """
        folder, tables = self.file.parent, (*self.file.parent.glob("*.toml"), *self.parts.values())
        return tuple(sorted((*tables, *folder.glob("*.py"), *folder.parent.glob("*.py"))))


@dataclass(frozen=True)
class Flasher:
    """Folder `flashers/<name>/`: the program that writes a board's flash."""

    name: str
    command: tuple[str, ...]  # {target}, {elf}, {file} and {project} are filled in
    in_project: bool  # the command runs in the project's folder, else in the firmware's
    install: str  # the command that installs the flasher
    probe: tuple[str, ...] = ()  # text for {probe} in the command if a serial number is known
    adapters: tuple[str, ...] = ()  # patterns of USB ids of probes that are a console, too
    reset: tuple[str, ...] = ()  # the command that resets the board, written like `command`
    says: str = ""  # pattern that the output of `command` matches on success; "": any
    server: tuple[str, ...] = ()  # the command that serves GDB at the TCP port {gdb}
    then_reset: bool = False  # `command` leaves the core halted, so `reset` follows
    script: tuple[str, ...] = ()  # lines of the file that {script} names

    @property
    def words(self) -> tuple[str, ...]:
        """Words of all the flasher's commands."""
        return (*self.command, *self.reset, *self.server, *self.script)
