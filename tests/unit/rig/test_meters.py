"""Meters: a PPK2 played on a pty behind its own package, and a Joulescope by a driver of ours."""

import importlib.util
import os
import pty
import struct
import sys
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.report.profile import Profile, profile_json, profile_text
from opsmith.rig.measured import with_energy
from opsmith.rig.meter import Recording, open_meter, per_step
from tests.conftest import NO_PACKAGES

needs_ppk2 = pytest.mark.skipif(
    importlib.util.find_spec("ppk2_api") is None, reason=f"{NO_PACKAGES}: no ppk2-api"
)
CALIBRATION = (
    "Calibrated: 1\nR0: 1000.0\nR1: 100.0\nR2: 10.0\nR3: 1.0\nR4: 0.05\nGS3: 0.0\nHW: 9173\nEND\n"
)
START, STOP, METADATA = 6, 7, 0x19
MILLIAMPS = 10.0  # that the board draws, idle or not
MARKS = (0.002, 0.004, 0.001)  # seconds that its nodes take, with pauses of as long between


def refusal(meter: str) -> str:
    with pytest.raises(ToolchainError) as raised, open_meter(meter):
        pass
    assert raised.value.problems[0].code == "RIG069"
    return str(raised.value)


def samples() -> bytes:
    """Bytes of samples in the PPK2's format, whose input D0 is high while a node runs."""
    levels = [(0, 0.003)] + [step for each in MARKS for step in ((1, each), (0, 0.003))]
    pins = [pin for pin, seconds in levels for _ in range(round(seconds * 1e5))]
    adc = round(MILLIAMPS / 1000 / (1.8 / 163840) / 4)  # of range 3, of 1 ohm
    return b"".join(struct.pack("<I", pin << 24 | 3 << 14 | adc) for pin in pins)


def play(end: int, sent: bytes, calibration: str) -> None:
    """Play a PPK2 at one end of a pty until the other end is closed."""
    try:
        while command := os.read(end, 1):
            if command[0] == METADATA:
                os.write(end, calibration.encode())
            elif command[0] == START:
                for at in range(0, len(sent), 1000):
                    os.write(end, sent[at : at + 1000])
    except OSError:
        pass


@contextmanager
def ppk2(sent: bytes, calibration: str = CALIBRATION) -> Iterator[str]:
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    threading.Thread(target=play, args=(ours, sent, calibration), daemon=True).start()
    try:
        yield os.ttyname(theirs)
    finally:
        os.close(theirs)
        time.sleep(0.01)
        os.close(ours)


@needs_ppk2
def test_a_ppk2_tells_the_energy_of_each_node() -> None:
    with ppk2(samples()) as port, open_meter(f"ppk2:{port}@3") as meter:
        assert meter is not None
        assert meter.title == "PPK2 at 3 V"
        for _ in range(2):  # again and again
            meter.start()
            found = per_step(meter.stop(), len(MARKS))
            assert found == pytest.approx([MILLIAMPS * 3 * 1e3 * each for each in MARKS], rel=0.01)


@pytest.mark.slow
@needs_ppk2
def test_what_is_no_ppk2_is_refused() -> None:
    with ppk2(b"", calibration="") as port:
        assert "is no PPK2" in refusal(f"ppk2:{port}")


@needs_ppk2
def test_a_ppk2_that_sends_nothing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opsmith.rig.ppk2.PATIENCE", 0.05)
    with ppk2(b"") as port, open_meter(f"ppk2:{port}") as meter:
        assert meter is not None
        with pytest.raises(ToolchainError, match=r"RIG069.*sends no samples"):
            meter.start()


@needs_ppk2
@pytest.mark.parametrize(("asked", "says"), [("ppk2@9", "9 V"), ("ppk2:/dev/none", "/dev/none")])
def test_a_ppk2_that_cannot_be_is_refused(asked: str, says: str) -> None:
    assert says in refusal(asked)


def test_meters_that_there_are_not_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "did you mean 'ppk2'" in refusal("ppk1")
    assert all("there is no meter" in refusal(asked) for asked in ("a b", "ppk2@3..3", "ppk2@"))
    monkeypatch.setitem(sys.modules, "pyjoulescope_driver", None)
    assert "pip install pyjoulescope_driver" in refusal("joulescope")
    with open_meter("") as meter:
        assert meter is None


class Driver:
    """Stand-in for Jetperch's driver, of one JS220 at 2,000,000 sample numbers a second."""

    paths = ("u/js220/000123",)
    lost = 0

    def __init__(self) -> None:
        self._takers: dict[str, Callable[[str, Any], None]] = {}

    def device_paths(self) -> list[str]:
        return list(self.paths)

    def open(self, path: str) -> None:
        assert path in self.paths

    close = open

    def finalize(self) -> None:
        self._takers.clear()

    def subscribe(self, topic: str, _: str, taker: Callable[[str, Any], None]) -> None:
        self._takers[topic] = taker

    def publish(self, topic: str, value: Any) -> None:
        kind = topic.rpartition("/s/")[2]
        if value == 1 and kind == "p/ctrl":  # 4 ms at 1 MHz, in two parts, of which some is lost
            watts = np.full(4000, 0.5, np.float32)
            self._send(topic, 1000, watts[:1500], 2)
            self._send(topic, 1000 + 3000 + self.lost, watts[1500:], 2)
        elif value == 1 and kind == "gpi/0/ctrl":  # from 1 ms to 2, and 2.5 to 3; it began earlier
            mark = np.zeros(10_000, np.uint8)
            mark[2200:4200] = mark[5200:6200] = 1
            self._send(topic, 800, np.packbits(mark, bitorder="little"), 1)

    def _send(self, topic: str, first: int, data: Any, step: int) -> None:
        value = {"sample_id": first, "data": data, "decimate_factor": step}
        data_topic = topic.replace("/ctrl", "/!data")
        self._takers[data_topic](data_topic, value | {"sample_rate": 2_000_000})


@pytest.fixture
def joulescope(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("pyjoulescope_driver")
    vars(module)["Driver"] = Driver
    monkeypatch.setitem(sys.modules, "pyjoulescope_driver", module)
    return module


@pytest.mark.usefixtures("joulescope")
def test_a_joulescope_tells_the_energy_of_each_node() -> None:
    with open_meter("joulescope:0123") as meter:
        assert meter is not None
        assert meter.title == "Joulescope js220-000123"
        meter.start()
        assert per_step(meter.stop(), 2) == pytest.approx([500.0, 250.0], abs=1)
    assert "leave @VOLTS out" in refusal("joulescope@3")
    assert "0 Joulescopes fit" in refusal("joulescope:9")


@pytest.mark.usefixtures("joulescope")
def test_samples_that_a_joulescope_lost_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Driver, "lost", 64)
    with open_meter("joulescope") as meter, pytest.raises(ToolchainError, match="lost 64 samples"):
        assert meter is not None
        meter.start()
        meter.stop()


def recording(*marks: int) -> Recording:
    """Recording of one watt, with marks of the given numbers of samples of 1 ms."""
    levels = [1] + [level for each in marks for level in [0] * each + [1]]
    return Recording(np.ones(len(levels)), np.array(levels, bool), 1e-3)


def test_marks_may_be_low_and_fewer_than_nodes_but_not_more() -> None:
    assert per_step(recording(2, 3), 2) == pytest.approx([2000, 3000])
    assert per_step(recording(2, 3), 3) == pytest.approx([5000])
    for wrong, steps in ((recording(), 2), (recording(1, 1, 1), 2)):
        with pytest.raises(ToolchainError, match="RIG069.*marks where a board ran 2 nodes"):
            per_step(wrong, steps)
    assert Recording(np.zeros(0), np.zeros(0, bool), 1e-3).microjoules() == []


def test_a_profile_has_the_energy_of_nodes_that_a_meter_told_apart() -> None:
    shown = {"op": "add", "source": "ADD", "kernel": "dsp", "why": "", "remarks": [], "macs": 0}
    nodes = [shown | {"index": i, "name": name} for i, name in enumerate("ab")]
    plain = Profile("board", {"cycles": "of it"}, nodes, [[10], [20]], (0,), samples=[[10], [20]])
    found = with_energy(plain, "PPK2", [0, 1, 0], [[1, 5, 2], [2, 6, 3]])  # a runs twice
    assert [node["microjoules"] for node in profile_json(found)["nodes"]] == [4, 5.5]
    assert "energy: 9.5 µJ ± 15.8% by PPK2" in profile_text(found)
    coarse = with_energy(plain, "PPK2", [0, 1, 0], [[8], [2, 6, 3]])
    assert "microjoules" not in profile_json(coarse)["nodes"][0]
    assert coarse.energy == found.energy
