"""A runtime: the features of a core that kernels of a program may use."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from opsmith.board.architecture import Core, package_lists
from opsmith.board.derive import DeviceReader, readers
from opsmith.board.describe import Board
from opsmith.board.device import Device, device
from opsmith.board.emitter import EMITTER, Emitter, emitted
from opsmith.board.library import Library, libraries
from opsmith.board.schema import Table, opened
from opsmith.digests import Stamp, stamp_of
from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all
from opsmith.home import RUNTIMES

SHIPPED = RUNTIMES  # the folder that is always searched
MANIFEST = "runtime.toml"
RANK = 100  # rank of a backend that gives none
MOST_RANK = 1_000_000
_VARIABLE = r"[A-Z][A-Z0-9_]{0,99}"
_COMMAND = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", re.ASCII)


@dataclass(frozen=True)
class Runtime:
    """Folder with a runtime.toml, in runtimes/ or in a folder of backends."""

    name: str
    title: str
    grants: frozenset[str]  # features that its kernels may use on cores that have them
    provides: frozenset[str] = frozenset()  # features that its kernels have on any core
    libraries: tuple[Library, ...] = ()  # libraries that its kernels call if the user has them
    folder: Path = field(default=Path(), compare=False)
    emits: tuple[str, ...] = ()  # files that its emitter writes
    readers: tuple[DeviceReader, ...] = ()  # programs that read the emitter's files
    devices: tuple[str, ...] = ()  # devices of which a board must have one; (): any board
    needs_system: bool = False  # its devices are those of boards with an operating system
    environment: tuple[str, ...] = ()  # variables that its programs may read at run time
    times: str = ""  # variable that names a file for times of nodes on the device
    device: Device | None = None  # the device that computes its nodes; None: the processor does
    commands: Mapping[str, str] = field(default_factory=dict)  # of opsmith; what each does
    rank: int = RANK  # of kernels with equal cost, those of the lowest rank are taken

    @property
    def packages(self) -> tuple[Path, ...]:
        """Lists of Debian packages that building needs."""
        return package_lists(self.folder)

    @property
    def emitter(self) -> Emitter | None:
        """Emitter of the calls of the runtime's kernels; None where the compiler writes them."""
        return Emitter(self.folder / EMITTER, self.emits) if self.emits else None

    def features(self, core: frozenset[str], libraries: Iterable[str] = ()) -> frozenset[str]:
        """Features that the runtime's kernels may use on a core with features `core`, given the
        installed `libraries`.
        """
        called = {each.name for each in self.libraries} & set(libraries)
        return (core & self.grants) | self.own_features | called

    @property
    def all_features(self) -> frozenset[str]:
        """Features of the runtime beyond those of cores, when all its libraries are installed."""
        return self.own_features | {each.name for each in self.libraries}

    @property
    def own_features(self) -> frozenset[str]:
        """Features that the runtime has on every core: `provides` and that of its emitter."""
        return self.provides | ({self.emitter.feature} if self.emitter else frozenset())


def load_runtime(name: str, *roots: Path) -> Runtime:
    """Runtime `name` from folders of runtimes, checked."""
    names = list_runtimes(*roots)
    if name not in names:
        raise ToolchainError.of(
            "BLD031",
            f"unknown runtime '{name}'{did_you_mean(name, names)}",
            where=" and ".join(map(str, roots)),
            fix=f"one of: {', '.join(names)}; or name the folder that holds it: backends=",
        )
    return runtime_of(next(root / name for root in roots if (root / name / MANIFEST).exists()))


def runtime_of(folder: Path) -> Runtime:
    """Runtime of a backend's folder, checked. Raises BLD030."""
    return _runtime_of(folder, stamp_of(str(folder / MANIFEST)))


@lru_cache(maxsize=64)  # each op loads every backend
def _runtime_of(folder: Path, stamp: Stamp) -> Runtime:
    """Runtime of a folder; `stamp` is that of its manifest, so that results can be cached."""
    table = opened(folder / MANIFEST, [], "BLD030")
    if not table.has("grants"):
        table.missing("grants", "names of features; [] for none")
    emits, devices = emitted(table, folder), table.names("devices")
    found = Runtime(
        folder.name,
        table.text("title"),
        frozenset(table.names("grants")),
        frozenset(table.names("provides")),
        tuple(libraries(table)),
        folder,
        emits,
        tuple(readers(table, emits, devices)),
        devices,
        table.flag("needs_system"),
        table.texts("environment", _VARIABLE, "capital letters, digits and _"),
        table.word("times", _VARIABLE, "a name of a variable") if table.has("times") else "",
        device(table, folder.name),
        _commands(table.table("commands"), folder),
        table.number("rank", 0, MOST_RANK) if table.has("rank") else RANK,
    )
    if found.times and found.device is None:
        table.wrong("'times' needs [device], whose nodes take them", "add [device], or remove it")
    if found.device is not None and not emits:
        fix = "add emits = …, or remove the table"
        table.wrong("'device' needs an emitter, whose calls run there", fix)
    table.finish()
    return found


def _commands(table: Table, folder: Path) -> Mapping[str, str]:
    """Commands of a backend, each with what it does."""
    for name in table.entries():
        file = command_in(folder, name)
        if not _COMMAND.fullmatch(name):
            table.wrong(f"'commands' has '{name}'", 'write do-this = "what it does"')
        elif not file.is_file():
            what = f"'commands' has '{name}', and there is no {file.name}"
            table.wrong(what, f"write {file.name}")
    return {name: table.text(name) for name in table.entries()}


def command_in(folder: Path, command: str) -> Path:
    """Path of the module of a command in its backend's folder."""
    return folder / f"{command.replace('-', '_')}.py"


@lru_cache
def family_names() -> frozenset[str]:
    """Names of the families of ops, for which a file of a backend may bring kernels."""
    return frozenset(file.stem for file in (SHIPPED / "families").glob("*.py"))


@lru_cache
def usual_runtime(core: frozenset[str]) -> str:
    """Shipped runtime, without a device, that uses most features of a core; reference for a core
    that has none of them.
    """
    runtimes = (runtime_of(SHIPPED / name) for name in list_runtimes(SHIPPED))
    usable = (each for each in runtimes if not each.devices)
    return max(usable, key=lambda each: (len(core & each.grants), -len(each.grants))).name


def idle_runtime(runtime: Runtime, core: Core) -> str:
    """Remark on a runtime whose kernels are for other cores, where another shipped one has kernels
    for this core; else "".
    """
    usual = usual_runtime(core.features)
    theirs = core.features & runtime_of(SHIPPED / usual).grants
    if not runtime.grants or runtime.features(core.features) or not theirs:
        return ""
    kernels = f"runtime {runtime.name} has no kernels for {core.name}, so nodes have portable ones"
    return f"{kernels}: runtime={usual} has kernels for {', '.join(sorted(theirs))}"


def usable_devices(board: Board, runtime: Runtime) -> tuple[str, ...]:
    """Devices of a board that a runtime can use, in the runtime's order."""
    there = not runtime.needs_system or board.core.hosted
    return tuple(each for each in runtime.devices if each in board.devices and there)


def check_devices(board: Board, *roots: Path) -> None:
    """Raise BRD020 for each device of a board that no runtime in the given folders can use there,
    and for each table of costs of a runtime without a device on the board.
    """
    if board.devices or board.device_times:
        runtimes = [load_runtime(name, *roots) for name in list_runtimes(*roots)]
        raise_all([*_idle_devices(board, runtimes), *_idle_times(board, runtimes)])


def _idle_devices(board: Board, runtimes: Collection[Runtime]) -> Iterator[Problem]:
    where = str(board.folder / "board.toml")
    known = sorted({device for each in runtimes for device in each.devices})
    usable = {name for each in runtimes for name in usable_devices(board, each)}
    for name in board.devices:
        what = f"'devices' holds '{name}', which changes nothing: "
        if name not in known:
            what += f"no runtime computes on it{did_you_mean(name, known)}"
            fix = f"one of: {', '.join(known)}; or name its backend: backends="
            yield Problem("BRD020", what, where, fix)
        elif name not in usable:
            what += f"it needs an operating system, and {board.core.name} has none"
            yield Problem("BRD020", what, where, "remove it, or correct 'core'")


def _idle_times(board: Board, runtimes: Collection[Runtime]) -> Iterator[Problem]:
    where, named = str(board.folder / "board.toml"), {each.name: each for each in runtimes}
    for name in (each for each in board.device_times if each in named):  # BRD002 is of others
        runtime = named[name]
        if runtime.device is None:
            why, fix = f"runtime '{name}' computes on the processor", "take the table out"
        elif runtime.devices and not usable_devices(board, runtime):
            why = f"runtime '{name}' computes on a device ({', '.join(runtime.devices)}), "
            why += f"and the board has {', '.join(board.devices) or 'none'}"
            fix = "take the table out, or add 'devices'"
        else:
            continue
        yield Problem("BRD020", f"'device.{name}' changes nothing: {why}", where, fix)


def known_libraries(*roots: Path) -> dict[str, tuple[Library, Runtime]]:
    """Libraries that runtimes in the given folders call, each with the first that calls it."""
    runtimes = [load_runtime(name, *roots) for name in list_runtimes(*roots)]
    found: dict[str, tuple[Library, Runtime]] = {}
    for runtime in runtimes:
        for each in runtime.libraries:
            found.setdefault(each.name, (each, runtime))
    return found


def list_runtimes(*roots: Path) -> tuple[str, ...]:
    """Names of all runtimes in the given folders, sorted."""
    return tuple(
        sorted({path.parent.name for root in roots for path in root.glob(f"*/{MANIFEST}")})
    )
