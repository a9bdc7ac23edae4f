"""Figures of other software for a model, by the digest of its file: those of peers.toml, which
`python -m tests.bench.shipped_peers` writes.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("peers.toml")
TITLES = {  # titles of figures
    "flash": "flash, bytes",
    "ram": "RAM with the stack that is used, bytes",
    "modelled_cycles": "modelled cycles of one inference",
    "instructions": "instructions of one inference",
}
Data = Mapping[str, Any]


@dataclass(frozen=True)
class Figure:
    """A figure of a firmware and of a peer's, for an equal model and core."""

    title: str
    ours: int | None  # None: not measured
    theirs: int

    @property
    def ratio(self) -> float | None:
        """Opsmith's figure divided by the peer's; None if it was not measured."""
        return None if self.ours is None else self.ours / self.theirs


@dataclass(frozen=True)
class Peer:
    """A peer that was measured with a firmware's model, and its figures."""

    title: str
    date: str
    figures: tuple[Figure, ...]


def peer_of(report: Data, profile: Data | None) -> Peer | None:
    """Peer's figures for the model of a firmware, on its core; None where none are known."""
    known = _table().get(str(report.get("sha256")), {})
    theirs = known.get(report.get("core"), {})
    if not theirs:
        return None
    ours = dict(_measured(report, profile or {}))
    figures = (Figure(TITLES[name], ours.get(name), value) for name, value in theirs.items())
    return Peer(known["title"], known["date"], tuple(figures))


def _measured(report: Data, profile: Data) -> Iterator[tuple[str, int]]:
    """Figures of the firmware by the names in peers.toml."""
    memory, stack = report["memory"], (report.get("stack") or {}).get("bytes")
    if "flash" in memory:
        yield "flash", memory["flash"]["used"]
    if "ram" in memory and stack is not None:  # the stack has a bound
        yield "ram", memory["ram"]["used"] - report["stack_bytes"] + stack
    times = ("modelled_cycles", "instructions")
    yield from ((name, profile[name]) for name in times if name in profile)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))
