"""Which networks give LiteRT's bytes, and how near the others are."""

from opsmith.ir import Graph
from opsmith.testing.known_ops import shipped_ops

NEAR = 1e-6  # of a tensor's largest element


def exact(graph: Graph) -> bool:
    """Whether every output byte of a network is LiteRT's."""
    ops = shipped_ops()
    return not any(ops.of(graph, node).variant.ulps for node in graph.nodes)
