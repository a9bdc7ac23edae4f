"""A chirp and noise, cut into the frames of a speech front end, and a picture of what it answers.

`python -m tests.system.audio audio_preprocessor_int8.tflite` prints the spectrogram of the chirp.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from opsmith.discover.discover import op_folders
from opsmith.ir import Array
from opsmith.oracle.evaluate import NumpyReference
from opsmith.pipeline import read
from opsmith.rig.picture import draw
from opsmith.testing.known_ops import known_ops

OPS = [Path(__file__).parents[2] / "ops"]
RATE = 16000  # samples a second
WIDTH = 480  # of a frame: 30 ms
STEP = 320  # from one frame to the next: 20 ms
COUNT = 48  # of a chirp
NOISY = 24  # of noise


def chirp() -> list[list[Array]]:
    """Frames of a tone that rises from 100 Hz to 7 kHz, evenly on a logarithmic scale."""
    seconds = np.arange((COUNT - 1) * STEP + WIDTH) / RATE
    growth = np.log(7000 / 100) / seconds[-1]
    phase = 2 * np.pi * 100 * np.expm1(growth * seconds) / growth
    return frames(np.rint(8000 * np.sin(phase)).astype(np.int16))


def noise(seed: int = 0) -> list[list[Array]]:
    """Frames of noise that is loud, faint, silent and loud again, some samples at the limits."""
    random = np.random.default_rng(seed)
    length = (NOISY - 1) * STEP + WIDTH
    level = np.repeat([1.5, 0.01, 0.0, 0.3], -(-length // 4))[:length]
    return frames((level * random.normal(0, 32767, length)).clip(-32768, 32767).astype(np.int16))


def frames(samples: Array) -> list[list[Array]]:
    """Inputs of the model: consecutive frames of the samples."""
    starts = range(0, len(samples) - WIDTH + 1, STEP)
    return [[samples[start : start + WIDTH].reshape(1, WIDTH)] for start in starts]


def oracle(model: Path) -> NumpyReference:
    """Reference of the model: its graph, computed by its ops' numpy definitions."""
    ops = known_ops([*op_folders(OPS)])
    return NumpyReference(read(model, "audio", ops)[1], ops)


def spectrogram(features: Sequence[Array]) -> str:
    """Spectrogram as a picture of characters: time to the right, frequency upwards."""
    return draw(np.stack(features, axis=1)[::-1])


if __name__ == "__main__":
    asked = oracle(Path(sys.argv[1]))
    print(spectrogram([asked.run(frame)[0] for frame in chirp()]))
