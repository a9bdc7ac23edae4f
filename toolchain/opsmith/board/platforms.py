"""Parts of boards, found by folder: `arch/`, `mcu/`, `flashers/`, `places/` of a root.

`runtimes/` is the shipped root; `platforms=DIR` adds others of equal form. A file is read only when
a board needs it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from opsmith.board.architecture import (
    SHIPPED,
    Architecture,
    Core,
    Emulator,
    Family,
    Flasher,
    Timings,
)
from opsmith.board.schema import Table, is_name, opened
from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all
from opsmith.home import with_our_pip

PARTS = ("arch", "mcu", "flashers", "frontends", "places")  # folders of a root
KINDS = ("bare-metal", "hosted")
PLACES = {"project": True, "firmware": False}
FILLED = (  # placeholders in a flasher's commands
    "target", "elf", "file", "bin", "hex", "uf2", "project", "origin", "port", "gdb", "script",
    "python",
)  # fmt: skip
PROBE = "{probe}"  # placeholder for Flasher.probe, whose words contain it again
_USB = r"[0-9a-f]{4}:[0-9a-f*]{1,4}"
_FLAG = r"\S(.*\S)?"
_PROGRAM = r"[A-Za-z0-9][A-Za-z0-9_.+-]*"
_NAMES = {"core": r"[a-z][a-z0-9_-]{0,63}"}  # other parts have names like boards


@dataclass(frozen=True)
class Platforms:
    """Roots of platforms, the shipped one first. Each folder is listed and each core read once."""

    roots: tuple[Path, ...]
    _listed: dict[str, dict[str, Path]] = field(default_factory=dict, compare=False, repr=False)
    _cores: dict[str, Core] = field(default_factory=dict, compare=False, repr=False)

    def cores(self) -> dict[str, Path]:
        """File of each core, by name. An architecture's cores may lie in several roots."""
        return self._found("core", "arch/*/cores/*.toml")

    def core(self, name: str) -> Core:
        """Core of a name, with its architecture. Raises BRD00x and BRD018."""
        if name not in self._cores:
            self._cores[name] = self._core(name)
        return self._cores[name]

    def _core(self, name: str) -> Core:
        file = self.cores()[name]
        table = _opened(file, "core")
        flags, compiling = table.texts("flags", _FLAG), table.texts("compile", _FLAG)
        features = frozenset(table.names("features"))
        timings = _timings(table.table("timings"), table.has("timings"))
        conan = _conan(table)
        table.finish()
        architecture = self.architecture(file.parents[1].name, file)
        script = () if architecture.hosted else (architecture.script,)
        files = (file, architecture.folder / "arch.toml", *script)
        flags = (*flags, *architecture.flags)
        conan = conan or architecture.conan
        return Core(name, architecture, flags, compiling, features, timings, files, conan)

    def architecture(self, name: str, where: Path) -> Architecture:
        """Architecture of a name that occurs in the file `where`. Raises BRD018."""
        known = self._found("architecture", "arch/*/arch.toml")
        if name not in known:
            what = f"there is no architecture '{name}'{did_you_mean(name, known)}"
            fix = f"one of: {', '.join(known)}; or add arch/{name}/arch.toml"
            raise ToolchainError.of("BRD018", what, where=str(where), fix=fix)
        return _architecture(known[name])

    def families(self) -> dict[str, Path]:
        """File of each MCU family, by name."""
        return self._found("family", "mcu/*/family.toml")

    def family(self, name: str) -> Family:
        """MCU family of a name, after a check that its architectures exist."""
        file = self.families()[name]
        table = _opened(file, "family")
        if table.choice("kind", ("hosted",), required=False):
            table.finish()
            return Family(name, (), file)
        family = Family(name, table.one_or_more("arch", r"\w+", "an architecture's name"), file)
        table.finish()
        for each in family.architectures:
            self.architecture(each, file)
        return family

    def places(self) -> dict[str, Path]:
        """Module of each kind of place, by name."""
        return self._found("place", "places/*/place.py")

    def flashers(self) -> dict[str, Path]:
        """File of each flasher, by name."""
        return self._found("flasher", "flashers/*/flasher.toml")

    def flasher(self, name: str) -> Flasher:
        """Flasher of a name, from its file."""
        table = _opened(self.flashers()[name], "flasher")
        command = _command(table)
        reset = _command(table, "reset") if table.has("reset") else ()
        server = _command(table, "server") if table.has("server") else ()
        script = _command(table, "script") if table.has("script") else ()
        says = table.pattern("says").pattern if table.has("says") else ""
        then_reset = table.flag("then_reset")
        if then_reset and not reset:
            table.wrong("'then_reset' without 'reset'", "write 'reset'")
        place = table.choice("folder", tuple(PLACES)) or "project"
        probe, adapters = table.texts("probe", r"[^\n]+"), table.texts("adapters", _USB)
        if bool(probe) != (PROBE in command):
            table.wrong(f"'probe' and {PROBE} in 'command' need each other", "write both")
        install = with_our_pip(table.text("install"))
        where = PLACES[place]
        flasher = Flasher(
            name,
            command,
            where,
            install,
            probe=probe,
            adapters=adapters,
            reset=reset,
            says=says,
            server=server,
            then_reset=then_reset,
            script=script,
        )
        table.finish()
        return flasher

    def _found(self, what: str, pattern: str) -> dict[str, Path]:
        """Files that match a pattern, by name; two of one name are an error that names both."""
        if what in self._listed:
            return self._listed[what]
        found: dict[str, Path] = {}
        problems = []
        for file in (file for root in self.roots for file in sorted(root.glob(pattern))):
            name = file.stem if what == "core" else file.parent.name
            other = found.setdefault(name, file)
            if other is not file:
                problem = f"{what} '{name}' is claimed twice"
                problems.append(Problem("BRD017", problem, f"{other} and {file}", "rename one"))
        raise_all(problems)
        self._listed[what] = found
        return found


def platforms(more: Sequence[Path] = ()) -> Platforms:
    """Platforms of the shipped root and further ones. Raises BRD016 for folders that are none."""
    raise_all(
        Problem("BRD016", _no_root(root), str(root), "see runtimes/README.md")
        for root in more
        if not any((root / part).is_dir() for part in PARTS)
    )
    unique = {root.resolve(): root for root in (SHIPPED, *more)}
    return Platforms(tuple(unique.values()))


def _no_root(root: Path) -> str:
    if root.is_dir():
        return f"holds none of {', '.join(PARTS)}"
    return "is not a folder" if root.exists() else "does not exist"


def _opened(file: Path, what: str) -> Table:
    """Table of a file, after a check of its name."""
    table = opened(file, [])
    name = file.stem if what == "core" else file.parent.name
    if not (re.fullmatch(_NAMES[what], name) if what in _NAMES else is_name(name)):
        signs = "digits, _ and -" if what in _NAMES else "digits and _"
        fix = f"use small letters, {signs}, starting with a letter"
        table.wrong(f"no {what} can be called '{name}'", fix)
    return table


def _timings(table: Table, present: bool) -> Timings | None:
    if not present:
        return None
    found = Timings(table.word("model", r"[a-z0-9_-]+", "a name in timing.c"), table.text("title"))
    table.close()
    return found


def _alignment(table: Table, key: str) -> int:
    """Alignment from a table: a power of two, by default 4."""
    found = table.optional_size(key, 4)
    if found & (found - 1):
        table.wrong(f"'{key}' is {found}, no alignment", "write a power of two")
    return found


def _architecture(file: Path) -> Architecture:
    table = _opened(file, "architecture")
    title, folder = table.text("title"), file.parent
    hosted = table.choice("kind", KINDS) == "hosted"
    found = Architecture(
        folder.name,
        title,
        folder,
        hosted,
        tools="" if hosted and not table.has("tools") else _tools(table),
        flags=table.texts("flags", _FLAG),
        link=table.texts("link", _FLAG),
        printf_floats=table.texts("printf_floats", _FLAG),
        libraries=table.texts("libraries", _FLAG) or ("libc.a", "libgcc.a"),
        macros=_macros(table.table("macros")),
        emulator=_emulator(table.table("emulator"), table.has("emulator")),
        conan=_conan(table),
    )
    found = _of_processes(table, found) if hosted else _of_firmware(table, found)
    if not any(Path(library).name == "libc.a" for library in found.libraries):
        table.note("BRD018", "'libraries' has no libc.a", "add the C library's archive")
    table.finish()
    return found


def _tools(table: Table) -> str:
    return table.word("tools", r"[A-Za-z0-9][A-Za-z0-9_.-]*-", "a prefix such as 'x-elf-'")


def _conan(table: Table) -> str:
    if not table.has("conan"):
        return ""
    return table.word("conan", r"[a-z0-9][a-z0-9_.-]*", "an `arch` of Conan's settings")


def _of_processes(table: Table, found: Architecture) -> Architecture:
    """Architecture with the keys for hosted programs."""
    if found.emulator is None:
        return found
    return replace(found, machine=table.word("machine", r"\w+", "what `uname -m` says there"))


def _of_firmware(table: Table, found: Architecture) -> Architecture:
    """Architecture with the keys for firmware without an operating system."""
    if not found.script.is_file():
        table.note("BRD018", f"there is no {found.script.name} beside it", "add a linker script")
    return replace(
        found,
        vectors=_alignment(table, "vectors"),
        unicorn=table.texts("unicorn", r"UC_[A-Z0-9_]+"),
        handlers=table.optional_text("handlers") or "",
        code=table.names("code"),
    )


def _macros(table: Table) -> tuple[tuple[str, str], ...]:
    word = r"[A-Za-z_]\w*"
    found = {key: table.word(key, f"{word}( {word})*", "macros") for key in table.entries()}
    return tuple((key, macro) for key, text in found.items() for macro in text.split())


def _emulator(table: Table, present: bool) -> Emulator | None:
    if not present:
        return None
    program = table.word("program", _PROGRAM, "the name of a program")
    emulator = Emulator(program, table.texts("options", _FLAG), table.texts("also", _PROGRAM))
    table.close()
    return emulator


def _command(table: Table, key: str = "command") -> tuple[str, ...]:
    command = table.texts(key, r"[^\n]+")
    if not command:
        table.missing(key, "the program and its arguments")
    for name in re.findall(r"\{([^{}]*)\}", " ".join(each for each in command if each != PROBE)):
        if name not in FILLED:
            what = f"'{key}' has {{{name}}}{did_you_mean(name, FILLED)}"
            table.wrong(what, f"use: {', '.join(f'{{{each}}}' for each in FILLED)}")
    return command
