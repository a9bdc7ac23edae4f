"""Places: where firmware runs. A kind of places is a folder `places/<kind>/` with a place.py.

Its function `place(asked)` returns a Place, or raises. The kinds of `runtimes/` are shipped;
`platforms=DIR` adds others. `place=KIND` and `place=KIND:WHERE` choose one.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

from opsmith.board.manifest import Board
from opsmith.board.platforms import platforms
from opsmith.errors import ToolchainError, described, did_you_mean
from opsmith.modules import load_function
from opsmith.rig.build import LinkedFirmware
from opsmith.rig.channel import Channel

ALWAYS = "always"


@dataclass(frozen=True)
class Asked:
    """A firmware that is to run, and where."""

    firmware: LinkedFirmware
    board: Board
    where: str = ""  # which of the places of its kind, in the kind's own words
    options: Sequence[str] = ()  # more for an emulator
    environment: Mapping[str, str] = field(default_factory=dict)  # more for a program


@dataclass(frozen=True)
class Where:
    """Where firmware runs, as a user says it."""

    place: str = ""  # KIND or KIND:WHERE
    port: str | None = None  # serial:PORT
    wait: float = 0.0  # seconds for others who have it
    flash: str = "needed"  # or 'always'
    platforms: Sequence[Path] = ()  # more folders of kinds of places


ANYWHERE = Where()
OPTIONS = ("port", "probe", "place", "wait", "flash")  # of BuildOptions, for each command that runs


def where_of(arguments: argparse.Namespace) -> Where:
    """Where the flags of a command say that firmware runs."""
    given = arguments.place or "", arguments.port, arguments.wait, arguments.flash
    return Where(*given, arguments.platforms)


class Place:
    """A place that starts the firmware's file itself, and of which there are as many as one likes.

    A kind overrides what differs. `title` is for messages.
    """

    title = ""
    attached = False  # a board: it has some firmware already, and may be missing or silent
    emulated = False  # its clock is not that of the board
    keeps_bytes = True  # it has a copy of the file, whose bytes are compared

    def locks(self) -> Sequence[str]:
        """Names of ports, probes and whatever else one program at a time may use."""
        return ()

    def console(self) -> AbstractContextManager[Channel]:
        """Open the console; where the place is not attached, start the firmware, too."""
        raise NotImplementedError

    def flash(self) -> bool:
        """Write the firmware and start it; False where the place has no means."""
        return False

    def reset(self) -> bool:
        """Start the firmware that the board has again; False where the place has no means."""
        return False

    def power(self) -> bool:
        """Switch the board off and on; False where the place has no means."""
        return False

    def settle(self) -> None:
        """Note that the firmware has started: from now on a console that ends is an error."""


def find_place(asked: Asked, where: Where) -> Place:
    """The place that is named, or the default: a program's is this machine, that of a board without
    port and probe is QEMU, if a machine of it is similar. Raises RIG014, RIG049.
    """
    board, port, name = asked.board, where.port, where.place
    kind, _, rest = name.partition(":")
    if not kind:
        kind, rest = _default(board, port), port or ""
    elif port:
        what, fix = "both name a place", "leave one of them out, or write place=serial:PORT"
        raise ToolchainError.of("RIG049", what, where=f"port={port} place={name}", fix=fix)
    known = platforms(where.platforms).places()
    if kind not in known:
        what = f"there is no kind of places '{kind}'{did_you_mean(kind, known)}"
        fix = f"one of: {', '.join(known)}; or add places/{kind}/place.py to a folder of platforms="
        raise ToolchainError.of("RIG049", what, where=f"place={name}", fix=fix)
    make = load_function(known[kind], "place", "RIG049")
    try:
        found = make(replace(asked, where=rest))
    except ToolchainError:
        raise
    except Exception as error:
        what, fix = f"its place() fails: {described(error)}", "correct it"
        raise ToolchainError.of("RIG049", what, where=str(known[kind]), fix=fix) from error
    if not isinstance(found, Place):
        what, fix = f"place() returns a {type(found).__name__}", "return an opsmith.rig.place.Place"
        raise ToolchainError.of("RIG049", what, where=str(known[kind]), fix=fix)
    return found


def unfit(asked: Asked, kind: str, what: str, fix: str) -> ToolchainError:
    """The error of a kind of places that cannot run such a board's firmware."""
    where = f"place={kind}:{asked.where}" if asked.where else f"place={kind}"
    return ToolchainError.of("RIG049", f"board '{asked.board.name}' {what}", where=where, fix=fix)


def _default(board: Board, port: str | None) -> str:
    if board.core.hosted:
        return "process"
    named = port is not None or bool(board.probe)
    return "qemu" if board.run.qemu is not None and not named else "serial"
