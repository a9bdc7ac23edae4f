"""Toolchain id: the exact compiler that made a firmware."""

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from opsmith.board.architecture import Architecture
from opsmith.board.packages import missing_program
from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.home import GET_PROGRAMS

OF_CXX17 = """\
template <class T>
constexpr int bytes() {
  if constexpr (sizeof(T) == 1) return 1;
  return 2;
}
inline constexpr int one = bytes<char>();
static_assert(one == 1);
"""
PROGRAMS = ("cc1", "cc1plus", "as", "ld")  # programs that the driver runs, besides itself
LAUNCHER = "ccache"  # compilers' names may be links to it; it runs those further on in PATH


@dataclass(frozen=True)
class ToolchainId:
    """Identity of a toolchain; equal ids mean equal bytes from equal sources."""

    compiler: str  # first line of --version
    sha256: str  # digest of the drivers and of all files that they run and link
    files: tuple[tuple[str, str], ...] = ()  # of each file: the compiler's name for it, SHA-256

    @property
    def major(self) -> int:
        """Major version of GCC; 0 where the version line does not contain it."""
        found = re.findall(r"\b(\d+)\.\d+\.\d+\b", self.compiler)
        return int(found[-1]) if found else 0


@dataclass(frozen=True)
class _KnownId:
    """A toolchain id, with the time and size of each file from which it was made."""

    files: dict[str, list[int]]
    identity: ToolchainId
    path: str = ""  # search path for programs at that time
    libraries: tuple[str, ...] = ()  # libraries that the architecture names


def identify(architecture: Architecture, cache: Path) -> ToolchainId:
    """Id of an architecture's GCC, from `cache` while none of its files has changed."""
    drivers = {name: _find(architecture, name) for name in ("g++", "gcc")}
    known = _read_cache(cache)
    path = os.environ.get("PATH", "")
    if (
        known.path == path
        and known.libraries == architecture.libraries
        and set(drivers.values()) <= set(known.files)
        and known.files == _stamps(known.files)
    ):
        return known.identity
    driver = drivers["g++"]
    libraries = {each: _library(driver, each) for each in architecture.libraries}
    if architecture.tools:
        _check_libraries(architecture, libraries)
    files = {**drivers, **_programs(driver), **{n: f for n, f in libraries.items() if f}}
    version = _output(driver, "--version").partition("\n")[0]
    _check_language(driver, version)
    identity = _identity(version, files)
    made = {"files": _stamps(files.values()), "id": asdict(identity), "path": path}
    _write_cache(cache, {**made, "libraries": list(architecture.libraries)})
    return identity


def _check_language(driver: str, version: str) -> None:
    """Raise BLD010 where the compiler is too old for kernels."""
    command = (driver, "-std=c++17", "-fsyntax-only", "-x", "c++", "-")
    done = subprocess.run(
        command, input=OF_CXX17, capture_output=True, text=True, check=False, env=_environ()
    )
    if done.returncode != 0:
        what = f"{version} does not compile C++17, the language of kernels and applications"
        fix = f"put GCC 8 or a newer one first in PATH, or {GET_PROGRAMS}"
        raise ToolchainError.of("BLD010", what, where=driver, fix=fix)


def files_of_toolchain(cache: Path) -> list[str]:
    """Files from which the id in a cache was made."""
    return list(_read_cache(cache).files)


def _find(architecture: Architecture, driver: str) -> str:
    """Path of the driver, past any launcher of its name."""
    tools = architecture.tools
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    found = (shutil.which(tools + driver, path=folder or os.curdir) for folder in folders)
    files = (Path(file).resolve() for file in found if file is not None)
    path = next((file for file in files if not file.name.startswith(LAUNCHER)), None)
    if path is None:  # a cross compiler's package has both drivers, but is listed for C
        named = f"{tools}gcc" if tools else "g++"
        raise missing_program("BLD010", named, architecture.packages)
    return str(path)


def _programs(driver: str) -> dict[str, str]:
    """Paths of the programs that the driver runs, by name."""
    named = {each: _output(driver, f"-print-prog-name={each}").strip() for each in PROGRAMS}
    found = {name: shutil.which(path) for name, path in named.items()}  # some are found by PATH
    return {name: str(Path(path).resolve()) for name, path in found.items() if path}


def _library(driver: str, name: str) -> str:
    """Path at which the driver finds a library; "" where it finds none."""
    path = Path(_output(driver, f"-print-file-name={name}").strip())
    return str(path.resolve()) if path.is_absolute() and path.is_file() else ""


def _check_libraries(architecture: Architecture, found: Mapping[str, str]) -> None:
    """Raise BLD010 where the C library is not installed, BRD018 for other missing libraries."""
    missing = [name for name, path in found.items() if not path]
    if any(Path(name).name == "libc.a" for name in missing):
        raise missing_program("BLD010", "libc.a", architecture.packages)
    fix = f"correct 'libraries', or {GET_PROGRAMS}"
    raise_all(
        Problem(
            "BRD018", f"the compiler has no {name}", str(architecture.folder / "arch.toml"), fix
        )
        for name in missing
    )


def _output(*command: str) -> str:
    result = subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False, env=_environ()
    )
    if result.returncode != 0:
        line = " ".join(command)
        raise ToolchainError.of(
            "BLD010",
            f"'{line}' ended with exit status {result.returncode}: {result.stderr[:200]}",
            where=command[0],
            fix="reinstall the compiler",
        )
    return result.stdout


def _environ() -> dict[str, str]:
    """Environment of steps, with only PATH and LC_ALL."""
    return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8"}


def _identity(version: str, files: Mapping[str, str]) -> ToolchainId:
    digests = {}
    for name, file in sorted(files.items()):
        with Path(file).open("rb") as stream:
            digests[name] = hashlib.file_digest(stream, "sha256").hexdigest()
    total = hashlib.sha256(json.dumps(digests).encode()).hexdigest()
    return ToolchainId(version, total, tuple(digests.items()))


def _stamps(files: Iterable[str]) -> dict[str, list[int]]:
    stats = {file: Path(file).stat() for file in files if Path(file).exists()}
    return {file: [stat.st_mtime_ns, stat.st_size] for file, stat in stats.items()}


def _write_cache(cache: Path, data: dict[str, Any]) -> None:
    """Replace the cache file in one step, since another build may read it."""
    cache.parent.mkdir(parents=True, exist_ok=True)
    new = cache.with_name(f"{cache.name}.{os.getpid()}.new")
    try:
        new.write_text(json.dumps({**data, "sha256": _digest(data)}, indent=1))
        new.replace(cache)
    finally:
        new.unlink(missing_ok=True)


def _digest(data: dict[str, Any]) -> str:
    """SHA-256 of the cached data, which detects changes of the file."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _read_cache(cache: Path) -> _KnownId:
    """Content of the cache; empty where it is unreadable or was altered."""
    try:
        data = json.loads(cache.read_text())
        if data.pop("sha256") != _digest(data):
            return _KnownId({}, ToolchainId("", ""))
        files = {
            str(file): [int(number) for number in data["files"][file]] for file in data["files"]
        }
        known = tuple((str(name), str(digest)) for name, digest in data["id"]["files"])
        identity = ToolchainId(str(data["id"]["compiler"]), str(data["id"]["sha256"]), known)
        libraries = tuple(map(str, data["libraries"]))
        return _KnownId(files, identity, str(data["path"]), libraries)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return _KnownId({}, ToolchainId("", ""))
