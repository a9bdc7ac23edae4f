"""Hardware maps: lists of boards in YAML, with the field names of Zephyr's twister.

A map may serve Zephyr as well, so boards that Opsmith lacks are no errors, and `flash_before` is
accepted: a port that disappears while its board is flashed is opened again in any case.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from opsmith.board.architecture import SHIPPED
from opsmith.board.manifest import Board
from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all, shown
from opsmith.home import with_our_pip
from opsmith.reading import UnreadableError, read_text
from opsmith.rig.flash import SECONDS
from opsmith.text import escaped

_MOST_BYTES = 256 << 10  # several hundred boards
_MOST_NODES = 1 << 16  # values, aliases written out
_MOST = (1 << 31) - 1  # limit of a number
_FIELDS: Mapping[str, tuple[type, ...]] = {
    "connected": (bool,),
    "product": (str,),
    "runner": (str,),
    "id": (str,),
    "platform": (str, list),
    "available": (bool,),
    "baud": (int,),
    "serial_baud": (int,),
    "fixtures": (list,),
    "flash_timeout": (int, float),
    "flash_with_test": (bool,),
    "flash_before": (bool,),
    "notes": (str,),
    "probe_id": (str,),
    "serial": (str,),
    "serial_pty": (str,),
    "pre_script": (str,),
    "post_script": (str,),
    "post_flash_script": (str,),
    "script_param": (dict,),
}
REQUIRED = ("connected", "product", "runner", "id", "platform")
_ARGUMENTS = ("pre_script_arg", "post_script_arg", "post_flash_script_arg")
_PARAMETERS: Mapping[str, tuple[type, ...]] = {
    "pre_script_timeout": (int, float),
    "post_script_timeout": (int, float),
    "post_flash_timeout": (int, float),
    **dict.fromkeys(_ARGUMENTS, (list,)),
}  # fields of script_param
# Flashers of Zephyr's west that Opsmith lacks: a map that serves both may name them.
_WEST = frozenset(
    """
    arc-nsim blackmagicprobe canopen dediprog dfu-util ecpprog esp32 ezflashcli gd32isp hifive1
    iar intel_adsp intel_cyclonev linkserver mdb-hw mdb-nsim minichlink misc-flasher native
    nrfjprog nrfutil nxp_s32dbg probe-rs qemu renode renode-robot rfp silabs_commander spi_burn
    spsdk stlink_gdbserver stm32cubeprogrammer stm32flash teensy trace32 unknown wchisp xsdb xtensa
    """.split()
)
_FOR_WEST = "its words are for west: write them into a flasher.toml of your own"
_REFUSED = {
    "runner_params": _FOR_WEST,
    "west_flash_cmd": _FOR_WEST,
    "hooks": "write pre_script, post_script and post_flash_script",
}


@dataclass(frozen=True)
class Entry:
    """A board in a map."""

    id: str
    platforms: tuple[str, ...]
    product: str
    connected: bool
    runner: str = "unknown"
    available: bool = True
    serial: str = ""
    serial_pty: tuple[str, ...] = ()  # words of a command
    probe_id: str = ""
    baud: int = 0
    fixtures: tuple[str, ...] = ()
    flash_timeout: float = SECONDS
    flash_with_test: bool = True
    pre_script: str = ""
    post_script: str = ""
    post_flash_script: str = ""
    pre_script_timeout: float = SECONDS
    post_script_timeout: float = SECONDS
    post_flash_timeout: float = SECONDS
    pre_script_arg: tuple[str, ...] = ()
    post_script_arg: tuple[str, ...] = ()
    post_flash_script_arg: tuple[str, ...] = ()

    @property
    def probe(self) -> str:
        """Serial number of the board's probe."""
        return self.probe_id or self.id


def load_map(path: Path) -> tuple[Entry, ...]:
    """Boards in a map. Raises RIG059 with all its problems."""
    rows = read_map(path)
    problems = [Problem("RIG059", what, str(path), fix) for what, fix in _problems(rows)]
    raise_all(problems)
    return tuple(map(_entry, rows))


def read_map(path: Path) -> list[dict[str, Any]]:
    """Rows of a map, unchecked. Raises RIG059 for a file that is no map."""
    yaml = yaml_module()
    try:
        loader = yaml.SafeLoader(read_text(path, _MOST_BYTES))
        root = loader.get_single_node()
        _check_aliases(root, {})
        rows = loader.construct_document(root) if root else None
        as_written = yaml.constructor.BaseConstructor().construct_document(root) if root else []
    except (LookupError, AttributeError) as error:  # PyYAML's, of a value that is none of its tag
        raise _error(path, "the map has a value that does not fit its tag (!!)") from error
    except (UnreadableError, yaml.YAMLError, ValueError, RecursionError) as error:
        what = escaped(" ".join(str(error).split()))[:300]
        raise _error(path, f"the map cannot be read: {what}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _error(path, "the map is no list of boards")
    for row, words in zip(rows, as_written, strict=True):  # serial numbers are texts: 0671
        row |= {name: words[name] for name in ("id", "probe_id") if _is_word(words.get(name))}
    return rows


def _check_aliases(node: Any, known: dict[int, int]) -> int:
    """Number of nodes in a node of YAML, its aliases written out, which may double on each line.
    Raises UnreadableError for too many. `known` has numbers by nodes' identities.
    """
    if id(node) not in known:
        known[id(node)] = 1  # of a node that contains itself, which PyYAML refuses
        inner = node.value if node and not isinstance(node.value, str) else ()
        pairs = (each if isinstance(each, tuple) else (each,) for each in inner)
        known[id(node)] += sum(_check_aliases(each, known) for pair in pairs for each in pair)
        if known[id(node)] > _MOST_NODES:
            raise UnreadableError(f"it has more than {_MOST_NODES:,} values, aliases written out")
    return known[id(node)]


def fitting(
    entries: Sequence[Entry], board: Board, fixtures: Sequence[str], path: Path
) -> list[Entry]:
    """Entries for a board that are connected and have all fixtures, by name or as NAME:ARGUMENT.
    Raises RIG014 where none fits, and RIG059 for one whose runner nobody knows.
    """
    names = {board.name, *board.aliases}
    of_board = [
        each
        for each in entries
        if names & {platform.partition("/")[0] for platform in each.platforms}
    ]
    found = [
        each
        for each in of_board
        if each.connected
        and each.available
        and (each.serial or each.serial_pty)
        and board.probe in ("", each.probe)
        and {*fixtures} <= {name for f in each.fixtures for name in (f, f.partition(":")[0])}
    ]
    if found:
        raise_all(_strange_runners(found, board, path))
        return found
    others = sorted({name for each in entries for name in each.platforms})
    named = f": its platforms are {escaped(', '.join(others))[:200]}" if others else ""
    what = f"the map has no board '{board.name}'{did_you_mean(board.name, others)}{named}"
    if of_board:
        what = f"none of the map's {len(of_board)} boards '{board.name}' is connected and available"
        what += f" with fixtures {', '.join(fixtures)}" if fixtures else ""
    fix = f"attach it and run: opsmith rig scan --map {shlex.quote(escaped(str(path)))}"
    raise ToolchainError.of("RIG014", what, where=escaped(str(path)), fix=fix)


def _strange_runners(entries: Sequence[Entry], board: Board, path: Path) -> Iterator[Problem]:
    """Problems of entries whose runner neither Opsmith nor west has."""
    ours = {folder.name for folder in (SHIPPED / "flashers").iterdir()}
    ours |= {board.flash.flasher.name} if board.flash else set()
    for each in entries:
        if each.runner not in ours | _WEST:
            what = f"'{escaped(each.id)[:60]}' has the runner '{escaped(each.runner)[:60]}'"
            what += f", which nobody knows{did_you_mean(each.runner, ours | _WEST)}"
            fix = f"one of: {', '.join(sorted(ours))}; or unknown"
            yield Problem("RIG059", what, escaped(str(path)), fix)


def yaml_module() -> Any:
    """Module of PyYAML. Raises RIG059 where it is not installed."""
    try:
        import yaml  # imported here, since only maps need it
    except ImportError as error:
        what, fix = "PyYAML is not installed", with_our_pip("pip install 'opsmith[rig]'")
        raise ToolchainError.of("RIG059", what, where="map=", fix=fix) from error
    return yaml


def _problems(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Mistakes in rows, each with its correction."""
    found, owners, ports = list[tuple[str, str]](), dict[str, int](), dict[str, int]()
    for number, row in enumerate(rows, 1):
        place = f"board {number}"
        found += _wrong_fields(place, row, _FIELDS)
        if isinstance(row.get("script_param"), dict):
            found += _wrong_fields(f"{place}: script_param", row["script_param"], _PARAMETERS)
        missing = [name for name in REQUIRED if name not in row]
        if missing:
            fix = f"add what is missing: a map says {', '.join(REQUIRED)} of every board"
            found.append((f"{place} has no {', '.join(missing)}", fix))
        name = str(row.get("id", ""))
        if name and owners.setdefault(name, number) != number:
            what = f"{place} has the id '{escaped(name)[:60]}' of board {owners[name]}"
            found.append((what, "give each its own: the serial number of its probe"))
        port = str(row.get("serial", "")) if row.get("connected") is True else ""  # else it is old
        if port and ports.setdefault(port, number) != number:
            what = f"{place} has the serial '{escaped(port)[:60]}' of board {ports[port]}"
            found.append((what, "give each the port of its own, or mark one: connected: false"))
    return found


def _wrong_fields(
    place: str, row: Mapping[Any, Any], fields: Mapping[str, tuple[type, ...]]
) -> Iterator[tuple[str, str]]:
    """Mistakes in fields of a row, each with its correction."""
    for name, value in row.items():
        what = f"{place}: '{escaped(str(name))[:60]}'"
        if name in _REFUSED:
            yield f"{what} is not supported", _REFUSED[str(name)]
        elif name not in fields:
            near = did_you_mean(str(name), fields)
            yield f"{what} is no field{near}", f"one of: {', '.join(fields)}"
        elif not _is(value, fields[str(name)]):
            words = " or ".join(kind.__name__ for kind in fields[str(name)])
            yield f"{what} is {shown(value, 60)}", f"give a value of type {words}"
        elif _is(value, (int, float)) and not 0 < value <= _MOST:
            yield f"{what} is {shown(value, 60)}", f"give a number above 0, and at most {_MOST}"


def _is_word(value: object) -> bool:
    return isinstance(value, str)


def _is(value: object, kinds: tuple[type, ...]) -> bool:
    if isinstance(value, bool):
        return bool in kinds
    if isinstance(value, list):
        return list in kinds and all(isinstance(each, str) for each in value)
    return isinstance(value, kinds)


def _entry(row: Mapping[str, Any]) -> Entry:
    own = {each.name for each in fields(Entry)}
    given = {name: value for name, value in row.items() if name in own}
    given |= row.get("script_param", {})
    given["platforms"] = row["platform"]
    given["baud"] = row.get("baud", row.get("serial_baud", 0))
    for name in ("platforms", "fixtures", "serial_pty", *_ARGUMENTS):
        value = given.get(name, ())
        given[name] = tuple(value.split() if isinstance(value, str) else value)
    return Entry(**given)


def _error(path: Path, what: str) -> ToolchainError:
    before = "remove it, and " if path.exists() else ""  # a scan keeps what a map has
    fix = f"{before}write it by: opsmith rig scan --map {shlex.quote(escaped(str(path)))}"
    return ToolchainError.of("RIG059", what, where=escaped(str(path)), fix=fix)
