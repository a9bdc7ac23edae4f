"""Run a firmware with the application in `batch/` in an emulator: all sets of inputs at once."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from opsmith.board.manifest import load_board
from opsmith.ir import Array
from opsmith.testing.firmware import BOARDS, build, run
from opsmith.testing.litert import Detail

APP = Path(__file__).with_name("batch")
SECONDS = 300  # for all sets


def answers(
    board: str,
    model: Path,
    folder: Path,
    sets: Sequence[Sequence[Array]],
    outputs: Sequence[Detail],
    **settings: str,
) -> list[list[Array]]:
    """What a firmware, built by SCons as a user's is, answers to each set of inputs.

    Boards that no emulator plays answer on their rig.
    """
    found = load_board(board, BOARDS)
    machine, emulator = found.run.qemu, found.core.architecture.emulator
    if machine is None or emulator is None:
        return run(build(board, model, folder, **settings), board, sets)
    copy = build(board, model, folder, app=str(APP), **settings)
    return _run(copy, [emulator.program, *emulator.options, "-M", machine], sets, outputs)


def _run(
    folder: Path,
    emulator: Sequence[str],
    sets: Sequence[Sequence[Array]],
    outputs: Sequence[Detail],
) -> list[list[Array]]:
    """The outputs for each set of inputs. Fails where the firmware does not end well."""
    given = (b"\0" + b"".join(x.tobytes() for x in each) for each in sets)
    (folder / "inputs.bin").write_bytes(b"".join(given))
    command = [*emulator, "-kernel", str(folder / "firmware.elf")]
    command += ["-semihosting-config", "enable=on,target=native"]
    command += [*("-display", "none"), *("-serial", "none"), *("-monitor", "none")]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, f"{emulator} ended with {done.returncode}:\n{done.stderr}"
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
