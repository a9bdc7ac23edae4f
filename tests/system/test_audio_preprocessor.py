"""The speech front end of TensorFlow Lite Micro, nine of whose ops are CUSTOM, frame after frame.

LiteRT cannot run it. Its firmware is compared with the graph of its ops' numpy definitions, each of
which its own tests compare with the mathematics it stands for.
"""

import itertools
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from opsmith.ir import Array
from opsmith.testing.firmware import build, run
from tests.system.audio import NOISY, chirp, noise, oracle, spectrogram

MODEL = "tflite_micro/audio_preprocessor_int8.tflite"
SIGNALS = {"chirp": chirp, "noise": noise}


@cache
def features(model: Path, signal: str) -> list[Array]:
    """Answers of numpy to the frames of a signal in order, since the model keeps an estimate of
    noise.
    """
    asked = oracle(model)
    return [asked.run(frame)[0] for frame in SIGNALS[signal]()]


@pytest.mark.system
@pytest.mark.qemu
@pytest.mark.slow
@pytest.mark.first(1)
@pytest.mark.parametrize("board", ["mps2_an386", "host"])
def test_firmware_answers_as_numpy(board: str, models_dir: Path, tmp_path: Path) -> None:
    model = models_dir / MODEL
    firmware = build(board, model, tmp_path)
    for signal, frames in SIGNALS.items():
        found = np.stack([answer[0] for answer in run(firmware, board, frames())])
        np.testing.assert_array_equal(found, np.stack(features(model, signal)), signal)


@pytest.mark.slow
def test_the_loudest_channel_follows_the_chirp(models_dir: Path) -> None:
    """The loudest channel follows the chirp through the octaves, and never falls by more than one
    channel.
    """
    loudest = np.stack(features(models_dir / MODEL, "chirp")).argmax(axis=1)
    assert loudest[0] < 3
    assert loudest[-1] > 36
    assert np.diff(loudest).min() >= -1


@pytest.mark.slow
def test_silence_is_silent_and_noise_is_not(models_dir: Path) -> None:
    heard = np.stack(features(models_dir / MODEL, "noise"))
    assert np.all(heard[NOISY * 5 // 8] == -128)
    assert heard[0].mean() > 0
    assert heard[-1].mean() > -100


@pytest.mark.slow
def test_the_estimate_of_noise_survives(models_dir: Path) -> None:
    """The estimate of noise survives: a repeated frame gets a new answer, and after a new start the
    first.
    """
    frame = noise()[0]
    asked = oracle(models_dir / MODEL)
    first, second = asked.run(frame)[0], asked.run(frame)[0]
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, oracle(models_dir / MODEL).run(frame)[0])


@pytest.mark.slow
def test_the_highest_channel_follows_the_chirp(models_dir: Path) -> None:
    rows = [line[1:-1] for line in spectrogram(features(models_dir / MODEL, "chirp")).splitlines()]
    loud = [max(i for i in range(0, len(row), 2) if row[i] == "@") for row in rows if "@" in row]
    assert len(loud) > 30
    assert loud[0] - loud[-1] > 80
    assert all(below <= above + 2 for above, below in itertools.pairwise(loud))  # to a frame
