"""Times of int8 models on this machine, beside LiteRT with XNNPACK, both on one thread:
`python -m tests.bench.host [--board=B,…] [MODEL.tflite …]`.

Without models, it is MobileNetV1 of random weights: width 0.5 at 128 pixels. Runs of both take
turns, and the least time of each counts.
"""

import argparse
import importlib
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from opsmith.oracle.litert import quiet
from opsmith.testing.firmware import build
from opsmith.tflite.writer import ModelWriter
from tests.architectures.layers import Layers
from tests.architectures.schemes import INT8

BOARDS = "x86_64,x86_64_vnni"
ROUNDS, INVOKES = 15, 20
STAGES = (
    *((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)),
    *((512, 1),) * 5,
    *((1024, 2), (1024, 1)),
)


def main(arguments: list[str]) -> int:
    """Print milliseconds and ratios of each model on each board."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.host", description=__doc__)
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL.tflite")
    parser.add_argument("--board", default=BOARDS, help=f"boards, default {BOARDS}")
    parser.add_argument("--opt", default="balanced")
    given = parser.parse_args(arguments)
    print(_processor())
    with tempfile.TemporaryDirectory() as scratch:
        models = given.models or [_mobilenet(Path(scratch, "mobilenet_v1_050_128.tflite"))]
        for model in models:
            for board in given.board.split(","):
                program = build(board, model, Path(scratch), app="bench", opt=given.opt)
                ours, theirs = _paired(program / "firmware.elf", model)
                print(
                    f"{model.stem} on {board}: {ours:.3f} ms, LiteRT with XNNPACK {theirs:.3f} ms, "
                    f"ratio {ours / theirs:.2f}"
                )
    return 0


def mobilenet_v1(width: float, size: int) -> bytes:
    """MobileNetV1 with random weights."""
    model = ModelWriter()
    n = Layers(model, INT8)
    x = n.convolution(n.input(1, size, size, 3), int(32 * width), stride=2)
    for filters, stride in STAGES:
        x = n.pointwise(n.depthwise(x, stride=stride), int(filters * width))
    x = n.pool("AVERAGE_POOL_2D", x, x.shape[1:3])
    n.output(n.softmax(n.reshape(n.pointwise(x, 1000, "NONE"), 1, 1000)))
    return model.bytes()


def _mobilenet(path: Path) -> Path:
    path.write_bytes(mobilenet_v1(0.5, 128))
    return path


def _paired(program: Path, model: Path) -> tuple[float, float]:
    with quiet():
        litert: Any = importlib.import_module("ai_edge_litert.interpreter")
        loaded = litert.Interpreter(str(model), num_threads=1)
    loaded.allocate_tensors()
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(_of_firmware(program))
        for _ in range(INVOKES):
            begin = time.perf_counter()
            loaded.invoke()
            theirs.append((time.perf_counter() - begin) * 1e3)
    return min(ours), min(theirs)


def _of_firmware(program: Path) -> float:
    """Milliseconds of the second invoke() of a firmware."""
    told = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    found = re.search(r"^cycles (\d+)$", told, re.MULTILINE)
    assert found is not None, told
    return int(found[1]) / 1e6


def _processor() -> str:
    described = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    found = re.search(r"^model name\s*: (.*)$", described, re.MULTILINE)
    return found[1] if found else "unknown processor"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
