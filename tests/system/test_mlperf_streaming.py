"""The streaming wake word and the energy mode of MLPerf Tiny, through the interface board."""

import re
import subprocess
import sys
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from opsmith.board.manifest import load_board
from opsmith.ir import Array
from opsmith.oracle.litert import Reference
from opsmith.rig.build import load_application
from opsmith.rig.rig import open_channel
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons
from opsmith.tflite.writer import ModelWriter
from runtimes.apps.mlperf.interface_board import FRAME, RATE, InterfaceBoard
from tests.programs import stored

pytestmark = pytest.mark.system
FRAMES, BANDS = 30, 40  # that the model has heard
SCALE = 1 / 256
SETTINGS = ("board=host", "app=mlperf")
Board = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Model that says how loud each of three bands was, the first of which is the wake word's."""
    m = ModelWriter()
    x = m.input("x", (1, FRAMES, 1, BANDS), "int8", SCALE, -128)
    most = m.tensor("most", (1, 1, BANDS), "int8", SCALE, -128)
    m.node(
        "REDUCE_MAX", [x, m.constant("axis", np.array([1], np.int32))], [most], {"keep_dims": False}
    )
    y = m.tensor("y", (1, 1, 3), "int8", SCALE, -128)
    begin, size = np.array([0, 0, 13], np.int32), np.array([1, 1, 3], np.int32)
    m.node("SLICE", [most, m.constant("begin", begin), m.constant("size", size)], [y])
    m.output(y)
    return stored(m, tmp_path_factory.mktemp("mlperf"), "streams")


@pytest.fixture(scope="module")
def sounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Memory card with a sound of a second of noise and a loud chirp, and files that the board
    refuses.
    """
    folder = tmp_path_factory.mktemp("sounds")
    random = np.random.default_rng(3)
    seconds = np.arange(RATE) / RATE
    chirp = 30000 * np.sin(2 * np.pi * (900 + 400 * seconds) * seconds)
    left = np.concatenate([random.normal(0, 20, RATE), chirp]).astype("<i2")
    for name, channels in (("word.wav", [left, -left]), ("mono.wav", [left])):
        with wave.open(str(folder / name), "wb") as sound:
            sound.setnchannels(len(channels))
            sound.setsampwidth(2)
            sound.setframerate(RATE)
            sound.writeframes(np.stack(channels, axis=1).tobytes())
    (folder / "text.wav").write_text("no sound", encoding="utf-8")
    return folder


@pytest.fixture
def board(model: Path, sounds: Path) -> Iterator[Board]:
    settings = (*SETTINGS, f"model={model}")
    done = scons(*settings)
    assert done.returncode == 0, done.stdout + done.stderr
    application = load_application(products(*settings))
    with open_channel(application, load_board("host", [ROOT / "boards"])) as channel:
        said = b""
        while b"m-ready" not in said:
            said += channel.receive(5)
        interface = InterfaceBoard(channel, sounds)
        yield lambda command: list(interface.answer(command))


def device(board: Board, command: str) -> list[str]:
    """Answer of the device itself to a command, as the runner's io_manager.py finds its lines."""
    lines = board(f"dut {command}")
    assert lines[:2] == [f"m-dut-passthrough({command})", "m-ready"]
    assert all(line.startswith("[dut]: ") for line in lines[2:])
    return [line.removeprefix("[dut]: ") for line in lines[2:]]


def features(sound: Path) -> Array:
    """Mel bands of each frame, as get_dataset.py of the benchmark defines them, in float64."""
    with wave.open(str(sound)) as file:
        both = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)
    samples = np.concatenate([np.zeros(FRAME + 1), both[:, 0] / 32768])
    edges = np.linspace(0, np.log1p(8000 / 700), BANDS + 2)
    mel = np.log1p(np.arange(FRAME + 1) * 8000 / FRAME / 700)[:, None]
    rising = (mel - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - mel) / (edges[2:] - edges[1:-1])
    weights = np.maximum(0, np.minimum(rising, falling))
    starts = range(0, len(samples) - 2 * FRAME, FRAME)
    cut = np.stack([samples[at : at + 2 * FRAME + 1] for at in starts])
    shaped = (cut[:, 1:] - 0.96875 * cut[:, :-1]) * np.hamming(2 * FRAME)
    power = np.abs(np.fft.rfft(shaped)) ** 2 / (2 * FRAME)
    decibels = 10 * np.log10(np.maximum(power @ weights, 1e-30))
    values: Array = np.clip((decibels + 52) / 64, 0, 1)
    return np.trunc(np.clip(values / SCALE - 128, -128, 127)).astype(np.int8)


def activations(model: Path, frames: Array) -> list[int]:
    """First output of the model after each frame, zeros having come before."""
    reference = Reference(model)
    heard = np.concatenate([np.zeros((FRAMES, BANDS), np.int8), frames])
    inputs = [
        heard[at : at + FRAMES].reshape(1, FRAMES, 1, BANDS) for at in range(1, len(frames) + 1)
    ]
    return [int(reference.run([each])[0].flat[0]) for each in inputs]


def test_a_wake_word_is_detected_when_it_is_heard(board: Board, model: Path, sounds: Path) -> None:
    assert device(board, "name") == ["m-name-dut-[opsmith]", "m-ready"]
    assert "m-model-[sww01]" in device(board, "profile")
    assert board("setbaud 115200") == ["set baud to: 115200", "m-ready"]
    assert "already idle" in device(board, "stop")[0]
    device(board, "start")
    assert board("record_detections") == ["Now recording detections", "m-ready"]
    attempts, *played, ended, ready = board("play word.wav")
    assert (attempts, ended, ready) == ("Attempting to play word.wav", "succeeded.", "m-ready")
    assert played == ["played 1.0 s"]

    stopped = "".join(device(board, "stop"))
    found = re.search(r"target activations:\s*\[(.*?)\]\s*m-ready", stopped)
    assert found
    said = [int(value) for value in found[1].split(",")]
    right = activations(model, features(sounds / "word.wav"))
    assert np.abs(np.array(said) - right).max() <= 1  # features of float32
    first, *rest = (int(line.strip(",")) for line in board("print_detections")[1:-1])
    detected = [index for index, value in enumerate(said) if value > 115]
    assert detected[0] >= RATE // FRAME
    assert detected == [round((at - first) / 32) for at in rest]

    text = "".join(board("print_dutycycle"))
    start, stop = (
        [int(tick) for tick in re.findall(r"(\d+), ", part)]
        for part in text.split("Duty cycle stop times (s)")
    )
    assert len(start) == len(stop) == len(said)
    assert all(0 < a <= b for a, b in zip(start, stop, strict=True))


def test_a_frame_is_answered_by_its_features_and_the_models_answer(
    board: Board, model: Path, sounds: Path
) -> None:
    with wave.open(str(sounds / "word.wav")) as file:
        samples = np.frombuffer(file.readframes(RATE + 4 * FRAME), "<i2")[::2][-FRAME:]
    device(board, f"db load {2 * FRAME}")
    data = samples.tobytes()
    for at in range(0, len(data), 500):
        answer = device(board, f"db {data[at : at + 500].hex()}")
    assert answer == ["m-load-done", "m-ready"]
    lines = device(board, "extract_uart_stream")
    assert [line[:9] for line in lines[:2]] == ["m-lap-us-"] * 2
    frame = np.array(re.findall(r"-?\d+", lines[2].partition("[")[2]), np.int8)
    assert frame.shape == (BANDS,)
    assert frame.max() > 0
    heard = np.zeros((1, FRAMES, 1, BANDS), np.int8)
    heard[0, -1, 0] = frame
    right = Reference(model).run([heard])[0].reshape(-1)
    assert lines[3] == f"m-activations-[{', '.join(map(str, right))}]"


@pytest.mark.few(3)
@pytest.mark.parametrize(("command", "answer"), [
    ("play none.wav", "Error playing file. [Errno 2]"),
    ("play mono.wav", "Error playing file. Check that it is a 2-channel wav"),
    ("play text.wav", "Error playing file. file does not start with RIFF"),
    ("play ../sounds0/none/word.wav", "succeeded."),  # of the card
    ("dut infer 1 0", "[dut]: e-[Unknown command: infer]"),
    ("nothing", "m-ready"),
])  # fmt: skip
def test_a_wrong_command_of_the_runner_is_answered(board: Board, command: str, answer: str) -> None:
    lines = board(command)
    assert lines[-1].removeprefix("[dut]: ") == "m-ready"
    assert any(line.startswith(answer) for line in lines)
    assert board("name") == ["tinyML Enhanced Interface Board", "m-ready"]


def test_the_interface_board_says_what_it_lacks(tmp_path: Path) -> None:
    script = str(ROOT / "runtimes/apps/mlperf/interface_board.py")
    for arguments, says in (
        (["/dev/none", str(tmp_path)], "RIG014: the port cannot be opened"),
        (["/dev/none", "/none"], "BLD001: /none is no folder"),
    ):
        done = subprocess.run(
            [sys.executable, script, *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert done.stderr.startswith(f"error {says}")
