"""Checks of the machine: programs, Python packages, flashers, disk and caches."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from opsmith.board.architecture import OPTIONAL, PACKAGES, Flasher
from opsmith.home import GET_PACKAGES, HOME, INSTALLED, RUNTIMES, with_our_pip
from opsmith.programs import find_program

# ABSENT: needed by some users only; HINT: makes work faster; BROKEN: needed by everyone.
FINE, ABSENT, HINT, BROKEN = "ok", "absent", "hint", "missing"
LEAST_FREE = 1 << 30  # bytes of disk, enough for a few builds
LARGE = 5 << 30  # bytes of build/ that are worth a hint
_SECONDS = 10.0  # seconds for a program to print its version
_PROGRAM = re.compile(r"command -v ([\w.+-]+)")
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)[^;]*(?:;.*extra == \"([a-z0-9_-]+)\")?")
_EXTRAS = {"dev": "./bootstrap", "test": "./bootstrap"}  # extra -> the command that installs it


@dataclass(frozen=True)
class Check:
    """Result of one check of the machine."""

    group: str
    name: str
    state: str  # FINE, ABSENT, HINT, BROKEN
    found: str = ""  # its version or path
    fix: str = ""  # command that repairs it


def machine_checks(flashers: Sequence[Flasher]) -> Iterator[Check]:
    """Checks that need no board."""
    yield _python()
    yield from _packages()
    yield from _programs()
    yield from _flashers(flashers)
    yield from _disk()


def _python() -> Check:
    """Check of the interpreter, whose bytecode saves seconds of each command."""
    found = f"{sys.version.split()[0]}, {sys.executable}"
    if sys.dont_write_bytecode:
        why = "it keeps no bytecode, so that commands take seconds longer"
        return Check("Python", "python", HINT, f"{found}: {why}", "unset PYTHONDONTWRITEBYTECODE")
    return Check("Python", "python", FINE, found)


def _packages() -> Iterator[Check]:
    """Checks of the Python packages that Opsmith and its extras require."""
    seen = set[str]()
    for requirement in _requirements():
        matched = _REQUIREMENT.match(requirement)
        assert matched is not None, requirement
        name, extra = matched[1], matched[2]
        if name in seen:
            continue
        seen.add(name)
        try:
            yield Check("Python packages", name, FINE, version(name))
        except PackageNotFoundError:
            what = f"for opsmith[{extra}]" if extra else ""
            own = INSTALLED or extra not in _EXTRAS
            fix = with_our_pip(f"pip install 'opsmith[{extra}]'") if own else _EXTRAS[extra]
            state, fix = (ABSENT, fix) if extra else (BROKEN, GET_PACKAGES)
            yield Check("Python packages", name, state, what, fix)


def _requirements() -> Sequence[str]:
    """Requirements of the installed package; none where it is only on PYTHONPATH."""
    try:
        return requires("opsmith") or ()
    except PackageNotFoundError:
        return ()


def _programs() -> Iterator[Check]:
    """Checks of the compilers and emulators in the lists that bootstrap reads."""
    lists = [PACKAGES, *sorted(RUNTIMES.glob("*/*-packages.txt"))]
    lists += sorted(RUNTIMES.glob("arch/*/*-packages.txt"))
    for path in lists:
        optional = path.name == OPTIONAL
        for line in path.read_text(encoding="utf-8").splitlines():
            package, _, probe = (part.strip() for part in line.partition("|"))
            if not probe or line.startswith("#"):
                continue
            if subprocess.run(
                ["/bin/sh", "-c", probe], capture_output=True, check=False
            ).returncode:
                state = ABSENT if optional else BROKEN
                whose = f"for {path.parent.name}" if optional else ""
                yield Check(
                    "compilers and emulators", package, state, whose, _install(package, path)
                )
            else:
                yield Check("compilers and emulators", package, FINE, _version(probe))


def _install(package: str, path: Path) -> str:
    """Command that installs a Debian package of a list."""
    install = f"sudo apt-get install -y --no-install-recommends {package}"
    if INSTALLED or not path.resolve().is_relative_to(HOME):
        return install
    return f"{'./bootstrap --all' if path.name == OPTIONAL else './bootstrap'}, or: {install}"


def _version(probe: str) -> str:
    """First line of a program's version text; "" where it prints none."""
    programs: Iterator[str | None] = map(shutil.which, _PROGRAM.findall(probe))
    if (program := next(filter(None, programs), None)) is None:
        return ""
    try:
        done = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="backslashreplace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return program
    return done.stdout.partition("\n")[0] or program


def _flashers(flashers: Sequence[Flasher]) -> Iterator[Check]:
    """Checks of the programs that flash boards, each of which some boards need."""
    for each in flashers:
        name = each.command[0]
        if name == "{python}":
            yield Check("flashers", each.name, FINE, "part of Opsmith")
        elif found := find_program(name):
            yield Check("flashers", each.name, FINE, found)
        else:
            yield Check("flashers", each.name, ABSENT, f"no {name} in PATH", each.install)


def _disk() -> Iterator[Check]:
    """Checks of free space and of the caches that builds keep."""
    here = Path.cwd()
    free = shutil.disk_usage(here).free
    state = FINE if free >= LEAST_FREE else BROKEN
    fix = "" if state == FINE else "free space, or build where there is some"
    yield Check("disk and caches", "free space", state, f"{_size(free)} at {here}", fix)
    if not os.access(here, os.W_OK):
        fix = "build in a folder of your own"
        yield Check("disk and caches", "this folder", BROKEN, "cannot be written", fix)
    if not (here / "SConstruct").is_file():
        what = "has no SConstruct, which scons needs: go to the project's folder, or make one here"
        yield Check("disk and caches", "this folder", HINT, what, "opsmith init")
    taken = sum(
        entry.stat().st_size
        for top, _, names in os.walk("build")
        for entry in map(Path(top).joinpath, names)
        if entry.is_file() and not entry.is_symlink()
    )
    large = taken > LARGE
    hint = "rm -r build" if large else ""
    yield Check("disk and caches", "build/", HINT if large else FINE, _size(taken), hint)


def _size(count: int) -> str:
    return f"{count / (1 << 20):,.0f} MB"
