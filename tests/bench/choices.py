"""Layers that another kernel computes faster: `python -m tests.bench.choices --count=N --seed=S`.

Draws layers as training leaves them (`tests.fuzz.trained`) or, with `--usual`, of the shapes that
models of users have (`usual_layers`), profiles them in QEMU with the kernels that are chosen, and
by `tune` with each that fits. Prints each layer that another kernel computes in less than 1/TOLD of
the modelled cycles, or instructions where no cycles are modelled, and the geometric mean of what
all layers take beside their fastest kernels.
"""

import argparse
import hashlib
import json
import math
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from opsmith.select.tuning import Figures, read_tuning
from opsmith.testing.firmware import products, scons
from opsmith.tflite.cases import Case, merged_model
from tests.bench import usual_layers
from tests.fuzz import trained

TOLD = 1.1  # times the cycles of the fastest kernel


def main(argv: Sequence[str]) -> int:
    """Profile layers by each kernel that fits, and print those whose choice is slow."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.choices", description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--kind", default="", help="layers of these alone, as in TrainedDepthwise")
    parser.add_argument("--usual", action="store_true", help="layers of shapes that are usual")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--board", default="mps2_an386")
    parser.add_argument("--runtime", default="cmsis")
    parser.add_argument("--opt", default="speed")
    given = parser.parse_args(argv)
    layers = _drawn(given)
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "layers.tflite"
        model.write_bytes(merged_model(layers))
        settings = [f"board={given.board}", f"model={model}", f"runtime={given.runtime}"]
        settings += [f"opt={given.opt}"]
        chosen, measured = _kernels(settings), _measured(settings, model)
    found = dict(slow(chosen, measured))
    for name, (fastest, ratio) in found.items():
        print(f"{_layer(layers, name)}\n  {chosen[name]} takes {ratio:.2f} times {fastest}")
    logs = [math.log(max(1, found.get(name, ("", 1.0))[1])) for name in chosen]
    mean = math.exp(sum(logs) / len(logs))
    print(f"{len(chosen)} layers, {len(found)} of them slow; {mean:.3f} times the fastest kernels")
    return 0


def slow(chosen: Mapping[str, str], measured: Figures) -> Iterator[tuple[str, tuple[str, float]]]:
    """Nodes whose kernel takes more than TOLD times what another takes, with its name and the
    ratio.
    """
    for name, kernel in chosen.items():
        figures = measured.get(name, {kernel: 1})
        fastest = min(figures, key=figures.__getitem__)
        if figures[kernel] > TOLD * figures[fastest]:
            yield name, (fastest, figures[kernel] / figures[fastest])


def _drawn(given: argparse.Namespace) -> list[Case]:
    """The first random layers whose kind's name contains `kind`; of any kind for ""."""
    source = usual_layers if given.usual else trained
    every = source.drawn(Random(given.seed), (20 if given.kind else 1) * given.count)
    return [each for each in every if given.kind in type(each.build).__name__][: given.count]


def _kernels(settings: Sequence[str]) -> dict[str, str]:
    """The kernel of each node."""
    _run(*settings)
    report = json.loads((products(*settings) / "report.json").read_text(encoding="utf-8"))
    return {node["name"]: node["kernel"] for node in report["nodes"]}


def _measured(settings: Sequence[str], model: Path) -> Figures:
    """Figures of each node's kernels, for nodes that have several."""
    _run(*settings, "tune")
    path = model.with_suffix(".tune.toml")
    (tuning,) = read_tuning(path, hashlib.sha256(model.read_bytes()).hexdigest()).values()
    return tuning.nodes


def _run(*arguments: str) -> None:
    done = scons(*arguments)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)


def _layer(layers: Sequence[Case], node: str) -> object:
    return next(each.build for each in layers if node.startswith(f"{each.name}_"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
