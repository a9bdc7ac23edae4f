"""One network by five exporters: what each makes of it, and what the firmware costs.

    .venv/bin/python -m tests.roads [--python ROAD=PYTHON]… [--into=DIR] [--write]

walks each road for which an interpreter has the packages: Keras by TensorFlow's converter, PyTorch
by litert-torch, by ONNX and onnxruntime's QDQ, by ExecuTorch's CortexMQuantizer, and a float .onnx
by onnx2tf. It prints, of firmware for mps2_an386 (Cortex-M4F, opt=balanced), flash, modelled cycles
and whether it is exact, beside the model's size, accuracy and transposes; and of each road that
could not be walked the reason. The exit status is 1 where a model is refused or firmware differs, 2
where no road was walked.

The packages are of several GB and do not lie beside each other, so each road may have an
interpreter of its own; by default it is this one.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.ir import Array, Graph
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import read
from opsmith.testing.firmware import products, scons
from opsmith.testing.known_ops import shipped_ops
from opsmith.text import escaped
from tests.bench.measured import first_error
from tests.roads.network import images, labels, write_network
from tests.roads.page import PAGE, write_table

EXPORTERS = Path(__file__).parent / "exporters"
SECONDS = 900  # of one exporter
BOARD = ("board=mps2_an386", "runtime=cmsis")
HEAD = (
    f"{'road':16}{'model':>10}{'flash':>10}{'cycles':>10}{'accuracy':>10}{'transposes':>12}  exact"
)


@dataclass(frozen=True)
class Road:
    """Road of a network: an exporter, NAME.py, which writes NAME with a suffix."""

    name: str
    suffix: str = ".tflite"


ROADS = (
    Road("keras_litert"),
    Road("torch_litert"),
    Road("torch_onnx", ".onnx"),
    Road("torch_pt2e", ".pt2"),
    Road("onnx2tf_litert"),
)


@dataclass(frozen=True)
class Found:
    """Figures of a road: bytes, modelled cycles, the share of images that are read right."""

    model: int
    flash: int
    cycles: int
    accuracy: float
    transposes: int
    exact: bool

    @property
    def line(self) -> str:
        """Figures of a road as a row of the table."""
        numbers = f"{self.model:10,}{self.flash:10,}{self.cycles:10,}{self.accuracy:10.1%}"
        return f"{numbers}{self.transposes:12}  {'yes' if self.exact else 'NO'}"


def main(argv: Sequence[str]) -> int:
    """Run the command line; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.roads", description=__doc__)
    parser.add_argument("--python", action="append", default=[], metavar="ROAD=PYTHON")
    parser.add_argument("--into", type=Path, help="the folder of the model files")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    arguments = parser.parse_args(argv)
    names = [road.name for road in ROADS]
    pythons = dict(each.partition("=")[::2] for each in arguments.python)
    if unknown := [*(pythons.keys() - names)]:
        parser.error(f"--python={unknown[0]}: no such road; there are {', '.join(names)}")
    walked, wrong, lines = 0, 0, list[tuple[str, str]]()
    print(HEAD)
    with tempfile.TemporaryDirectory(prefix="opsmith-roads-") as temporary:
        folder = (arguments.into or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for road in ROADS:
            made = exported(road, pythons.get(road.name, sys.executable), folder)
            line, bad = (f"  not walked: {made}", 0) if isinstance(made, str) else measured(made)
            walked += not isinstance(made, str)
            wrong += bad
            lines.append((road.name, line))
            print(f"{road.name:16}{line}", flush=True)
    if arguments.write:
        write_table("tests.roads", "road", lines)
    print(f"\n{walked} of {len(ROADS)} roads were walked here")
    return 1 if wrong else 0 if walked else 2


def exported(road: Road, python: str, folder: Path) -> Path | str:
    """The model that the road's exporter writes, or the last line of its errors."""
    network, model = folder / "network.npz", folder / f"{road.name}{road.suffix}"
    write_network(network)
    model.unlink(missing_ok=True)
    command = [python, str(EXPORTERS / f"{road.name}.py"), str(network), str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=folder)
    except (OSError, subprocess.TimeoutExpired) as error:
        return escaped(str(error))
    if done.returncode == 0 and model.is_file():
        return model
    lines = done.stderr.strip().splitlines() or [f"it wrote no {model.name}"]
    return escaped(lines[-1])[:100]


def measured(model: Path) -> tuple[str, bool]:
    """A row of the table, and whether the model is refused or its firmware differs."""
    try:
        _, graph = read(model, "digits", shipped_ops())
    except ToolchainError as error:
        return f"  refused: {escaped(str(error.problems[0].what))}", True
    command = [*BOARD, f"model={model}"]
    done = scons(*command, "run", "profile")
    if done.returncode:
        return f"  {first_error(done.stdout + done.stderr)}", True
    firmware = products(*command)
    report, profile, run = (
        json.loads((firmware / name).read_text(encoding="utf-8"))
        for name in ("report.json", "profile.json", "run.json")
    )
    found = Found(
        model.stat().st_size,
        int(report["memory"]["flash"]["used"]),
        int(profile["modelled_cycles"]),
        accuracy(graph),
        sum(node["op"] == "transpose" for node in report["nodes"]),
        run["outcome"] == "pass",
    )
    return found.line, not found.exact


def accuracy(graph: Graph) -> float:
    """Share of the held-out images that the legal graph reads right."""
    return float(np.mean(np.array([answer(graph, image) for image in images()]) == labels()))


def answer(graph: Graph, image: Array) -> int:
    """The digit that the legal graph reads, as numpy computes it."""
    evaluator = Evaluator(graph, shipped_ops())
    return int(np.argmax(evaluator.run([_given(graph, image)])[graph.outputs[0]]))


def _given(graph: Graph, image: Array) -> Array:
    """Image in the shape that the model takes; the place of its one channel makes no difference."""
    tensor = graph.tensors[graph.inputs[0]]
    x = image.reshape(tensor.shape)
    if tensor.quantization is None:
        return x
    scale, point = tensor.quantization.scales[0], tensor.quantization.zero_points[0]
    units = np.rint(x / np.float32(scale)) + point
    return np.asarray(np.clip(units, *tensor.dtype.limits), tensor.dtype.numpy)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
