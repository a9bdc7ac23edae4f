"""Digits by .pt2 on a board of each Cortex-M core: `python -m tests.cortex_m.boards [--model=PT2]`

builds the program for each of BOARDS, runs it in QEMU or rp2040js, and compares N images with the
legal graph in numpy. The exit status is 1 where an element differs, 2 where no board ran. Without
`--model` the program is that of digits.py; such as torch_pt2e.pt2 of tests.roads may be given.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.ir import Array
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import read
from opsmith.testing.firmware import build, run
from opsmith.testing.known_ops import shipped_ops
from opsmith.text import escaped
from tests.cortex_m.digits import write_digits
from tests.roads.network import images, labels

BOARDS = {
    "microbit": "Cortex-M0", "pico": "Cortex-M0+", "mps2_an385": "Cortex-M3",
    "mps2_an386": "Cortex-M4F", "mps2_an500": "Cortex-M7", "mps2_an521": "Cortex-M33",
    "mps2_an505": "Cortex-M33F", "mps3_an547": "Cortex-M55",
}  # fmt: skip


def main(argv: Sequence[str]) -> int:
    """Run the command line; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.cortex_m.boards", description=__doc__)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--count", type=int, default=20, help="images")
    parser.add_argument("--only", default=",".join(BOARDS), help="boards, with commas")
    options = parser.parse_args(argv)
    ran = wrong = 0
    with tempfile.TemporaryDirectory(prefix="opsmith-cortex-m-") as work:
        model = options.model or write_digits(Path(work, "digits.pt2"))
        for board in options.only.split(","):
            print(f"{BOARDS.get(board, ''):12}{board:12}", end="", flush=True)
            try:
                elements, differ, right = compared(board, model, Path(work), options.count)
            except ToolchainError as error:  # such as of an emulator that is absent
                print(f"not run: {escaped(error.problems[0].what)}")
                continue
            ran, wrong = ran + 1, wrong + (differ > 0)
            print(
                f"{differ} of {elements} elements differ; {right} of {options.count} read right",
                flush=True,
            )
    return 1 if wrong else 0 if ran else 2


def compared(board: str, model: Path, folder: Path, count: int) -> tuple[int, int, int]:
    """Number of the firmware's output elements, of those unlike numpy's, and of right digits."""
    _, graph = read(model, "digits", shipped_ops())
    shape = graph.tensors[graph.inputs[0]].shape
    given = [image.reshape(shape) for image in quantised(count)]
    evaluator, output = Evaluator(graph, shipped_ops()), graph.outputs[0]
    wanted = [evaluator.run([x])[output] for x in given]
    answers = run(build(board, model, folder), board, [[x] for x in given])
    found = np.array([np.ravel(answer[0]) for answer in answers])
    right = int(np.sum(found.argmax(axis=1) == labels()[:count]))
    return found.size, int(np.sum(found != np.reshape(wanted, found.shape))), right


def quantised(count: int) -> Array:
    """Images as elements of int8 at scale 1/255."""
    return np.asarray(np.rint(images()[:count] * 255 - 128), np.int8)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
