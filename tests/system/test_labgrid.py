"""place=labgrid: two places that QEMU plays behind a coordinator, and users who want them."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import yaml

from opsmith.board.manifest import Board
from opsmith.rig import arrays
from opsmith.rig.build import load_build
from opsmith.rig.place import Where
from opsmith.rig.rig import open_rig
from tests.conftest import NO_PACKAGES
from tests.refusals import refusal
from tests.system.hand_written import ROOT, build
from tests.system.users_tests import built, run, tests

__all__ = ["tests"]

pytestmark = [pytest.mark.system, pytest.mark.qemu, pytest.mark.xdist_group("labgrid")]
BIN = Path(sys.prefix, "labgrid/bin")
NAME = "mps2_an386"
DIGITS = "digits"  # the place of a board with the model that users' tests run
PLACES = ("a", DIGITS)
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
    """Lab with two places, and the processes that serve it."""

    folder: Path
    board: Board
    address: str
    stack: ExitStack  # ends the programs
    coordinator: subprocess.Popen[bytes] | None = None

    def started(self, *command: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, cwd=self.folder, stdout=-3, stderr=-3)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process

    def serve(self) -> None:
        """Start the coordinator and, as an exporter without one ends, then the exporter."""
        self.coordinator = self.started(str(BIN / "labgrid-coordinator"), "-l", self.address)
        wait_for(self._listens, pause=0.1)
        self.started(str(BIN / "labgrid-exporter"), "-c", self.address, "-n", "shelf", "lab.yaml")
        wait_for(exported, pause=1.0)  # asked by a program that takes as long to start

    def _listens(self) -> bool:
        host, port = self.address.split(":")
        with socket.socket() as coordinator:
            return coordinator.connect_ex((host, int(port))) == 0

    def run(self, place: str, wait: float = 0.0) -> None:
        """Run the firmware at a place of the lab."""
        inputs = arrays.seeded(load_build(self.folder / "build").inputs)
        where = Where(f"labgrid:{place}", wait=wait)
        with open_rig(self.folder / "build", self.board, where=where) as rig:
            (pixels, _) = rig.invoke(inputs)
        np.testing.assert_array_equal(pixels, inputs[0] + np.int8(1))

    def hold(self, place: str) -> subprocess.Popen[str]:
        """Second program that holds a place of the lab."""
        command = [sys.executable, "-c", HOLD, str(self.folder / "build"), NAME, f"labgrid:{place}"]
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


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    if not (BIN / "labgrid-client").is_file():
        pytest.skip(f"{NO_PACKAGES}: no labgrid")
    folder = tmp_path_factory.mktemp("lab")
    board = build(folder / "build", NAME)
    emulator, qemu = board.core.architecture.emulator, board.run.qemu
    assert emulator
    assert qemu
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        lab = Lab(folder, board, f"127.0.0.1:{free_port()}", stack)
        patch.setenv("LG_COORDINATOR", lab.address)
        resources, places = {}, {}
        for name in PLACES:
            port = free_port()
            elf = (built(NAME) if name == DIGITS else folder / "build") / "firmware.elf"
            serial = ["-serial", f"tcp:127.0.0.1:{port},server,nowait"]
            quiet = ["-display", "none", "-monitor", "none", *emulator.options]
            lab.started(emulator.program, "-M", qemu, *quiet, *serial, "-kernel", str(elf))
            at = {"host": "127.0.0.1", "port": port, "protocol": "raw"}
            resources[name] = {"NetworkSerialPort": at}
            places[name] = {"matches": [{"exporter": "shelf", "group": name, "cls": "*"}]}
        (folder / "lab.yaml").write_text(yaml.safe_dump(resources))
        (folder / "places.yaml").write_text(yaml.safe_dump(places))  # as the coordinator keeps them
        lab.serve()
        yield lab


def wait_for(ready: Callable[[], bool], pause: float) -> None:
    end = time.monotonic() + 90
    time.sleep(pause)
    while not ready():
        assert time.monotonic() < end, ready
        time.sleep(pause)


def exported() -> bool:
    """Whether the coordinator knows a resource for each place."""
    command = [str(BIN / "labgrid-client"), "resources"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return all(f"shelf/{name}/" in found for name in PLACES)


def refused(lab: Lab, place: str) -> str:
    (problem,) = refusal(lab.run, place).problems
    return f"{problem.code} {problem.what}"


def test_users_of_a_lab(lab: Lab, tests: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused(lab, "c").startswith("RIG014")
    with lab.hold("a") as other:
        monkeypatch.setenv("LG_USERNAME", "bob")
        monkeypatch.setattr("opsmith.rig.lock.FOLDERS", (lab.folder,))  # a machine of his own
        assert re.match("RIG048 .*is already acquired by", refused(lab, "a"), re.DOTALL)
        status, said = run(tests, NAME, f"--place=labgrid:{DIGITS}", "-k", "right and 1")
        assert status == 0, said
        assert "1 passed" in said
        other.send_signal(signal.SIGTERM)
        lab.run("a", wait=30.0)  # it was released


@pytest.mark.few(0)  # tests/rig kills runs of other places
def test_a_place_that_a_killed_run_has_left_is_taken_again(lab: Lab) -> None:
    with lab.hold("a") as other:
        other.kill()
    lab.run("a")


def test_a_coordinator_that_is_gone_is_no_board_until_it_is_back(lab: Lab) -> None:
    assert lab.coordinator
    lab.coordinator.kill()
    lab.coordinator.wait()
    assert refused(lab, "a").startswith("RIG014")
    lab.serve()
    lab.run("a")
