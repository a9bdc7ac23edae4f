"""Savings of each kernel: `.venv/bin/python -m tests.bench.kernels --models=DIR` prints a table.

Compiles every model below DIR, and random graphs of `tests.fuzz.graphs`, for one board of each core
until kernels are chosen and flash is spent. A kernel saves, for each node that gets it, the
difference to the cheapest other kernel that fits: in cycles as kernels declare them (`cost=`),
about instructions, since few nodes were ever counted with each of their kernels. The last kernel of
a variant takes every node: others are compared with it, and it has no row.

Lines are those of the kernel's header and of the Python file of its name beside it, shared equally
by the kernels of that header. Kernels that need a library or a device are not looked at, nor are
`stream=` and `numerics=`, and some are taken only where `prefer=` names them: those save nothing
here. What saves nothing comes last.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.home import HOME
from opsmith.ir import Graph, KernelChoice, Node
from opsmith.op.describe import Op
from opsmith.op.kernel import Kernel
from opsmith.op.typed import TypedOp
from opsmith.pipeline import Configuration, compile_graph
from opsmith.testing.board_cases import features_of
from opsmith.testing.known_ops import shipped_ops
from tests.bench.measured import named_models
from tests.bench.peers import Unusable
from tests.fuzz.graphs.calls import model
from tests.fuzz.graphs.schedule import graph
from tests.programs import graph_of

CORES = {
    "m0": "microbit",
    "m3": "mps2_an385",
    "m4f": "mps2_an386",
    "m7": "mps2_an500",
    "m55": "mps3_an547",
}
GENERATED = 30
SEED = 1
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
    nodes: int = 0  # that get it
    unknown: int = 0  # of these, where a cost is not declared

    @property
    def total(self) -> float:
        """Cycles saved on all cores together."""
        return sum(self.cycles.values())


def main(argv: Sequence[str]) -> int:
    """Print the table; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.kernels", description=__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("OPSMITH_MODELS"))
    parser.add_argument("--generated", type=int, default=GENERATED, help="random graphs")
    parser.add_argument("--core", action="append", choices=CORES, help="default: all")
    arguments = parser.parse_args(argv)
    if arguments.models is None:
        parser.error("give --models=DIR or set OPSMITH_MODELS")
    try:
        files = named_models(Path(arguments.models))
    except Unusable as error:
        parser.error(str(error))
    content: dict[str, Path | bytes] = {**files}
    for number in range(arguments.generated):
        content[f"random graph {number}"] = model(graph(SEED, number).finish())
    print("\n".join(table(savings(content, arguments.core or list(CORES)))))
    return 0


def savings(models: Mapping[str, Path | bytes], cores: Iterable[str]) -> dict[Name, Savings]:
    """Savings of each kernel in the given models, by core."""
    found = {name: Savings() for name in _names()}
    for name, content in models.items():
        try:
            legal = graph_of(content)
        except ToolchainError as error:
            print(f"without {name}: {error.problems[0].code}", file=sys.stderr)
            continue
        for core in cores:
            for op, node in _nodes(legal, core):
                assert node.kernel is not None
                if saved := found.get(name_of(op, op.kernels[node.kernel.index])):
                    _add(saved, core, node.kernel)
    return found


def name_of(op: Op, kernel: Kernel) -> Name:
    """The header of a kernel, from the top of the checkout, and what the kernel is called."""
    header = kernel.header or f"ops/{op.name}/{kernel.source}"
    return header if (HOME / header).is_file() else f"runtimes/{header}", kernel.name


def _names() -> Iterator[Name]:
    """Names of all kernels that a core can run, except the last kernel of each variant."""
    last: set[Name] = set()
    others: dict[Name, None] = {}
    cores = list(map(features_of, CORES.values()))
    for found in shipped_ops().by_name.values():
        for variant in found.op.variants:
            kernels = [each for each in variant.kernels if any(map(each.requires.__le__, cores))]
            last |= {name_of(found.op, each) for each in kernels[-1:]}
            others |= {name_of(found.op, each): None for each in kernels[:-1]}
    return (each for each in others if each not in last)


def _nodes(legal: Graph, core: str) -> Iterator[tuple[TypedOp, Node]]:
    """The nodes of a graph for a core, with their kernels."""
    configuration = Configuration(features_of(CORES[core]))

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


def table(found: Mapping[Name, Savings]) -> Iterator[str]:
    """Lines of the table, kernels that save most cycles per line of source first."""
    shared = Counter(header for header, _ in found)
    lines = {name: _lines(name[0]) / shared[name[0]] for name in found}
    cores = "".join(f"{core:>13}" for core in CORES)
    yield f"{'kernel':58}{'lines':>6}{'nodes':>7}{'?':>5}{cores}{'per 100 lines':>15}"
    rent = {name: 100 * each.total / max(1, lines[name]) for name, each in found.items()}
    for name in sorted(found, key=lambda name: (-rent[name], name)):
        each = found[name]
        cycles = "".join(f"{each.cycles[core]:13,.0f}" for core in CORES)
        row = f"{name[0]} {name[1]}"
        yield f"{row:58}{lines[name]:6.0f}{each.nodes:7}{each.unknown:5}{cycles}{rent[name]:15,.0f}"
    idle = sum(not each.nodes for each in found.values())
    yield f"\n{len(found)} kernels, of which {idle} are chosen for no node"


@cache
def _lines(header: str) -> int:
    """The lines of a header, and of the Python file of its name beside it."""
    file = HOME / header
    files = [each for each in (file, file.with_suffix(".py")) if each.is_file()]
    return sum(len(each.read_text(encoding="utf-8").splitlines()) for each in files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
