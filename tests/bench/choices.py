"""Layers that another kernel computes faster: `python -m tests.bench.choices --count=N --seed=S`.

Draws layers as training leaves them (`tests.fuzz.trained`) or, with `--usual`, as models of users
have them (`usual_layers`), and profiles in QEMU one model with as many copies of each as kernels
fit that are not declared far dearer, each copy by another. Prints each layer that another kernel
computes in less than 1/TOLD of the modelled cycles, or instructions where no cycles are modelled,
and for each op how many there are and the geometric mean of what all layers take beside their
fastest kernels.
"""

import argparse
import hashlib
import inspect
import json
import math
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from opsmith.board.manifest import load_board
from opsmith.board.runtime import SHIPPED, load_runtime
from opsmith.build_options import BuildOptions
from opsmith.conversion import Conversion, convert
from opsmith.home import HOME
from opsmith.ir import Candidate, Node
from opsmith.report.profile import MODELLED
from opsmith.select.kernel_sources import source_digests
from opsmith.select.tuning import Tuning, write_tuning
from opsmith.testing.firmware import products, scons
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.cases import Case, merged_model
from tests.bench import usual_layers
from tests.fuzz import trained

TOLD = 1.1  # times the cycles of the fastest kernel
DEAR = 6.0  # times the least declared cost: dearer kernels are not measured
NEVER = 10**9  # cycles said of kernels that a copy does not get
IN_PLACE = "in place"  # kernel in profiles of nodes that need not run


def main(argv: Sequence[str]) -> int:
    """Profile layers by each kernel that fits, and print those whose choice is slow."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.choices", description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--kind", default="", help="kinds whose name contains it, as in depthwise")
    parser.add_argument("--usual", action="store_true", help="layers of shapes that are usual")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--board", default="mps2_an386")
    parser.add_argument("--boards", default=str(HOME / "boards"), help="the folder of the board")
    parser.add_argument("--runtime", default="cmsis")
    parser.add_argument("--opt", action="append", help="default: speed")
    given = parser.parse_args(argv)
    layers = _drawn(given)
    with tempfile.TemporaryDirectory() as folder:
        rivals = {}
        for opt in given.opt or ["speed"]:
            rivals[opt] = _nodes(given, layers, opt, Path(folder))
        measured = _measured(given, layers, rivals.values(), Path(folder))
    for opt, nodes in rivals.items():
        _print(opt, layers, nodes, measured)
    return 0


def _drawn(given: argparse.Namespace) -> list[Case]:
    """Random layers of the kinds that are asked for."""
    chance, every = Random(given.seed), (usual_layers if given.usual else trained).KINDS
    kinds = [kind for kind in every if given.kind in kind.__name__]
    return [Case(f"layer_{i}", chance.choice(kinds)(chance)) for i in range(given.count)]


def _nodes(
    given: argparse.Namespace, layers: Sequence[Case], opt: str, folder: Path
) -> dict[str, Node]:
    """Nodes of a model of layers, with their kernels, by name."""
    path = folder / "layers.tflite"
    path.write_bytes(merged_model(layers))
    options = BuildOptions(board=given.board, runtime=given.runtime, opt=opt)
    board = load_board(given.board, [Path(given.boards)])
    conversion = Conversion(options, board, load_runtime(given.runtime, SHIPPED), shipped_ops())
    nodes = convert(conversion, path, "layers").program.graph.nodes
    return {node.name: node for node in nodes}


def _measured(
    given: argparse.Namespace,
    layers: Sequence[Case],
    chosen: Iterable[Mapping[str, Node]],
    folder: Path,
) -> dict[str, dict[str, int]]:
    """Cycles of each node by each of its rivals; without nodes that have one kernel."""
    rivals: dict[str, list[str]] = {}
    for nodes in chosen:
        for name, node in nodes.items():
            found = rivals.setdefault(name, [])
            found += [each for each in rivals_of(node) if each not in found]
    copies = [copy for layer in layers for copy in _copies(layer, rivals)]
    measured: dict[str, dict[str, int]] = {}
    for name, kernel, cycles in _of_copies(given, copies, rivals, folder):
        measured.setdefault(name, {})[kernel] = cycles
    return measured


def _of_copies(
    given: argparse.Namespace,
    copies: Sequence[Case],
    rivals: Mapping[str, Sequence[str]],
    folder: Path,
) -> Iterator[tuple[str, str, int]]:
    """Node of a layer, kernel and cycles for each node of the copies. Where nodes of a firmware run
    row by row, or flash is short, its figures do not decide, and it is measured in halves.
    """
    if not copies:
        return
    nodes = _nodes(given, copies, "speed", folder)
    wanted = {name: _wanted(name, rivals) for name in nodes}
    figures = {
        name: {each.name: 1 if each.name == wanted[name] else NEVER for each in fitting(node)}
        for name, node in nodes.items()
    }
    profiled = _profiled(given, figures, folder)
    if others := [name for name, (kernel, _) in profiled.items() if kernel != wanted[name]]:
        assert len(copies) > 1, f"{others[0]} got {profiled[others[0]][0]}"
        half = len(copies) // 2
        yield from _of_copies(given, copies[:half], rivals, folder)
        yield from _of_copies(given, copies[half:], rivals, folder)
        return
    yield from ((_original(name), *found) for name, found in profiled.items())


def _profiled(
    given: argparse.Namespace, figures: Mapping[str, Mapping[str, int]], folder: Path
) -> dict[str, tuple[str, int]]:
    """Kernel and cycles of each node of layers.tflite that runs, by kernels' figures."""
    model, tune = folder / "layers.tflite", folder / "layers.tune.toml"
    board = load_board(given.board, [Path(given.boards)])
    features = load_runtime(given.runtime, SHIPPED).features(board.core.features)
    tuning = Tuning(MODELLED, figures, source_digests(shipped_ops().by_name.values(), features))
    target = f"{given.board}-{given.runtime}-speed"
    sha256 = hashlib.sha256(model.read_bytes()).hexdigest()
    tune.write_text(write_tuning(sha256, {target: tuning}), encoding="utf-8")
    settings = [f"board={given.board}", f"model={model}", f"runtime={given.runtime}", "opt=speed"]
    settings += [f"boards={given.boards}"] if Path(given.boards) != HOME / "boards" else []
    done = scons(*settings, f"tune={tune}", "profile")
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    path = products(*settings, f"tune={tune}") / "profile.json"
    profile = json.loads(path.read_text(encoding="utf-8"))
    main = list(profile["meaning"])[-1]
    ran = (node for node in profile["nodes"] if node["kernel"] != IN_PLACE)
    return {node["name"]: (node["kernel"], node[main]) for node in ran}


def fitting(node: Node) -> list[Candidate]:
    """Candidates for a node that are not refused."""
    assert node.kernel is not None
    return [each for each in node.kernel.candidates if not each.refused]


def rivals_of(node: Node) -> list[str]:
    """Names of the node's kernel and of others that fit and are not declared far dearer."""
    assert node.kernel is not None
    every = fitting(node)
    least = min((each.cost for each in every if each.cost is not None), default=0)
    found = (each.name for each in every if each.cost is None or each.cost <= DEAR * least)
    return [*dict.fromkeys((node.kernel.name, *found))]


def _copies(layer: Case, rivals: Mapping[str, Sequence[str]]) -> Iterator[Case]:
    """Copies of a layer: one for each kernel of its node that has most, none where all have one."""
    counts = [len(each) for name, each in rivals.items() if name.startswith(f"{layer.name}_")]
    most = max(counts, default=1)
    yield from (Case(f"{layer.name}x{i}", layer.build) for i in range(most if most > 1 else 0))


def _original(name: str) -> str:
    """Name that a node of a copy has in the original layer."""
    return f"layer_{_number(name)}_{name.split('_', 2)[2]}"


def _number(name: str) -> str:
    return name.split("_")[1].partition("x")[0]


def _wanted(name: str, rivals: Mapping[str, Sequence[str]]) -> str:
    """Kernel that a node of a copy is to get."""
    number, each = int(name.split("_")[1].partition("x")[2]), rivals[_original(name)]
    return each[min(number, len(each) - 1)]


def _print(
    opt: str,
    layers: Sequence[Case],
    nodes: Mapping[str, Node],
    measured: Mapping[str, Mapping[str, int]],
) -> None:
    chosen = {name: node.kernel.name for name, node in nodes.items() if node.kernel is not None}
    found: dict[str, list[float]] = {"all": []}
    for name, ratio in ratios(chosen, measured).items():
        node = nodes[name]
        found.setdefault(node.op, []).append(ratio)
        found["all"].append(ratio)
        if ratio > TOLD:
            (layer,) = (each for each in layers if name.startswith(f"{each.name}_"))
            costs = {each.name: each.cost or 0 for each in fitting(node)}
            every = sorted(measured[name].items(), key=lambda item: item[1])
            said = ", ".join(f"{each} {cycles} ({costs[each]:.0f})" for each, cycles in every)
            print(f"{_layer(layer)}\n  {node.op} {chosen[name]} {ratio:.2f} times: {said}")
    for op, of_op in found.items():
        slow = sum(ratio > TOLD for ratio in of_op)
        mean = math.exp(sum(map(math.log, of_op)) / len(of_op))
        print(f"opt={opt} {op}: {len(of_op)} layers, {slow} slow, {mean:.3f} times the fastest")


def ratios(
    chosen: Mapping[str, str], measured: Mapping[str, Mapping[str, int]]
) -> dict[str, float]:
    """Cycles of each node's kernel by those of the fastest kernel; 1 where no others fit."""
    found = {}
    for name, kernel in chosen.items():
        figures = measured.get(name, {kernel: 1})
        found[name] = figures[kernel] / max(1, min(figures.values()))
    return found


def _layer(layer: Case) -> object:
    """The layer's builder, or what it was made of."""
    build = layer.build
    return inspect.getclosurevars(build).nonlocals if inspect.isfunction(build) else build


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
