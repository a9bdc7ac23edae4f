"""Run a firmware with the application in `batch/` in an emulator: all sets of inputs at once."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from toolchain.board.manifest import load_board
from toolchain.ir import Array
from toolchain.rig.qemu import PROGRAM
from toolchain.testing.firmware import BOARDS
from toolchain.testing.litert import Detail

APP = Path(__file__).with_name("batch")
SECONDS = 300  # for all sets


def run_batch(
    folder: Path, board: str, sets: Sequence[Sequence[Array]], outputs: Sequence[Detail]
) -> list[list[Array]]:
    """The outputs for each set of inputs. Fails where the firmware does not end well."""
    machine = load_board(board, BOARDS).run.qemu
    assert machine is not None, f"no emulator plays {board}"
    (folder / "inputs.bin").write_bytes(b"".join(x.tobytes() for each in sets for x in each))
    command = [PROGRAM, "-M", machine, "-kernel", str(folder / "firmware.elf")]
    command += ["-semihosting-config", "enable=on,target=native"]
    command += [*("-display", "none"), *("-serial", "none"), *("-monitor", "none")]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, f"{board} ended with {done.returncode}:\n{done.stderr}"
    answers = memoryview((folder / "outputs.bin").read_bytes())
    results: list[list[Array]] = []
    while answers:
        results.append([])
        for each in outputs:
            size = each.dtype.itemsize * math.prod(each.shape)
            results[-1].append(np.frombuffer(answers[:size], each.dtype).reshape(each.shape))
            answers = answers[size:]
    assert len(results) == len(sets), f"{len(results)} answers for {len(sets)} sets"
    return results
