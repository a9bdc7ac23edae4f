"""`profile` of programs that run on this machine: what a first call starts is not measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from toolchain.board.manifest import Board
from toolchain.rig import profile
from toolchain.rig.build import Build

NODES = [{"index": 0, "outputs": ["a"]}, {"index": 1, "outputs": ["b"]}]
FLOW = [{"block": 0, "nodes": [0, 1]}]
REPORT = {"nodes": NODES, "flow": FLOW, "name": "m", "runtime": "gpu", "opt": "speed"}


class Rig:
    """A node's first call takes long: a driver starts."""

    def __init__(self) -> None:
        self.title, self.cycles, self._calls = "it", 0, 0

    def write(self, _: Sequence[Any]) -> None:
        """Inputs."""

    def step(self, _: Sequence[int]) -> list[Any]:
        """The next node."""
        self._calls += 1
        self.cycles = 1_000_000 if self._calls <= 2 else self._calls
        return []


@pytest.mark.parametrize(("hosted", "taken"), [(True, [3, 4]), (False, [1_000_000, 1_000_000])])
def test_what_a_driver_needs_to_start_is_not_measured(
    hosted: bool, taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def opened(*_: Any, **__: Any) -> Iterator[Rig]:
        yield Rig()

    monkeypatch.setattr(profile, "open_rig", opened)
    monkeypatch.setattr(profile, "load_report", lambda _: REPORT)
    monkeypatch.setattr(profile, "require_stepwise", lambda *_: None)
    board = SimpleNamespace(core=SimpleNamespace(hosted=hosted), title="Board")
    build = SimpleNamespace(folder=Path("build"), inputs=())
    found = profile.profile_on_board(cast(Build, build), cast(Board, board), [], None)
    assert [value for (value,) in found.values] == taken
