"""Savings of each kernel: `.venv/bin/python -m tests.bench.kernels --models=DIR` prints a table.

Compiles every model below DIR, random graphs of LiteRT's and of ONNX's operators, and layers as
users' models have them and as training leaves them, these by each rule of numerics, for cores of
different features, until kernels are chosen and flash is spent. A kernel saves, for each node that
gets it, the difference to the cheapest other kernel that fits, in cycles as kernels declare them
(`cost=`); `share` is the difference in per cent of what the other would take. The last kernel of a
variant for a rule takes every node: others are compared with it, and it has no row. `bytes` are
those of constants that kernels save at `opt=size`.

Lines are those of the kernel's header and of the Python file of its name beside it, shared equally
by the kernels of that header. Kernels that need a library, a device or `runtime=simd` are not
looked at, nor is `stream=`, and some are taken only where `prefer=` names them: those save nothing
here. What saves nothing comes last.
"""

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from opsmith.board.cores import CORES as SHIPPED_CORES
from opsmith.board.runtime import SHIPPED, load_runtime
from opsmith.errors import ToolchainError
from opsmith.home import HOME
from opsmith.ir import Graph, KernelChoice, Node
from opsmith.numerics import Numerics
from opsmith.op.describe import Op
from opsmith.op.kernel import Kernel
from opsmith.op.typed import TypedOp
from opsmith.pipeline import Configuration, Reading, compile_graph
from opsmith.select.flash_budget import NOTHING, UNLIMITED, FlashBudget
from opsmith.testing.known_ops import shipped_ops
from tests.bench import kernel_models
from tests.bench.measured import named_models
from tests.bench.peers import Unusable
from tests.programs import graph_of

# core by a short name, a core for each set of features that kernels ask for, and its runtime
CORES = {
    "m0": ("cortex-m0plus", "cmsis"),
    "m3": ("cortex-m3", "cmsis"),
    "m33": ("cortex-m33", "cmsis"),
    "m4": ("cortex-m4", "cmsis"),
    "m4f": ("cortex-m4f", "cmsis"),
    "m7": ("cortex-m7d", "cmsis"),
    "m55": ("cortex-m55", "cmsis"),
    "rv32": ("rv32imac", "riscv"),
    "rv32v": ("rv32imac_zve32x", "riscv"),
}
GENERATED, LAYERS, ONNX = 60, 400, 200
Name = tuple[str, str]  # of a kernel: its header, and what it is called


class _Chosen(Exception):
    """Raised to end a compilation once every node has its kernel."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph


@dataclass
class Savings:
    """Savings of one kernel, by core."""

    cycles: dict[str, float] = field(default_factory=lambda: dict.fromkeys(CORES, 0.0))
    other: float = 0.0  # cycles that the next best would take, of nodes whose costs are known
    nodes: int = 0  # that get it
    unknown: int = 0  # of these, where a cost is not declared
    bytes: int = 0  # of constants, at opt=size

    @property
    def total(self) -> float:
        """Cycles saved on all cores together."""
        return sum(self.cycles.values())


def main(argv: Sequence[str]) -> int:
    """Print the table; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.kernels", description=__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("OPSMITH_MODELS"))
    parser.add_argument("--generated", type=int, default=GENERATED, help="random graphs")
    parser.add_argument("--layers", type=int, default=LAYERS, help="random layers of each set")
    parser.add_argument("--onnx", type=int, default=ONNX, help="random graphs of ONNX's operators")
    parser.add_argument("--core", action="append", choices=CORES, help="default: all")
    arguments = parser.parse_args(argv)
    if arguments.models is None:
        parser.error("give --models=DIR or set OPSMITH_MODELS")
    try:
        files = named_models(Path(arguments.models))
    except Unusable as error:
        parser.error(str(error))
    cores, found = arguments.core or list(CORES), {name: Savings() for name in _names()}
    add_savings(found, {**files, **kernel_models.graphs(arguments.generated)}, cores)
    for rule in Numerics:
        add_savings(found, kernel_models.layers(arguments.layers), cores, rule)
    with tempfile.TemporaryDirectory() as folder:
        add_savings(found, kernel_models.of_onnx(arguments.onnx, Path(folder)), cores)
    print("\n".join(table(found)))
    return 0


def savings(models: Mapping[str, Path | bytes], cores: Iterable[str]) -> dict[Name, Savings]:
    """Savings of each kernel in the given models, by core."""
    found = {name: Savings() for name in _names()}
    add_savings(found, models, cores)
    return found


def add_savings(
    found: Mapping[Name, Savings],
    models: Mapping[str, Path | bytes],
    cores: Iterable[str],
    rule: Numerics = Numerics.REFERENCE,
) -> None:
    """Add what kernels save in nodes of the given models that follow a rule of numerics, the
    reference's where it is that of all nodes to which their files give none.
    """
    cores, reading = list(cores), Reading(numerics="" if rule == Numerics.REFERENCE else rule)
    for name, content in models.items():
        try:
            legal = graph_of(content, reading=reading)
        except ToolchainError as error:
            print(f"without {name}: {error.problems[0].code}", file=sys.stderr)
            continue
        for core in cores:
            for saved, choice in _choices(found, legal, core, rule, UNLIMITED):
                _add(saved, core, choice)
            for saved, choice in _choices(found, legal, core, rule, NOTHING):
                saved.bytes += max(0, -choice.taken.growth)


def name_of(op: Op, kernel: Kernel) -> Name:
    """The header of a kernel, from the top of the checkout, and what the kernel is called."""
    header = kernel.header or f"ops/{op.name}/{kernel.source}"
    return header if (HOME / header).is_file() else f"runtimes/{header}", kernel.name


def _names() -> Iterator[Name]:
    """Names of all kernels that a core can run, except the last of a variant for each rule."""
    last: set[Name] = set()
    others: dict[Name, None] = {}
    cores = [_features(core) for core in CORES]
    for found in shipped_ops().by_name.values():
        for variant in found.op.variants:
            kernels = [each for each in variant.kernels if any(map(each.requires.__le__, cores))]
            for rule in Numerics:
                known = [each for each in kernels if rule in each.numerics]
                last |= {name_of(found.op, each) for each in known[-1:]}
            others |= {name_of(found.op, each): None for each in kernels[:-1]}
    return (each for each in others if each not in last)


@cache
def _features(core: str) -> frozenset[str]:
    name, runtime = CORES[core]
    return load_runtime(runtime, SHIPPED).features(SHIPPED_CORES[name].features)


def _choices(
    found: Mapping[Name, Savings], legal: Graph, core: str, rule: Numerics, flash: FlashBudget
) -> Iterator[tuple[Savings, KernelChoice]]:
    """Kernels of the nodes of a graph that follow a rule, with the savings that they count to."""
    for op, node in _nodes(legal, core, flash):
        assert node.kernel is not None
        saved = found.get(name_of(op, op.kernels[node.kernel.index]))
        if saved is not None and rule in (Numerics.REFERENCE, node.numerics):
            yield saved, node.kernel


def _nodes(legal: Graph, core: str, flash: FlashBudget) -> Iterator[tuple[TypedOp, Node]]:
    """The nodes of a graph for a core, with their kernels."""
    configuration = Configuration(_features(core), flash=flash)

    def watch(step: str, graph: Graph) -> None:
        if step == "spend_flash":
            raise _Chosen(graph)

    try:
        compile_graph(legal, shipped_ops(), configuration, "", watch)
    except _Chosen as chosen:
        for node in chosen.graph.nodes:
            yield shipped_ops().of(chosen.graph, node), node


def _add(saved: Savings, core: str, choice: KernelChoice) -> None:
    """Count one node that gets the kernel, and the cycles saved."""
    others = [each for each in choice.candidates if not each.refused and each != choice.taken]
    costs = [each.cost for each in others if each.cost is not None]
    saved.nodes += 1
    if choice.taken.cost is None or not costs:
        saved.unknown += 1
    else:
        saved.cycles[core] += max(0, min(costs) - choice.taken.cost)
        saved.other += min(costs)


def table(found: Mapping[Name, Savings]) -> Iterator[str]:
    """Lines of the table, kernels that save most cycles per line of source first."""
    shared = Counter(header for header, _ in found)
    lines = {name: _lines(name[0]) / shared[name[0]] for name in found}
    cores = "".join(f"{core:>13}" for core in CORES)
    head = f"{'kernel':58}{'lines':>6}{'nodes':>7}{'?':>5}{cores}{'share':>7}{'bytes':>9}"
    yield f"{head}{'per 100 lines':>15}"
    rent = {name: 100 * each.total / max(1, lines[name]) for name, each in found.items()}
    for name in sorted(found, key=lambda name: (-rent[name], -found[name].bytes, name)):
        each = found[name]
        cycles = "".join(f"{each.cycles[core]:13,.0f}" for core in CORES)
        row = f"{name[0]} {name[1]}"
        said = f"{row:58}{lines[name]:6.0f}{each.nodes:7}{each.unknown:5}{cycles}"
        share = 100 * each.total / max(1, each.other)
        yield f"{said}{share:7.1f}{each.bytes:9}{rent[name]:15,.0f}"
    idle = sum(not (each.nodes or each.bytes) for each in found.values())
    yield f"\n{len(found)} kernels, of which {idle} are chosen for no node"


@cache
def _lines(header: str) -> int:
    """The lines of a header, and of the Python file of its name beside it."""
    file = HOME / header
    files = [each for each in (file, file.with_suffix(".py")) if each.is_file()]
    return sum(len(each.read_text(encoding="utf-8").splitlines()) for each in files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
