"""Time and flash of nodes before kernels are chosen, by what the cheapest kernels declare alone,
since `tune` measured nodes after their rewriting.
"""

import math
from dataclasses import dataclass

from opsmith.ir import Candidate, Graph, Node
from opsmith.op.constants import table_bytes
from opsmith.op.index import OpIndex
from opsmith.select.choice import Preferences, best, candidates
from opsmith.select.estimated_flash import CALL, FIRMWARE
from opsmith.select.flash_budget import FlashBudget, usual_bytes
from opsmith.select.spare_code import WORTH
from opsmith.select.stored import constant_bytes


@dataclass(frozen=True)
class DeclaredFigures:
    """Figures of the nodes of graphs for a core, with the user's preferences for kernels."""

    ops: OpIndex
    features: frozenset[str]
    preferences: Preferences
    budget: FlashBudget

    def cost(self, graph: Graph, node: Node) -> float:
        """Cycles; 0 for a node that no kernel can compute, which `select_kernels` reports."""
        found = self._best(graph, node)
        return 0 if found is None else found.cost or 0

    def flash(self, graph: Graph, node: Node) -> int:
        """Bytes of the node's call and tables, without code and weights."""
        found = self._best(graph, node)
        tables = None if found is None else found.plan.tables
        return CALL + (0 if tables is None else table_bytes(tables))

    def worth(self, graph: Graph) -> float:
        """Bytes of flash that may be spent to save a cycle."""
        if not self.budget.weighs:
            return math.inf
        cycles = sum(self.cost(graph, node) for node in graph.nodes)
        return WORTH * (FIRMWARE + constant_bytes(graph)) / max(cycles, 1)

    def spare(self, graph: Graph) -> float:
        """Bytes of flash that may be spent before kernels are chosen: what board or user allow
        besides the constants and usual code.
        """
        limit = self.budget.most
        if not self.budget.buys or limit is None:
            return math.inf if self.budget.buys else 0
        return limit - usual_bytes(graph)

    def _best(self, graph: Graph, node: Node) -> Candidate | None:
        op = self.ops.of(graph, node)
        preferences = Preferences(prefer=self.preferences.prefer)
        found = candidates(graph, node, op, self.features, preferences)
        return best(found) if any(not each.refused for each in found) else None
