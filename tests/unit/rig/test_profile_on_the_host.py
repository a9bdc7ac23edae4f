"""`profile` by a counter samples several runs: what a first call starts is not measured."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from opsmith.board.manifest import Board
from opsmith.errors import ToolchainError
from opsmith.report.profile import Profile, profile_json, profile_text
from opsmith.rig import measured
from opsmith.rig.build import Build
from opsmith.rig.place import ANYWHERE

SHOWN = {"op": "add", "source": "ADD", "kernel": "reference", "why": "", "remarks": [], "macs": 0}
NODES = [SHOWN | {"index": i, "name": name, "outputs": [name]} for i, name in enumerate("ab")]
FLOW = [{"block": 0, "nodes": [0, 1]}]
REPORT = {"nodes": NODES, "flow": FLOW, "name": "m", "runtime": "gpu", "opt": "speed"}


class Rig:
    """Rig on which the first call of a node takes long, as a driver starts."""

    def __init__(self) -> None:
        self.title, self.cycles, self._calls = "it", 0, 0

    def write(self, _: Sequence[Any]) -> None:
        """Write inputs."""

    def step(self, _: Sequence[int]) -> list[Any]:
        """Run the next node."""
        self._calls += 1
        self.cycles = 1_000_000 if self._calls <= 2 else self._calls
        return []


@pytest.mark.parametrize("hosted", [True, False])
def test_what_a_driver_needs_to_start_is_not_measured(
    hosted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def opened(*_: Any, **__: Any) -> Iterator[Rig]:
        yield Rig()

    monkeypatch.setattr(measured, "open_rig", opened)
    found = profiled(monkeypatch, REPORT, hosted=hosted)
    assert found.values == [[3], [4]]
    assert found.samples == [[3, 5, 7, 9, 11], [4, 6, 8, 10, 12]]
    taken = [node["samples"] for node in profile_json(found)["nodes"]]
    assert taken[0] == {"least": 3, "median": 7, "most": 11, "of": 5}
    assert "least of 5" in profile_text(found)
    monkeypatch.setattr(measured, "LONGEST", 0.0)  # a slow board
    assert profiled(monkeypatch, REPORT, hosted=hosted).samples == [[3], [4]]


def profiled(
    monkeypatch: pytest.MonkeyPatch,
    report: Mapping[str, Any],
    variable: str = "",
    *,
    hosted: bool = True,
) -> Profile:
    """Profile of a rig that is opened already."""
    monkeypatch.setattr(measured, "load_report", lambda _: report)
    monkeypatch.setattr(measured, "require_stepwise", lambda *_: None)
    board = SimpleNamespace(core=SimpleNamespace(hosted=hosted), title="Board")
    build = SimpleNamespace(folder=Path("build"), elf=Path("build/firmware.elf"), inputs=())
    return measured.profile_on_board(
        cast(Build, build), cast(Board, board), [], ANYWHERE, variable=variable
    )


class RigOfDevice(Rig):
    """Rig on which node b runs on a device, in two launches, whose time the device reports."""

    def __init__(self, times: Path) -> None:
        super().__init__()
        self.build, self._times = SimpleNamespace(elf=Path("build/firmware.elf")), times

    def step(self, outputs: Sequence[int]) -> list[Any]:
        found = super().step(outputs)
        if self._calls % 2 == 0:
            lines = f"{100 - self._calls} b\n7 b\n"
            self._times.write_text(self._times.read_text("utf-8") + lines, encoding="utf-8")
        return found


def sides(first: str) -> dict[str, Any]:
    """Report of a program whose first node runs on the processor, and the second on a device."""
    placed = [{"name": "a", "side": first}, {"name": "b", "side": "gpu"}]
    return REPORT | {"placement": {"nodes": placed}}


def test_a_device_reports_what_its_nodes_take(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def opened(*_: Any, environment: Mapping[str, str], **__: Any) -> Iterator[Rig]:
        yield RigOfDevice(Path(environment["VENDOR_TIMES"]))

    monkeypatch.setattr(measured, "open_rig", opened)
    found = profiled(monkeypatch, sides("cpu"), "VENDOR_TIMES")
    assert list(found.meaning) == ["nanoseconds", "device_nanoseconds"]
    assert found.values == [[3, 3], [4, 95]]
    assert found.totals["device_nanoseconds"] == 98
    with pytest.raises(ToolchainError, match="RIG017.*the device reported no time of node a"):
        profiled(monkeypatch, sides("gpu"), "VENDOR_TIMES")
