"""Runs a firmware with the application in `batch/` in an emulator: all sets of inputs at once."""

import math
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from opsmith.board.describe import Board
from opsmith.board.manifest import load_board
from opsmith.ir import Array
from opsmith.oracle.litert import Detail
from opsmith.testing.firmware import BOARDS, build, run

APP = Path(__file__).with_name("batch")
SECONDS = 300  # seconds for all sets


def answers(
    board: str,
    model: Path,
    folder: Path,
    sets: Sequence[Sequence[Array]],
    outputs: Sequence[Detail],
    **settings: str,
) -> list[list[Array]]:
    """Outputs of a firmware, built by SCons as a user's is, for each set of inputs.

    A board without emulator runs it on its rig.
    """
    found = load_board(board, BOARDS)
    if not is_emulated(found):
        return run(build(board, model, folder, **settings), board, sets)
    return run_batch(build(board, model, folder, app=str(APP), **settings), found, sets, outputs)


def is_emulated(board: Board) -> bool:
    """True if an emulator plays the board and supports semihosting, which the application uses."""
    return board.run.qemu is not None and board.core.architecture.emulator is not None


def run_batch(
    folder: Path, board: Board, sets: Sequence[Sequence[Array]], outputs: Sequence[Detail]
) -> list[list[Array]]:
    """Outputs of firmware.elf in a folder, with the batch application, for each set of inputs.
    Fails where the firmware does not end well.
    """
    machine, emulator = board.run.qemu, board.core.architecture.emulator
    assert machine is not None
    assert emulator is not None
    given = (b"\0" + b"".join(x.tobytes() for x in each) for each in sets)
    (folder / "inputs.bin").write_bytes(b"".join(given))
    command = [emulator.program, *emulator.options, "-M", machine]
    command += ["-kernel", str(folder / "firmware.elf")]
    command += ["-semihosting-config", "enable=on,target=native"]
    command += [*("-display", "none"), *("-serial", "null"), *("-monitor", "none")]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, f"{emulator.program} ended with {done.returncode}:\n{done.stderr}"
    left = memoryview((folder / "outputs.bin").read_bytes())
    results: list[list[Array]] = []
    while left:
        results.append([])
        for each in outputs:
            size = each.dtype.itemsize * math.prod(each.shape)
            results[-1].append(np.frombuffer(left[:size], each.dtype).reshape(each.shape))
            left = left[size:]
    assert len(results) == len(sets), f"{len(results)} answers for {len(sets)} sets"
    return results
