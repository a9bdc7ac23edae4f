"""Places: where firmware runs. A kind of place is a folder `places/<kind>/` with a place.py.

Its function `place(asked)` returns a Place, or several, of which the first that is free is used.
The kinds of `runtimes/` are shipped; `platforms=DIR` adds more. `place=KIND` and `place=KIND:WHERE`
choose one.
"""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

from opsmith.board.manifest import Board
from opsmith.board.platforms import platforms
from opsmith.errors import ToolchainError, described, did_you_mean, shown
from opsmith.modules import load_function
from opsmith.rig.build import LinkedFirmware
from opsmith.rig.channel import Channel

ALWAYS = "always"


@dataclass(frozen=True)
class RunRequest:
    """A firmware that is to run, and where to run it."""

    firmware: LinkedFirmware
    board: Board
    where: str = ""  # place among those of its kind, in the kind's own notation
    options: Sequence[str] = ()  # additional options for an emulator
    environment: Mapping[str, str] = field(default_factory=dict)  # more variables for a program
    fixtures: Sequence[str] = ()  # fixtures that a board of a map must have
    wait: float = 0.0  # seconds to wait while users of other machines have the place


@dataclass(frozen=True)
class Where:
    """Place at which firmware runs, as a user specifies it."""

    place: str = ""  # KIND or KIND:WHERE
    port: str | None = None  # of a place serial:PORT
    wait: float = 0.0  # seconds to wait while others use the place
    flash: str = "needed"  # 'needed' or 'always'
    platforms: Sequence[Path] = ()  # folders with additional kinds of places
    map: str | None = None  # of a place map:FILE
    fixtures: Sequence[str] = ()


ANYWHERE = Where()
# fields of BuildOptions for commands that run firmware
OPTIONS = ("port", "probe", "place", "map", "fixture", "wait", "flash")


def where_of(arguments: argparse.Namespace) -> Where:
    """Place that the flags of a command specify."""
    given = arguments.place or "", arguments.port, arguments.wait, arguments.flash
    return Where(*given, arguments.platforms, arguments.map, arguments.fixture)


class Place:
    """A place that runs a firmware's file itself, and of which there is no limited number.

    A kind of place overrides what differs. `title` is for messages.
    """

    title = ""
    attached = False  # a board: it already has firmware, and may be missing or silent
    emulated = False  # its clock differs from the board's
    keeps_bytes = True  # it keeps a copy of the file, whose bytes are compared

    def locks(self) -> Sequence[str]:
        """Names of resources that only one program at a time may use, such as ports and probes."""
        return ()

    def console(self) -> AbstractContextManager[Channel]:
        """Open the console; a place that is not attached starts the firmware, too."""
        raise NotImplementedError

    def flash(self) -> bool:
        """Write the firmware and start it; False where the place has no means."""
        return False

    def reset(self) -> bool:
        """Restart the firmware that the board has; False where the place has no means."""
        return False

    def power(self) -> bool:
        """Switch the board off and on; False where the place has no means."""
        return False

    def settle(self) -> None:
        """Record that the firmware has started: from now on a console that ends is an error."""


def find_places(asked: RunRequest, where: Where) -> Sequence[Place]:
    """Places that the user names, or the default: this machine for a program, and QEMU for a board
    without port and probe, if a similar machine exists. Raises RIG014, RIG049.
    """
    name = where.place
    kind, rest = _named(asked.board, where)
    known = platforms(where.platforms).places()
    if kind not in known:
        what = f"there is no kind of places '{kind}'{did_you_mean(kind, known)}"
        fix = f"one of: {', '.join(known)}; or add places/{kind}/place.py to a folder of platforms="
        raise ToolchainError.of("RIG049", what, where=f"place={name}", fix=fix)
    make = load_function(known[kind], "place", "RIG049")
    try:
        found = make(replace(asked, where=rest, fixtures=where.fixtures, wait=where.wait))
    except ToolchainError:
        raise
    except Exception as error:
        what, fix = f"its place() fails: {described(error)}", "correct it"
        raise ToolchainError.of("RIG049", what, where=str(known[kind]), fix=fix) from error
    places = list(found) if isinstance(found, list | tuple) else [found]
    if not places or not all(isinstance(each, Place) for each in places):
        what, fix = f"place() returns {shown(found)}", "return an opsmith.rig.place.Place"
        raise ToolchainError.of("RIG049", what, where=str(known[kind]), fix=fix)
    return places


def unfit(asked: RunRequest, kind: str, what: str, fix: str) -> ToolchainError:
    """Error RIG049 for a kind of place that cannot run a board's firmware."""
    where = f"place={kind}:{asked.where}" if asked.where else f"place={kind}"
    return ToolchainError.of("RIG049", f"board '{asked.board.name}' {what}", where=where, fix=fix)


def _named(board: Board, where: Where) -> tuple[str, str]:
    """Kind of place, and which place of that kind."""
    given = {"place=": where.place, "port=": where.port, "map=": where.map}
    named = {name: value for name, value in given.items() if value}
    if len(named) > 1:
        what = " and ".join(f"{name}{value}" for name, value in named.items())
        raise ToolchainError.of("RIG049", "both name a place", where=what, fix="leave one out")
    kind, _, rest = where.place.partition(":")
    if where.fixtures and not where.map and kind != "map":
        what, fix = "fixtures are those of a hardware map", "add map=FILE, or leave fixture= out"
        raise ToolchainError.of("RIG049", what, where=f"fixture={where.fixtures[0]}", fix=fix)
    if kind:
        return kind, rest
    if where.map:
        return "map", where.map
    if board.core.hosted:
        return "process", ""
    if board.run.place and where.port is None and not board.probe:
        return board.run.place, ""
    attached = where.port is not None or bool(board.probe) or board.run.qemu is None
    return ("serial", where.port or "") if attached else ("qemu", "")
