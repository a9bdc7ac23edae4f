"""Cost of planning: `.venv/bin/python -m tests.bench.plan` prints a table.

Graphs of residual blocks with branches, of 100 to 3,000 nodes, are ordered and planned. Exit
status 1 where 1,000 nodes take 10 seconds or more.
"""

import random
import sys
import time
from dataclasses import dataclass

from opsmith.ir import Graph
from opsmith.schedule.order_nodes import order_nodes
from opsmith.schedule.plan_memory import plan_memory
from tests.unit.graphs import chosen, graph, node, tensor
from tests.unit.transform.memory_ops import OPS

SIZES = (100, 300, 1_000, 3_000)
LIMIT = 10.0  # seconds for 1,000 nodes


@dataclass(frozen=True)
class Cost:
    """Time to order and plan one graph, and its arena beside the lower bound, in bytes."""

    nodes: int
    order: float  # seconds
    plan: float
    arena: int
    bound: int


def main() -> int:
    """Measure every kind and size of graph and print the table; 0 when the limit holds."""
    head = f"{'graph':10}{'nodes':>7}{'order s':>10}{'plan s':>10}{'ms/node':>10}"
    print(f"{head}{'arena':>12}{'bound':>12}{'over':>8}")
    slow = False
    for kind, build in (("chain", chains), ("residual", residuals), ("random", randoms)):
        for size in SIZES:
            cost = measure(build(size))
            total = cost.order + cost.plan
            slow |= size == 1_000 and total >= LIMIT
            line = f"{kind:10}{cost.nodes:7,}{cost.order:10.2f}{cost.plan:10.2f}"
            line += f"{1000 * total / cost.nodes:10.2f}{cost.arena:12,}{cost.bound:12,}"
            print(f"{line}{cost.arena / cost.bound - 1:8.1%}", flush=True)
    return 1 if slow else 0


def measure(made: Graph) -> Cost:
    """Order and plan one graph."""
    start = time.perf_counter()
    ordered = order_nodes(made, OPS)
    between = time.perf_counter()
    plan = plan_memory(ordered, OPS, "ram").plan
    end = time.perf_counter()
    assert plan is not None
    arena, bound = plan.arenas["ram"], plan.lower_bounds["ram"]
    return Cost(len(made.nodes), between - start, end - between, arena, bound)


def chains(count: int) -> Graph:
    """Graph of N nodes in a chain, whose tensors have random sizes."""
    draw = random.Random(1)
    sizes = [draw.randrange(100, 20_000) for _ in range(count + 1)]
    nodes = [node("copy", [f"t{i}"], f"t{i + 1}") for i in range(count)]
    tensors = [tensor(f"t{i}", size) for i, size in enumerate(sizes)]
    return chosen(graph(tensors, nodes, ["t0"], [f"t{count}"]), OPS)


def residuals(count: int) -> Graph:
    """Graph of residual blocks: three convolutions, whose result is added to the block's input."""
    nodes, tensors, last = [], [tensor("t0", 6_400)], "t0"
    attributes = {"size": 400, "pixels": 400, "window": 3, "stride": 1, "dilation": 1}
    attributes |= {"padding": 1, "x_channels": 16, "y_channels": 16}
    for i in range(count // 4):
        skip = last
        for j in range(3):
            name = f"c{i}_{j}"
            nodes.append(node("mix", [last], name, **attributes))
            last = name
        nodes.append(node("pair", [last, skip], f"t{i + 1}"))
        last = f"t{i + 1}"
        tensors += [tensor(n, 6_400) for n in (*(f"c{i}_{j}" for j in range(3)), last)]
    return chosen(graph(tensors, nodes, ["t0"], [last]), OPS)


def randoms(count: int) -> Graph:
    """Graph of N nodes, each of which reads some of the ten tensors before it."""
    draw = random.Random(2)
    nodes, tensors = [], [tensor("t0", 500)]
    for i in range(count):
        read = draw.sample(tensors[-10:], min(len(tensors), draw.randint(1, 3)))
        inputs = [*(t.id for t in read), *[None] * (3 - len(read))]
        nodes.append(node("join", inputs, f"t{i + 1}"))
        tensors.append(tensor(f"t{i + 1}", draw.randrange(100, 20_000)))
    return chosen(graph(tensors, nodes, ["t0"], [tensors[-1].id]), OPS)


if __name__ == "__main__":
    sys.exit(main())
