"""app=mlperf answers as MLPerf Tiny's runner expects: the lines, and the numbers of LiteRT."""

import os
import re
import subprocess
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from opsmith.board.manifest import load_board
from opsmith.oracle.litert import Reference
from opsmith.rig.build import load_application
from opsmith.rig.channel import Channel, DescriptorChannel
from opsmith.rig.rig import open_channel
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons
from opsmith.tflite.writer import ModelWriter
from tests.programs import stored
from tests.system.on_a_pty import a_board_with
from tests.system.project import convolutions

pytestmark = pytest.mark.system
READY = "m-ready"
MOST_BYTES = 31  # that the runner sends in one command
SHAPES = {"kws01": (1, 49, 10, 1), "ic01": (1, 32, 32, 3), "ad01": (1, 640)}
STM32 = [pytest.param(name, "stm32", marks=pytest.mark.qemu) for name in SHAPES]
HOST = [(name, "host") for name in SHAPES]
DEVICES = [STM32[0], *HOST[1:], HOST[0], *STM32[1:]]


class Device:
    """A device as the runner sees it: commands that end in '%', and lines up to m-ready."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._text = ""
        self.boot = self.lines()

    def __call__(self, command: str) -> list[str]:
        self._channel.send(f"{command}%".encode())
        return self.lines()

    def lines(self) -> list[str]:
        """Lines of an answer, without the last, which is m-ready."""
        end, found = time.monotonic() + 60, list[str]()
        while time.monotonic() < end:
            line, newline, rest = self._text.partition("\n")
            if newline:
                self._text = rest
                if READY in line:
                    return found
                found.append(line.strip("\r\0"))
            else:
                self._text += self._channel.receive(1.0).decode()
        raise TimeoutError(found)

    def load(self, data: bytes) -> list[str]:
        """Send an input in the runner's pieces; returns the last answer."""
        assert self(f"db load {len(data)}") == [f"m-[Expecting {len(data)} bytes]"]
        pieces = [data[at : at + MOST_BYTES] for at in range(0, len(data), MOST_BYTES)]
        answers = [self(f"db {piece.hex()}") for piece in pieces]
        assert not any(answers[:-1])
        return answers[-1]

    def infer(self, count: int, warmups: int) -> tuple[list[float], int]:
        """Results, and microseconds between both timestamps."""
        lines = self(f"infer {count} {warmups}")
        laps = [int(each[1]) for line in lines if (each := re.match(r"^m-lap-us-([0-9]+)$", line))]
        rest = [line for line in lines if not line.startswith("m-lap-us-")]
        assert rest[:-1] == [
            f"m-warmup-start-{warmups}", "m-warmup-done", f"m-infer-start-{count}", "m-infer-done",
        ]  # fmt: skip
        found = re.match(r"^m-results-\[([^]]+)\]$", rest[-1])
        assert found
        assert len(laps) == 2
        return [float(value) for value in found[1].split(",")], laps[1] - laps[0]


@contextmanager
def device(board: str, model: Path) -> Iterator[Device]:
    settings = [f"board={board}", f"model={model}", "app=mlperf"]
    done = scons(*settings)
    assert done.returncode == 0, done.stdout + done.stderr
    application = load_application(products(*settings))
    # An instruction takes 8 ns: time of QEMU stands still while others have its processor.
    clock = () if board == "host" else ("-icount", "shift=3")
    played = load_board(board, [ROOT / "boards"])
    with open_channel(application, played, emulator_options=clock) as channel:
        yield Device(channel)


@pytest.fixture
def model(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A small model with the input of one of the benchmarks: means of its planes or, for ad01,
    what is above zero of the input.
    """
    name = getattr(request, "param", "kws01")
    m, shape = ModelWriter(), SHAPES[name]
    x = m.input("x", shape, "int8", 0.05, -3)
    y = m.tensor("y", shape if name == "ad01" else (1, *shape[2:]), "int8", 0.03, 4)
    if name == "ad01":
        m.node("RELU", [x], [y])
    else:
        m.node("MEAN", [x, m.constant("axis", np.array([1], np.int32))], [y], {"keep_dims": False})
    m.output(y)
    return stored(m, tmp_path, f"mlperf_{name}")


def sample(name: str, reference: Reference) -> tuple[bytes, np.ndarray, Sequence[float]]:
    """Bytes that the runner would send, the input that the bytes encode, and right results."""
    (tensor,), (out,) = reference.inputs, reference.outputs
    random = np.random.default_rng(1)
    given = random.integers(-128, 128, tensor.shape, dtype=np.int8)
    data = given.tobytes()
    if name == "ic01":
        data = (given.astype(np.int16) + 128).astype(np.uint8).tobytes()
    assert tensor.scale is not None
    assert tensor.zero_point is not None
    assert out.scale is not None
    assert out.zero_point is not None
    real = ((given.astype(np.float32) - tensor.zero_point) * tensor.scale).astype("<f4")
    result = reference.run([given])[0].astype(np.float32)
    values = ((result - out.zero_point) * out.scale).reshape(-1)
    if name == "ad01":
        return real.tobytes(), given, [float(np.mean((values - real.reshape(-1)) ** 2))]
    return data, given, [*map(float, values)]


@pytest.mark.first(3)  # each model, and each board
@pytest.mark.parametrize(("model", "board"), DEVICES, indirect=["model"])
def test_a_device_under_test(board: str, model: Path) -> None:
    name = model.stem.removeprefix("mlperf_")
    data, _, right = sample(name, Reference(model))
    with device(board, model) as dut:
        assert dut.boot[0] == "m-timestamp-mode-performance"
        assert re.fullmatch(r"m-lap-us-\d+", dut.boot[1])
        assert dut.boot[2:] == ["m-init-done"]
        assert re.match(r"^m-(name)-dut-\[([^]]+)]$", dut("name")[0])
        assert dut("profile") == [
            "m-profile-[ULPMark for tinyML Firmware V0.0.1]", f"m-model-[{name}]",
        ]  # fmt: skip
        assert dut.load(data) == ["m-load-done"]
        for count, warmups in ((1, 0), (3, 2)):  # an inference may overwrite its input
            results, _ = dut.infer(count, warmups)
            np.testing.assert_allclose(results, right, rtol=2e-5, atol=0.00051)
        assert dut("results")[0].startswith("m-results-[")
        tries, more = (1, 80) if board == "stm32" else (3, 1)  # the host's processors serve others
        assert any(dut.infer(400, 0)[1] > more * dut.infer(4, 0)[1] > 0 for _ in range(tries))
    if board == "stm32":  # whose core could round once for a product and a sum
        elf = products(f"board={board}", f"model={model}", "app=mlperf") / "firmware.elf"
        listing = subprocess.check_output(["arm-none-eabi-objdump", "-d", elf], text=True)
        assert "vmla.f32" in listing
        assert "vfm" not in listing


def test_an_input_is_printed_as_it_was_loaded(model: Path) -> None:
    data, *_ = sample("kws01", Reference(model))
    with device("host", model) as dut:
        dut.load(data)
        lines = dut("db print")
        assert lines[0] == "m-buffer-" + "-".join(f"{byte:02x}" for byte in data[:8])
        assert "".join(line.removeprefix("m-buffer-").replace("-", "") for line in lines) == (
            data.hex()
        )


@pytest.mark.few(4)
@pytest.mark.parametrize(("command", "answer"), [
    ("db", "e-[Command 'db' requires a subcommand]"),
    ("db load", "e-[Command 'db load' must be >0 bytes]"),
    ("db load 491", "e-[Command 'db load' must be 490 bytes]"),
    ("db 00", "e-[No bytes are expected]"),
    ("db 0", "e-[Insufficent number of hex digits]"),
    ("db 0x", "e-[Invalid hex digit]"),
    ("infer 0", "e-[Inference iterations must be >0]"),
    ("infer 1 x", "e-[Inference warmup must be >=0]"),
    ("x" * 200, f"e-[Unknown command: {'x' * 80}]"),
    ("", "e-[Unknown command: ]"),
])  # fmt: skip
def test_a_wrong_command_is_answered(model: Path, command: str, answer: str) -> None:
    with device("host", model) as dut:
        assert dut(command) == [answer]
        assert dut("name") == ["m-name-dut-[opsmith]"]


@pytest.mark.qemu
def test_a_power_monitor_sees_both_timestamps_as_edges_of_the_pin(
    model: Path, tmp_path: Path
) -> None:
    data, _, right = sample("kws01", Reference(model))
    settings = ("board=stm32vldiscovery", f"model={model}", "app=mlperf_energy")
    done = scons(*settings)
    assert done.returncode == 0, done.stdout + done.stderr
    accesses = tmp_path / "accesses"
    board = load_board("stm32vldiscovery", [ROOT / "boards"])
    elf = products(*settings) / "firmware.elf"
    with a_board_with(board, elf, "-d", "unimp", "-D", str(accesses)) as port:
        console = os.open(port, os.O_RDWR)
        tty.setraw(console)
        dut = Device(DescriptorChannel(port, console, console, lambda: "it ended"))
        assert dut("name")[-1] == "m-name-dut-[opsmith]"
        before = _edges(accesses)
        assert dut.load(data) == ["m-load-done"]
        assert _edges(accesses) == before
        lines = dut("infer 3 1")
        os.close(console)
    assert lines[:4] == ["m-warmup-start-1", "m-warmup-done", "m-infer-start-3", "m-infer-done"]
    assert [float(value) for value in lines[4][len("m-results-[") : -1].split(",")] == (
        pytest.approx(right, abs=0.00051)
    )
    assert _edges(accesses) == [*before, "low", "high", "low", "high"]


def _edges(accesses: Path) -> list[str]:
    """Levels written to the LED's pin, PC9, from QEMU's log of unmodelled devices."""
    found = re.findall(r"GPIOC: .* write .*offset 0x010, value (0x\w+)", accesses.read_text())
    return ["high" if int(value, 16) == 1 << 9 else "low" for value in found]


def test_another_model_is_refused_when_it_is_compiled(tmp_path: Path) -> None:
    (tmp_path / "convolutions.tflite").write_bytes(convolutions())
    done = scons("board=host", f"model={tmp_path / 'convolutions.tflite'}", "app=mlperf")
    assert done.returncode == 2
    assert "app=mlperf runs the models of MLPerf Tiny" in done.stdout + done.stderr
