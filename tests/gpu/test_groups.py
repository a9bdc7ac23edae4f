"""Kernels that `tune` may run in groups of other sizes do not ask for their place in a group."""

import re

import pytest

from opsmith.ir import Graph
from opsmith.op.examples import example_graphs
from opsmith.op.kernel import Kernel, Plan, planned
from opsmith.op.node import view
from opsmith.testing.known_ops import shipped_ops
from tests.conftest import ROOT

FEATURES = frozenset({"runtime=gpu"})
PLACES = re.compile(r"\b(?:get_local_id|get_local_size|get_group_id|get_num_groups|barrier)\b")
# Of a family's file, only functions whose plans have groups of one size do.
FAMILIES = {"layer.cl", "reduction.cl"}


def kernels_in_any_groups(graph: Graph) -> list[Kernel]:
    """Kernels of the nodes of an op's example that may run in groups of other sizes."""
    found, ops = [], shipped_ops()
    for node in graph.nodes:
        op = ops.of(graph, node)
        seen = view(graph, node, op)
        for kernel in op.kernels:
            if kernel.emitter is None:
                continue
            plan = planned(seen, kernel, FEATURES)
            if isinstance(plan, Plan) and plan.work is not None and plan.work.others:
                found.append(kernel)
    return found


@pytest.mark.slow
def test_no_kernel_in_any_groups_asks_for_its_place() -> None:
    seen = 0
    for name, folder in shipped_ops().by_name.items():
        for graph in example_graphs(folder.op):
            for kernel in kernels_in_any_groups(graph):
                homes = [ROOT / kernel.header] if kernel.header else folder.folder.rglob("gpu*.cl")
                text = "".join(file.read_text("utf-8") for file in homes)
                asks = PLACES.search(text) is not None
                assert not asks or kernel.header.rpartition("/")[2] in FAMILIES, name
                seen += 1
    assert seen > 50
