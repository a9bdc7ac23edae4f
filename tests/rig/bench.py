"""A bench: `opsmith run` of a real build against a desk, whose board answers as the model does."""

import base64
import contextlib
import io
import json
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from opsmith.guard import guarded
from opsmith.oracle.litert import Reference
from opsmith.report.identity import loaded
from opsmith.rig import lock, run, start
from opsmith.rig.build import Build, load_build
from opsmith.rig.protocol import Patience
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons
from tests.rig.desk import Desk
from tests.unit.rig.peer import Peer

MODEL = ROOT / "tests/models/digits_int8.tflite"
BOARD = "nucleo_l4r5zi"
MOST_SECONDS = 30.0  # for one fault
ST_LINK = (0x0483, 0x374B)
Act = Callable[[], bool]  # whether it takes the place of an answer


class ModelPeer(Peer):
    """Firmware of the digit reader. `acts` are done before the answers to questions."""

    def __init__(self, build: Build) -> None:
        super().__init__()
        self.build = build
        self.acts: dict[str, Act] = {}
        self.sizes = "input 0 64", "output 0 10"
        self.sha256 = build.model_sha256
        self.inputs = [bytearray(64)]
        self.memory = memory(build.elf)
        self.payload = 32
        self.outputs = b""
        self._reference = Reference(MODEL)

    def send(self, data: bytes) -> None:
        """Take what the host sends, and prepare the answers."""
        for words in self._reader.feed(data):
            self.heard.append(" ".join(words))
            act = self.acts.get(words[0])
            if act is None or not act():
                getattr(self, f"_{words[0]}")(*words[1:])

    def banner(self) -> None:
        """Say the banner of a start."""
        self._hello("0")

    def answer(self, body: str) -> None:
        """Say an answer of the protocol."""
        self._answer(body)

    def _hello(self, nonce: str) -> None:
        which = f"{self.digest} {self.sha256}"
        self._answer(f"opsmith {self.version} {nonce} {which} 1 1 {self.payload} 1000")
        for line in self.sizes:
            self._answer(line)
        self._answer(f"ready {nonce}")

    def _invoke(self, number: str) -> None:
        x = np.frombuffer(bytes(self.inputs[0]), np.int8).reshape(1, 8, 8, 1)
        self.outputs = self._reference.run([x])[0].tobytes()
        super()._invoke(number)

    def _read(self, index: str, offset: str, count: str) -> None:
        part = self.outputs[int(offset) : int(offset) + int(count)]
        self._answer(f"data {index} {offset} {base64.b64encode(part).decode()}")


class BenchDesk(Desk):
    """A desk whose flash tool writes a whole firmware."""

    def __init__(self, folder: Path, peer: ModelPeer) -> None:
        super().__init__(folder, peer, holds=peer.build.digest)
        self.model = peer

    def flashed(self, content: bytes) -> None:
        """Take the firmware of the build."""
        assert content == self.model.build.elf.read_bytes()
        self.hold(self.model.build.digest)
        self.model.memory = memory(self.model.build.elf)


@dataclass
class Ended:
    """End of a run: exit status, result and output."""

    status: int
    said: str
    result: dict[str, Any]
    seconds: float

    @property
    def code(self) -> str:
        """Code of the error that the run ended with, or ""."""
        problems = (self.result.get("error") or {}).get("problems") or [{"code": ""}]
        return str(problems[0]["code"])

    @property
    def phase(self) -> str:
        """Phase that the run ended in, or ""."""
        return str((self.result.get("error") or {}).get("phase") or "")


@dataclass
class Bench:
    """A build in a folder of its own, and a board on the desk."""

    build: Build
    desk: BenchDesk
    monkeypatch: pytest.MonkeyPatch
    options: list[str]

    @property
    def peer(self) -> ModelPeer:
        """The firmware of the board."""
        return self.desk.model

    def attach(self, *adapters: tuple[str, str]) -> None:
        """Let USB have ST-LINKs at these ports with these serial numbers, and find no other."""
        found = [
            SimpleNamespace(
                device=port, vid=ST_LINK[0], pid=ST_LINK[1], serial_number=number,
                product="ST-LINK", description="",
            )
            for port, number in adapters
        ]  # fmt: skip
        self.monkeypatch.setattr("opsmith.rig.serial.list_ports.comports", lambda: found)

    def run(self, *more: str) -> Ended:
        """Run `opsmith run` as from the command line."""
        given = [
            f"--build={self.build.folder}", f"--model={MODEL}", f"--board={BOARD}",
            f"--boards={ROOT / 'boards'}", *self.options, *more,
        ]  # fmt: skip
        begin = time.monotonic()
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = guarded(lambda: run.main(given))
        file = self.build.folder / "run.json"
        result = json.loads(file.read_text()) if file.exists() else {}
        return Ended(status, out.getvalue() + err.getvalue(), result, time.monotonic() - begin)


def memory(elf: Path) -> dict[int, bytes]:
    """Bytes of flash by address after a firmware was flashed."""
    data = elf.read_bytes()
    return {each.load_address: data[each.offset : each.offset + each.size] for each in loaded(elf)}


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """End a test that hangs, by an alarm."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"no end within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session")
def digits() -> Path:
    """The folder of the digit reader's firmware."""
    settings = [f"board={BOARD}", f"model={MODEL.relative_to(ROOT)}"]
    done = scons(*settings)
    assert done.returncode == 0, done.stdout + done.stderr
    return products(*settings)


@pytest.fixture
def bench(digits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """Bench whose timeouts are short."""
    folder, desk_folder = tmp_path / "build", tmp_path / "desk"
    folder.mkdir()
    desk_folder.mkdir()
    for name in ("firmware.elf", "report.json", "used_ops.json"):
        shutil.copy2(digits / name, folder)
    build = load_build(folder)
    monkeypatch.setenv("PATH", f"{desk_folder}:/bin:/usr/bin")
    monkeypatch.setattr(lock, "FOLDERS", (desk_folder,))
    monkeypatch.setattr(start, "_ATTACHED", 1.2)
    monkeypatch.setattr(start, "_GLANCE", 0.5)

    def impatient(**of: float) -> Patience:
        return Patience(**{"line": 0.2, **of})

    monkeypatch.setattr(start, "Patience", impatient)
    monkeypatch.setattr("opsmith.oracle.rules.other_answers", lambda *_: ())
    desk = BenchDesk(desk_folder, ModelPeer(build))
    with desk, alarm(MOST_SECONDS):
        options = [f"--port={desk.port}", "--timeout=3"]
        found = Bench(build, desk, monkeypatch, options)
        found.attach()
        yield found
