"""place=labgrid: two places that QEMU plays behind a coordinator, and two users who want them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import yaml

from opsmith.board.manifest import Board
from opsmith.errors import ToolchainError
from opsmith.rig import arrays
from opsmith.rig.build import load_build
from opsmith.rig.place import Where
from opsmith.rig.rig import open_rig
from tests.conftest import NO_PACKAGES
from tests.system.hand_written import ROOT, build

pytestmark = [pytest.mark.system, pytest.mark.qemu, pytest.mark.xdist_group("labgrid")]
BIN = Path(sys.prefix, "labgrid/bin")
NAME = "mps2_an386"
HOLD = """
import sys, time
from pathlib import Path
from opsmith.board.manifest import load_board
from opsmith.guard import guarded
from opsmith.rig.place import Where
from opsmith.rig.rig import open_rig

def hold():
    board, where = load_board(sys.argv[2], [Path("boards")]), Where(sys.argv[3])
    with open_rig(Path(sys.argv[1]), board, where=where):
        print("held", flush=True)
        time.sleep(60)

sys.exit(guarded(hold))
"""


@dataclass
class Lab:
    """A lab with places a and b, and what serves it."""

    folder: Path  # of the build
    board: Board
    coordinator: subprocess.Popen[bytes]
    address: str

    def run(self, place: str, wait: float = 0.0) -> None:
        """Run the firmware there."""
        inputs = arrays.seeded(load_build(self.folder).inputs)
        with open_rig(self.folder, self.board, where=Where(f"labgrid:{place}", wait=wait)) as rig:
            (pixels, _) = rig.invoke(inputs)
        np.testing.assert_array_equal(pixels, inputs[0] + np.int8(1))

    def hold(self, place: str) -> subprocess.Popen[str]:
        """Another program that has a place."""
        command = [sys.executable, "-c", HOLD, str(self.folder), NAME, f"labgrid:{place}"]
        environment = os.environ | {"PYTHONPATH": "toolchain"}
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment
        )
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        return process


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def client(*words: str) -> subprocess.CompletedProcess[str]:
    command = [str(BIN / "labgrid-client"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    if not (BIN / "labgrid-client").is_file():
        pytest.skip(f"{NO_PACKAGES}: no labgrid")
    board = build(tmp_path / "build", NAME)
    address, ports = f"127.0.0.1:{free_port()}", {name: free_port() for name in "ab"}
    monkeypatch.setenv("LG_COORDINATOR", address)
    resources = {
        name: {"NetworkSerialPort": {"host": "127.0.0.1", "port": port, "protocol": "raw"}}
        for name, port in ports.items()
    }
    (tmp_path / "lab.yaml").write_text(yaml.safe_dump(resources))
    with ExitStack() as stack:

        def started(*command: str) -> subprocess.Popen[bytes]:
            process = subprocess.Popen(command, cwd=tmp_path, stdout=-3, stderr=-3)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        emulator, qemu = board.core.architecture.emulator, board.run.qemu
        assert emulator
        assert qemu
        for port in ports.values():
            serial = ["-serial", f"tcp:127.0.0.1:{port},server,nowait"]
            quiet = ["-display", "none", "-monitor", "none", *emulator.options]
            started(emulator.program, "-M", qemu, *quiet, *serial, "-kernel", "build/firmware.elf")
        coordinator = started(str(BIN / "labgrid-coordinator"), "-l", address)
        started(str(BIN / "labgrid-exporter"), "-c", address, "-n", "shelf", "lab.yaml")
        for name in ports:
            ready(name)
        yield Lab(tmp_path / "build", board, coordinator, address)


def ready(name: str) -> None:
    """Make a place, and wait until its port is exported."""
    end = time.monotonic() + 90
    while client("-p", name, "create").returncode and time.monotonic() < end:
        time.sleep(0.2)
    assert client("-p", name, "add-match", f"shelf/{name}/*").returncode == 0
    while f"shelf/{name}" not in client("resources").stdout:
        assert time.monotonic() < end
        time.sleep(0.2)


def refused(lab: Lab, place: str) -> str:
    with pytest.raises(ToolchainError) as caught:
        lab.run(place)
    (problem,) = caught.value.problems
    return f"{problem.code} {problem.what}"


def test_a_lab(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in "ab":
        lab.run(place)
    assert refused(lab, "c").startswith("RIG014")
    with lab.hold("a") as other:
        monkeypatch.setenv("LG_USERNAME", "bob")
        monkeypatch.setattr("opsmith.rig.lock.FOLDERS", (lab.folder,))  # a machine of his own
        assert refused(lab, "a").startswith("RIG048")
        assert "is already acquired by" in refused(lab, "a")
        lab.run("b")
        other.send_signal(signal.SIGTERM)
        lab.run("a", wait=30.0)  # it was released


def test_a_place_that_a_killed_run_has_left_is_taken_again(lab: Lab) -> None:
    with lab.hold("a") as other:
        other.kill()
    lab.run("a")


def test_a_coordinator_that_is_gone_is_no_board(lab: Lab) -> None:
    lab.coordinator.kill()
    lab.coordinator.wait()
    assert refused(lab, "a").startswith("RIG014")
