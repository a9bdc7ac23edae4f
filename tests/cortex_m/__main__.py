"""Elements of `.pt2` programs beside those of ExecuTorch's Cortex-M backend.

    python3 -m venv TORCH && TORCH/bin/pip install executorch torchao
    .venv/bin/python -m tests.cortex_m --python=TORCH/bin/python [--count=N] [--seed=S]

has networks of one operator, and whole ones, quantised by CortexMQuantizer, and compares elements
of the legal graph in numpy with those of the operators of the `cortex_m` dialect. Of average pools
it compares with arm_avgpool_s8, the kernel that ships, and counts beside it the dialect's Python,
which averages floats. A line of a network has how many elements differ, by how many steps at most,
operators in float, transposes left, and the seconds of reading and legalising. The exit status is 1
where a program is refused or elements differ without a reason in WHY, 2 where nothing was exported.
`--only` takes names with commas; `--exports` keeps the files in a folder.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.ir import Array, Graph, Tensor
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from opsmith.text import escaped

EXPORTERS = Path(__file__).parent / "exporters"
FLOATS = 1e-5  # of the largest output: a step of one that is float32
SECONDS = 1800  # of the exporter
# networks that may differ, and why
WHY = {
    "conv_transpose_pad": "its sums are of float32, in another order",
}


@dataclass(frozen=True)
class Compared:
    """A network's elements beside the dialect's."""

    elements: int
    differ: int  # from the kernels that ship
    most: int  # steps
    python: int  # elements that differ from the dialect's Python
    remarks: tuple[str, ...]  # of transposes, floats and time


def main(argv: Sequence[str]) -> int:
    """Run the command line; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.cortex_m", description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="that has executorch")
    parser.add_argument("--count", type=int, default=20, help="inputs of each network")
    parser.add_argument("--seed", type=int, default=0, help="of weights and inputs")
    parser.add_argument("--only", default="", metavar="NAMES")
    parser.add_argument("--exports", type=Path, metavar="DIR")
    options = parser.parse_args(argv)
    names = options.only.split(",") if options.only else networks()
    if unknown := {*names} - {*networks()}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(networks())}")
    with tempfile.TemporaryDirectory(prefix="opsmith-cortex-m-") as work:
        folder = (options.exports or Path(work)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        if problem := exported(folder, options.python, options.seed, options.count, names):
            print(problem, file=sys.stderr)
            return 2
        return shown(folder, names)


def networks() -> list[str]:
    """Names of the networks, whose file needs PyTorch and so is not imported."""
    text = (EXPORTERS / "networks.py").read_text(encoding="utf-8")
    return re.findall(r'^    "(\w+)": [(N]', text, re.MULTILINE)


def exported(folder: Path, python: str, seed: int, count: int, names: Sequence[str]) -> str:
    """Let the exporter write programs and outputs; the last line of its errors, or ""."""
    command = [python, str(EXPORTERS / "dialect.py"), str(folder), str(seed), str(count), *names]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return escaped(str(error))
    lines = done.stderr.strip().splitlines() or ["the exporter failed"]
    return escaped(lines[-1]) if done.returncode else ""


def shown(folder: Path, names: Sequence[str]) -> int:
    """Print a line for each network, and the sum; the exit status."""
    wrong = elements = differ = python = absent = 0
    for name in names:
        failure = folder / f"{name}.txt"
        if failure.exists():
            print(f"{name:20} not exported: {escaped(failure.read_text(encoding='utf-8'))}")
            absent += 1
            continue
        try:
            found = compared(folder, name)
        except ToolchainError as error:
            print(f"{name:20} refused: {escaped(str(error.problems[0]))}")
            wrong += 1
            continue
        why = WHY.get(name, "") if found.differ else ""
        wrong += found.differ > 0 and not why
        elements, differ = elements + found.elements, differ + found.differ
        python += found.python
        numbers = f"{found.differ:5,} of {found.elements:7,}, by up to {found.most}"
        print(
            f"{name:20}{numbers}; {'; '.join((*found.remarks, *filter(None, [why])))}", flush=True
        )
    print(
        f"{differ:,} of {elements:,} elements differ, {python:,} from the dialect's averages;"
        f" {absent} networks not exported"
    )
    return 1 if wrong else 0 if elements else 2


def compared(folder: Path, name: str) -> Compared:
    """Comparison of the program's legal graph with the outputs that the exporter wrote."""
    path, arrays = folder / f"{name}.pt2", folder / f"{name}.npz"
    begin = time.process_time()
    model, graph = read(path, "m", shipped_ops())
    seconds = f"read in {time.process_time() - begin:.2f} s"
    lines = [line for line in model.assumed if "transposes" in line or "in float" in line]
    remarks = (*lines, f"{len(graph.nodes)} nodes", seconds)
    with np.load(arrays) as file:
        inputs = [file[f"x{index}"] for index in range(len(graph.inputs))]
        output = graph.tensors[graph.outputs[0]]
        shipped, python = (quantised(file[name], output) for name in ("kernels", "python"))
    found = np.stack([answer(graph, model.assumed, each) for each in zip(*inputs, strict=True)])
    found = found.reshape(shipped.shape)
    unit = 1 if output.quantization is not None else np.abs(shipped).max() * FLOATS
    steps = np.floor(np.abs(found - shipped) / unit)
    differ, most = int(np.sum(steps > 0)), int(steps.max())
    return Compared(steps.size, differ, most, int(np.sum(np.abs(found - python) >= unit)), remarks)


def answer(graph: Graph, assumed: Sequence[str], given: Sequence[Array]) -> Array:
    """Elements of the output as the legal graph computes them, in torch's order of axes."""
    inputs = []
    for name, x in zip(graph.inputs, given, strict=True):
        tensor = graph.tensors[name]
        last = x.ndim == 4 and x.shape != tensor.shape
        last |= any(line.startswith(f"'{tensor.name}': the input has its chan") for line in assumed)
        stored = np.moveaxis(x, 1, -1) if last else x
        inputs.append(quantised(stored, tensor).astype(tensor.dtype.numpy))
    found = Evaluator(graph, shipped_ops()).run(inputs)[graph.outputs[0]].astype(np.float64)
    turned = [line.rpartition("order ")[2] for line in assumed if "the output has" in line]
    axes = [int(axis) for line in turned for axis in line.split()]
    return np.transpose(found, np.argsort(axes)) if axes else found


def quantised(x: Array, tensor: Tensor) -> Array:
    """Elements of real numbers as torch quantises them; real numbers where the tensor is float."""
    if tensor.quantization is None:
        return x.astype(np.float64)
    scale, point = tensor.quantization.scales[0], tensor.quantization.zero_points[0]
    steps = np.rint(x * np.float32(1 / scale)) + point
    return np.asarray(np.clip(steps, *tensor.dtype.limits), np.float64)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
