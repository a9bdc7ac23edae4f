"""Thousands of inferences on one rig, without drift or leak:

    python -m tests.rig.soak [COUNT] [BOARD]

QEMU plays the board behind a pty. Memory and time of the last tenth are compared with the second's;
every output is compared with LiteRT's.
"""

import resource
import sys
import time
from pathlib import Path

import numpy as np

from opsmith.board.manifest import load_board
from opsmith.oracle.litert import Reference
from opsmith.rig.rig import open_rig
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons

MODEL = ROOT / "tests/models/digits_int8.tflite"
COUNT, BOARD = 10_000, "stm32"
MORE_MEMORY, MORE_TIME = 4 << 20, 1.5  # bytes, and the factor by which it may be slower


def soak(count: int, name: str) -> tuple[int, float, int]:
    """Number of wrong outputs, factor by which time grew, and bytes by which memory grew."""
    settings = [f"board={name}", f"model={MODEL.relative_to(ROOT)}"]
    done = scons(*settings)
    assert done.returncode == 0, done.stdout + done.stderr
    board, reference = load_board(name, [ROOT / "boards"]), Reference(MODEL)
    random, wrong = np.random.default_rng(0), 0
    tenths, memory = list[float](), list[int]()
    with open_rig(Path(products(*settings)), board) as rig:
        for tenth in range(10):
            begin = time.monotonic()
            for _ in range(count // 10):
                x = random.integers(-128, 128, (1, 8, 8, 1), dtype=np.int8)
                wrong += rig.invoke([x])[0].tobytes() != reference.run([x])[0].tobytes()
            tenths.append(time.monotonic() - begin)
            memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10)
            each = tenths[-1] / (count // 10) * 1000
            print(f"tenth {tenth}: {each:.2f} ms each, at most {memory[-1] >> 20} MiB", flush=True)
    return wrong, tenths[-1] / tenths[1], memory[-1] - memory[1]


if __name__ == "__main__":
    given = [*sys.argv[1:], *[str(COUNT), BOARD][len(sys.argv) - 1 :]]
    wrong, slower, more = soak(int(given[0]), given[1])
    print(f"{wrong} wrong, time x{slower:.2f}, memory +{more >> 10} KiB")
    sys.exit(wrong > 0 or slower > MORE_TIME or more > MORE_MEMORY)
