"""Check that a library which kernels call is installed, in a known release, for the core."""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from opsmith.board.cores import Core
from opsmith.board.library import Library
from opsmith.board.runtime import MANIFEST, Runtime
from opsmith.errors import Problem, ToolchainError, raise_all, shown

_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class InstalledLibrary:
    """An installed library that fits the core."""

    name: str
    revision: str  # revision in its public header: '19.1.0'
    include: Path  # folder of its public header
    archive: Path


def find_library(
    prefix: Path,
    library: Library,
    caller: Runtime,
    core: Core,
    runtime: Runtime,
    tools: str,
    cache: Path,
) -> InstalledLibrary:
    """Library below `prefix`, checked. Raises BLD060 to BLD063.

    `caller` is a runtime that calls the library, for a message where the build's runtime does not.
    `tools` is the prefix of the cross compiler's programs; `cache` is a folder for an object of the
    core that they make.
    """
    where, rebuild = f"command line: libraries={library.name}={prefix}", _rebuild(library, core)
    raise_all(_unwanted(library, caller, core, runtime, where))
    raise_all(_absent(library, prefix, where, rebuild))
    header, archive = prefix / library.header, prefix / library.archive
    revision = _revision(library, caller, header)
    if library.attributes:
        _check_attributes(library, core, tools, cache, archive, rebuild)
    return InstalledLibrary(library.name, revision, header.parent, archive)


def _check_attributes(
    library: Library, core: Core, tools: str, cache: Path, archive: Path, rebuild: str
) -> None:
    """Raise BLD062 where build attributes of the library's objects differ from the compiler's."""
    wanted = _wanted(core, tools, cache)
    found = _attributes(tools, archive)
    if not found:
        what = f"holds no object for a core like {core.name}"
        raise ToolchainError.of("BLD062", what, where=str(archive), fix=rebuild)
    differing = [
        f"{_shown(tag, found)} where this core has {_shown(tag, wanted)}"
        for tag in library.attributes
        if found.get(tag) != wanted.get(tag)
    ]
    if differing:
        what = f"is built for another core: {'; '.join(differing)}"
        raise ToolchainError.of("BLD062", what, where=str(archive), fix=rebuild)


def _rebuild(library: Library, core: Core) -> str:
    return f"build {library.title} for {core.name} and give its prefix; runtimes/README.md says how"


def _unwanted(
    library: Library, caller: Runtime, core: Core, runtime: Runtime, where: str
) -> Iterator[Problem]:
    title, leave_out = library.title, f"leave out libraries={library.name}="
    if library.cores and not core.features & set(library.cores):
        cores, none = " or ".join(library.cores), "neither" if len(library.cores) == 2 else "none"
        what = f"{title} is called on cores with {cores}, and '{core.name}' has {none}"
        yield Problem("BLD062", what, where, f"{leave_out}, or name another board")
    elif library.name not in {each.name for each in runtime.libraries}:
        what = f"runtime '{runtime.name}' calls no {title}"
        yield Problem("BLD063", what, where, f"{leave_out}, or say runtime={caller.name}")


def _absent(library: Library, prefix: Path, where: str, fix: str) -> Iterator[Problem]:
    for part in (library.header, library.archive):
        if not (prefix / part).is_file():
            yield Problem("BLD060", f"there is no {prefix / part}", where, fix)


def _revision(library: Library, caller: Runtime, header: Path) -> str:
    first, below = (".".join(map(str, version)) for version in (library.first, library.below))
    fix = f"install {library.title} {library.release} or later"
    fix += f", whose header says {first} or more, below {below}"
    text = header.read_text(encoding="utf-8", errors="replace")
    match = library.revision.search(text)
    if match is None:
        what = f"does not say its revision ({library.revision.pattern})"
        raise ToolchainError.of("BLD061", what, where=str(header), fix=fix)
    found = match.groups()
    numbers = [int(part) for part in found if part and _NUMBER.fullmatch(part)]
    if len(numbers) < len(found):
        what = f"says {shown(found)} where a revision has three numbers"
        fix = f"let {_pattern(library, caller)} have three groups of digits"
        raise ToolchainError.of("BLD061", what, where=str(header), fix=fix)
    major, minor, patch = numbers
    if not library.first <= (major, minor) < library.below:
        what = f"is of revision {major}.{minor}.{patch}, whose functions our kernels do not know"
        raise ToolchainError.of("BLD061", what, where=str(header), fix=fix)
    return f"{major}.{minor}.{patch}"


def _pattern(library: Library, caller: Runtime) -> str:
    return f"'revision' of library.{library.name} in {caller.folder / MANIFEST}"


def _wanted(core: Core, tools: str, cache: Path) -> dict[str, str]:
    """Build attributes that the compiler gives objects for the core."""
    cache.mkdir(parents=True, exist_ok=True)
    made = cache / f".empty-{core.name}.o"
    _output(f"{tools}gcc", *core.flags, "-x", "c", "-c", "/dev/null", "-o", str(made))
    return _attributes(tools, made)


def _attributes(tools: str, file: Path) -> dict[str, str]:
    """Build attributes of an object, or of the first object of an archive."""
    found: dict[str, str] = {}
    for line in _output(f"{tools}readelf", "-A", str(file)).splitlines():
        tag, _, value = line.strip().partition(": ")
        if tag in found:
            break  # the next object begins
        if tag.startswith("Tag_"):
            found[tag] = value
    return found


def _shown(tag: str, attributes: dict[str, str]) -> str:
    return f"{tag.removeprefix('Tag_')} '{attributes.get(tag, 'none')}'"


def _output(*command: str) -> str:
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode != 0 and command[1] != "-A":
        line = " ".join(command)
        what = f"'{line}' ended with exit status {result.returncode}: {result.stderr[:200]}"
        raise ToolchainError.of("BLD010", what, where=command[0], fix="reinstall the compiler")
    return result.stdout
