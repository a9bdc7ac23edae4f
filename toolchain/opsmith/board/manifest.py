"""Boards: finds board.toml files, checks each against the closed schema, returns frozen values."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from opsmith.board.architecture import Architecture, Core, Family
from opsmith.board.configure import BAUD, configured, refuse_unused
from opsmith.board.contradictions import contradictions
from opsmith.board.describe import ArenaRule, Board, BoardRun, Console, Flash, Memory, System
from opsmith.board.device import KEYS
from opsmith.board.platforms import Platforms, platforms
from opsmith.board.read import MOST_BYTES, parse_toml
from opsmith.board.rules import arena_rule, constants_rule
from opsmith.board.schema import Table, is_name, opened
from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all
from opsmith.reading import UnreadableError, read_text

__all__ = ["ArenaRule", "Board", "Console", "Flash", "Memory", "list_boards", "load_board"]

MOST_WAIT_STATES = 1000
_ALIASES = "aliases"
# Stands for an unknown core, so that the rest of the file is still checked.
_UNKNOWN = Core("", Architecture("", "", Path(), hosted=True), (), (), frozenset())


def load_board(name: str, roots: Sequence[Path], more: Sequence[Path] = ()) -> Board:
    """Board with a name or alias; only its own files must be valid.

    `more` are roots of platforms besides the shipped one.
    """
    owners = board_names(roots)
    if name not in owners:
        what = f"there is no board '{name}'{did_you_mean(name, owners)}"
        fix = f"choose one of: {', '.join(sorted(owners))}; boards=DIR adds a folder of boards"
        missing = Problem("BRD007", what, ", ".join(str(root) for root in roots), fix)
        raise ToolchainError(missing, *_unparsed({*owners.values()}))  # whose aliases are unknown
    return _read(owners[name], platforms(more))


def board_names(roots: Sequence[Path]) -> dict[str, Path]:
    """File of each board by its name and its aliases. Raises BRD008 where two have one name."""
    return _owners(_find(roots))


def list_boards(roots: Sequence[Path], more: Sequence[Path] = ()) -> tuple[Board, ...]:
    """Boards of all roots, by name; the problems of all files are raised at once."""
    boards, problems = readable_boards(roots, more)
    raise_all(problems)
    return boards


def readable_boards(
    roots: Sequence[Path], more: Sequence[Path] = ()
) -> tuple[tuple[Board, ...], list[Problem]]:
    """Boards that can be read, and the problems of the rest."""
    found = _find(roots)
    _owners(found)
    known = platforms(more)
    boards: list[Board] = []
    problems: list[Problem] = []
    for file in found:
        try:
            boards.append(_read(file, known))
        except ToolchainError as error:
            problems.extend(error.problems)
    return tuple(sorted(boards, key=lambda board: board.name)), problems


def _find(roots: Sequence[Path]) -> tuple[Path, ...]:
    problems = [
        Problem(
            "BRD009",
            "no such folder of boards",
            str(root),
            "give the folder that holds <board>/board.toml",
        )
        for root in roots
        if not root.is_dir()
    ]
    raise_all(problems)
    unique = {root.resolve(): root for root in roots}
    return tuple(file for root in unique.values() for file in _below(root))


def _below(root: Path) -> list[Path]:
    """Every board.toml in a root; a folder or a broken link is reported when it is read."""
    try:
        files = [folder / "board.toml" for folder in sorted(root.iterdir()) if folder.is_dir()]
    except OSError as error:
        what, fix = f"the folder cannot be read: {error.strerror}", "correct its permissions"
        raise ToolchainError.of("BRD009", what, where=str(root), fix=fix) from error
    return [file for file in files if os.path.lexists(file)]


def _owners(files: Sequence[Path]) -> dict[str, Path]:
    """File of each board name and alias; two claims on one are an error that names both files."""
    owners: dict[str, Path] = {}
    problems: list[Problem] = []
    for file in files:
        for name in (file.parent.name, *_aliases(file)):
            other = owners.setdefault(name, file)
            if other is not file:
                what = f"board name '{name}' is claimed twice"
                fix = "rename one folder, or take the name out of one 'aliases'"
                problems.append(Problem("BRD008", what, f"{other} and {file}", fix))
    raise_all(problems)
    return owners


def _aliases(file: Path) -> tuple[str, ...]:
    """Aliases in a board.toml; () for an unreadable file, reported when its board is built."""
    try:
        text = read_text(file, MOST_BYTES)
        if _ALIASES not in text and "\\" not in text:  # an escape could spell the key
            return ()  # most boards; reading all tables takes most of the time of a short command
        aliases = _parse(file).get(_ALIASES, [])
    except (UnreadableError, ToolchainError):
        return ()
    return tuple(filter(is_name, aliases)) if isinstance(aliases, list) else ()


def _unparsed(files: Iterable[Path]) -> Iterator[Problem]:
    """Problems of the files that are no TOML."""
    for file in sorted(files):
        try:
            _parse(file)
        except ToolchainError as error:
            yield from error.problems


def _parse(file: Path) -> dict[str, Any]:
    return parse_toml(file, "BRD001")


def _read(file: Path, known: Platforms) -> Board:
    problems: list[Problem] = []
    table = opened(file, problems)
    if not is_name(file.parent.name):
        fix = "use small letters, digits and _, starting with a letter"
        table.wrong(f"the folder's name '{file.parent.name}' is no board name", fix)
    named = table.choice("core", tuple(known.cores()), code="BRD005")
    core = known.core(named) if named else _UNKNOWN
    family = _family(table, known)
    mcu = not core.hosted
    sources = _sources(table, file.parent, core, family)
    console, clock = table.table("console"), table.table("clock")
    speaks = _console(console) if mcu or table.has("console") else None
    baud = speaks.baud if speaks else 0
    setup = configured(table, console, clock, family, core.architecture, baud)
    clock.close()
    console.close()
    defines = _defines(table.table("defines"))
    defines += (f"{BAUD}={baud}u",) if baud and not setup and not _derives(family) else ()
    if mcu and not problems and (family is None or family.fits(core.architecture)):
        own = tuple(each for each in sources if each not in core.architecture.sources)
        refuse_unused(table, tuple(each.partition("=")[0] for each in defines), own)
    board = Board(
        name=file.parent.name,
        title=table.text("title"),
        aliases=table.names("aliases"),
        folder=file.parent,
        core=core,
        runtime=table.word("runtime", r"[a-z][a-z0-9_]*", "the name of a runtime"),
        memory=_memory(table.table("memory")),
        stack_bytes=table.size("stack") if mcu or table.has("stack") else 0,
        sources=sources,
        includes=(file.parent,),
        defines=defines,
        console=speaks,
        run=_run(table.table("run"), known),
        flash=_flash(table.table("flash"), known) if table.has("flash") else None,
        arena=tuple(map(arena_rule, table.tables("arena"))),
        constants=tuple(map(constants_rule, table.tables("constants"))),
        family=family,
        setup=setup,
        device_times=_devices(table.table("device")),
        system=_system(table.table("system")) if table.has("system") else None,
        devices=table.names("devices"),
    )
    table.close()
    if not problems:
        problems += contradictions(board, str(file))
    raise_all(problems)
    return board


def _derives(family: Family | None) -> bool:
    """True if the family has a family.py, which reads the baud rate itself."""
    return family is not None and family.module.is_file()


def _memory(table: Table) -> Mapping[str, Memory]:
    memories = {}
    for name in table.entries():
        if not is_name(name):
            fix = "use small letters, digits and _, starting with a letter"
            table.wrong(f"'memory.{name}' is no name", fix)
        inner = table.table(name)
        memories[name] = Memory(
            inner.number("origin", 0, 0xFFFF_FFFF),
            inner.size("size"),
            inner.fraction("wait_states", MOST_WAIT_STATES, "cycles for each word"),
            inner.number("data", 0, 0xFFFF_FFFF) if name == "flash" and inner.has("data") else None,
        )
        inner.close()
    return MappingProxyType(memories)


def _devices(table: Table) -> Mapping[str, Mapping[str, float]]:
    """Device costs that the board overrides: nanoseconds by key of `[device]`, by runtime."""
    devices = {}
    for name in table.entries():
        inner = table.table(name)
        found = {key: inner.optional_time(key) for key in KEYS}
        devices[name] = {key: time for key, time in found.items() if time is not None}
        inner.close()
    return MappingProxyType(devices)


def _family(table: Table, known: Platforms) -> Family | None:
    named = table.choice("family", tuple(known.families()), code="BRD010", required=False)
    return known.family(named) if named else None


def _sources(table: Table, folder: Path, core: Core, family: Family | None) -> tuple[Path, ...]:
    own = tuple(sorted(folder.glob("*.cc")))
    sources = (*core.architecture.sources, *(family.sources if family else ()), *own)
    for source in sources:
        if not (source.is_file() and re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*", source.name)):
            place = "beside board.toml" if source in own else f"in {source.parent}"
            fix = "name a file with letters, digits and ._+-, or remove it"
            table.note("BRD014", f"{source.name!r} {place} is no source file", fix)
    if not own and not table.has("family"):
        table.note("BRD003", "the board has no code", "name a 'family' or put *.cc into its folder")
    if not own and family and not family.sources:
        what = f"neither the board nor its family '{family.name}' has code"
        table.note("BRD003", what, f"put *.cc into {family.file.parent} or beside board.toml")
    return sources


def _defines(table: Table) -> tuple[str, ...]:
    for name in table.entries():
        if not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
            fix = "use capital letters, digits and _"
            table.wrong(f"'defines.{name}' is no macro name", fix)
    return tuple(f"{name}={table.number(name, 0, 0xFFFF_FFFF):#x}u" for name in table.entries())


def _console(table: Table) -> Console:
    baud = table.number("baud", 1200, 4_000_000)
    id_ = 'VID:PID in small hex digits, "0483:374b"'
    usb = table.word("usb", r"[0-9a-f]{4}:[0-9a-f]{4}", id_) if table.has("usb") else None
    return Console(baud, usb)


def _run(table: Table, known: Platforms) -> BoardRun:
    qemu = table.table("qemu")
    word = r"[A-Za-z0-9][A-Za-z0-9_.-]*"  # no comma: QEMU takes options after one
    named = table.has("qemu")
    machine = qemu.word("machine", word, "the name of a machine of QEMU") if named else None
    place = table.choice("place", tuple(known.places()), required=False)
    qemu.close()
    table.close()
    return BoardRun(machine, place)


def _system(table: Table) -> System:
    title = table.text("title")
    glibc = table.word("glibc", r"\d{1,3}\.\d{1,3}", 'the version of its C library, such as "2.36"')
    table.close()
    major, _, minor = glibc.partition(".")
    known = major.isdecimal() and minor.isdecimal()
    return System(title, (int(major), int(minor)) if known else (0, 0))


def _flash(table: Table, known: Platforms) -> Flash | None:
    word = r"[A-Za-z0-9_./][A-Za-z0-9_./: +-]*"  # no option of the runner
    runner = table.choice("runner", tuple(known.flashers()))
    flasher = known.flasher(runner) if runner else None
    asks = flasher is None or any("{target}" in each for each in flasher.words)
    what = "the target's name, or the path of a script"
    target = table.word("target", word, what) if asks else ""
    uf2 = table.number("uf2", 0, 0xFFFF_FFFF) if table.has("uf2") else None
    table.close()
    return Flash(flasher, target, uf2) if flasher else None
