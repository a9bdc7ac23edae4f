"""A runtime: the features of a core that kernels of a program may use."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from opsmith.board.architecture import package_lists
from opsmith.board.derive import DeviceReader, reader_problems, readers
from opsmith.board.describe import Board
from opsmith.board.device import Device, device_problems
from opsmith.board.library import Library, library, library_problems
from opsmith.board.read import VALUES, hidden_texts, parse_toml
from opsmith.board.schema import is_name
from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all, shown
from opsmith.home import RUNTIMES
from opsmith.keywords import RESERVED

SHIPPED = RUNTIMES  # which are always there
MANIFEST = "runtime.toml"
EMITTER = "emitter.py"
KEYS = {
    "title": str,
    "rank": int,
    "grants": list,
    "provides": list,
    "emits": list,
    "device": dict,
    "devices": list,
    "environment": list,
    "times": str,
    "library": dict,
    "derive": dict,
    "check": dict,
    "commands": dict,
}
LISTS = {
    "grants": "feature names",
    "provides": "feature names",
    "emits": "names of files",
    "devices": "names of devices",
    "environment": "names of variables",
}
REQUIRED = ("title", "grants")
RANK = 100  # of a backend that does not say
PRODUCTS = ("conan", "library", "obj")  # folders beside that of what an emitter writes
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,99}", re.ASCII)
RUNTIME_FEATURE = "runtime="  # what features begin with that kernels of one runtime require
_COMMAND = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", re.ASCII)
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", re.ASCII)


def runtime_feature(name: str) -> str:
    """Feature required by kernels whose calls the emitter of runtime `name` writes."""
    return f"{RUNTIME_FEATURE}{name}"


@dataclass(frozen=True)
class Emitter:
    """The `emitter.py` of a backend, which writes the calls of its kernels."""

    file: Path
    writes: tuple[str, ...]  # the names of its files

    @property
    def backend(self) -> str:
        """The name of the backend, and of the folder that has the files."""
        return self.file.parent.name

    @property
    def feature(self) -> str:
        """Feature that the emitter's kernels require, which the backend's own runtime grants."""
        return runtime_feature(self.backend)


@dataclass(frozen=True)
class Runtime:
    """Folder of runtimes/, or of a folder of backends, that holds a runtime.toml."""

    name: str
    title: str
    grants: frozenset[str]  # features that its kernels may use, where the core has them
    provides: frozenset[str] = frozenset()  # features that its kernels have on every core
    libraries: tuple[Library, ...] = ()  # that its kernels call where the user has them
    folder: Path = field(default=Path(), compare=False)
    emits: tuple[str, ...] = ()  # files that its emitter writes
    readers: tuple[DeviceReader, ...] = ()  # programs that read these
    devices: tuple[str, ...] = ()  # that it can use, of which a board must have one; (): any board
    environment: tuple[str, ...] = ()  # variables that its programs may read when they run
    times: str = ""  # the variable that names a file for what nodes took on the device
    device: Device | None = None  # that computes its nodes, where the processor does not
    commands: Mapping[str, str] = field(default_factory=dict)  # of opsmith; what each does
    rank: int = RANK  # of kernels that cost the same, those of the lowest are taken

    @property
    def packages(self) -> tuple[Path, ...]:
        """The lists of Debian packages that building needs."""
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
        """Features beyond those of cores, when all libraries of the runtime are installed."""
        return self.own_features | {each.name for each in self.libraries}

    @property
    def own_features(self) -> frozenset[str]:
        """Features that the runtime has on every core: `provides` and that of its emitter."""
        return self.provides | ({self.emitter.feature} if self.emitter else frozenset())


def load_runtime(name: str, *roots: Path) -> Runtime:
    """The runtime `name` of these folders, checked."""
    names = list_runtimes(*roots)
    if name not in names:
        raise ToolchainError.of(
            "BLD031",
            f"unknown runtime '{name}'{did_you_mean(name, names)}",
            where=" and ".join(map(str, roots)),
            fix=f"one of: {', '.join(names)}",
        )
    path = next(path for root in roots if (path := root / name / MANIFEST).exists())
    data = parse_toml(path, "BLD030")
    raise_all(_problems(path, data))
    grants, provides = (frozenset(data.get(key, ())) for key in ("grants", "provides"))
    libraries = tuple(library(*each) for each in data.get("library", {}).items())
    emits = tuple(data.get("emits", ()))
    device = Device(name, **data["device"]) if "device" in data else None
    devices, environment = (tuple(data.get(key, ())) for key in ("devices", "environment"))
    return Runtime(
        name,
        data["title"],
        grants,
        provides,
        libraries,
        path.parent,
        emits,
        readers(data),
        devices,
        environment,
        data.get("times", ""),
        device,
        data.get("commands", {}),
        data.get("rank", RANK),
    )


def family_names() -> frozenset[str]:
    """The families that ops share, for which a file of a backend may bring kernels."""
    return frozenset(file.stem for file in (SHIPPED / "families").glob("*.py"))


def command_file(runtime: Runtime, command: str) -> Path:
    """The module of a command that a runtime brings: its `main(arguments)` returns a status."""
    return _command_file(runtime.folder, command)


def _command_file(folder: Path, command: str) -> Path:
    return folder / f"{command.replace('-', '_')}.py"


@lru_cache
def usual_runtime(core: frozenset[str]) -> str:
    """The shipped runtime, without a device, that uses most of these features of a core; reference
    for a core that has none of them.
    """
    runtimes = (load_runtime(name, SHIPPED) for name in list_runtimes(SHIPPED))
    usable = (each for each in runtimes if not each.devices)
    return max(usable, key=lambda each: (len(core & each.grants), -len(each.grants))).name


def usable_devices(board: Board, runtime: Runtime) -> tuple[str, ...]:
    """The devices of a board that a runtime can use, in the runtime's order."""
    return tuple(each for each in runtime.devices if each in board.devices)


def known_libraries(*roots: Path) -> dict[str, tuple[Library, Runtime]]:
    """The libraries that runtimes of these folders call, with the first that calls each."""
    runtimes = [load_runtime(name, *roots) for name in list_runtimes(*roots)]
    found: dict[str, tuple[Library, Runtime]] = {}
    for runtime in runtimes:
        for each in runtime.libraries:
            found.setdefault(each.name, (each, runtime))
    return found


def list_runtimes(*roots: Path) -> tuple[str, ...]:
    """The names of all runtimes in these folders, sorted."""
    return tuple(
        sorted({path.parent.name for root in roots for path in root.glob(f"*/{MANIFEST}")})
    )


def _problems(path: Path, data: Mapping[str, Any]) -> Iterator[Problem]:
    def problem(what: str, fix: str) -> Problem:
        return Problem("BLD030", what, str(path), fix)

    for place, text in hidden_texts(dict(data)):
        yield problem(f"{text[:80]!r} in {place} has characters that do not show", "correct it")
    for key in data:
        if key not in KEYS:
            near = did_you_mean(key, KEYS)
            yield problem(f"unknown key '{key}'{near}", f"use only: {', '.join(KEYS)}")
    for key in REQUIRED:
        if key not in data:
            yield problem(f"missing key '{key}'", f"add {key} = …")
    for key, kind in KEYS.items():
        if key in data and not isinstance(data[key], kind):
            yield problem(f"'{key}' is {shown(data[key])}", f"make it {VALUES[kind]}")
    for key, wanted in LISTS.items():
        names = data.get(key, [])
        if not isinstance(names, list):
            continue  # reported above
        if not all(isinstance(each, str) for each in names):
            yield problem(f"'{key}' is {shown(names)}", f"make it a list of {wanted}")
        elif key == "emits":
            yield from (problem(*each) for each in _emitter_problems(path.parent, names))
        else:
            yield from (problem(*each) for each in _misnamed(key, names))
    if "device" in data:
        yield from (problem(*each) for each in device_problems(path.parent.name, data["device"]))
    times = data.get("times", "")
    if isinstance(times, str) and times and not _VARIABLE.fullmatch(times):
        what = f"'times' is {shown(times)}, which is no name of a variable"
        yield problem(what, "use capital letters, digits and _, starting with a letter")
    if times and "device" not in data:
        yield problem("'times' needs [device], whose nodes take them", "add [device], or remove it")
    if "device" in data and not data.get("emits"):
        fix = "add emits = …, or remove the table"
        yield problem("'device' needs an emitter, whose calls run there", fix)
    if isinstance(data.get("library"), dict):
        yield from (problem(what, fix) for what, fix in library_problems(data["library"]))
    if isinstance(data.get("commands"), dict):
        yield from (problem(*each) for each in _command_problems(path.parent, data["commands"]))
    emits, devices = (data.get(key, []) for key in ("emits", "devices"))
    if isinstance(emits, list) and isinstance(devices, list):
        yield from (problem(what, fix) for what, fix in reader_problems(data, emits, devices))


def _misnamed(key: str, names: list[str]) -> Iterator[tuple[str, str]]:
    """Problems with names of features, devices or environment variables, as (what, fix)."""
    kind = {"devices": "device", "environment": "variable"}.get(key, "feature")
    letters = "capital" if kind == "variable" else "small"
    for name in names:
        if not (_VARIABLE.fullmatch(name) if kind == "variable" else is_name(name)):
            what = f"'{key}' has {shown(name)}, which is no name of a {kind}"
            yield what, f"use {letters} letters, digits and _, starting with a letter"


def _command_problems(folder: Path, commands: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Problems in the `[commands]` table of a backend, as (what, fix)."""
    for name, text in commands.items():
        file = _command_file(folder, name)
        if not _COMMAND.fullmatch(name) or not isinstance(text, str) or not text:
            yield f"'commands' has {name} = {shown(text)}", 'write do-this = "what it does"'
        elif not file.is_file():
            yield f"'commands' has '{name}', and there is no {file.name}", f"write {file.name}"


def _emitter_problems(folder: Path, emits: list[str]) -> Iterator[tuple[str, str]]:
    """Problems with the file names in `emits` and with the emitter module, as (what, fix)."""
    there = (folder / EMITTER).is_file()
    if emits and not there:
        yield f"'emits' lists files, and there is no {EMITTER} beside it", f"write {EMITTER}"
    if there and not emits:
        what = f"there is an {EMITTER}, and 'emits' does not list what it writes"
        yield what, 'add emits = ["calls.cc", …], or rename the module'
    if emits and folder.name in (*PRODUCTS, *RESERVED):
        what = f"what '{folder.name}' emits would lie among other products, or has a name of theirs"
        yield what, "rename the folder of the backend"
    for name in sorted({*emits}):
        if not _FILE.fullmatch(name):
            what = f"'emits' has {shown(name)}, which is no name of a file"
            yield what, "use letters, digits and _.-"
        elif name.endswith(".op.h"):
            what = f"'emits' has {name}, which is a name of generated headers of ops"
            yield what, "let its name end otherwise"
        elif (folder / name).exists():
            what = f"'emits' has {name}, which is a file of the backend"
            yield what, "rename one of them: both would be included by this name"
        elif emits.count(name) > 1:
            yield f"'emits' has {name} twice", "remove one of them"
