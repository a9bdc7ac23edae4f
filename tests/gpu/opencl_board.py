"""The board of tests whose device is PoCL or Oclgrind: this machine, with OpenCL alone.

PTX takes as long to compile as all else, and nothing would run it: the firmware of the ops' tests
has that of every kernel, and `test_two_builds_give_the_same_bytes` that of a model.
"""

from collections.abc import Sequence
from pathlib import Path

from opsmith.ir import Array
from opsmith.testing import firmware
from opsmith.testing.checkout import ROOT

NAME = "host_opencl"
BOARDS = Path("tests/data/boards")
OPENCL = (f"board={NAME}", f"boards={BOARDS}")


def build(model: Path, into: Path, **settings: str) -> Path:
    """Copy, in `into`, of the build folder of a firmware for the device."""
    return firmware.build(NAME, model, into, boards=str(BOARDS), **settings)


def run(folder: Path, inputs: Sequence[Sequence[Array]]) -> list[list[Array]]:
    """Outputs of the firmware for each set of inputs."""
    return firmware.run(folder, NAME, inputs, [ROOT / BOARDS])
