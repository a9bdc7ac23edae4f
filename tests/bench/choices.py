"""Layers that another kernel computes faster: `python -m tests.bench.choices --count=N --seed=S`.

Draws layers as training leaves them (`tests.fuzz.trained`), profiles them in QEMU with the kernels
that are chosen, and again with each rival that fits, by `prefer=`. Prints each layer that a rival
computes in less than 1/TOLD of the cycles, and the geometric mean of what all layers take beside
their fastest kernels.
"""

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from random import Random

from opsmith.testing.firmware import products, scons
from opsmith.tflite.cases import Case, merged_model
from tests.fuzz.trained import drawn

TOLD = 1.1  # times the cycles of the fastest kernel
Times = Mapping[str, tuple[str, int]]  # node -> its kernel, and modelled cycles


def main(argv: Sequence[str]) -> int:
    """Profile layers by each kernel that fits, and print those whose choice is slow."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.choices", description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--kind", default="", help="layers of these alone, as in TrainedDepthwise")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--board", default="mps2_an386")
    parser.add_argument("--opt", default="speed")
    given = parser.parse_args(argv)
    layers = _drawn(given.kind, given.count, given.seed)
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "layers.tflite"
        model.write_bytes(merged_model(layers))
        settings = [f"board={given.board}", f"model={model}", "runtime=cmsis", f"opt={given.opt}"]
        chosen = _times(settings)
        rivals = [_times([*settings, f"prefer={name}"]) for name in _rivals(settings)]
    found = dict(slow(chosen, rivals))
    for name, (fastest, ratio) in found.items():
        print(f"{_layer(layers, name)}\n  {chosen[name][0]} takes {ratio:.2f} times {fastest}")
    logs = [math.log(max(1, found.get(name, ("", 1.0))[1])) for name in chosen]
    mean = math.exp(sum(logs) / len(logs))
    print(f"{len(chosen)} layers, {len(found)} of them slow; {mean:.3f} times the fastest kernels")
    return 0


def slow(chosen: Times, rivals: Sequence[Times]) -> Iterator[tuple[str, tuple[str, float]]]:
    """Nodes that take more than TOLD times the cycles of a rival, with its name and the ratio."""
    for name, (_, cycles) in chosen.items():
        fastest, least = min((each[name] for each in (chosen, *rivals)), key=itemgetter(1))
        if cycles > TOLD * least:
            yield name, (fastest, cycles / least)


def _drawn(kind: str, count: int, seed: int) -> list[Case]:
    """The first layers of a kind, whose name contains this; of any kind for ""."""
    every = drawn(Random(seed), 20 * count if kind else count)
    return [each for each in every if kind in type(each.build).__name__][:count]


def _times(settings: Sequence[str]) -> Times:
    done = scons(*settings, "profile")
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    found = json.loads((products(*settings) / "profile.json").read_text(encoding="utf-8"))
    return {each["name"]: (each["kernel"], each["modelled_cycles"]) for each in found["nodes"]}


def _rivals(settings: Sequence[str]) -> list[str]:
    """Kernels that some node could have, of those that declare a cost."""
    report = json.loads((products(*settings) / "report.json").read_text(encoding="utf-8"))
    fit = [
        each["kernel"]
        for node in report["nodes"]
        for each in node["candidates"]
        if not each["refused"] and not each["taken"] and each["cost"] is not None
    ]
    return sorted({*fit})


def _layer(layers: Sequence[Case], node: str) -> object:
    return next(each.build for each in layers if node.startswith(f"{each.name}_"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
