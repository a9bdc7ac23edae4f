"""Random models in which `tests.bench.kernels` looks for nodes of every kernel."""

from collections.abc import Mapping
from pathlib import Path
from random import Random

from opsmith.tflite.cases import Case, merged_model
from tests.bench import usual_layers
from tests.fuzz import trained
from tests.fuzz.graphs.calls import model
from tests.fuzz.graphs.schedule import graph

SEED, TOGETHER = 1, 40


def graphs(count: int) -> Mapping[str, bytes]:
    """Random graphs of many ops and types."""
    found = ((f"random graph {i}", graph(SEED, i).finish()) for i in range(count))
    return {name: model(each) for name, each in found}


def layers(count: int) -> Mapping[str, bytes]:
    """Models of N random layers as users have them, and of N as training leaves them."""
    chance, found = Random(SEED), dict[str, bytes]()
    for kinds in (usual_layers.KINDS, trained.KINDS):
        for first in range(0, count, TOGETHER):
            numbers = range(first, min(first + TOGETHER, count))
            drawn = [Case(f"layer_{i}", chance.choice(kinds)(chance)) for i in numbers]
            found[f"layers {len(found)}"] = merged_model(drawn)
    return found


def of_onnx(count: int, folder: Path) -> Mapping[str, Path]:
    """Random graphs of ONNX's operators, float or quantised, as files of a folder."""
    from tests.fuzz.onnx_graphs import grown  # onnx is optional
    from tests.unit.frontend.test_onnx_operators import saved

    found = {}
    for i in range(count):
        growing, x = grown(Random(f"{SEED} {i}"))
        (folder / f"{i}").mkdir()
        path = saved(growing.m, [*growing.values][-1], folder / f"{i}", x.shape)
        found[f"random graph of onnx {i}"] = path
    return found
